/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulation without NICs: nodes in a ring pass tokens on, over links. */
#include <stdlib.h>

#include "sim/link.h"
#include "sim/rate.h"
#include "support/tap.h"

#define SIZE 500u
#define RATE 1000u /* a token leaves a link in half a microsecond */
#define LATENCY 700u

struct ring {
    struct weft_sim_network *network;
    uint32_t nodes;
    uint64_t passes;      /* that are left, of all tokens */
    uint64_t out_of_turn; /* tokens at nodes where they do not belong */
    uint64_t lost;
};

static void pass_on(void *self, struct weft_sim_packet *token)
{
    struct ring *ring = self;
    ring->out_of_turn += token->target != (token->source + 1) % ring->nodes;
    if (ring->passes == 0)
        return;
    ring->passes--;
    token->source = token->target;
    token->target = (token->source + 1) % ring->nodes;
    weft_sim_network_inject(ring->network, token);
}

static void lose(void *self, struct weft_sim_packet *token)
{
    (void)token;
    ((struct ring *)self)->lost++;
}

static struct weft_sim_packet *cannot_copy(void *self, const struct weft_sim_packet *token)
{
    (void)self;
    (void)token;
    return NULL;
}

/* One token at each of the first nodes. */
static void run(struct weft_sim_engine *engine, struct ring *ring,
                const struct weft_sim_network_config *config, uint32_t count)
{
    const struct weft_sim_network_user user = {
        .self = ring, .deliver = pass_on, .lose = lose, .copy = cannot_copy};
    struct weft_sim_packet *tokens = calloc(count, sizeof *tokens);
    ring->network = weft_sim_link_create(engine, &user, config);
    ring->nodes = config->nodes;
    if (!tokens || !ring->network)
        abort();
    for (uint32_t i = 0; i < count; i++) {
        tokens[i] = (struct weft_sim_packet){.size = SIZE, .target = i};
        tokens[i].source = (i + ring->nodes - 1) % ring->nodes;
        weft_sim_network_inject(ring->network, &tokens[i]);
    }
    rate_run(engine, WEFT_SIM_NEVER);
    check_uint(ring->network->under_way, 0);
    check_uint(ring->out_of_turn, 0);
    weft_sim_network_destroy(ring->network);
    free(tokens);
}

static void test_one_token(void)
{
    struct weft_sim_engine engine = {0};
    struct ring ring = {.passes = 99};
    run(&engine, &ring,
        &(struct weft_sim_network_config){.nodes = 10, .latency = LATENCY, .bandwidth = RATE}, 1);
    check_uint(engine.now, 100 * (SIZE * 1000 / RATE + LATENCY));
    check_uint(engine.events, 100);
    weft_sim_engine_fini(&engine);
}

/* Nobody is in anybody's way: as many rounds take as long as with one. */
static void test_many_tokens(uint32_t nodes, uint64_t rounds)
{
    struct weft_sim_engine engine = {0};
    struct ring ring = {.passes = nodes * (rounds - 1)};
    run(&engine, &ring,
        &(struct weft_sim_network_config){.nodes = nodes, .latency = LATENCY, .bandwidth = RATE},
        nodes);
    check_uint(engine.now, rounds * (SIZE * 1000 / RATE + LATENCY));
    check_uint(engine.events, nodes * rounds);
    weft_sim_engine_fini(&engine);
}

static uint64_t end_of_losses(uint64_t seed)
{
    struct weft_sim_engine engine = {0};
    struct ring ring = {.passes = UINT64_MAX};
    run(&engine, &ring,
        &(struct weft_sim_network_config){.nodes = 100,
                                          .seed = seed,
                                          .latency = LATENCY,
                                          .loss = WEFT_SIM_MILLION / 1000,
                                          .reorder = WEFT_SIM_MILLION / 2,
                                          .reorder_delay = 1000},
        100);
    check_uint(ring.lost, 100);
    uint64_t end = engine.now;
    weft_sim_engine_fini(&engine);
    return end;
}

/* Until all tokens are lost: when that is follows from the seed alone. */
static void test_losses(void)
{
    uint64_t end = end_of_losses(1);
    check_uint(end_of_losses(1), end);
    check(end_of_losses(2) != end);
}

int main(void)
{
    test_one_token();
    test_many_tokens(5256, 200);
    test_many_tokens(100000, 20);
    test_losses();
    return tap_done();
}
