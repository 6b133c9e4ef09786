/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The costs of messages once more, as plainly as can be: all that is going to happen is in one
 * list, of which the earliest is looked for each time, and so are matches.
 */
#ifndef WEFT_TESTS_MESSAGE_REFERENCE_H
#define WEFT_TESTS_MESSAGE_REFERENCE_H

#include <stdlib.h>
#include <string.h>

#include "sim/message/job.h"

enum reference_what { REFERENCE_ARRIVE, REFERENCE_TAKE, REFERENCE_COMPLETE, REFERENCE_BEGUN };

struct reference_event {
    uint64_t time;
    uint32_t operation;
    enum reference_what what;
};

struct reference {
    const struct weft_sim_graph *graph;
    const struct weft_sim_costs *costs;
    uint64_t *times; /* of operations */
    uint32_t *waits;
    bool *has_begun;
    uint64_t *there; /* when a message can be received */
    uint32_t *line;  /* messages and receives that wait, the oldest first */
    uint32_t line_length;
    uint64_t *cpus, *outs, *ins, *cores;
    struct reference_event *events; /* in the order in which they were added */
    uint32_t event_count;
    uint64_t now;
    bool is_started; /* joins that wait for nothing are complete */
};

static inline uint64_t reference_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline void reference_post(struct reference *r, uint64_t time, uint32_t operation,
                                  enum reference_what what)
{
    r->events[r->event_count++] = (struct reference_event){time, operation, what};
}

static inline void reference_end(struct reference *r, uint32_t operation, uint64_t time)
{
    r->times[operation] = time;
    reference_post(r, time, operation, REFERENCE_COMPLETE);
}

static inline bool reference_fits(const struct weft_sim_operation *message,
                                  const struct weft_sim_operation *receive)
{
    return message->peer == receive->rank &&
           (receive->peer == WEFT_SIM_ANY || receive->peer == message->rank) &&
           (receive->tag == WEFT_SIM_ANY || receive->tag == message->tag);
}

/* A message that is there, or a receive. */
static inline void reference_meet(struct reference *r, uint32_t one)
{
    const struct weft_sim_operation *all = r->graph->operations;
    for (uint32_t i = 0; i < r->line_length; i++) {
        uint32_t other = r->line[i];
        if (weft_sim_is_message(&all[one]) == weft_sim_is_message(&all[other]))
            continue;
        uint32_t message = weft_sim_is_message(&all[one]) ? one : other;
        uint32_t receive = message == one ? other : one;
        if (!reference_fits(&all[message], &all[receive]))
            continue;
        uint64_t time = reference_max(r->now, r->there[message]);
        memmove(r->line + i, r->line + i + 1, (r->line_length - i - 1) * sizeof *r->line);
        r->line_length--;
        reference_end(r, receive, time);
        if (all[message].size > r->costs->eager)
            reference_end(r, message, time + r->costs->latency);
        return;
    }
    r->line[r->line_length++] = one;
}

static inline void reference_send(struct reference *r, uint32_t number)
{
    const struct weft_sim_operation *message = &r->graph->operations[number];
    const struct weft_sim_costs *c = r->costs;
    uint64_t *cpu = &r->cpus[message->rank * r->graph->cpus + message->cpu];
    uint64_t *out = &r->outs[message->rank * r->graph->nics + message->nic];
    uint64_t rest = message->size ? message->size - 1 : 0, end = r->now, begun = r->now;
    if (message->action != WEFT_SIM_TRIGGER) {
        begun = reference_max(r->now, *cpu);
        end = begun + c->overhead;
        *cpu = end + rest * c->byte_overhead;
    }
    uint64_t departure = reference_max(end, *out);
    *out = departure + c->gap + rest * c->byte_gap;
    reference_post(r, begun, number, REFERENCE_BEGUN);
    reference_post(r, departure + c->latency, number, REFERENCE_ARRIVE);
    if (message->size <= c->eager)
        reference_end(r, number,
                      message->action == WEFT_SIM_TRIGGER ? departure + rest * c->byte_gap : *cpu);
}

static inline void reference_compute(struct reference *r, uint32_t number, uint64_t *unit)
{
    uint64_t begun = reference_max(r->now, *unit);
    *unit = begun + 1000 * r->graph->operations[number].size;
    reference_post(r, begun, number, REFERENCE_BEGUN);
    reference_end(r, number, *unit);
}

static inline bool reference_is_join(const struct weft_sim_operation *operation)
{
    return operation->action == WEFT_SIM_NIC_CALCULATE && operation->size == 0;
}

static inline void reference_follow(struct reference *r, uint32_t number, bool at_begin);

/* A join is no event: what waits for it begins in its place. */
static inline void reference_begin(struct reference *r, uint32_t number)
{
    const struct weft_sim_operation *operation = &r->graph->operations[number];
    r->has_begun[number] = true;
    if (reference_is_join(operation)) {
        r->times[number] = r->now;
        reference_follow(r, number, false);
    } else if (weft_sim_is_message(operation)) {
        reference_send(r, number);
    } else if (operation->action == WEFT_SIM_RECEIVE) {
        reference_post(r, r->now, number, REFERENCE_BEGUN);
        reference_meet(r, number);
    } else if (operation->action == WEFT_SIM_CALCULATE) {
        reference_compute(r, number, &r->cpus[operation->rank * r->graph->cpus + operation->cpu]);
    } else {
        reference_compute(r, number, &r->cores[operation->rank * r->graph->nics + operation->nic]);
    }
}

