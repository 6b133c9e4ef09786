/* SPDX-License-Identifier: BSD-3-Clause */
/* Breadth-first search in a hypercube whose vertices are spread over all ranks: README.md. */
#include <stdlib.h>
#include <weft_handlers.h>

#include "spin.h"

#define DIMENSIONS 12
#define VERTICES (1u << DIMENSIONS)
#define CAPACITY (DIMENSIONS * VERTICES)
#define VISIT 1

/* Vertex v is number v / size of rank v % size. */
struct search {
    struct spin spin;
    uint64_t *levels;
    struct weft_handler_frontier *frontier;
    uint64_t begin; /* of what is new in the frontier */
    struct weft_handler_update *updates;
};

static unsigned here(const struct spin *spin)
{
    return (VERTICES - spin->rank + spin->size - 1) / spin->size;
}

static void open_search(struct search *search)
{
    struct spin *spin = &search->spin;
    struct weft_handler_graph graph = {.vertices = here(spin), .capacity = CAPACITY};
    ptl_handlers_t handlers;
    search->levels = spin_memory(here(spin) * sizeof *search->levels);
    search->frontier = spin_memory(weft_handler_frontier_size(CAPACITY));
    search->updates = spin_memory(CAPACITY * sizeof *search->updates);
    search->begin = 0;
    for (unsigned i = 0; i < here(spin); i++)
        search->levels[i] = WEFT_HANDLER_UNVISITED;
    NEED(weft_handler_graph(spin->ni, &graph, search->frontier, &handlers));
    spin_post(spin, search->levels, here(spin) * sizeof *search->levels,
              PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE, VISIT, PTL_CT_NONE, &handlers);
}

/* Tells a rank of all its vertices that are next to those we have reached in the last step. */
static void visit(struct search *search, ptl_rank_t rank, uint64_t begin, uint64_t end,
                  uint64_t level)
{
    struct spin *spin = &search->spin;
    const uint64_t *vertices = weft_handler_frontier_vertices(search->frontier);
    ptl_size_t count = 0;
    for (uint64_t i = begin; i < end; i++) {
        uint64_t vertex = vertices[i] * spin->size + spin->rank;
        for (unsigned bit = 0; bit < DIMENSIONS; bit++) {
            uint64_t next = vertex ^ (uint64_t)1 << bit;
            if (next % spin->size == rank)
                search->updates[count++] = (struct weft_handler_update){next / spin->size, level};
        }
    }
    spin_put(spin, search->updates, count * sizeof *search->updates, rank, VISIT, 0, 0);
}

static void step(struct search *search, uint64_t level)
{
    uint64_t begin = search->begin, end = search->frontier->count;
    search->begin = end;
    spin_barrier(&search->spin); /* all know where the last step ended */
    for (ptl_rank_t rank = 0; rank < search->spin.size; rank++)
        visit(search, rank, begin, end, level);
    spin_barrier(&search->spin);
}

int main(void)
{
    struct search search;
    struct weft_handler_update start = {0, 0};
    unsigned wrong = 0;
    spin_open(&search.spin, 1);
    open_search(&search);
    spin_barrier(&search.spin);
    if (search.spin.rank == 0)
        spin_put(&search.spin, &start, sizeof start, 0, VISIT, 0, 0);
    for (uint64_t level = 1; level <= DIMENSIONS; level++)
        step(&search, level);
    for (unsigned i = 0; i < here(&search.spin); i++)
        wrong += search.levels[i] !=
                 (uint64_t)__builtin_popcount(i * search.spin.size + search.spin.rank);
    if (wrong)
        spin_say(false, "graph: %u vertices of rank %u", wrong, search.spin.rank);
    spin_barrier(&search.spin);
    if (search.spin.rank == 0)
        spin_say(true, "graph: %u vertices in %d steps", VERTICES, DIMENSIONS);
    spin_close(&search.spin);
    return 0;
}
