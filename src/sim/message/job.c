/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/message/job.h"

#include <stdlib.h>

#include "sim/engine.h"
#include "sim/message/match.h"

/* ---- State -------------------------------------------------------------------------------- */

struct task {
    struct job *job;
    uint64_t time;  /* at which a message that is there can be matched */
    uint32_t waits; /* for so many others */
    bool is_begun;
};

struct cpu {
    uint64_t free;
    struct weft_sim_disturbance disturbance;
};

struct nic {
    uint64_t out, in; /* when it is free to send and to receive */
    uint64_t core;    /* and to compute */
};

struct job {
    const struct weft_sim_graph *graph;
    const struct weft_sim_costs *costs;
    struct weft_sim_engine engine;
    struct weft_sim_match match;
    struct task *tasks; /* one for each operation */
    struct cpu *cpus;
    uint64_t *cores; /* when each is free */
    struct nic *nics;
    uint64_t *ends;  /* of ranks */
    uint64_t *times; /* of operations */
    bool is_endless;
    struct weft_sim_outcome outcome;
};

static const struct weft_sim_operation *operation_of(const struct task *task)
{
    return &task->job->graph->operations[task - task->job->tasks];
}

static struct cpu *cpu_of(const struct task *task, uint32_t rank)
{
    return &task->job->cpus[(size_t)rank * task->job->graph->cpus + operation_of(task)->cpu];
}

static struct nic *nic_of(const struct task *task, uint32_t rank)
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
static uint64_t *find_core(const struct job *job)
{
    uint64_t *first = job->cores;
    for (uint64_t i = 1; i < job->costs->cores; i++)
        if (job->cores[i] < *first)
            first = &job->cores[i];
    return job->costs->cores ? first : NULL;
}

/* From `from` on, when the CPU is free: when it has done that. */
static uint64_t use_cpu(struct task *task, struct cpu *cpu, uint64_t from, uint64_t length)
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
static uint64_t use_nic(const struct task *task, uint64_t *free, uint64_t from)
{
    const struct weft_sim_costs *costs = task->job->costs;
    uint64_t begin = later_of(from, *free);
    *free = weft_sim_later(begin, costs->gap + rest(operation_of(task), costs->byte_gap));
    return begin;
}

/* ---- What follows ------------------------------------------------------------------------- */

static void begin(struct task *task);

static void satisfy(struct task *task, bool at_begin)
{
    const struct weft_sim_graph *graph = task->job->graph;
    const struct weft_sim_operation *operation = operation_of(task);
    for (uint32_t i = operation[0].followers; i < operation[1].followers; i++) {
        uint32_t mark = graph->followers[i] & WEFT_SIM_EDGE_BEGUN;
        struct task *later = &task->job->tasks[graph->followers[i] ^ mark];
        if (!mark == at_begin || later->is_begun)
            continue;
        bool is_any = graph->operations[graph->followers[i] ^ mark].is_any;
        if (--later->waits == 0 || is_any)
            begin(later);
    }
}

static void on_begun(void *argument)
{
    satisfy(argument, true);
}

static void on_complete(void *argument)
{
    satisfy(argument, false);
}

static void begin_at(struct task *task, uint64_t time)
{
    if (task->job->graph->has_begun)
        weft_sim_engine_post(&task->job->engine, time, on_begun, task);
}

static void complete_at(struct task *task, uint64_t time)
{
    const struct weft_sim_operation *operation = operation_of(task);
    uint64_t *end = &task->job->ends[operation->rank];
    task->job->is_endless = task->job->is_endless || time == WEFT_SIM_NEVER;
    task->job->times[task - task->job->tasks] = time;
    *end = later_of(*end, time);
    if (operation[0].followers < operation[1].followers)
        weft_sim_engine_post(&task->job->engine, time, on_complete, task);
}

/* ---- Messages ----------------------------------------------------------------------------- */

static bool is_eager(const struct task *message)
{
    return operation_of(message)->size <= message->job->costs->eager;
}

