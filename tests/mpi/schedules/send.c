/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/schedules/run.h"

typedef int send_call(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int request_call(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static send_call *const send_calls[SEND_FORMS] = {
    [SEND] = MPI_Send, [SSEND] = MPI_Ssend, [RSEND] = MPI_Rsend, [BSEND] = MPI_Bsend};
static request_call *const request_calls[SEND_FORMS] = {
    [ISEND] = MPI_Isend,           [ISSEND] = MPI_Issend,         [IRSEND] = MPI_Irsend,
    [IBSEND] = MPI_Ibsend,         [SEND_INIT] = MPI_Send_init,   [SSEND_INIT] = MPI_Ssend_init,
    [RSEND_INIT] = MPI_Rsend_init, [BSEND_INIT] = MPI_Bsend_init,
};

#if MPI_VERSION >= 4
typedef int large_send_call(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
typedef int large_request_call(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm,
                               MPI_Request *);
static large_send_call *const large_send_calls[SEND_FORMS] = {
    [SEND] = MPI_Send_c, [SSEND] = MPI_Ssend_c, [RSEND] = MPI_Rsend_c, [BSEND] = MPI_Bsend_c};
static large_request_call *const large_request_calls[SEND_FORMS] = {
    [ISEND] = MPI_Isend_c,           [ISSEND] = MPI_Issend_c,
    [IRSEND] = MPI_Irsend_c,         [IBSEND] = MPI_Ibsend_c,
    [SEND_INIT] = MPI_Send_init_c,   [SSEND_INIT] = MPI_Ssend_init_c,
    [RSEND_INIT] = MPI_Rsend_init_c, [BSEND_INIT] = MPI_Bsend_init_c,
};
#endif

static int call_send(struct run *run, struct side *side, const struct message *message)
{
    MPI_Comm comm = run->crew->comm[message->comm];
    int target = comm_rank_of(message->comm, message->target, run->crew->ranks);
    enum send_form form = message->send;
    bool waits = send_calls[form] != NULL;
#if MPI_VERSION >= 4
    if (rng_one_in(&run->rng, 4))
        return waits ? large_send_calls[form](side->address, side->count, side->type, target,
                                              message->tag, comm)
                     : large_request_calls[form](side->address, side->count, side->type, target,
                                                 message->tag, comm, &side->request);
#endif
    return waits ? send_calls[form](side->address, side->count, side->type, target, message->tag,
                                    comm)
                 : request_calls[form](side->address, side->count, side->type, target,
                                       message->tag, comm, &side->request);
}

struct side *side_of_send(struct run *run, int m)
{
    const struct message *message = &run->schedule->message[m];
    struct side *side = &run->out[first_use(run->schedule, m)];
    if (!side->memory)
        side_open(run, side, message->send_layout, need_to_send(message), SEND_FILL);
    return side;
}

/* ---- Cancelling --------------------------------------------------------------------------- */

static void cancel(struct run *run, struct side *side, int m)
{
    doing(run->crew, "MPI_Cancel of message %d, send form %d", m, run->schedule->message[m].send);
    must(run->crew, MPI_Cancel(&side->request), "MPI_Cancel of a send");
}

/* MPI_Request_get_status would do less, but that of MPICH 4.0.2 knows nothing of cancelled
 * persistent sends. */
static bool is_really_cancelled(struct run *run, struct side *side)
{
    int done = 0, cancelled = 0;
    must(run->crew, MPI_Test(&side->request, &done, &side->status), "MPI_Test");
    if (done)
        MPI_Test_cancelled(&side->status, &cancelled);
    side->active = !done;
    return cancelled;
}

/* MPICH cancels sends in a communicator of one process, if nothing has received them. The receive
 * will wait for the message, so it is sent again then. A program may rely on it and wait at once,
 * so what is cancelled natively must be under Weft, too; buffered sends end anyway. */
static void cancel_at_once(struct run *run, struct side *side, int m)
{
    cancel(run, side, m);
    if (!is_really_cancelled(run, side))
        return;
    if (!send_buffers(run->schedule->message[m].send))
        run->crew->digest += run->schedule->message[m].content;
    doing(run->crew, "message %d, which was cancelled, again", m);
    must(run->crew,
         side->persistent ? MPI_Start(&side->request)
                          : call_send(run, side, &run->schedule->message[m]),
         "a send in place of a cancelled one");
    side->active = true;
}

void cancel_late(struct run *run, struct side *side, int m)
{
    if (run->schedule->message[m].cancel == LATE && side->active)
        cancel(run, side, m);
}

/* ---- Starting ----------------------------------------------------------------------------- */

static void start_one(struct run *run, int m)
{
    struct crew *crew = run->crew;
    const struct message *message = &run->schedule->message[m];
    struct side *side = side_of_send(run, m);
    side_write(side, message);
    doing(crew, "send form %d of message %d to %d", message->send, m, message->target);
    must(crew, call_send(run, side, message), "a send");
    if (send_calls[message->send]) {
        side_check(run, side, message, "a send");
        return;
    }
    side->active = true;
    if (message->cancel == AT_ONCE)
        cancel_at_once(run, side, m);
    if (message->freed) {
        must(crew, MPI_Request_free(&side->request), "MPI_Request_free");
        side->active = false;
    }
    if (rng_one_in(&run->rng, 2))
        side_free_type(side);
}

static void start_persistent(struct run *run, const int *messages, int count)
{
    struct side *sides[MOST_MESSAGES];
    for (int i = 0; i < count; i++) {
        sides[i] = side_of_send(run, messages[i]);
        if (!sides[i]->persistent)
            must(run->crew, call_send(run, sides[i], &run->schedule->message[messages[i]]),
                 "a persistent send");
        sides[i]->persistent = true;
        side_write(sides[i], &run->schedule->message[messages[i]]);
    }
    doing(run->crew, "start of %d persistent sends, the first is message %d", count, messages[0]);
    start_requests(run, sides, count);
    if (run->schedule->message[messages[0]].cancel == AT_ONCE)
        cancel_at_once(run, sides[0], messages[0]);
}

void start_sends(struct run *run, const int *messages, int count)
{
    if (send_persists(run->schedule->message[messages[0]].send))
        start_persistent(run, messages, count);
    else
        for (int i = 0; i < count; i++)
            start_one(run, messages[i]);
}
