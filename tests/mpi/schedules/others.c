/* SPDX-License-Identifier: BSD-3-Clause */
/* Events that move no message. */
#include <stdlib.h>
#include <string.h>

#include "mpi/schedules/known_bugs.h"
#include "mpi/schedules/run.h"

static void allreduce(struct run *run, MPI_Comm comm)
{
    int one = 1, sum = 0, size = 0;
    must(run->crew, MPI_Comm_size(comm, &size), "MPI_Comm_size");
    must(run->crew, MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm), "MPI_Allreduce");
    if (sum != size)
        fail(run->crew, "MPI_Allreduce gives %d instead of %d", sum, size);
}

static void ibarrier(struct run *run, MPI_Comm comm)
{
    MPI_Request request;
    int done = 0;
    must(run->crew, MPI_Ibarrier(comm, &request), "MPI_Ibarrier");
    if (rng_one_in(&run->rng, 2))
        must(run->crew, MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait of a barrier");
    else
        while (!done) {
            must(run->crew, MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test of a barrier");
            breathe();
        }
}

/* For data that never comes. */
static struct need draw_vain_need(struct run *run, const struct message *none)
{
    size_t room = rng_magnitude(&run->rng, 2000);
    if (rng_one_in(&run->rng, 8))
        room = ((size_t)3 << 30) / unit_bytes(none->unit);
    return (struct need){.unit = none->unit, .room = room};
}

/* A receive, of any size, that nobody sends to. */
static void cancel_receive(struct run *run, enum comm comm)
{
    struct crew *crew = run->crew;
    struct side side = {0};
    struct message none = {.unit = unit_draw(&run->rng)};
    bool persists = rng_one_in(&run->rng, 3);
    int tag = comm == COMM_QUIET ? MPI_ANY_TAG : TAG_NEVER_SENT, done = 1, cancelled = 0;
    struct need need = draw_vain_need(run, &none);
    side_open(run, &side, rng_next(&run->rng), need, 0x66);
    side_blank(&side);
    must(crew,
         (persists ? MPI_Recv_init : MPI_Irecv)(side.address, side.count, side.type,
                                                MPI_ANY_SOURCE, tag, crew->comm[comm],
                                                &side.request),
         "a receive to cancel");
    if (persists)
        must(crew, MPI_Start(&side.request), "MPI_Start");
    must(crew, MPI_Request_get_status(side.request, &done, MPI_STATUS_IGNORE),
         "MPI_Request_get_status");
    if (done)
        fail(crew, "a receive that nobody sends to is complete");
    must(crew, MPI_Cancel(&side.request), "MPI_Cancel");
    must(crew, MPI_Wait(&side.request, &side.status), "MPI_Wait of a cancelled receive");
    MPI_Test_cancelled(&side.status, &cancelled);
    if (!cancelled)
        fail(crew, "a cancelled receive was not cancelled");
    side_check(run, &side, &none, "a cancelled receive");
    if (persists)
        must(crew, MPI_Request_free(&side.request), "MPI_Request_free");
    side_close(&side);
}

static void find_nothing(struct run *run, MPI_Comm comm)
{
    MPI_Status status;
    MPI_Message message;
    int found = 0;
    must(run->crew, MPI_Iprobe(MPI_ANY_SOURCE, TAG_NEVER_SENT, comm, &found, &status),
         "MPI_Iprobe");
    if (!found)
        must(run->crew,
             MPI_Improbe(MPI_ANY_SOURCE, TAG_NEVER_SENT, comm, &found, &message, &status),
             "MPI_Improbe");
    if (found)
        fail(run->crew, "a probe found a message that nobody sent");
}

static void expect_null_status(struct run *run, const MPI_Status *status)
{
    int count = -1;
    MPI_Get_count(status, MPI_BYTE, &count);
    if (status->MPI_SOURCE != MPI_PROC_NULL || status->MPI_TAG != MPI_ANY_TAG || count != 0)
        fail(run->crew, "nobody sent: source %d, tag %d, %d bytes", status->MPI_SOURCE,
             status->MPI_TAG, count);
}

static void null_process(struct run *run, MPI_Comm comm)
{
    struct crew *crew = run->crew;
    struct side side = {0};
    struct message none = {.unit = unit_draw(&run->rng)};
    MPI_Request request;
    struct need need = draw_vain_need(run, &none);
    side_open(run, &side, rng_next(&run->rng), need, 0x66);
    side_blank(&side);
    must(crew, MPI_Send(side.address, side.count, side.type, MPI_PROC_NULL, 0, comm),
         "a send to nobody");
    must(crew, MPI_Recv(side.address, side.count, side.type, MPI_PROC_NULL, 0, comm, &side.status),
         "a receive from nobody");
    expect_null_status(run, &side.status);
    must(crew, MPI_Irecv(side.address, side.count, side.type, MPI_PROC_NULL, 0, comm, &request),
         "a receive from nobody");
    must(crew, MPI_Wait(&request, &side.status), "MPI_Wait of nothing");
    if (!BUG_NULL_IRECV || crew->bugs)
        expect_null_status(run, &side.status);
    must(crew, MPI_Probe(MPI_PROC_NULL, 0, comm, &side.status), "a probe for nobody");
    expect_null_status(run, &side.status);
    side_check(run, &side, &none, "a receive from nobody");
    side_close(&side);
}

void do_other_event(struct run *run, const struct event *event)
{
    MPI_Comm comm = run->crew->comm[event->comm];
    static const char *const names[] = {
        [BARRIER] = "MPI_Barrier",        [ALLREDUCE] = "MPI_Allreduce",
        [IBARRIER] = "MPI_Ibarrier",      [CANCEL_RECEIVE] = "MPI_Cancel",
        [NOTHING_THERE] = "a vain probe", [NULL_PROCESS] = "MPI_PROC_NULL",
    };
    doing(run->crew, "%s on communicator %d", names[event->kind], event->comm);
    switch (event->kind) {
    case ALLREDUCE:
        allreduce(run, comm);
        break;
    case IBARRIER:
        ibarrier(run, comm);
        break;
    case CANCEL_RECEIVE:
        cancel_receive(run, event->comm);
        break;
    case NOTHING_THERE:
        find_nothing(run, comm);
        break;
    case NULL_PROCESS:
        null_process(run, comm);
        break;
    default:
        must(run->crew, MPI_Barrier(comm), "MPI_Barrier");
    }
}
