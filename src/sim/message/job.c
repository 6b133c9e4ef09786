/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/message/job.h"

#include <stdlib.h>

#include "base/large.h"
#include "sim/engine.h"
#include "sim/message/match.h"

/* ---- State -------------------------------------------------------------------------------- */

struct cpu {
    uint64_t free;
    struct weft_sim_disturbance disturbance;
};

struct nic {
    uint64_t out, in; /* when it is free to send and to receive */
    uint64_t core;    /* and to compute */
};

struct weft_sim_job {
    const struct weft_sim_graph *graph;
    const struct weft_sim_costs *costs;
    struct weft_sim_engine engine;
    struct weft_sim_match match;
    struct weft_sim_task *tasks; /* one for each operation */
    struct cpu *cpus;
    uint64_t *cores; /* when each is free */
    struct nic *nics;
    uint64_t *ends;  /* of ranks */
    uint64_t *times; /* of operations, or NULL */
    bool is_started; /* joins that wait for nothing are complete */
    bool is_endless;
    struct weft_sim_outcome outcome;
};

static uint32_t number_of(const struct weft_sim_task *task)
{
    return (uint32_t)(task - task->job->tasks);
}

static const struct weft_sim_operation *operation_of(const struct weft_sim_task *task)
{
    return &task->job->graph->operations[number_of(task)];
}

static struct cpu *cpu_of(const struct weft_sim_task *task, uint32_t rank)
{
    return &task->job->cpus[(size_t)rank * task->job->graph->cpus + operation_of(task)->cpu];
}

static struct nic *nic_of(const struct weft_sim_task *task, uint32_t rank)
{
    return &task->job->nics[(size_t)rank * task->job->graph->nics + operation_of(task)->nic];
}

/* ---- Costs -------------------------------------------------------------------------------- */

static uint64_t later_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Of all bytes of a message but the first. */
static uint64_t rest(const struct weft_sim_operation *message, uint64_t each)
{
    return message->size ? (message->size - 1) * each : 0;
}

/* The core that is free first, or NULL if CPUs have their own. */
static uint64_t *find_core(const struct weft_sim_job *job)
{
    uint64_t *first = job->cores;
    for (uint64_t i = 1; i < job->costs->cores; i++)
        if (job->cores[i] < *first)
            first = &job->cores[i];
    return job->costs->cores ? first : NULL;
}

/* From `from` on, when the CPU is free: when it has done that. */
static uint64_t use_cpu(struct weft_sim_task *task, struct cpu *cpu, uint64_t from,
                        uint64_t length)
{
    const struct weft_sim_noise *noise = &task->job->costs->noise;
    bool is_computation = operation_of(task)->action == WEFT_SIM_CALCULATE;
    uint64_t *core = find_core(task->job);
    uint64_t begin = later_of(later_of(from, cpu->free), core ? *core : 0);
    cpu->free = weft_sim_disturbance_end(&cpu->disturbance, noise, begin, length, is_computation);
    uint64_t *sum = is_computation ? &task->job->outcome.computing : &task->job->outcome.handling;
    *sum += cpu->free - begin;
    if (core)
        *core = cpu->free;
    return cpu->free;
}

/* One of the times of a NIC: when it begins with a message. */
static uint64_t use_nic(const struct weft_sim_task *task, uint64_t *free, uint64_t from)
{
    const struct weft_sim_costs *costs = task->job->costs;
    uint64_t begin = later_of(from, *free);
    *free = weft_sim_later(begin, costs->gap + rest(operation_of(task), costs->byte_gap));
    return begin;
}

/* ---- What follows ------------------------------------------------------------------------- */

static void begin(struct weft_sim_task *task);

static void note_complete(struct weft_sim_task *task, uint64_t time)
{
    struct weft_sim_job *job = task->job;
    uint64_t *end = &job->ends[operation_of(task)->rank];
    task->is_complete = time != WEFT_SIM_NEVER;
    job->outcome.incomplete -= task->is_complete;
    if (job->times)
        job->times[number_of(task)] = time;
    *end = later_of(*end, time);
}

/* What takes a NIC no time only joins others, and is no event: what waits for it begins where it
 * would have begun had it waited for those others itself. */
static bool is_join(const struct weft_sim_operation *operation)
{
    return operation->action == WEFT_SIM_NIC_CALCULATE && operation->size == 0;
}

