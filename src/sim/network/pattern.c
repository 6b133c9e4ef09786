/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/network/pattern.h"

#include <stdlib.h>

#include "sim/network/topology.h"
#include "sim/packet.h"

#define NEIGHBOURS 6u

/* ---- Fixed peers -------------------------------------------------------------------------- */

static void shuffle(uint32_t *list, uint32_t count, uint64_t *random)
{
    for (uint32_t i = 0; i < count; i++)
        list[i] = i;
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = weft_sim_topology_draw(random, i), swapped = list[i - 1];
        list[i - 1] = list[j];
        list[j] = swapped;
    }
}

/* In a random order, each node has the next one as its peer; in pairs, also the other way. Of an
 * odd number, the last one of pairs has none. */
static bool draw_peers(struct weft_sim_pattern *pattern, uint64_t random)
{
    uint32_t nodes = pattern->nodes, *order = malloc(nodes * sizeof *order);
    pattern->peers = malloc(nodes * sizeof *pattern->peers);
    if (!order || !pattern->peers) {
        free(order);
        return false;
    }
    shuffle(order, nodes, &random);
    bool are_pairs = pattern->kind == WEFT_SIM_PAIRS;
    for (uint32_t i = 0; i < nodes; i++)
        if (are_pairs)
            pattern->peers[order[i]] = (i ^ 1) < nodes ? order[i ^ 1] : WEFT_SIM_NOWHERE;
        else
            pattern->peers[order[i]] = order[(i + 1) % nodes];
    free(order);
    return true;
}

/* ---- Halos -------------------------------------------------------------------------------- */

static uint32_t greatest_divisor(uint32_t number, uint32_t most)
{
    while (number % most)
        most--;
    return most;
}

/* Sides as equal as divisors allow. */
static void shape_grid(struct weft_sim_pattern *pattern)
{
    uint32_t root = 1;
    while ((root + 1) * (root + 1) * (root + 1) <= pattern->nodes)
        root++;
    pattern->sides[0] = greatest_divisor(pattern->nodes, root);
    uint32_t plane = pattern->nodes / pattern->sides[0];
    for (root = 1; (root + 1) * (root + 1) <= plane;)
        root++;
    pattern->sides[1] = greatest_divisor(plane, root);
    pattern->sides[2] = plane / pattern->sides[1];
}

/* The grid is closed in each direction. */
static uint32_t neighbour(const struct weft_sim_pattern *pattern, uint32_t node, uint64_t turn)
{
    uint32_t dimension = (uint32_t)(turn / 2 % 3), unit = 1;
    for (uint32_t i = 0; i < dimension; i++)
        unit *= pattern->sides[i];
    uint32_t side = pattern->sides[dimension], own = node / unit % side;
    uint32_t other = (own + (turn % 2 ? side - 1 : 1)) % side;
    return node + other * unit - own * unit;
}

/* ---- All kinds ---------------------------------------------------------------------------- */

bool weft_sim_pattern_init(struct weft_sim_pattern *pattern, enum weft_sim_pattern_kind kind,
                           uint32_t nodes, uint32_t number, uint64_t seed)
{
    *pattern = (struct weft_sim_pattern){.kind = kind, .nodes = nodes, .number = number};
    if (kind == WEFT_SIM_HALO)
        shape_grid(pattern);
    bool has_peers = kind == WEFT_SIM_PAIRS || kind == WEFT_SIM_PERMUTATION;
    return !has_peers || draw_peers(pattern, seed);
}

void weft_sim_pattern_fini(struct weft_sim_pattern *pattern)
{
    free(pattern->peers);
}

uint32_t weft_sim_pattern_lanes(const struct weft_sim_pattern *pattern)
{
    return pattern->kind == WEFT_SIM_HALO ? NEIGHBOURS : 1;
}

static uint32_t further(const struct weft_sim_pattern *pattern, uint32_t node, uint64_t by)
{
    return (uint32_t)((node + by) % pattern->nodes);
}

uint32_t weft_sim_pattern_target(const struct weft_sim_pattern *pattern, uint32_t node,
                                 uint64_t turn, uint64_t *random)
{
    uint32_t others = pattern->nodes - 1;
    switch (pattern->kind) {
    case WEFT_SIM_UNIFORM:
        return further(pattern, node, 1 + weft_sim_topology_draw(random, others));
    case WEFT_SIM_SHIFT:
        return further(pattern, node, pattern->number);
    case WEFT_SIM_INCAST:
        return node >= 1 && node <= pattern->number ? 0 : WEFT_SIM_NOWHERE;
    case WEFT_SIM_ALL:
        return further(pattern, node, 1 + turn % others);
    case WEFT_SIM_HALO:
        return neighbour(pattern, node, turn);
    default:
        return pattern->peers[node];
    }
}
