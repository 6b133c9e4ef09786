/* SPDX-License-Identifier: BSD-3-Clause */
/* Who gets a message next, computed by the host: handlers only go through the list. */
#ifndef WEFT_HANDLERS_PEERS_H
#define WEFT_HANDLERS_PEERS_H

#include <portals4.h>

/* Two for each bit of a rank. */
#define WEFT_HANDLER_PEERS 64u

struct weft_handler_peers {
    uint32_t count;
    ptl_process_t process[WEFT_HANDLER_PEERS];
};

/* Where ranks are: `processes` has an address for each, or is NULL on a logical interface. */
struct weft_handler_job {
    ptl_rank_t rank, size;
    const ptl_process_t *processes;
};

ptl_process_t weft_handler_process(const struct weft_handler_job *job, ptl_rank_t rank);

/* The children of this rank in the binomial tree, those with the most descendants first. */
struct weft_handler_peers weft_handler_children(const struct weft_handler_job *job,
                                                ptl_rank_t root);

/* The neighbours of this rank in the binomial graph: those a power of two away, both ways round.
 */
struct weft_handler_peers weft_handler_neighbours(const struct weft_handler_job *job);

#endif