/* Whether nothing is left that it waits for. */
static bool satisfy(struct weft_sim_task *task)
{
    if (task->is_begun)
        return false;
    task->waits--;
    return task->waits == 0 || operation_of(task)->is_any;
}

/* A place among the followers of operations. */
struct spot {
    struct weft_sim_task *task;
    uint32_t follower;
};

/* Followers of the join come first; where to go on then is kept in the join, since joins may
 * follow each other without end. */
static void enter_join(struct spot *place, struct weft_sim_task *join)
{
    join->is_begun = true;
    note_complete(join, join->job->engine.now);
    join->next = number_of(place->task);
    join->time = place->follower;
    *place = (struct spot){join, operation_of(join)->followers};
}

static void leave_join(struct spot *place)
{
    const struct weft_sim_task *join = place->task;
    *place = (struct spot){&join->job->tasks[join->next], (uint32_t)join->time};
}

/* Those that wait for `mark`: that the task has begun, or that it is complete. A join is both at
 * once. */
static void follow(struct weft_sim_task *task, uint32_t mark)
{
    const struct weft_sim_graph *graph = task->job->graph;
    struct spot place = {task, operation_of(task)->followers};
    while (place.task != task || place.follower < operation_of(task)[1].followers) {
        if (place.follower == operation_of(place.task)[1].followers) {
            leave_join(&place);
            continue;
        }
        uint32_t follower = graph->followers[place.follower++];
        uint32_t number = follower & ~WEFT_SIM_EDGE_BEGUN;
        struct weft_sim_task *later = &task->job->tasks[number];
        bool is_meant = (follower ^ number) == mark || is_join(operation_of(place.task));
        if (!is_meant || !satisfy(later))
            continue;
        if (is_join(&graph->operations[number]))
            enter_join(&place, later);
        else if (task->job->is_started)
            begin(later);
    }
}

static void on_begun(void *argument)
{
    follow(argument, WEFT_SIM_EDGE_BEGUN);
}

static void on_complete(void *argument)
{
    follow(argument, 0);
}

static void begin_at(struct weft_sim_task *task, uint64_t time)
{
    if (task->job->graph->has_begun)
        weft_sim_engine_post(&task->job->engine, time, on_begun, task);
}

static bool has_followers(const struct weft_sim_operation *operation)
{
    return operation[0].followers < operation[1].followers;
}

static void complete_at(struct weft_sim_task *task, uint64_t time)
{
    struct weft_sim_job *job = task->job;
    job->is_endless = job->is_endless || time == WEFT_SIM_NEVER;
    note_complete(task, time);
    if (has_followers(operation_of(task)))
        weft_sim_engine_post(&job->engine, time, on_complete, task);
}

/* ---- Messages ----------------------------------------------------------------------------- */

static bool is_eager(const struct weft_sim_task *message)
{
    return operation_of(message)->size <= message->job->costs->eager;
}

static void receive(struct weft_sim_task *receiver, struct weft_sim_task *message)
{
    struct weft_sim_job *job = receiver->job;
    uint64_t time = later_of(job->engine.now, message->time);
    complete_at(receiver, time);
    if (!is_eager(message))
        complete_at(message, weft_sim_later(time, job->costs->latency));
}

static void post_receive(struct weft_sim_task *task)
{
    struct weft_sim_job *job = task->job;
    begin_at(task, job->engine.now);
    uint32_t message = weft_sim_match_meet(&job->match, number_of(task));
    if (message != WEFT_SIM_NONE)
        receive(task, &job->tasks[message]);
}

/* The NIC of the target has begun to take it. */
static void take(void *argument)
{
    struct weft_sim_task *task = argument;
    struct weft_sim_job *job = task->job;
    const struct weft_sim_costs *costs = job->costs;
    const struct weft_sim_operation *message = operation_of(task);
    uint64_t length = rest(message, costs->byte_gap);
    if (message->action == WEFT_SIM_SEND) {
        length = costs->overhead + later_of(length, rest(message, costs->byte_overhead));
        task->time = use_cpu(task, cpu_of(task, message->peer), job->engine.now, length);
    } else {
        task->time = weft_sim_later(job->engine.now, length);
    }
    task->time = weft_sim_later(task->time, costs->matching);
    uint32_t receiver = weft_sim_match_meet(&job->match, number_of(task));
    if (receiver != WEFT_SIM_NONE)
        receive(&job->tasks[receiver], task);
    else
        job->outcome.unexpected++;
}

