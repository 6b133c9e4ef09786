/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "mpi/schedules/schedule.h"
#include "mpi/schedules/unit.h"

static const char *const sends[SEND_FORMS] = {
    [SEND] = "Send",
    [SSEND] = "Ssend",
    [RSEND] = "Rsend",
    [BSEND] = "Bsend",
    [ISEND] = "Isend",
    [ISSEND] = "Issend",
    [IRSEND] = "Irsend",
    [IBSEND] = "Ibsend",
    [SEND_INIT] = "Send_init",
    [SSEND_INIT] = "Ssend_init",
    [RSEND_INIT] = "Rsend_init",
    [BSEND_INIT] = "Bsend_init",
};
static const char *const receives[RECEIVE_FORMS] = {
    [RECV] = "Recv",
    [PROBE_RECV] = "Probe Recv",
    [IPROBE_RECV] = "Iprobe Recv",
    [MPROBE_MRECV] = "Mprobe Mrecv",
    [IMPROBE_MRECV] = "Improbe Mrecv",
    [MPROBE_IMRECV] = "Mprobe Imrecv",
    [IMPROBE_IMRECV] = "Improbe Imrecv",
    [PROBE_IRECV] = "Probe Irecv",
    [PROBE_RECV_INIT] = "Probe Recv_init",
    [IRECV] = "Irecv",
    [RECV_INIT] = "Recv_init",
};

void schedule_describe(const struct schedule *schedule)
{
    for (int m = 0; m < schedule->messages; m++) {
        const struct message *message = &schedule->message[m];
        fprintf(stderr,
                "message %d: %d to %d, tag %d on communicator %d, %s of %zu, %s for %zu of "
                "unit %u of %zu bytes%s%s\n",
                m, message->source, message->target, message->tag, message->comm,
                message->exchange < 0 ? sends[message->send] : "a ring", message->units,
                message->replaces ? "replaced" : receives[message->receive], message->room,
                message->unit, unit_bytes(message->unit), message->group < 0 ? "" : ", any source",
                message->again < 0 ? "" : ", again");
    }
}
