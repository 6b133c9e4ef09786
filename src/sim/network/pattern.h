/* SPDX-License-Identifier: BSD-3-Clause */
/* Who sends to whom. */
#ifndef WEFT_SIM_NETWORK_PATTERN_H
#define WEFT_SIM_NETWORK_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

enum weft_sim_pattern_kind {
    WEFT_SIM_PAIRS,       /* each node with another one, which sends to it: [Sch17], section 4.1 */
    WEFT_SIM_PERMUTATION, /* each node to one, and from another one */
    WEFT_SIM_UNIFORM,     /* every packet to any other node */
    WEFT_SIM_SHIFT,       /* each node to the one `number` nodes further */
    WEFT_SIM_INCAST,      /* `number` nodes to node 0, the others are silent */
    WEFT_SIM_ALL,         /* each node to all others in turn, beginning with the next */
    WEFT_SIM_HALO,        /* each node to its neighbours in a grid of three dimensions, in turn */
};

struct weft_sim_pattern {
    enum weft_sim_pattern_kind kind;
    uint32_t nodes;
    uint32_t number;
    uint32_t sides[3]; /* of the grid */
    uint32_t *peers;   /* of the kinds where they stay the same */
};

/* `seed` draws pairs and permutations. False without memory. */
bool weft_sim_pattern_init(struct weft_sim_pattern *pattern, enum weft_sim_pattern_kind kind,
                           uint32_t nodes, uint32_t number, uint64_t seed);
void weft_sim_pattern_fini(struct weft_sim_pattern *pattern);

/* How many receivers a node has that are known and stay the same; 1 where there are others. Those
 * of consecutive turns are different ones. */
uint32_t weft_sim_pattern_lanes(const struct weft_sim_pattern *pattern);

/* Where packet `turn` of a node goes; WEFT_SIM_NOWHERE if the node sends nothing. */
uint32_t weft_sim_pattern_target(const struct weft_sim_pattern *pattern, uint32_t node,
                                 uint64_t turn, uint64_t *random);

#endif
