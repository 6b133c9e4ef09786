/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/message/graph.h"

#include <stdlib.h>

#include "base/large.h"

#define FIRST_ROOM 1024u

void weft_sim_graph_fini(struct weft_sim_graph *graph)
{
    free(graph->operations);
    free(graph->edges);
    free(graph->followers);
    *graph = (struct weft_sim_graph){0};
}

/* ---- Building ----------------------------------------------------------------------------- */

static uint32_t at_most(uint32_t count, uint32_t most)
{
    return count < most ? count : most;
}

/* Room for one more behind the one that is asked for. */
static bool make_room(struct weft_sim_graph *graph, void **items, uint32_t count, uint32_t *room,
                      size_t size)
{
    if (count + 1 < *room)
        return true;
    uint32_t more = at_most(*room ? 2 * *room : FIRST_ROOM, WEFT_SIM_MOST_ROOM);
    void *larger = more > *room ? realloc(*items, more * size) : NULL;
    if (!larger) {
        graph->starved = true;
        return false;
    }
    *items = larger;
    *room = more;
    return true;
}

static void note_units(struct weft_sim_graph *graph, const struct weft_sim_operation *operation)
{
    if (operation->cpu >= graph->cpus)
        graph->cpus = operation->cpu + 1u;
    if (operation->nic >= graph->nics)
        graph->nics = operation->nic + 1u;
    if (operation->action == WEFT_SIM_RECEIVE &&
        (operation->peer == WEFT_SIM_ANY || operation->tag == WEFT_SIM_ANY))
        graph->has_wildcards = true;
}

uint32_t weft_sim_graph_add(struct weft_sim_graph *graph,
                            const struct weft_sim_operation *operation)
{
    void *operations = graph->operations;
    bool has_room = make_room(graph, &operations, graph->count, &graph->room, sizeof *operation);
    graph->operations = operations;
    if (!has_room)
        return WEFT_SIM_NONE;
    graph->operations[graph->count] = *operation;
    note_units(graph, operation);
    return graph->count++;
}

bool weft_sim_graph_wait(struct weft_sim_graph *graph, uint32_t later, uint32_t earlier,
                         enum weft_sim_wait wait)
{
    if (later == WEFT_SIM_NONE || earlier == WEFT_SIM_NONE)
        return true;
    struct weft_sim_operation *operation = &graph->operations[later];
    bool is_any = wait == WEFT_SIM_WAIT_ANY;
    if (operation->waits && operation->is_any != is_any)
        return false;
    void *edges = graph->edges;
    bool has_room =
        make_room(graph, &edges, graph->edge_count, &graph->edge_room, sizeof *graph->edges);
    graph->edges = edges;
    if (!has_room)
        return true;
    operation->is_any = is_any;
    operation->waits++;
    bool is_begun = wait == WEFT_SIM_WAIT_BEGUN;
    uint32_t mark = is_begun ? WEFT_SIM_EDGE_BEGUN : 0;
    graph->has_begun = graph->has_begun || is_begun;
    graph->edges[graph->edge_count++] = (struct weft_sim_edge){earlier, later | mark};
    return true;
}

void weft_sim_graph_reserve(struct weft_sim_graph *graph, uint32_t count)
{
    count = at_most(count, WEFT_SIM_MOST_ROOM);
    graph->operations = weft_large_alloc(count, sizeof *graph->operations);
    graph->edges = weft_large_alloc(count, sizeof *graph->edges);
    graph->room = graph->operations ? count : 0;
    graph->edge_room = graph->edges ? count : 0;
}

/* ---- Finishing ---------------------------------------------------------------------------- */

/* Each operation's place becomes the end of its followers, and the sentinel's the end of all. */
static void count_followers(struct weft_sim_graph *graph)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < graph->edge_count; i++)
        graph->operations[graph->edges[i].earlier].followers++;
    for (uint32_t i = 0; i <= graph->count; i++) {
        sum += graph->operations[i].followers;
        graph->operations[i].followers = sum;
    }
}

/* From the last edge to the first, so that followers keep the order in which they were added. */
static void place_followers(struct weft_sim_graph *graph)
{
    for (uint32_t i = graph->edge_count; i-- > 0;) {
        const struct weft_sim_edge *edge = &graph->edges[i];
        graph->followers[--graph->operations[edge->earlier].followers] = edge->later;
    }
}

bool weft_sim_graph_finish(struct weft_sim_graph *graph)
{
    struct weft_sim_operation sentinel = {0};
    if (weft_sim_graph_add(graph, &sentinel) != WEFT_SIM_NONE)
        graph->count--;
    graph->followers = weft_large_alloc(graph->edge_count + (size_t)1, sizeof *graph->followers);
    if (graph->starved || !graph->followers) {
        graph->starved = true;
        return false;
    }
    count_followers(graph);
    place_followers(graph);
    free(graph->edges);
    graph->edges = NULL;
    return true;
}

/* ---- Offloading --------------------------------------------------------------------------- */

static void begin_by_cpu(struct weft_sim_graph *graph, const struct weft_sim_operation *earlier)
{
    for (uint32_t i = earlier[0].followers; i < earlier[1].followers; i++) {
        struct weft_sim_operation *later =
            &graph->operations[graph->followers[i] & ~WEFT_SIM_EDGE_BEGUN];
        if (weft_sim_is_message(later))
            later->action = WEFT_SIM_PUT;
    }
}

void weft_sim_graph_offload(struct weft_sim_graph *graph)
{
    for (uint32_t i = 0; i < graph->count; i++)
        if (weft_sim_is_message(&graph->operations[i]))
            graph->operations[i].action = WEFT_SIM_TRIGGER;
    for (uint32_t i = 0; i < graph->count; i++)
        if (graph->operations[i].action == WEFT_SIM_CALCULATE)
            begin_by_cpu(graph, &graph->operations[i]);
}
