/* SPDX-License-Identifier: BSD-3-Clause */
#include <weft_handlers.h>

ptl_process_t weft_handler_process(const struct weft_handler_job *job, ptl_rank_t rank)
{
    return job->processes ? job->processes[rank] : (ptl_process_t){.rank = rank};
}

static void add(struct weft_handler_peers *peers, const struct weft_handler_job *job,
                uint64_t rank)
{
    peers->process[peers->count++] = weft_handler_process(job, (ptl_rank_t)(rank % job->size));
}

struct weft_handler_peers weft_handler_children(const struct weft_handler_job *job,
                                                ptl_rank_t root)
{
    struct weft_handler_peers children = {0};
    uint64_t self = ((uint64_t)job->rank + job->size - root) % job->size;
    /* A child differs from its parent in one bit, below the lowest that the parent has. */
    uint64_t bit = 1;
    while (bit < job->size && !(self & bit))
        bit *= 2;
    while (bit /= 2)
        if (self + bit < job->size)
            add(&children, job, self + bit + root);
    return children;
}

/* Going back so far is going forward by the rest; if that is a power of two, it was there before.
 */
struct weft_handler_peers weft_handler_neighbours(const struct weft_handler_job *job)
{
    struct weft_handler_peers neighbours = {0};
    for (uint64_t distance = 1; distance < job->size; distance *= 2)
        add(&neighbours, job, job->rank + distance);
    for (uint64_t distance = 1; distance < job->size; distance *= 2) {
        uint64_t forward = job->size - distance;
        if (forward & (forward - 1))
            add(&neighbours, job, job->rank + forward);
    }
    return neighbours;
}
