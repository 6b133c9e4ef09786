/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanges of all with all, each pair with a message of its own. */
#include <stdlib.h>

#include "mpi/schedules/run.h"

/* One direction, by the peer's rank in the communicator. */
struct ways {
    struct message message[MOST_RANKS];
    struct side side[MOST_RANKS];
    int counts[MOST_RANKS], places[MOST_RANKS];
    MPI_Datatype types[MOST_RANKS];
};

struct alltoall {
    struct ways out, in;
    int peers;
    struct side whole; /* has the request */
};

/* Every fourth is empty. */
static struct message draw_one(const struct run *run, int seed, int from, int to)
{
    struct message message = draw_message(run, seed, from, to, 30000);
    if (message.content % 4 == 0)
        message.units = message.room = 0;
    return message;
}

/* Buffers lie far from each other, so types hold their addresses. */
static void add_way(struct run *run, struct ways *ways, int i, const struct message *message,
                    bool is_out)
{
    struct side *side = &ways->side[i];
    ways->message[i] = *message;
    ways->types[i] = MPI_BYTE;
    if (message->units == 0)
        return;
    side_open(run, side, is_out ? message->send_layout : message->receive_layout,
              need_to_send(message), is_out ? SEND_FILL : RECEIVE_FILL);
    side_make_absolute(side);
    if (is_out)
        side_write(side, message);
    else
        side_blank(side);
    ways->counts[i] = side->count;
    ways->types[i] = side->type;
}

static struct alltoall *open_alltoall(struct run *run, const struct event *event)
{
    const struct crew *crew = run->crew;
    struct alltoall *all = calloc(1, sizeof *all);
    for (int other = 0; other < crew->ranks; other++) {
        int i = comm_rank_of(event->comm, other, crew->ranks);
        if (!comm_joins(event->comm, crew->rank, other))
            continue;
        struct message out = draw_one(run, event->other, crew->rank, other);
        struct message in = draw_one(run, event->other, other, crew->rank);
        add_way(run, &all->out, i, &out, true);
        add_way(run, &all->in, i, &in, false);
        all->peers++;
    }
    return all;
}

static void close_alltoall(struct run *run, struct alltoall *all)
{
    for (int i = 0; i < all->peers; i++) {
        if (all->in.counts[i] > 0)
            side_check_arrived(run, &all->in.side[i], &all->in.message[i], "MPI_Alltoallw");
        if (all->out.counts[i] > 0)
            side_check(run, &all->out.side[i], &all->out.message[i], "MPI_Alltoallw's send");
        side_close(&all->out.side[i]);
        side_close(&all->in.side[i]);
    }
    free(all);
}

static void exchange(struct run *run, const struct event *event)
{
    struct alltoall *all = open_alltoall(run, event);
    const struct ways *out = &all->out, *in = &all->in;
    must(run->crew,
         MPI_Alltoallw(MPI_BOTTOM, out->counts, out->places, out->types, MPI_BOTTOM, in->counts,
                       in->places, in->types, run->crew->comm[event->comm]),
         "MPI_Alltoallw");
    close_alltoall(run, all);
}

static void begin(struct run *run, const struct event *event)
{
    struct alltoall *all = open_alltoall(run, event);
    const struct ways *out = &all->out, *in = &all->in;
    must(run->crew,
         MPI_Ialltoallw(MPI_BOTTOM, out->counts, out->places, out->types, MPI_BOTTOM, in->counts,
                        in->places, in->types, run->crew->comm[event->comm], &all->whole.request),
         "MPI_Ialltoallw");
    all->whole.active = true;
    run->alltoall[event->message] = all;
}

static void end(struct run *run, const struct event *event)
{
    struct alltoall *all = run->alltoall[event->message];
    struct side *whole = &all->whole;
    finish(run, &whole, 1);
    must(run->crew, whole->error, "the end of MPI_Ialltoallw");
    close_alltoall(run, all);
}

void do_alltoall(struct run *run, const struct event *event)
{
    doing(run->crew, "%s %d on communicator %d",
          event->kind == ALLTOALLW    ? "MPI_Alltoallw"
          : event->kind == IALLTOALLW ? "MPI_Ialltoallw"
                                      : "the end of MPI_Ialltoallw",
          event->message, event->comm);
    if (event->kind == ALLTOALLW)
        exchange(run, event);
    else if (event->kind == IALLTOALLW)
        begin(run, event);
    else
        end(run, event);
}
