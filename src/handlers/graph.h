/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Updates of vertices that other processes send while they traverse a graph ([sPIN17], section
 * 5.4). The memory of the entry has a value for each vertex, and a message any number of updates.
 * Those that change a vertex are done at once and atomically, and the vertex is added to the
 * frontier, from which the host goes on; all others vanish in the NIC.
 */
#ifndef WEFT_HANDLERS_GRAPH_H
#define WEFT_HANDLERS_GRAPH_H

#include "handlers/handler.h"

#define WEFT_HANDLER_UNVISITED UINT64_MAX

struct weft_handler_update {
    uint64_t vertex; /* in the memory of the entry */
    uint64_t value;  /* not WEFT_HANDLER_UNVISITED */
};

/* Memory of the program, as long as weft_handler_frontier_size says. */
struct weft_handler_frontier {
    uint64_t count;
    uint64_t vertices[];
};

struct weft_handler_graph {
    uint64_t vertices; /* in the memory of the entry; updates of others end in PTL_NI_SEGV */
    uint64_t capacity; /* of the frontier; if it is full, updates end in PTL_NI_HANDLER */
    bool shortest;     /* of two values the less stays; else the first */
};

static inline ptl_size_t weft_handler_frontier_size(uint64_t capacity)
{
    return sizeof(struct weft_handler_frontier) + capacity * sizeof(uint64_t);
}

/* Breadth-first search wants the first value, shortest paths want the least. A vertex whose value
 * has become less twice is twice in the frontier. */
int weft_handler_graph(ptl_handle_ni_t ni, const struct weft_handler_graph *graph,
                       struct weft_handler_frontier *frontier, ptl_handlers_t *handlers);

#endif
