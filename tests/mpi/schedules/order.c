/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of the events: a random walk through the steps that may come next. What makes it safe
 * is said in schedule.h; may_* are where it is kept.
 */
#include <assert.h>

#include "mpi/schedules/schedule.h"

enum state { IDLE, STARTED, DONE };

/* Room for them, beyond that for other events. */
enum { JOINT_CALLS = 8 };

struct walk {
    struct schedule *schedule;
    struct rng *rng;
    struct rng joint; /* of add_joint_call alone: all else is as if there were no such calls */
    enum state sent[MOST_MESSAGES], received[MOST_MESSAGES];
    int alltoalls;
    enum comm unfinished[MOST_ALLTOALLS]; /* by number; COMMS: none */
};

/* ---- What may come next ------------------------------------------------------------------- */

/* Whether one of the two could be received in place of the other. */
static bool same_channel(const struct message *a, const struct message *b)
{
    return a->comm == b->comm && a->source == b->source && a->target == b->target &&
           (a->tag == b->tag || a->comm == COMM_REVERSED ||
            (a->group >= 0 && a->group == b->group));
}

static bool same_queue(const struct message *a, const struct message *b)
{
    return a->group >= 0 ? a->group == b->group : same_channel(a, b);
}

static bool turn_to_send(const struct walk *walk, int m)
{
    const struct message *message = walk->schedule->message;
    for (int i = 0; i < m; i++)
        if (same_channel(&message[i], &message[m]) && walk->sent[i] == IDLE)
            return false;
    for (int i = 0; i < m; i++)
        if (message[m].again >= 0 &&
            (i == message[m].again || message[i].again == message[m].again) &&
            walk->sent[i] != DONE)
            return false;
    return walk->sent[m] == IDLE;
}

static bool turn_to_receive(const struct walk *walk, int m)
{
    const struct message *message = walk->schedule->message;
    for (int i = 0; i < m; i++)
        if (same_queue(&message[i], &message[m]) && walk->received[i] == IDLE)
            return false;
    for (int i = 0; i < m; i++)
        if (message[m].again >= 0 &&
            (i == message[m].again || message[i].again == message[m].again) &&
            walk->received[i] != DONE)
            return false;
    return walk->received[m] == IDLE;
}

/* Others may send to a group's receives earlier than the order says and take the one meant for m:
 * only when all receives are posted is there one for everybody. */
static bool receive_is_posted(const struct walk *walk, int m)
{
    const struct message *message = walk->schedule->message;
    if (message[m].group < 0)
        return walk->received[m] != IDLE;
    for (int i = 0; i < walk->schedule->messages; i++)
        if (message[i].group == message[m].group && walk->received[i] == IDLE)
            return false;
    return true;
}

/* Messages sent to a group are taken by its receives in their order, whichever come first. */
static bool message_is_sent(const struct walk *walk, int m)
{
    const struct message *message = walk->schedule->message;
    int sent = 0, wanted = 0;
    if (message[m].group < 0)
        return walk->sent[m] != IDLE;
    for (int i = 0; i < walk->schedule->messages; i++) {
        if (message[i].group != message[m].group)
            continue;
        sent += walk->sent[i] != IDLE;
        wanted += i <= m;
    }
    return sent >= wanted;
}

static bool may_start_send(const struct walk *walk, int m)
{
    const struct message *message = &walk->schedule->message[m];
    return message->exchange < 0 && turn_to_send(walk, m) &&
           (!send_blocks(message->send) || receive_is_posted(walk, m));
}

static bool may_finish_send(const struct walk *walk, int m)
{
    const struct message *message = &walk->schedule->message[m];
    return walk->sent[m] == STARTED &&
           (send_buffers(message->send) || message->freed || receive_is_posted(walk, m));
}

static bool waits_for_message(enum receive_form form)
{
    return form < IRECV;
}

static bool may_start_receive(const struct walk *walk, int m)
{
    const struct message *message = &walk->schedule->message[m];
    return message->exchange < 0 && turn_to_receive(walk, m) &&
           (!waits_for_message(message->receive) || message_is_sent(walk, m));
}

static bool may_finish_receive(const struct walk *walk, int m)
{
    return walk->received[m] == STARTED && message_is_sent(walk, m);
}

/* Both wait, for each other. */
static bool may_meet(const struct walk *walk, int m)
{
    const struct message *message = &walk->schedule->message[m];
    return message->exchange < 0 && message->group < 0 && message->source != message->target &&
           send_blocks(message->send) && waits_for_message(message->receive) &&
           turn_to_send(walk, m) && turn_to_receive(walk, m);
}