static inline void reference_take(struct reference *r, uint32_t number)
{
    const struct weft_sim_operation *message = &r->graph->operations[number];
    const struct weft_sim_costs *c = r->costs;
    uint64_t *cpu = &r->cpus[message->peer * r->graph->cpus + message->cpu];
    uint64_t rest = message->size ? message->size - 1 : 0;
    if (message->action == WEFT_SIM_SEND) {
        *cpu = reference_max(r->now, *cpu) + c->overhead +
               rest * reference_max(c->byte_gap, c->byte_overhead);
        r->there[number] = *cpu + c->matching;
    } else {
        r->there[number] = r->now + rest * c->byte_gap + c->matching;
    }
    reference_meet(r, number);
}

static inline void reference_arrive(struct reference *r, uint32_t number)
{
    const struct weft_sim_operation *message = &r->graph->operations[number];
    uint64_t *in = &r->ins[message->peer * r->graph->nics + message->nic];
    uint64_t rest = message->size ? message->size - 1 : 0, begin = reference_max(r->now, *in);
    *in = begin + r->costs->gap + rest * r->costs->byte_gap;
    if (begin == r->now)
        reference_take(r, number);
    else
        reference_post(r, begin, number, REFERENCE_TAKE);
}

static inline void reference_follow(struct reference *r, uint32_t number, bool at_begin)
{
    const struct weft_sim_operation *operation = &r->graph->operations[number];
    for (uint32_t i = operation[0].followers; i < operation[1].followers; i++) {
        uint32_t later = r->graph->followers[i] & ~WEFT_SIM_EDGE_BEGUN;
        bool is_of_begin = r->graph->followers[i] & WEFT_SIM_EDGE_BEGUN;
        bool is_meant = is_of_begin == at_begin || reference_is_join(operation);
        if (!is_meant || r->has_begun[later])
            continue;
        r->waits[later]--;
        const struct weft_sim_operation *other = &r->graph->operations[later];
        if ((r->waits[later] == 0 || other->is_any) && (r->is_started || reference_is_join(other)))
            reference_begin(r, later);
    }
}

static inline bool reference_step(struct reference *r)
{
    uint32_t first = 0;
    if (!r->event_count)
        return false;
    for (uint32_t i = 1; i < r->event_count; i++)
        if (r->events[i].time < r->events[first].time)
            first = i;
    struct reference_event event = r->events[first];
    memmove(r->events + first, r->events + first + 1,
            (r->event_count - first - 1) * sizeof *r->events);
    r->event_count--;
    r->now = event.time;
    if (event.what == REFERENCE_ARRIVE)
        reference_arrive(r, event.operation);
    else if (event.what == REFERENCE_TAKE)
        reference_take(r, event.operation);
    else
        reference_follow(r, event.operation, event.what == REFERENCE_BEGUN);
    return true;
}

/* What waits for nothing, or for joins that wait for nothing: the joins first, then the others. */
static inline void reference_start(struct reference *r)
{
    for (int pass = 0; pass < 2; pass++, r->is_started = true)
        for (uint32_t i = 0; i < r->graph->count; i++) {
            const struct weft_sim_operation *operation = &r->graph->operations[i];
            bool is_met =
                r->waits[i] == 0 || (operation->is_any && r->waits[i] < operation->waits);
            if (is_met && !r->has_begun[i] && (r->is_started || reference_is_join(operation)))
                reference_begin(r, i);
        }
}

/* The times of all operations, UINT64_MAX of those that are never complete. */
static inline void reference_run(const struct weft_sim_graph *graph,
                                 const struct weft_sim_costs *costs, uint64_t *times)
{
    size_t count = graph->count + 1u, units = graph->ranks * 64u;
    struct reference r = {.graph = graph, .costs = costs, .times = times};
    r.waits = calloc(count, sizeof *r.waits);
    r.has_begun = calloc(count, sizeof *r.has_begun);
    r.there = calloc(count, sizeof *r.there);
    r.line = calloc(2 * count, sizeof *r.line);
    r.events = calloc(4 * count, sizeof *r.events);
    uint64_t *all = calloc(4 * units, sizeof *all);
    r.cpus = all;
    r.outs = all + units;
    r.ins = all + 2 * units;
    r.cores = all + 3 * units;
    for (uint32_t i = 0; i < graph->count; i++) {
        r.waits[i] = graph->operations[i].waits;
        times[i] = UINT64_MAX;
    }
    reference_start(&r);
    while (reference_step(&r))
        continue;
    free(r.waits);
    free(r.has_begun);
    free(r.there);
    free(r.line);
    free(r.events);
    free(all);
}

#endif
