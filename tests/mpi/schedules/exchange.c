/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends and receives by one call. */
#include "mpi/schedules/known_bugs.h"
#include "mpi/schedules/run.h"

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HAVE_ISENDRECV 1
#else
#define HAVE_ISENDRECV 0
#endif

/* Which call: those with a request come first. */
static size_t draw_call(struct run *run, const struct message *in)
{
    size_t call = rng_below(&run->rng, 4);
    bool is_avoided = BUG_ISENDRECV || (BUG_TRUNCATED_ISENDRECV && in->room < in->units);
    return is_avoided && !run->crew->bugs ? 2 + call / 2 : call;
}

/* The arguments that all of these calls have. */
struct ends {
    int target, source;
    MPI_Comm comm;
    MPI_Status *status;
};

static struct ends ends_of(struct run *run, const struct message *out, const struct message *in,
                           struct side *from)
{
    int ranks = run->crew->ranks;
    return (struct ends){comm_rank_of(out->comm, out->target, ranks),
                         comm_rank_of(in->comm, in->source, ranks), run->crew->comm[out->comm],
                         from->ignores_status ? MPI_STATUS_IGNORE : &from->status};
}

#if HAVE_ISENDRECV
/* A request is waited for by any way there is. */
static void finish_request(struct run *run, struct side *from, int error)
{
    must(run->crew, error, "a send and receive with a request");
    from->active = true;
    finish(run, &from, 1);
}
#endif

static void call_sendrecv(struct run *run, struct side *to, struct side *from,
                          const struct message *out, const struct message *in)
{
    struct ends ends = ends_of(run, out, in, from);
    switch (draw_call(run, in)) {
#if HAVE_ISENDRECV
    case 0:
        finish_request(run, from,
                       MPI_Isendrecv(to->address, to->count, to->type, ends.target, out->tag,
                                     from->address, from->count, from->type, ends.source, in->tag,
                                     ends.comm, &from->request));
        break;
#endif
#if MPI_VERSION >= 4
    case 1:
        finish_request(run, from,
                       MPI_Isendrecv_c(to->address, to->count, to->type, ends.target, out->tag,
                                       from->address, from->count, from->type, ends.source,
                                       in->tag, ends.comm, &from->request));
        break;
    case 2:
        from->error =
            MPI_Sendrecv_c(to->address, to->count, to->type, ends.target, out->tag, from->address,
                           from->count, from->type, ends.source, in->tag, ends.comm, ends.status);
        break;
#endif
    default:
        from->error =
            MPI_Sendrecv(to->address, to->count, to->type, ends.target, out->tag, from->address,
                         from->count, from->type, ends.source, in->tag, ends.comm, ends.status);
    }
}

static void sendrecv(struct run *run, const struct message *out, const struct message *in)
{
    struct side *to = &run->out[out - run->schedule->message];
    struct side *from = &run->in[in - run->schedule->message];
    side_open(run, to, out->send_layout, need_to_send(out), SEND_FILL);
    side_open(run, from, in->receive_layout, need_to_receive(run, in), RECEIVE_FILL);
    side_write(to, out);
    side_blank(from);
    from->cut_short = in->room < in->units;
    call_sendrecv(run, to, from, out, in);
    side_check(run, to, out, "MPI_Sendrecv's send");
    receive_check(run, from, in);
}

static void call_replace(struct run *run, struct side *both, const struct message *out,
                         const struct message *in)
{
    struct ends ends = ends_of(run, out, in, both);
    switch (draw_call(run, in)) {
#if HAVE_ISENDRECV
    case 0:
        finish_request(run, both,
                       MPI_Isendrecv_replace(both->address, both->count, both->type, ends.target,
                                             out->tag, ends.source, in->tag, ends.comm,
                                             &both->request));
        break;
#endif
#if MPI_VERSION >= 4
    case 1:
        finish_request(run, both,
                       MPI_Isendrecv_replace_c(both->address, both->count, both->type, ends.target,
                                               out->tag, ends.source, in->tag, ends.comm,
                                               &both->request));
        break;
    case 2:
        both->error =
            MPI_Sendrecv_replace_c(both->address, both->count, both->type, ends.target, out->tag,
                                   ends.source, in->tag, ends.comm, ends.status);
        break;
#endif
    default:
        both->error = MPI_Sendrecv_replace(both->address, both->count, both->type, ends.target,
                                           out->tag, ends.source, in->tag, ends.comm, ends.status);
    }
}

static void sendrecv_replace(struct run *run, const struct message *out, const struct message *in)
{
    struct side *both = &run->in[in - run->schedule->message];
    side_open(run, both, in->receive_layout, need_to_send(out), RECEIVE_FILL);
    side_write(both, out);
    call_replace(run, both, out, in);
    receive_check(run, both, in);
}

void do_sendrecv(struct run *run, const struct event *event)
{
    const struct message *out = &run->schedule->message[event->message];
    const struct message *in = &run->schedule->message[event->other];
    doing(run->crew, "%s of messages %d out, %d in",
          event->kind == SENDRECV ? "MPI_Sendrecv" : "MPI_Sendrecv_replace", event->message,
          event->other);
    if (event->kind == SENDRECV)
        sendrecv(run, out, in);
    else
        sendrecv_replace(run, out, in);
}
