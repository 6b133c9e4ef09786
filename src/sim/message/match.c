/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/message/match.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/large.h"

/* Every table has a place. */
static void place_tables(struct weft_sim_match *match, const struct weft_sim_graph *graph)
{
    for (uint32_t rank = 0; rank <= graph->ranks; rank++)
        match->tables[rank] = 1;
    for (uint32_t i = 0; i < graph->count; i++)
        if (graph->operations[i].action == WEFT_SIM_RECEIVE)
            match->tables[graph->operations[i].rank]++;
    for (uint32_t rank = 0, begin = 0; rank <= graph->ranks; rank++) {
        uint32_t length = match->tables[rank];
        match->tables[rank] = begin;
        begin += length;
    }
}

bool weft_sim_match_init(struct weft_sim_match *match, const struct weft_sim_graph *graph,
                         struct weft_sim_task *tasks)
{
    *match = (struct weft_sim_match){
        .operations = graph->operations,
        .tasks = tasks,
        .tables = malloc((graph->ranks + 1) * sizeof *match->tables),
        .has_wildcards = graph->has_wildcards,
    };
    if (!match->tables)
        return false;
    place_tables(match, graph);
    size_t size = match->tables[graph->ranks] * sizeof *match->meetings;
    match->meetings = weft_large_alloc(match->tables[graph->ranks], sizeof *match->meetings);
    if (match->meetings)
        memset(match->meetings, 0xff, size);
    return match->meetings;
}

void weft_sim_match_fini(struct weft_sim_match *match)
{
    free(match->meetings);
    free(match->tables);
}

/* ---- Who fits whom ------------------------------------------------------------------------ */

/* A message as its receiver sees it, or a receive. */
struct view {
    uint32_t rank, source, tag;
    bool is_message;
};

static struct view view_of(const struct weft_sim_operation *operation)
{
    if (weft_sim_is_message(operation))
        return (struct view){operation->peer, operation->rank, operation->tag, true};
    return (struct view){operation->rank, operation->peer, operation->tag, false};
}

static bool fits(uint32_t one, uint32_t other)
{
    return one == other || one == WEFT_SIM_ANY || other == WEFT_SIM_ANY;
}

static bool meets(const struct view *one, const struct view *other)
{
    return one->is_message != other->is_message && one->rank == other->rank &&
           fits(one->source, other->source) && fits(one->tag, other->tag);
}

static struct weft_sim_meeting *meeting_of(const struct weft_sim_match *match,
                                           const struct view *view)
{
    const uint32_t *table = &match->tables[view->rank];
    if (match->has_wildcards)
        return &match->meetings[table[0]];
    uint64_t hash = weft_hash_mix(view->tag, view->source) >> 32;
    return &match->meetings[table[0] + (hash * (table[1] - table[0]) >> 32)];
}

/* ---- Meeting ------------------------------------------------------------------------------ */

static void append(struct weft_sim_match *match, struct weft_sim_meeting *meeting,
                   uint32_t operation)
{
    match->tasks[operation].next = WEFT_SIM_NONE;
    if (meeting->first == WEFT_SIM_NONE)
        meeting->first = operation;
    else
        match->tasks[meeting->last].next = operation;
    meeting->last = operation;
}

static void take_out(struct weft_sim_match *match, struct weft_sim_meeting *meeting,
                     uint32_t before, uint32_t operation)
{
    uint32_t next = match->tasks[operation].next;
    if (before == WEFT_SIM_NONE)
        meeting->first = next;
    else
        match->tasks[before].next = next;
    if (next == WEFT_SIM_NONE)
        meeting->last = before;
}

uint32_t weft_sim_match_meet(struct weft_sim_match *match, uint32_t operation)
{
    struct view own = view_of(&match->operations[operation]);
    struct weft_sim_meeting *meeting = meeting_of(match, &own);
    uint32_t before = WEFT_SIM_NONE;
    for (uint32_t i = meeting->first; i != WEFT_SIM_NONE; before = i, i = match->tasks[i].next) {
        struct view other = view_of(&match->operations[i]);
        if (meets(&own, &other)) {
            take_out(match, meeting, before, i);
            match->messages -= other.is_message;
            return i;
        }
    }
    append(match, meeting, operation);
    match->messages += own.is_message;
    return WEFT_SIM_NONE;
}

void weft_sim_match_fetch(const struct weft_sim_match *match, uint32_t operation, bool is_second)
{
    struct view own = view_of(&match->operations[operation]);
    const struct weft_sim_meeting *meeting = meeting_of(match, &own);
    if (!is_second) {
        __builtin_prefetch(meeting);
    } else if (meeting->first != WEFT_SIM_NONE) {
        __builtin_prefetch(&match->tasks[meeting->first]);
        __builtin_prefetch(&match->operations[meeting->first]);
    }
}