static void arrive(void *argument)
{
    struct weft_sim_task *task = argument;
    struct weft_sim_engine *engine = &task->job->engine;
    uint64_t begin = use_nic(task, &nic_of(task, operation_of(task)->peer)->in, engine->now);
    if (begin == engine->now)
        take(task);
    else
        weft_sim_engine_post(engine, begin, take, task);
}

static void send(struct weft_sim_task *task)
{
    struct weft_sim_job *job = task->job;
    const struct weft_sim_costs *costs = job->costs;
    const struct weft_sim_operation *message = operation_of(task);
    uint64_t begun = job->engine.now, end = begun;
    if (message->action != WEFT_SIM_TRIGGER) {
        struct cpu *cpu = cpu_of(task, message->rank);
        begun = later_of(begun, cpu->free);
        end = use_cpu(task, cpu, begun, costs->overhead);
    }
    uint64_t departure = use_nic(task, &nic_of(task, message->rank)->out, end);
    if (message->action == WEFT_SIM_TRIGGER)
        end = weft_sim_later(departure, rest(message, costs->byte_gap));
    else if (costs->byte_overhead)
        end = use_cpu(task, cpu_of(task, message->rank), end, rest(message, costs->byte_overhead));
    job->outcome.messages++;
    job->outcome.bytes += message->size;
    begin_at(task, begun);
    weft_sim_engine_post(&job->engine, weft_sim_later(departure, costs->latency), arrive, task);
    if (is_eager(task))
        complete_at(task, end);
}

/* ---- Fetching ----------------------------------------------------------------------------- */

static void fetch_rank(const struct weft_sim_task *task, uint32_t rank)
{
    __builtin_prefetch(nic_of(task, rank));
    __builtin_prefetch(cpu_of(task, rank));
}

static void fetch_operation(const struct weft_sim_job *job, uint32_t number)
{
    __builtin_prefetch(&job->tasks[number]);
    __builtin_prefetch(&job->graph->operations[number]);
}

/* What follows was mostly added soon after, and what follows that, too. */
static void fetch_followers(const struct weft_sim_task *task, bool is_second)
{
    const struct weft_sim_operation *operation = operation_of(task);
    const uint32_t *followers = &task->job->graph->followers[operation->followers];
    if (!is_second) {
        fetch_rank(task, operation->rank);
        __builtin_prefetch(followers);
        __builtin_prefetch(operation + 1);
    } else {
        fetch_operation(task->job, followers[0] & ~WEFT_SIM_EDGE_BEGUN);
        __builtin_prefetch(task + 4);
        __builtin_prefetch(operation + 4);
    }
}

static void fetch(const struct weft_sim_event *event, unsigned turn)
{
    const struct weft_sim_task *task = event->argument;
    if (turn == 1)
        __builtin_prefetch(operation_of(task));
    else if (event->act == on_complete)
        fetch_followers(task, turn == 3);
    else if (event->act == arrive)
        weft_sim_match_fetch(&task->job->match, number_of(task), turn == 3);
    if (event->act == arrive && turn == 2)
        fetch_rank(task, operation_of(task)->peer);
}

/* ---- Computations ------------------------------------------------------------------------- */

static void compute(struct weft_sim_task *task)
{
    const struct weft_sim_operation *operation = operation_of(task);
    uint64_t now = task->job->engine.now, length = operation->size * WEFT_SIM_NANOSECOND;
    if (operation->action == WEFT_SIM_CALCULATE) {
        struct cpu *cpu = cpu_of(task, operation->rank);
        begin_at(task, later_of(now, cpu->free));
        complete_at(task, use_cpu(task, cpu, now, length));
        return;
    }
    uint64_t *core = &nic_of(task, operation->rank)->core;
    begin_at(task, later_of(now, *core));
    *core = weft_sim_later(later_of(now, *core), length);
    complete_at(task, *core);
}

static void begin(struct weft_sim_task *task)
{
    const struct weft_sim_operation *operation = operation_of(task);
    task->is_begun = true;
    if (operation->action == WEFT_SIM_RECEIVE)
        post_receive(task);
    else if (weft_sim_is_message(operation))
        send(task);
    else
        compute(task);
}

/* ---- All of it ---------------------------------------------------------------------------- */