static void receive(struct task *receiver, struct task *message)
{
    struct job *job = receiver->job;
    uint64_t time = later_of(job->engine.now, message->time);
    complete_at(receiver, time);
    if (!is_eager(message))
        complete_at(message, weft_sim_later(time, job->costs->latency));
}

static void post_receive(struct task *task)
{
    struct job *job = task->job;
    begin_at(task, job->engine.now);
    uint32_t message = weft_sim_match_meet(&job->match, (uint32_t)(task - job->tasks));
    if (message != WEFT_SIM_NONE)
        receive(task, &job->tasks[message]);
}

/* The NIC of the target has begun to take it. */
static void take(void *argument)
{
    struct task *task = argument;
    struct job *job = task->job;
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
    uint32_t receiver = weft_sim_match_meet(&job->match, (uint32_t)(task - job->tasks));
    if (receiver != WEFT_SIM_NONE)
        receive(&job->tasks[receiver], task);
    else
        job->outcome.unexpected++;
}

static void arrive(void *argument)
{
    struct task *task = argument;
    struct weft_sim_engine *engine = &task->job->engine;
    uint64_t begin = use_nic(task, &nic_of(task, operation_of(task)->peer)->in, engine->now);
    if (begin == engine->now)
        take(task);
    else
        weft_sim_engine_post(engine, begin, take, task);
}

static void send(struct task *task)
{
    struct job *job = task->job;
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

/* ---- Computations ------------------------------------------------------------------------- */

static void compute(struct task *task)
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

static void begin(struct task *task)
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

static bool open_job(struct job *job, uint64_t *times)
{
    const struct weft_sim_graph *graph = job->graph;
    size_t ranks = graph->ranks, cpus = ranks * graph->cpus;
    job->tasks = malloc((graph->count + 1) * sizeof *job->tasks);
    job->cpus = calloc(cpus + 1, sizeof *job->cpus);
    job->cores = calloc(job->costs->cores + 1, sizeof *job->cores);
    job->nics = calloc(ranks * graph->nics + 1, sizeof *job->nics);
    job->ends = calloc(ranks, sizeof *job->ends);
    job->times = times ? times : malloc((graph->count + 1) * sizeof *job->times);
    if (!weft_sim_match_init(&job->match, graph) || !job->tasks || !job->cpus || !job->cores ||
        !job->nics || !job->ends || !job->times)
        return false;
    for (uint32_t i = 0; i < graph->count; i++) {
        job->tasks[i] = (struct task){.job = job, .waits = graph->operations[i].waits};
        job->times[i] = WEFT_SIM_NEVER;
    }
    for (size_t i = 0; i < cpus; i++)
        weft_sim_disturbance_init(&job->cpus[i].disturbance, &job->costs->noise, (uint32_t)i);
    return true;
}

static void close_job(struct job *job, const uint64_t *times)
{
    weft_sim_engine_fini(&job->engine);
    weft_sim_match_fini(&job->match);
    free(job->tasks);
    free(job->cpus);
    free(job->cores);
    free(job->nics);
    free(job->ends);
    if (!times)
        free(job->times);
}

static void sum_up(struct job *job)
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
    outcome->unreceived = weft_sim_match_messages(&job->match);
    for (uint32_t i = graph->count; i-- > 0;)
        if (job->times[i] == WEFT_SIM_NEVER) {
            outcome->stuck = i;
            outcome->incomplete++;
        }
}

static enum weft_sim_end run(struct job *job)
{
    for (uint32_t i = 0; i < job->graph->count; i++)
        if (!job->tasks[i].is_begun && !job->graph->operations[i].waits)
            begin(&job->tasks[i]);
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
    struct job job = {.graph = graph, .costs = costs, .outcome.stuck = WEFT_SIM_NONE};
    enum weft_sim_end end = open_job(&job, times) ? run(&job) : WEFT_SIM_END_STARVED;
    close_job(&job, times);
    *outcome = job.outcome;
    return end;
}