static bool may_exchange(const struct walk *walk, int first)
{
    const struct message *message = walk->schedule->message;
    int ring = message[first].exchange;
    if (ring < 0 || (first > 0 && message[first - 1].exchange == ring))
        return false;
    for (int m = first; m < walk->schedule->messages && message[m].exchange == ring; m++)
        if (!turn_to_send(walk, m) || !turn_to_receive(walk, m))
            return false;
    return true;
}

/* ---- Steps -------------------------------------------------------------------------------- */

static void emit(struct walk *walk, enum event_kind kind, int rank, int message, int other,
                 enum comm comm)
{
    struct schedule *schedule = walk->schedule;
    assert(schedule->events < MOST_EVENTS);
    schedule->event[schedule->events++] = (struct event){kind, rank, message, other, comm};
}

static void start_send(struct walk *walk, int m)
{
    const struct message *message = &walk->schedule->message[m];
    bool done = send_blocks(message->send) || message->send == BSEND;
    emit(walk, START_SEND, message->source, m, -1, message->comm);
    walk->sent[m] = done ? DONE : STARTED;
}

static void finish_send(struct walk *walk, int m)
{
    if (!walk->schedule->message[m].freed)
        emit(walk, FINISH_SEND, walk->schedule->message[m].source, m, -1, 0);
    walk->sent[m] = DONE;
}

static void start_receive(struct walk *walk, int m)
{
    const struct message *message = &walk->schedule->message[m];
    emit(walk, START_RECEIVE, message->target, m, -1, message->comm);
    walk->received[m] = receive_blocks(message->receive) ? DONE : STARTED;
}

static void finish_receive(struct walk *walk, int m)
{
    emit(walk, FINISH_RECEIVE, walk->schedule->message[m].target, m, -1, 0);
    walk->received[m] = DONE;
}

static void meet(struct walk *walk, int m)
{
    start_send(walk, m);
    start_receive(walk, m);
}

static void exchange(struct walk *walk, int first)
{
    const struct message *message = walk->schedule->message;
    int end = first;
    while (end < walk->schedule->messages && message[end].exchange == message[first].exchange)
        end++;
    for (int m = first; m < end; m++) {
        int received = m > first ? m - 1 : end - 1;
        emit(walk, message[received].replaces ? SENDRECV_REPLACE : SENDRECV, message[m].source, m,
             received, message[m].comm);
        walk->sent[m] = walk->received[m] = DONE;
    }
}

/* All processes have begun what some wait for: it stands before. */
static void finish_alltoall(struct walk *walk, int number)
{
    if (walk->unfinished[number] != COMMS)
        emit(walk, FINISH_ALLTOALLW, -1, number, -1, walk->unfinished[number]);
    walk->unfinished[number] = COMMS;
}

static void add_alltoall(struct walk *walk, enum comm comm)
{
    int number = walk->alltoalls, seed = (int)rng_below(walk->rng, 1000000);
    bool waits = rng_one_in(walk->rng, 3);
    if (number == MOST_ALLTOALLS) {
        finish_alltoall(walk, (int)rng_below(walk->rng, MOST_ALLTOALLS));
        return;
    }
    emit(walk, waits ? ALLTOALLW : IALLTOALLW, -1, number, seed, comm);
    walk->unfinished[walk->alltoalls++] = waits ? COMMS : comm;
}

static void add_other_event(struct walk *walk)
{
    int ranks = walk->schedule->ranks;
    int rank = (int)rng_below(walk->rng, (size_t)ranks);
    enum comm comm = (enum comm)rng_below(walk->rng, COMMS);
    if (ranks == 1 && comm == COMM_INTER)
        comm = COMM_WORLD;
    enum comm group = comm == COMM_INTER ? COMM_WORLD : comm;
    switch (rng_below(walk->rng, 11)) {
    case 0:
        emit(walk, CANCEL_RECEIVE, rank, -1, -1, comm);
        break;
    case 1:
        emit(walk, NOTHING_THERE, rank, -1, -1, comm);
        break;
    case 2:
        emit(walk, NULL_PROCESS, rank, -1, -1, comm);
        break;
    case 3:
        emit(walk, ALLREDUCE, -1, -1, -1, group);
        break;
    case 5:
    case 6:
        add_alltoall(walk, group);
        break;
    case 7:
        if (walk->alltoalls > 0)
            finish_alltoall(walk, (int)rng_below(walk->rng, (size_t)walk->alltoalls));
        break;
    case 4:
        emit(walk, IBARRIER, -1, -1, -1, comm);
        break;
    default:
        emit(walk, BARRIER, -1, -1, -1, comm);
    }
}

