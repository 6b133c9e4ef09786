/* SPDX-License-Identifier: BSD-3-Clause */
/* What each strategy says of itself to offload.c. */
#ifndef WEFT_OFFLOAD_STRATEGY_H
#define WEFT_OFFLOAD_STRATEGY_H

#include "offload/offload.h"

/* Bytes that the first packet of a message has fewer than the others: checkpoints lie where
 * sequences of packets begin. */
static inline uint64_t weft_offload_first_short(const struct weft_offload_nic *nic)
{
    return nic->first_packet ? nic->packet - nic->first_packet : 0;
}

struct weft_offload_plan {
    uint32_t segment_bytes;
    uint32_t segments; /* iterators in the head of each receive */
    uint64_t interval; /* bytes between checkpoints; 0: there are none */
    uint64_t checkpoints;
};

/* A handler, and its name where it is code for a core. */
struct weft_offload_handler {
    ptl_payload_handler_t function; /* NULL: none */
    const char *name;
};

#define WEFT_OFFLOAD_HANDLER(function)                                                            \
    {                                                                                             \
        function, #function                                                                       \
    }

struct weft_offload_strategy_kind {
    const char *name;
    bool wants_index;                    /* of prefix sums, in the image */
    struct weft_offload_handler handler; /* for all forms */
    /* Instead of it: the handler for a form. */
    struct weft_offload_handler (*choose)(const struct weft_type_node *node);
    /* Fills the facts on HPUs and intervals; NULL: any HPU takes any packet. */
    void (*plan)(const struct weft_type_node *node, const struct weft_offload_options *options,
                 struct weft_offload_facts *facts, struct weft_offload_plan *plan);
};

extern const struct weft_offload_strategy_kind weft_offload_seek;
extern const struct weft_offload_strategy_kind weft_offload_specialized;
extern const struct weft_offload_strategy_kind weft_offload_hpu_local;
extern const struct weft_offload_strategy_kind weft_offload_ro_cp;
extern const struct weft_offload_strategy_kind weft_offload_rw_cp;

#endif
