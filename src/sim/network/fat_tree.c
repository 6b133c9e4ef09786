/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A k-ary n-tree: n levels of k^(n-1) switches with k links down and k up. The number of a switch
 * in its level has n-1 digits of base k; a link from level l to the one above changes digit l.
 * Whoever can reach the target by going down does so; before that, any link up is right. The
 * direct way takes the digit of the target, which spreads targets over all roots; a detour leads
 * through another root. Up before down needs no second channel.
 */
#include "sim/network/topology.h"

enum { ARITY, LEVELS, WIDTH };

static uint32_t digit_of(const struct weft_sim_topology *tree, uint32_t number, uint32_t digit)
{
    for (; digit > 0; digit--)
        number /= tree->shape[ARITY];
    return number % tree->shape[ARITY];
}

static uint32_t power(const struct weft_sim_topology *tree, uint32_t exponent)
{
    uint32_t value = 1;
    for (; exponent > 0; exponent--)
        value *= tree->shape[ARITY];
    return value;
}

static uint32_t level_of(const struct weft_sim_topology *tree, uint32_t router)
{
    return router / tree->shape[WIDTH];
}

static uint32_t number_of(const struct weft_sim_topology *tree, uint32_t router)
{
    return router % tree->shape[WIDTH];
}

/* The leaf's digits from the level on are those of the router: all others change on the way down.
 */
static bool is_above(const struct weft_sim_topology *tree, uint32_t router, uint32_t leaf)
{
    uint32_t below = power(tree, level_of(tree, router));
    return number_of(tree, router) / below == leaf / below;
}

static uint32_t leaf_of(const struct weft_sim_topology *tree, const struct weft_sim_way *way)
{
    return tree->homes[way->target].router;
}

static struct weft_sim_hop hop(const struct weft_sim_topology *tree, uint32_t router,
                               const struct weft_sim_way *way)
{
    uint32_t level = level_of(tree, router), leaf = leaf_of(tree, way);
    if (is_above(tree, router, leaf))
        return (struct weft_sim_hop){(uint16_t)digit_of(tree, leaf, level - 1), 0};
    uint32_t root = way->leg == WEFT_SIM_AWAY ? way->via : leaf;
    return (struct weft_sim_hop){(uint16_t)(tree->shape[ARITY] + digit_of(tree, root, level)), 0};
}

static uint32_t detour(const struct weft_sim_topology *tree, uint32_t router,
                       const struct weft_sim_way *way, uint64_t *random)
{
    if (is_above(tree, router, leaf_of(tree, way)))
        return WEFT_SIM_NO_PLACE;
    return weft_sim_topology_draw(random, tree->shape[WIDTH]);
}

/* Only roots are places, and none is passed before the way leads down. */
static bool is_there(const struct weft_sim_topology *tree, uint32_t router, uint32_t place)
{
    return router == (tree->shape[LEVELS] - 1) * tree->shape[WIDTH] + place;
}

static bool may_turn(const struct weft_sim_topology *tree, uint32_t router,
                     const struct weft_sim_way *way)
{
    return !is_above(tree, router, leaf_of(tree, way));
}

static const struct weft_sim_topology_ops operations = {
    .hop = hop, .detour = detour, .is_there = is_there, .may_turn = may_turn};

static void plug_up(struct weft_sim_topology *tree, uint32_t router)
{
    uint32_t arity = tree->shape[ARITY], width = tree->shape[WIDTH];
    uint32_t level = level_of(tree, router), number = number_of(tree, router);
    uint32_t own = digit_of(tree, number, level), unit = power(tree, level);
    for (uint32_t digit = 0; digit < arity; digit++) {
        uint32_t above = (level + 1) * width + number - own * unit + digit * unit;
        weft_sim_topology_plug(tree, router, arity + digit, above, own, WEFT_SIM_LOCAL);
        weft_sim_topology_plug(tree, above, own, router, arity + digit, WEFT_SIM_LOCAL);
    }
}

static uint64_t width_of(uint32_t arity, uint32_t levels)
{
    uint64_t width = 1;
    for (uint32_t level = 1; level < levels && width <= UINT32_MAX; level++)
        width *= arity;
    return width;
}

struct weft_sim_topology *weft_sim_fat_tree_create(uint32_t arity, uint32_t levels)
{
    if (arity < 2 || arity > 4096 || levels < 1 || levels > 16)
        return NULL;
    uint64_t width = width_of(arity, levels);
    if (width * levels * arity > UINT32_MAX / 64)
        return NULL;
    struct weft_sim_topology *tree = weft_sim_topology_create(
        &(struct weft_sim_topology){.ops = &operations,
                                    .nodes = (uint32_t)width * arity,
                                    .routers = (uint32_t)width * levels,
                                    .radix = 2 * arity,
                                    .channels = 1,
                                    .shape = {arity, levels, (uint32_t)width}});
    for (uint32_t node = 0; tree && node < tree->nodes; node++)
        weft_sim_topology_plug_node(tree, node, node / arity, node % arity);
    for (uint32_t router = 0; tree && level_of(tree, router) < levels - 1; router++)
        plug_up(tree, router);
    return tree;
}
