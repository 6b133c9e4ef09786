/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nodes of a three-dimensional torus exchange messages with their six neighbours, round by round,
 * and check every byte: as many nodes as a machine room has must be cheap to simulate.
 *
 *   neighbours SIDE SECONDS
 *
 * SIDE * SIDE * SIDE nodes; fails if a run takes more processor time than SECONDS, 0: as it likes.
 */
#include <portals4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "portals/simulate.h"
#include "support/rng.h"
#include "support/tap.h"

#define DIRECTIONS 6u
#define ROUNDS 20u
#define LONGEST 2048u
#define TABLE 0u
#define MICROSECOND UINT64_C(1000)
#define SECOND UINT64_C(1000000000)

struct torus {
    unsigned side, nodes;
    ptl_process_t *map;
    uint64_t messages, wrong, failed_calls;
};

/* A neighbour is never ahead by two rounds, as it waits for our message of the round between: so
 * two of all that a message arrives at are enough. */
struct node {
    struct torus *torus;
    unsigned number;
    ptl_handle_ni_t ni;
    ptl_handle_md_t md;
    ptl_handle_ct_t sent;
    ptl_handle_ct_t arrived[2];
    ptl_handle_me_t entries[2];
    unsigned char inbox[2][DIRECTIONS][LONGEST];
    unsigned char outbox[DIRECTIONS][LONGEST];
};

/* ---- What is sent where ------------------------------------------------------------------- */

/* Directions 2 * axis and 2 * axis + 1 are opposite. */
static unsigned neighbour(const struct torus *torus, unsigned number, unsigned direction)
{
    unsigned place = 1;
    for (unsigned axis = direction / 2; axis > 0; axis--)
        place *= torus->side;
    unsigned here = number / place % torus->side;
    unsigned there = (here + (direction % 2 ? 1 : torus->side - 1)) % torus->side;
    return number - here * place + there * place;
}

static size_t draw_message(unsigned source, unsigned direction, unsigned round,
                           unsigned char bytes[LONGEST])
{
    struct rng rng = rng_stream(source * DIRECTIONS + direction, round);
    size_t length = rng_below(&rng, LONGEST + 1);
    for (size_t i = 0; i < length; i += sizeof(uint64_t)) {
        uint64_t word = rng_next(&rng);
        memcpy(bytes + i, &word, length - i < sizeof word ? length - i : sizeof word);
    }
    return length;
}

/* ---- The program -------------------------------------------------------------------------- */

static void expect(struct node *node, int result)
{
    node->torus->failed_calls += result != PTL_OK;
}

static void open_entry(struct node *node, unsigned parity)
{
    expect(node, PtlCTAlloc(node->ni, &node->arrived[parity]));
    ptl_me_t me = {.start = node->inbox[parity],
                   .length = sizeof node->inbox[parity],
                   .ct_handle = node->arrived[parity],
                   .uid = PTL_UID_ANY,
                   .options = PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM,
                   .match_id = {.rank = PTL_RANK_ANY},
                   .match_bits = parity};
    expect(node,
           PtlMEAppend(node->ni, TABLE, &me, PTL_PRIORITY_LIST, NULL, &node->entries[parity]));
}

static void open_node(struct node *node)
{
    ptl_pt_index_t table;
    expect(node, PtlInit());
    expect(node, PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY, NULL,
                           NULL, &node->ni));
    expect(node, PtlSetMap(node->ni, node->torus->nodes, node->torus->map));
    expect(node, PtlPTAlloc(node->ni, 0, PTL_EQ_NONE, TABLE, &table));
    open_entry(node, 0);
    open_entry(node, 1);
    expect(node, PtlCTAlloc(node->ni, &node->sent));
    ptl_md_t md = {.start = node->outbox,
                   .length = sizeof node->outbox,
                   .options = PTL_MD_EVENT_CT_SEND,
                   .eq_handle = PTL_EQ_NONE,
                   .ct_handle = node->sent};
    expect(node, PtlMDBind(node->ni, &md, &node->md));
}

