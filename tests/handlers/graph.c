/* SPDX-License-Identifier: BSD-3-Clause */
#include <weft_handlers.h>

#include "spin/spin.h"

#define VERTICES 700u
#define UPDATES 2000u /* of each sender: several packets */
#define SENDERS 3u

struct world {
    uint64_t *values;
    struct weft_handler_frontier *frontier;
};

static struct world attach(struct job *job, bool shortest, uint64_t capacity)
{
    struct world world = {job_memory(job, VERTICES * sizeof(uint64_t)),
                          job_memory(job, weft_handler_frontier_size(capacity))};
    const struct weft_handler_graph graph = {VERTICES, capacity, shortest};
    ptl_handlers_t handlers;
    for (unsigned i = 0; i < VERTICES; i++)
        world.values[i] = WEFT_HANDLER_UNVISITED;
    ok(weft_handler_graph(job->ni, &graph, world.frontier, &handlers));
    post_spin(&handlers, world.values, VERTICES * sizeof(uint64_t), .options = PTL_ME_OP_PUT);
    return world;
}

static struct weft_handler_update update(unsigned rank, unsigned i)
{
    return (struct weft_handler_update){.vertex = (i * 31 + rank) % (VERTICES - 50),
                                        .value = 1000 + (i * 17 + rank * 5) % 97};
}

static void send(struct job *job)
{
    struct weft_handler_update *updates = job_memory(job, UPDATES * sizeof *updates);
    for (unsigned i = 0; i < UPDATES; i++)
        updates[i] = update(job->rank, i);
    ok(put(job_md(job, updates, UPDATES * sizeof *updates), UPDATES * sizeof *updates,
           .ack = PTL_ACK_REQ));
    next_event(job->eq, PTL_EVENT_ACK);
}

static uint64_t least_sent(unsigned vertex)
{
    uint64_t least = WEFT_HANDLER_UNVISITED;
    for (unsigned rank = 1; rank <= SENDERS; rank++)
        for (unsigned i = 0; i < UPDATES; i++) {
            struct weft_handler_update sent = update(rank, i);
            if (sent.vertex == vertex && sent.value < least)
                least = sent.value;
        }
    return least;
}

static bool was_sent(unsigned vertex, uint64_t value)
{
    for (unsigned rank = 1; rank <= SENDERS; rank++)
        for (unsigned i = 0; i < UPDATES; i++) {
            struct weft_handler_update sent = update(rank, i);
            if (sent.vertex == vertex && sent.value == value)
                return true;
        }
    return false;
}

static void count_vertices(const struct weft_handler_frontier *frontier, unsigned *times)
{
    for (uint64_t i = 0; i < frontier->count; i++)
        times[weft_handler_frontier_vertices(frontier)[i] % VERTICES]++;
}

static struct world traverse(struct job *job, bool shortest)
{
    struct world world = {NULL, NULL};
    if (job->target)
        world = attach(job, shortest, SENDERS * UPDATES);
    job_barrier(job);
    if (job->initiator)
        send(job);
    for (unsigned i = 0; i < SENDERS && job->target; i++)
        next_event(job->target_eq, PTL_EVENT_PUT);
    job_barrier(job);
    return world;
}

BEHAVIOUR("graph: the first to visit a vertex gives it its value", SPIN, .ranks = SENDERS + 1)
{
    struct world world = traverse(job, false);
    unsigned times[VERTICES] = {0}, wrong = 0;
    if (!job->target)
        return;
    count_vertices(world.frontier, times);
    for (unsigned i = 0; i < VERTICES; i++) {
        bool is_visited = world.values[i] != WEFT_HANDLER_UNVISITED;
        wrong += is_visited != (least_sent(i) != WEFT_HANDLER_UNVISITED);
        wrong += is_visited && !was_sent(i, world.values[i]);
        wrong += times[i] != is_visited;
    }
    equals(wrong, 0);
    equals(world.values[VERTICES - 1], WEFT_HANDLER_UNVISITED);
}

BEHAVIOUR("graph: the least distance stays, whatever comes first", SPIN, .ranks = SENDERS + 1)
{
    struct world world = traverse(job, true);
    unsigned times[VERTICES] = {0}, wrong = 0;
    if (!job->target)
        return;
    count_vertices(world.frontier, times);
    for (unsigned i = 0; i < VERTICES; i++) {
        wrong += world.values[i] != least_sent(i);
        wrong += (times[i] > 0) != (world.values[i] != WEFT_HANDLER_UNVISITED);
    }
    equals(wrong, 0);
}

BEHAVIOUR("graph: a vertex that is elsewhere, and a full frontier, are failures", SPIN, .ranks = 2)
{
    struct weft_handler_update *updates = job_memory(job, 2 * sizeof *updates);
    if (job->target) {
        struct world world = attach(job, true, 1);
        job_barrier(job);
        next_failure(job->target_eq, PTL_EVENT_PUT, PTL_NI_SEGV);
        next_failure(job->target_eq, PTL_EVENT_PUT, PTL_NI_HANDLER);
        equals(weft_handler_frontier_vertices(world.frontier)[0], 3);
    } else {
        ptl_handle_md_t md = job_md(job, updates, 2 * sizeof *updates);
        job_barrier(job);
        updates[0] = (struct weft_handler_update){VERTICES, 1};
        ok(put(md, sizeof *updates, .ack = PTL_ACK_REQ));
        next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_SEGV);
        updates[0] = (struct weft_handler_update){3, 1};
        updates[1] = (struct weft_handler_update){4, 1};
        ok(put(md, 2 * sizeof *updates, .ack = PTL_ACK_REQ));
        next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_HANDLER);
    }
    job_barrier(job);
}
