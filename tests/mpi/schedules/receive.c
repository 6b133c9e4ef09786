/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/schedules/fortran.h"
#include "mpi/schedules/run.h"

/* What the receive asks for. */
struct want {
    int source, tag;
    MPI_Comm comm;
};

static struct want want_of(struct run *run, const struct message *message)
{
    int source = comm_rank_of(message->comm, message->source, run->crew->ranks);
    return (struct want){message->any_source ? MPI_ANY_SOURCE : source,
                         message->any_tag ? MPI_ANY_TAG : message->tag,
                         run->crew->comm[message->comm]};
}

/* What a probe says must be true of the message that is then received: it is checked there, if the
 * receive has the same status. */
static void check_probe(struct run *run, MPI_Status *status, const struct message *message)
{
    if (message->group < 0)
        status_check(run, status, message, MPI_DATATYPE_NULL, "a probe");
}

static void receive(struct run *run, struct side *side, struct want want)
{
    MPI_Status *status = side->ignores_status ? MPI_STATUS_IGNORE : &side->status;
#if MPI_VERSION >= 4
    if (rng_one_in(&run->rng, 4)) {
        side->error = MPI_Recv_c(side->address, side->count, side->type, want.source, want.tag,
                                 want.comm, status);
        return;
    }
#endif
    side->error =
        MPI_Recv(side->address, side->count, side->type, want.source, want.tag, want.comm, status);
    (void)run;
}

/* What was found is to be received next. */
static struct want probe(struct run *run, const struct message *message)
{
    struct want want = want_of(run, message);
    MPI_Status status;
    int found = 0;
    if (message->receive != IPROBE_RECV)
        must(run->crew, MPI_Probe(want.source, want.tag, want.comm, &status), "MPI_Probe");
    while (message->receive == IPROBE_RECV && !found) {
        must(run->crew, MPI_Iprobe(want.source, want.tag, want.comm, &found, &status),
             "MPI_Iprobe");
        breathe();
    }
    check_probe(run, &status, message);
    want.source = status.MPI_SOURCE;
    want.tag = status.MPI_TAG;
    return want;
}

static void call_matched(struct run *run, struct side *side, MPI_Message *matched, bool waits)
{
    MPI_Status *status = side->ignores_status ? MPI_STATUS_IGNORE : &side->status;
    int error;
#if MPI_VERSION >= 4
    if (rng_one_in(&run->rng, 4))
        error =
            waits ? MPI_Mrecv_c(side->address, side->count, side->type, matched, status)
                  : MPI_Imrecv_c(side->address, side->count, side->type, matched, &side->request);
    else
#endif
        error = waits
                    ? MPI_Mrecv(side->address, side->count, side->type, matched, status)
                    : MPI_Imrecv(side->address, side->count, side->type, matched, &side->request);
    side->active = !waits;
    if (waits)
        side->error = error;
    else
        must(run->crew, error, "MPI_Imrecv");
}

static void receive_matched(struct run *run, struct side *side, const struct message *message)
{
    struct crew *crew = run->crew;
    struct want want = want_of(run, message);
    MPI_Message matched = MPI_MESSAGE_NULL;
    MPI_Status status;
    int found = 0;
    if (message->receive == MPROBE_MRECV || message->receive == MPROBE_IMRECV)
        must(crew, MPI_Mprobe(want.source, want.tag, want.comm, &matched, &status), "MPI_Mprobe");
    else
        while (!found) {
            must(crew, MPI_Improbe(want.source, want.tag, want.comm, &found, &matched, &status),
                 "MPI_Improbe");
            breathe();
        }
    check_probe(run, &status, message);
    if (rng_one_in(&run->rng, 4))
        matched = MPI_Message_f2c(MPI_Message_c2f(matched));
    call_matched(run, side, &matched, receive_blocks(message->receive));
    if (matched != MPI_MESSAGE_NULL && !side->cut_short)
        fail(crew, "the matched message is not MPI_MESSAGE_NULL after its receive");
}

static int call_with_request(struct run *run, struct side *side, struct want want, bool persists)
{
#if MPI_VERSION >= 4
    if (rng_one_in(&run->rng, 4))
        return (persists ? MPI_Recv_init_c : MPI_Irecv_c)(side->address, side->count, side->type,
                                                          want.source, want.tag, want.comm,
                                                          &side->request);
#endif
    (void)run;
    return (persists ? MPI_Recv_init : MPI_Irecv)(
        side->address, side->count, side->type, want.source, want.tag, want.comm, &side->request);
}

static struct side *prepare(struct run *run, int m)
{
    const struct message *message = &run->schedule->message[m];
    struct side *side = &run->in[first_use(run->schedule, m)];
    if (!side->memory)
        side_open(run, side, message->receive_layout, need_to_receive(run, message), RECEIVE_FILL);
    if (message->any_source)
        side->ignores_status = false; /* it tells which message came */
    side->cut_short = message->room < message->units;
    side->error = MPI_SUCCESS;
    side_blank(side);
    return side;
}

static void start_one(struct run *run, int m)
{
    const struct message *message = &run->schedule->message[m];
    struct side *side = prepare(run, m);
    doing(run->crew, "receive form %d of message %d from %d", message->receive, m,
          message->any_source ? -1 : message->source);
    switch (message->receive) {
    case RECV:
        receive(run, side, want_of(run, message));
        break;
    case PROBE_RECV:
    case IPROBE_RECV:
        receive(run, side, probe(run, message));
        break;
    case PROBE_IRECV:
        must(run->crew, call_with_request(run, side, probe(run, message), false), "MPI_Irecv");
        side->active = true;
        break;
    case PROBE_RECV_INIT:
        must(run->crew, call_with_request(run, side, probe(run, message), true), "MPI_Recv_init");
        side->persistent = true;
        start_requests(run, &side, 1);
        break;
    case IRECV:
        must(run->crew, call_with_request(run, side, want_of(run, message), false), "MPI_Irecv");
        side->active = true;
        break;
    default:
        receive_matched(run, side, message);
    }
    if (receive_blocks(message->receive) && message->group < 0)
        receive_check(run, side, message);
    else if (rng_one_in(&run->rng, 3))
        side_free_type(side);
}

static void start_persistent(struct run *run, const int *messages, int count)
{
    struct side *sides[MOST_MESSAGES];
    for (int i = 0; i < count; i++) {
        sides[i] = prepare(run, messages[i]);
        if (!sides[i]->persistent)
            must(run->crew,
                 call_with_request(run, sides[i],
                                   want_of(run, &run->schedule->message[messages[i]]), true),
                 "MPI_Recv_init");
        sides[i]->persistent = true;
    }
    doing(run->crew, "start of %d persistent receives, the first is message %d", count,
          messages[0]);
    start_requests(run, sides, count);
}

void start_receives(struct run *run, const int *messages, int count)
{
    if (run->schedule->message[messages[0]].receive == RECV_INIT)
        start_persistent(run, messages, count);
    else
        for (int i = 0; i < count; i++)
            start_one(run, messages[i]);
}