static void close_node(struct node *node)
{
    expect(node, PtlMDRelease(node->md));
    for (unsigned parity = 0; parity < 2; parity++) {
        expect(node, PtlMEUnlink(node->entries[parity]));
        expect(node, PtlCTFree(node->arrived[parity]));
    }
    expect(node, PtlCTFree(node->sent));
    expect(node, PtlPTFree(node->ni, TABLE));
    expect(node, PtlNIFini(node->ni));
    PtlFini();
}

static void wait_for(struct node *node, ptl_handle_ct_t counter, uint64_t count)
{
    ptl_ct_event_t value = {0};
    expect(node, PtlCTWait(counter, count, &value));
    node->torus->wrong += value.success != count || value.failure != 0;
}

static void send_all(struct node *node, unsigned round)
{
    for (unsigned direction = 0; direction < DIRECTIONS; direction++) {
        size_t length = draw_message(node->number, direction, round, node->outbox[direction]);
        ptl_process_t target = {.rank = neighbour(node->torus, node->number, direction)};
        expect(node, PtlPut(node->md, direction * LONGEST, length, PTL_NO_ACK_REQ, target, TABLE,
                            round % 2, direction * LONGEST, NULL, 0));
    }
    wait_for(node, node->sent, (uint64_t)DIRECTIONS * (round + 1));
}

static void check_all(struct node *node, unsigned round)
{
    unsigned char should[LONGEST];
    for (unsigned direction = 0; direction < DIRECTIONS; direction++) {
        unsigned source = neighbour(node->torus, node->number, direction ^ 1);
        size_t length = draw_message(source, direction, round, should);
        node->torus->messages++;
        node->torus->wrong += memcmp(node->inbox[round % 2][direction], should, length) != 0;
    }
}

static void run_node(unsigned number, void *argument)
{
    struct node node = {.torus = argument, .number = number};
    open_node(&node);
    for (unsigned round = 0; round < ROUNDS; round++) {
        send_all(&node, round);
        wait_for(&node, node.arrived[round % 2], (uint64_t)DIRECTIONS * (round / 2 + 1));
        check_all(&node, round);
    }
    close_node(&node);
}

/* ---- Runs --------------------------------------------------------------------------------- */

static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void exchange(struct torus torus, bool reliable, double limit)
{
    struct weft_sim_config world = {.nodes = torus.nodes,
                                    .seed = 1,
                                    .latency = MICROSECOND,
                                    .bandwidth = 10000,
                                    .packet_size = 1024,
                                    .timeout = SECOND / 10,
                                    .reliable = reliable,
                                    .loss = reliable ? 0 : WEFT_SIM_MILLION / 100,
                                    .limit = 1000 * SECOND};
    struct weft_sim_totals totals = {0};
    uint64_t end = 0;
    double begin = processor_seconds();
    int result = weft_portals_simulate_plan(
        &world, run_node, &torus, &(struct weft_portals_plan){.totals = &totals, .end = &end});
    double took = processor_seconds() - begin;
    tap_note("%u nodes, %s: %llu messages, %llu packets, %.3f virtual ms, %.2f s", torus.nodes,
             reliable ? "reliable" : "lossy", (unsigned long long)torus.messages,
             (unsigned long long)totals.sent, (double)end / 1e6, took);
    check_int(result, 0);
    check_uint(torus.messages, (uint64_t)torus.nodes * DIRECTIONS * ROUNDS);
    check_uint(torus.wrong, 0);
    check_uint(torus.failed_calls, 0);
    bool is_fast_enough = limit <= 0 || took < limit;
    check(is_fast_enough);
}

int main(int argc, char **argv)
{
    unsigned side = argc == 3 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    if (side < 2 || side > 100) {
        fprintf(stderr, "usage: %s SIDE SECONDS\n", argv[0]);
        return 2;
    }
    struct torus torus = {.side = side, .nodes = side * side * side};
    torus.map = calloc(torus.nodes, sizeof *torus.map);
    if (!torus.map)
        return 1;
    for (unsigned i = 0; i < torus.nodes; i++)
        torus.map[i] = (ptl_process_t){.phys = {i + 1, WEFT_SIM_PID}};
    exchange(torus, true, strtod(argv[2], NULL));
    exchange(torus, false, strtod(argv[2], NULL));
    free(torus.map);
    return tap_done();
}
