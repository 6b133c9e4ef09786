/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/schedules/run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpi/schedules/known_bugs.h"

/* ---- Crew --------------------------------------------------------------------------------- */

/* Every rank calls this for one thread after the other. */
void crew_open(struct crew *crew, int thread, MPI_Comm world)
{
    MPI_Comm *comm = crew->comm;
    crew->thread = thread;
    MPI_Comm_rank(world, &crew->rank);
    MPI_Comm_size(world, &crew->ranks);
    MPI_Comm_dup(world, &comm[COMM_WORLD]);
    MPI_Comm_split(world, 0, -crew->rank, &comm[COMM_REVERSED]);
    MPI_Comm_split(world, crew->rank % 2, crew->rank, &comm[COMM_PARITY]);
    comm[COMM_INTER] = MPI_COMM_NULL;
    if (crew->ranks > 1)
        MPI_Intercomm_create(comm[COMM_PARITY], 0, world, 1 - crew->rank % 2, 50 + thread,
                             &comm[COMM_INTER]);
    MPI_Comm_dup(world, &comm[COMM_WILD]);
    MPI_Comm_dup(world, &comm[COMM_QUIET]);
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(world, &handler);
    for (int i = 0; i < COMMS; i++)
        if (comm[i] != MPI_COMM_NULL)
            MPI_Comm_set_errhandler(comm[i], handler);
}

void crew_close(struct crew *crew)
{
    for (int i = 0; i < COMMS; i++)
        if (crew->comm[i] != MPI_COMM_NULL)
            MPI_Comm_free(&crew->comm[i]);
}

void doing(struct crew *crew, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(crew->doing, sizeof(crew->doing), format, arguments);
    va_end(arguments);
}

_Noreturn void fail(struct crew *crew, const char *format, ...)
{
    char what[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    fprintf(stderr,
            "rank %d, thread %d: %s\n  during: %s\n"
            "  replay with %d ranks: --seed %llu --first %llu --count 1\n",
            crew->rank, crew->thread, what, crew->doing, crew->ranks,
            (unsigned long long)crew->seed, (unsigned long long)crew->schedule);
    MPI_Abort(crew->comm[COMM_WORLD], 1);
    abort();
}

void must(struct crew *crew, int error, const char *what)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (error == MPI_SUCCESS)
        return;
    MPI_Error_string(error, text, &length);
    fail(crew, "%s: %s", what, text);
}

/* ---- Events ------------------------------------------------------------------------------- */

static bool ends_message(enum event_kind kind)
{
    return kind == FINISH_SEND || kind == FINISH_RECEIVE;
}

static bool is_cancelled_at_once(const struct run *run, const struct event *event)
{
    return event->kind == START_SEND && run->schedule->message[event->message].cancel == AT_ONCE;
}

/* Whether one call may do both. What is cancelled may have to be sent again, before others. */
static bool go_together(const struct run *run, const struct event *a, const struct event *b)
{
    const struct message *message = run->schedule->message;
    if (ends_message(a->kind) && ends_message(b->kind))
        return true;
    if (a->kind != b->kind || is_cancelled_at_once(run, a) || is_cancelled_at_once(run, b))
        return false;
    if (a->kind == START_SEND)
        return send_persists(message[a->message].send) && send_persists(message[b->message].send);
    return a->kind == START_RECEIVE && message[a->message].receive == RECV_INIT &&
           message[b->message].receive == RECV_INIT;
}

static struct side *side_of_event(struct run *run, const struct event *event)
{
    int first = first_use(run->schedule, event->message);
    return event->kind == FINISH_SEND ? &run->out[first] : &run->in[first];
}

static void finish_events(struct run *run, const struct event **events, int count)
{
    struct side *sides[MOST_EVENTS];
    for (int i = 0; i < count; i++) {
        sides[i] = side_of_event(run, events[i]);
        if (events[i]->kind == FINISH_SEND)
            cancel_late(run, sides[i], events[i]->message);
    }
    finish(run, sides, count);
    for (int i = 0; i < count; i++) {
        const struct message *message = &run->schedule->message[events[i]->message];
        if (events[i]->kind == FINISH_SEND)
            send_check(run, sides[i], message);
        else if (message->group < 0)
            receive_check(run, sides[i], message);
    }
}