/* A call of all members, whose arguments follow from a number. Windows and files take time. */
static void add_joint_call(struct walk *walk)
{
    static const enum event_kind kinds[] = {GATHER_OR_SCATTER, GATHER_OR_SCATTER, ONE_SIDED,
                                            OF_FILE};
    static const enum comm comms[] = {COMM_WORLD, COMM_REVERSED, COMM_PARITY, COMM_WILD,
                                      COMM_QUIET};
    enum event_kind kind = kinds[rng_below(&walk->joint, walk->schedule->has_windows ? 4 : 2)];
    enum comm comm = comms[rng_below(&walk->joint, sizeof(comms) / sizeof(comms[0]))];
    emit(walk, kind, -1, -1, (int)rng_below(&walk->joint, 1000000), comm);
}

static const struct step {
    bool (*may)(const struct walk *walk, int message);
    void (*take)(struct walk *walk, int message);
} steps[] = {
    {may_start_send, start_send},
    {may_finish_send, finish_send},
    {may_start_receive, start_receive},
    {may_finish_receive, finish_receive},
    {may_meet, meet},
    {may_exchange, exchange},
};
enum { STEPS = sizeof(steps) / sizeof(steps[0]) };

static bool take_some_step(struct walk *walk)
{
    struct {
        const struct step *step;
        int message;
    } choice[MOST_MESSAGES * STEPS];
    size_t choices = 0;
    for (int m = 0; m < walk->schedule->messages; m++)
        for (int s = 0; s < STEPS; s++)
            if (steps[s].may(walk, m)) {
                choice[choices].step = &steps[s];
                choice[choices++].message = m;
            }
    if (choices == 0)
        return false;
    size_t taken = rng_below(walk->rng, choices);
    choice[taken].step->take(walk, choice[taken].message);
    return true;
}

/* ---- Afterwards --------------------------------------------------------------------------- */

/* Whether a barrier of both ranks stands between two events. */
static bool barrier_between(const struct schedule *schedule, int from, int to, int a, int b)
{
    for (int e = from + 1; e < to; e++) {
        const struct event *event = &schedule->event[e];
        if ((event->kind == BARRIER || event->kind == IBARRIER) && comm_joins(event->comm, a, b))
            return true;
    }
    return false;
}

static int find(const struct schedule *schedule, enum event_kind kind, int message)
{
    for (int e = 0; e < schedule->events; e++)
        if (schedule->event[e].kind == kind && schedule->event[e].message == message)
            return e;
    return -1;
}

/* A ready send is allowed only if the receive is known to be posted. */
static void make_ready_sends(struct schedule *schedule)
{
    for (int m = 0; m < schedule->messages; m++) {
        struct message *message = &schedule->message[m];
        int receive = find(schedule, START_RECEIVE, m), send = find(schedule, START_SEND, m);
        if (message->group >= 0 || message->receive < IRECV || receive < 0 || send < 0 ||
            !barrier_between(schedule, receive, send, message->source, message->target))
            continue;
        if (message->send == SEND)
            message->send = RSEND;
        else if (message->send == ISEND)
            message->send = IRSEND;
        else if (message->send == SEND_INIT && message->again < 0)
            message->send = RSEND_INIT;
    }
    /* One request serves several messages: all of them are ready or none is. */
    for (int m = 0; m < schedule->messages; m++) {
        struct message *message = &schedule->message[m];
        if (message->again >= 0 && schedule->message[message->again].send == RSEND_INIT)
            schedule->message[message->again].send = SEND_INIT;
    }
}

void schedule_order(struct schedule *schedule, struct rng *rng)
{
    struct rng other = *rng;
    struct walk walk = {.schedule = schedule, .rng = rng, .joint = {rng_next(&other)}};
    while (take_some_step(&walk)) {
        if (rng_one_in(rng, 8) && schedule->events < MOST_EVENTS / 2)
            add_other_event(&walk);
        if (rng_one_in(&walk.joint, 24) && schedule->events < MOST_EVENTS / 2 + JOINT_CALLS)
            add_joint_call(&walk);
    }
    for (int number = 0; number < walk.alltoalls; number++)
        finish_alltoall(&walk, number);
    for (int m = 0; m < schedule->messages; m++)
        assert(walk.sent[m] == DONE && walk.received[m] == DONE);
    make_ready_sends(schedule);
}
