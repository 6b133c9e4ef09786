/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A network that is made of two others: two switches with a trunk between them. At each, the last
 * port is the trunk, and what one delivers there is injected into the other. While the trunk has
 * no room, packets wait before it.
 */
#include "base/random.h"
#include "sim/rate.h"
#include "sim/switch.h"
#include "support/tap.h"

#define HALF 8u /* nodes at each switch */
#define TRUNK HALF
#define NODES (2 * HALF)
#define SIZE 1000u
#define RATE 1000u /* a packet in a microsecond */
#define PASS 1000u
#define LATENCY 100u
#define EACH 50u /* packets of a node in a flood */
#define ROUNDS 20000u

struct letter {
    struct weft_sim_packet packet; /* first */
    uint32_t from, to;             /* of all nodes */
    uint32_t left;                 /* times that it is to be sent again */
};

struct side {
    struct weft_sim_network *hub;
    struct side *other;
    struct weft_sim_queue waiting; /* for the trunk, from the other side */
};

static struct weft_sim_engine engine;
static struct side sides[2];
static uint64_t arrived, astray, random_state;
static unsigned longest_wait;

static struct side *side_of(uint32_t node)
{
    return &sides[node / HALF];
}

static void send_on_trunk(struct side *side)
{
    while (side->waiting.count && weft_sim_network_has_room(side->hub, TRUNK)) {
        struct letter *letter = (struct letter *)weft_sim_queue_take(&side->waiting);
        letter->packet.source = TRUNK;
        letter->packet.target = letter->to % HALF;
        weft_sim_network_inject(side->hub, &letter->packet);
    }
}

static void send_letter(struct letter *letter, uint32_t from, uint32_t to)
{
    letter->from = from;
    letter->to = to;
    letter->packet.size = SIZE;
    letter->packet.source = from % HALF;
    letter->packet.target = side_of(from) == side_of(to) ? to % HALF : TRUNK;
    weft_sim_network_inject(side_of(from)->hub, &letter->packet);
}

/* The receiver answers to anybody. */
static void receive(struct letter *letter)
{
    arrived++;
    if (letter->left == 0)
        return;
    letter->left--;
    send_letter(letter, letter->to, (uint32_t)(weft_random_next(&random_state) % NODES));
}

static void deliver(void *self, struct weft_sim_packet *packet)
{
    struct side *side = self;
    struct letter *letter = (struct letter *)packet;
    if (packet->target == TRUNK) {
        weft_sim_queue_append(&side->other->waiting, packet);
        if (side->other->waiting.count > longest_wait)
            longest_wait = side->other->waiting.count;
        send_on_trunk(side->other);
        return;
    }
    astray += side != side_of(letter->to) || packet->target != letter->to % HALF;
    receive(letter);
}

static void room(void *self, uint32_t port)
{
    if (port == TRUNK)
        send_on_trunk(self);
}

/* The nodes of the far side take what comes at these rates. */
static void begin(const uint64_t *far_sinks)
{
    struct weft_sim_switch_config config = {
        .network = {.nodes = HALF + 1, .latency = LATENCY, .bandwidth = RATE},
        .buffer = 10 * SIZE};
    engine = (struct weft_sim_engine){0};
    arrived = astray = longest_wait = 0;
    random_state = 1;
    for (unsigned i = 0; i < 2; i++) {
        const struct weft_sim_network_user user = {
            .self = &sides[i], .deliver = deliver, .room = room};
        sides[i].other = &sides[1 - i];
        config.sinks = i == 1 ? far_sinks : NULL;
        sides[i].hub = weft_sim_switch_create(&engine, &user, &config);
        check(sides[i].hub != NULL);
        weft_sim_queue_init(&sides[i].waiting);
    }
}

static void end(void)
{
    for (unsigned i = 0; i < 2; i++) {
        check_uint(sides[i].hub->under_way, 0);
        check_uint(sides[i].waiting.count, 0);
        weft_sim_network_destroy(sides[i].hub);
    }
    check_uint(astray, 0);
    weft_sim_engine_fini(&engine);
}

static void test_one_letter(uint32_t to, unsigned switches)
{
    struct letter letter = {.left = 0};
    begin(NULL);
    send_letter(&letter, 0, to);
    weft_sim_engine_run(&engine, WEFT_SIM_NEVER);
    check_uint(arrived, 1);
    check_uint(engine.now, switches * (2 * PASS + LATENCY));
    end();
}

/* All nodes of one side send at once, each to its partner or all to the first of the far side. */
static void flood(bool to_one, const uint64_t *far_sinks)
{
    static struct letter letters[HALF][EACH];
    begin(far_sinks);
    for (uint32_t i = 0; i < EACH; i++)
        for (uint32_t node = 0; node < HALF; node++)
            send_letter(&letters[node][i], node, HALF + (to_one ? 0 : node));
    weft_sim_engine_run(&engine, WEFT_SIM_NEVER);
    check_uint(arrived, EACH * HALF);
}

/* The trunk is what takes the time. */
static void test_trunk(void)
{
    flood(false, NULL);
    check_uint(engine.now, PASS + EACH * HALF * PASS + LATENCY + 2 * PASS + LATENCY);
    check(longest_wait < 2);
    end();
}

/* A node that is slow fills its switch, and the trunk waits for it. */
static void test_slow_node(void)
{
    const uint64_t sinks[HALF + 1] = {RATE / 10, RATE, RATE, RATE, RATE, RATE, RATE, RATE, RATE};
    flood(true, sinks);
    check_uint(engine.now, 3 * PASS + LATENCY + EACH * HALF * 10 * PASS + LATENCY);
    check(longest_wait > EACH);
    end();
}

static void test_all_to_all(void)
{
    static struct letter letters[NODES];
    begin(NULL);
    for (uint32_t i = 0; i < NODES; i++) {
        letters[i].left = ROUNDS;
        send_letter(&letters[i], i, NODES - 1 - i);
    }
    rate_run(&engine, WEFT_SIM_NEVER);
    check_uint(arrived, (uint64_t)NODES * (ROUNDS + 1));
    end();
}

int main(void)
{
    test_one_letter(1, 1);
    test_one_letter(HALF + 1, 2);
    test_trunk();
    test_slow_node();
    test_all_to_all();
    return tap_done();
}