static void do_events(struct run *run, const struct event **events, int count)
{
    int messages[MOST_EVENTS];
    for (int i = 0; i < count; i++)
        messages[i] = events[i]->message;
    switch (events[0]->kind) {
    case START_SEND:
        start_sends(run, messages, count);
        break;
    case START_RECEIVE:
        start_receives(run, messages, count);
        break;
    case FINISH_SEND:
    case FINISH_RECEIVE:
        finish_events(run, events, count);
        break;
    case SENDRECV:
    case SENDRECV_REPLACE:
        do_sendrecv(run, events[0]);
        break;
    case ALLTOALLW:
    case IALLTOALLW:
    case FINISH_ALLTOALLW:
        do_alltoall(run, events[0]);
        break;
    case GATHER_OR_SCATTER:
        do_gather(run, events[0]);
        break;
    case ONE_SIDED:
        do_one_sided(run, events[0]);
        break;
    case OF_FILE:
        do_file(run, events[0]);
        break;
    default:
        do_other_event(run, events[0]);
    }
}

static void do_my_events(struct run *run)
{
    const struct event *mine[MOST_EVENTS];
    int count = 0;
    for (int e = 0; e < run->schedule->events; e++) {
        int rank = run->schedule->event[e].rank;
        if (rank < 0 || rank == run->crew->rank)
            mine[count++] = &run->schedule->event[e];
    }
    for (int e = 0, next; e < count; e = next) {
        next = e + 1;
        /* Not what the events before have left of it: that depends on what came first. */
        run->rng = rng_stream(run->seed, (uint64_t)e);
        while (next < count && go_together(run, mine[e], mine[next]) && !rng_one_in(&run->rng, 4))
            next++;
        do_events(run, &mine[e], next - e);
    }
}

/* ---- Before and after --------------------------------------------------------------------- */

/* As much as the standard says is enough for this rank's buffered sends, and no more. */
static void attach(struct run *run)
{
    int total = 0;
    for (int m = 0; m < run->schedule->messages; m++) {
        const struct message *message = &run->schedule->message[m];
        int size = 0;
        if (message->source != run->crew->rank || !send_buffers(message->send))
            continue;
        struct side *side = side_of_send(run, m);
        MPI_Pack_size(side->count, side->type, run->crew->comm[message->comm], &size);
        total += size + MPI_BSEND_OVERHEAD + (run->crew->bugs ? 0 : BUG_BSEND_SLACK);
    }
    if (total == 0)
        return;
    run->attached = malloc((size_t)total);
    must(run->crew, MPI_Buffer_attach(run->attached, total), "MPI_Buffer_attach");
}

static void detach(struct run *run)
{
    void *buffer;
    int size;
    if (!run->attached)
        return;
    doing(run->crew, "MPI_Buffer_detach");
    must(run->crew, MPI_Buffer_detach(&buffer, &size), "MPI_Buffer_detach");
    if (buffer != run->attached)
        fail(run->crew, "MPI_Buffer_detach gives another buffer");
    free(run->attached);
}

/* The receives of a group in their order, each with the next message of the source it names: MPI
 * keeps the order of the messages of one source. */
static void check_group(struct run *run, int group)
{
    const struct schedule *schedule = run->schedule;
    int taken[MOST_RANKS] = {0};
    for (int r = 0; r < schedule->messages; r++) {
        const struct message *receive = &schedule->message[r];
        if (receive->group != group || receive->target != run->crew->rank)
            continue;
        int source = run->in[r].status.MPI_SOURCE, m;
        if (source < 0 || source >= run->crew->ranks)
            fail(run->crew, "message %d comes from %d", r, source);
        for (m = taken[source]; m < schedule->messages; m++)
            if (schedule->message[m].group == group && schedule->message[m].source == source)
                break;
        if (m == schedule->messages)
            fail(run->crew, "more messages from %d than it has sent", source);
        taken[source] = m + 1;
        receive_check(run, &run->in[r], &schedule->message[m]);
    }
}

static void close_sides(struct run *run)
{
    for (int m = 0; m < run->schedule->messages; m++) {
        struct side *sides[] = {&run->out[m], &run->in[m]};
        for (int i = 0; i < 2; i++) {
            if (sides[i]->persistent)
                must(run->crew, MPI_Request_free(&sides[i]->request), "MPI_Request_free");
            side_close(sides[i]);
        }
    }
}

void run_schedule(struct crew *crew, const struct schedule *schedule, uint64_t seed)
{
    struct run run = {.crew = crew, .schedule = schedule, .seed = seed, .rng = {seed}};
    attach(&run);
    do_my_events(&run);
    for (int group = 0; group < schedule->groups; group++)
        check_group(&run, group);
    doing(crew, "the last barrier of the schedule");
    must(crew, MPI_Barrier(crew->comm[COMM_WORLD]), "MPI_Barrier");
    for (int m = 0; m < schedule->messages; m++)
        if (schedule->message[m].freed && schedule->message[m].source == crew->rank)
            side_check(&run, &run.out[m], &schedule->message[m], "a send whose request was freed");
    detach(&run);
    close_sides(&run);
}
