/* SPDX-License-Identifier: BSD-3-Clause */
/* Topologies without any time: links have two ends, and every way leads to its target, on channels
 * that never wait for each other in a circle. */
#include <stdlib.h>
#include <string.h>

#include "sim/network/hypercube.h"
#include "sim/network/route.h"
#include "support/tap.h"

#define TRIES 3000u
#define MOST_HOPS 64u

/* Which channel waits for which: those of the next hop of some packet. */
struct waits {
    uint32_t count;
    uint8_t *edges;
};

static uint32_t channel_number(const struct weft_sim_topology *topology, uint32_t router,
                               struct weft_sim_hop hop)
{
    return (router * topology->radix + hop.port) * topology->channels + hop.channel;
}

static bool has_two_ends(const struct weft_sim_topology *topology, uint32_t router, uint32_t port)
{
    const struct weft_sim_plug *plug = &topology->plugs[router * topology->radix + port];
    if (plug->reach == WEFT_SIM_UNPLUGGED)
        return true;
    if (plug->reach == WEFT_SIM_NODE)
        return topology->homes[plug->peer].router == router &&
               topology->homes[plug->peer].port == port;
    const struct weft_sim_plug *back = &topology->plugs[plug->peer * topology->radix + plug->port];
    return back->peer == router && back->port == port && back->reach == plug->reach;
}

static void check_links(const struct weft_sim_topology *topology)
{
    uint32_t bad = 0;
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t port = 0; port < topology->radix; port++)
            bad += !has_two_ends(topology, router, port);
    check_uint(bad, 0);
}

static uint32_t no_load(const void *self, uint32_t router, struct weft_sim_hop hop,
                        bool by_channel)
{
    (void)self;
    (void)router;
    (void)hop;
    (void)by_channel;
    return 0;
}

/* Goes from a node to another as routers would let it, turning where it may by chance. */
static bool walk(const struct weft_sim_topology *topology, struct waits *waits, uint64_t *random,
                 enum weft_sim_routing_kind kind)
{
    uint32_t router = topology->homes[weft_sim_topology_draw(random, topology->nodes)].router;
    struct weft_sim_way route = {.target = weft_sim_topology_draw(random, topology->nodes)};
    uint32_t before = UINT32_MAX;
    for (unsigned hops = 0; hops < MOST_HOPS; hops++) {
        bool turns = weft_sim_topology_draw(random, 2) == 0;
        struct weft_sim_routing routing = {.kind = kind, .threshold = turns ? -1 : 1};
        struct weft_sim_hop hop = weft_sim_route_next(
            &routing, topology, router, &route, &(struct weft_sim_loads){NULL, no_load}, random);
        const struct weft_sim_plug *plug = &topology->plugs[router * topology->radix + hop.port];
        if (plug->reach == WEFT_SIM_NODE)
            return plug->peer == route.target;
        uint32_t channel = channel_number(topology, router, hop);
        if (plug->reach == WEFT_SIM_UNPLUGGED || hop.channel >= topology->channels)
            return false;
        if (before != UINT32_MAX)
            waits->edges[(size_t)before * waits->count + channel] = 1;
        before = channel;
        weft_sim_route_pass(&route, plug->reach);
        router = plug->peer;
    }
    return false;
}

/* Takes away what nobody waits for, until nothing is left. */
static bool has_circle(const struct waits *waits)
{
    uint32_t *waiting = calloc(waits->count, sizeof *waiting), *free_ones, first = 0, last = 0;
    free_ones = malloc(waits->count * sizeof *free_ones);
    for (size_t i = 0; i < (size_t)waits->count * waits->count; i++)
        waiting[i % waits->count] += waits->edges[i];
    for (uint32_t i = 0; i < waits->count; i++)
        if (!waiting[i])
            free_ones[last++] = i;
    for (; first < last; first++)
        for (uint32_t i = 0; i < waits->count; i++)
            if (waits->edges[(size_t)free_ones[first] * waits->count + i] && !--waiting[i])
                free_ones[last++] = i;
    free(waiting);
    free(free_ones);
    return last < waits->count;
}

static void check_ways(const struct weft_sim_topology *topology)
{
    uint64_t random = 1;
    struct waits waits = {.count = topology->routers * topology->radix * topology->channels};
    waits.edges = calloc(waits.count, waits.count);
    uint32_t arrived = 0;
    for (unsigned kind = WEFT_SIM_MINIMAL; kind <= WEFT_SIM_PROGRESSIVE; kind++)
        for (unsigned i = 0; i < TRIES; i++)
            arrived += walk(topology, &waits, &random, (enum weft_sim_routing_kind)kind);
    check_uint(arrived, 4 * TRIES);
    check(!has_circle(&waits));
    free(waits.edges);
}

static void test(const char *name, struct weft_sim_topology *topology, uint32_t nodes,
                 uint32_t routers)
{
    tap_note("%s", name);
    if (!check(topology != NULL))
        return;
    check_uint(topology->nodes, nodes);
    check_uint(topology->routers, routers);
    check_links(topology);
    if (topology->ops)
        check_ways(topology);
    weft_sim_topology_destroy(topology);
}

/* Too large for the other checks. */
static void test_paper(void)
{
    struct weft_sim_topology *topology = weft_sim_dragonfly_create(6, 12, 6);
    check_uint(topology->nodes, 5256);
    check_uint(topology->routers, 876);
    check_uint(topology->radix, 23);
    check_links(topology);
    weft_sim_topology_destroy(topology);
}

static void test_nonsense(void)
{
    check(!weft_sim_dragonfly_create(0, 4, 2));
    check(!weft_sim_dragonfly_create(4096, 4096, 4096));
    check(!weft_sim_fat_tree_create(1, 3));
    check(!weft_sim_fat_tree_create(4096, 16));
    check(!weft_sim_torus_create(4096, 4096, 4096, 2));
    check(!weft_sim_star_create(0));
}

int main(void)
{
    test("dragonfly", weft_sim_dragonfly_create(2, 4, 2), 72, 36);
    test("dragonfly, one router a group", weft_sim_dragonfly_create(3, 1, 4), 15, 5);
    test("dragonfly, two groups", weft_sim_dragonfly_create(1, 1, 1), 2, 2);
    test("fat tree", weft_sim_fat_tree_create(3, 3), 27, 27);
    test("fat tree of one level", weft_sim_fat_tree_create(8, 1), 8, 1);
    test("torus of two dimensions", weft_sim_torus_create(5, 4, 1, 2), 40, 20);
    test("torus of three dimensions", weft_sim_torus_create(4, 3, 2, 1), 24, 24);
    test("hypercube, which a user adds", hypercube_create(4), 16, 16);
    test("star", weft_sim_star_create(9), 9, 1);
    test_paper();
    test_nonsense();
    return tap_done();
}