static struct weft_sim_task *create_tasks(struct weft_sim_job *job)
{
    const struct weft_sim_graph *graph = job->graph;
    struct weft_sim_task *tasks = weft_large_alloc(graph->count + (size_t)1, sizeof *tasks);
    for (uint32_t i = 0; tasks && i < graph->count; i++)
        tasks[i] = (struct weft_sim_task){
            .job = job, .waits = graph->operations[i].waits & WEFT_SIM_MOST_WAITS};
    return tasks;
}

static bool open_job(struct weft_sim_job *job)
{
    const struct weft_sim_graph *graph = job->graph;
    size_t ranks = graph->ranks, cpus = ranks * graph->cpus;
    job->tasks = create_tasks(job);
    job->cpus = calloc(cpus + 1, sizeof *job->cpus);
    job->cores = calloc(job->costs->cores + 1, sizeof *job->cores);
    job->nics = calloc(ranks * graph->nics + 1, sizeof *job->nics);
    job->ends = calloc(ranks, sizeof *job->ends);
    if (!weft_sim_match_init(&job->match, graph, job->tasks) || !job->tasks || !job->cpus ||
        !job->cores || !job->nics || !job->ends)
        return false;
    for (uint32_t i = 0; job->times && i < graph->count; i++)
        job->times[i] = WEFT_SIM_NEVER;
    for (size_t i = 0; i < cpus; i++)
        weft_sim_disturbance_init(&job->cpus[i].disturbance, &job->costs->noise, (uint32_t)i);
    return true;
}

static void close_job(struct weft_sim_job *job)
{
    weft_sim_engine_fini(&job->engine);
    weft_sim_match_fini(&job->match);
    free(job->tasks);
    free(job->cpus);
    free(job->cores);
    free(job->nics);
    free(job->ends);
}

static void sum_up(struct weft_sim_job *job)
{
    struct weft_sim_outcome *outcome = &job->outcome;
    const struct weft_sim_graph *graph = job->graph;
    double sum = 0;
    outcome->first = job->ends[0];
    for (uint32_t rank = 0; rank < graph->ranks; rank++) {
        outcome->time = later_of(outcome->time, job->ends[rank]);
        if (job->ends[rank] < outcome->first)
            outcome->first = job->ends[rank];
        sum += (double)job->ends[rank];
    }
    outcome->mean = sum / graph->ranks;
    outcome->events = job->engine.events;
    outcome->unreceived = job->match.messages;
    outcome->stuck = outcome->incomplete ? 0 : WEFT_SIM_NONE;
    while (outcome->incomplete && job->tasks[outcome->stuck].is_complete)
        outcome->stuck++;
}

static void pass_first_joins(struct weft_sim_job *job)
{
    for (struct weft_sim_task *task = job->tasks; task < job->tasks + job->graph->count; task++) {
        if (task->is_begun || task->waits || !is_join(operation_of(task)))
            continue;
        task->is_begun = true;
        note_complete(task, 0);
        follow(task, 0);
    }
}

static bool waits_for_nothing(const struct weft_sim_task *task)
{
    const struct weft_sim_operation *operation = operation_of(task);
    return task->waits == 0 || (operation->is_any && task->waits < operation->waits);
}

/* In the order of the graph, in which joins have no place: they are complete before. */
static void start(struct weft_sim_job *job)
{
    pass_first_joins(job);
    job->is_started = true;
    for (struct weft_sim_task *task = job->tasks; task < job->tasks + job->graph->count; task++)
        if (!task->is_begun && waits_for_nothing(task))
            begin(task);
}

static enum weft_sim_end run(struct weft_sim_job *job)
{
    start(job);
    job->engine.calendar.fetch = fetch;
    weft_sim_engine_run(&job->engine, WEFT_SIM_NEVER);
    if (job->engine.starved)
        return WEFT_SIM_END_STARVED;
    sum_up(job);
    if (job->is_endless)
        return WEFT_SIM_END_NEVER;
    return job->outcome.incomplete ? WEFT_SIM_END_STUCK : WEFT_SIM_ENDED;
}

enum weft_sim_end weft_sim_job_run(const struct weft_sim_graph *graph,
                                   const struct weft_sim_costs *costs, uint64_t *times,
                                   struct weft_sim_outcome *outcome)
{
    struct weft_sim_job job = {.graph = graph,
                               .costs = costs,
                               .times = times,
                               .outcome.stuck = WEFT_SIM_NONE,
                               .outcome.incomplete = graph->count};
    enum weft_sim_end end = open_job(&job) ? run(&job) : WEFT_SIM_END_STARVED;
    close_job(&job);
    *outcome = job.outcome;
    return end;
}
