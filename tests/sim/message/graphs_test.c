/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random graphs: the time of every operation is that of the reference, messages are conserved,
 * equal seeds give equal outcomes, and joins between operations that wait for each other, or
 * before those that wait for nothing, change no time. `graphs_test SEED COUNT` runs others.
 */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "sim/message/reference.h"
#include "support/tap.h"

static uint32_t draw(uint64_t *random, uint32_t below)
{
    return (uint32_t)(weft_random_next(random) % below);
}

/* ---- Graphs ------------------------------------------------------------------------------- */

struct maker {
    struct weft_sim_graph *graph;
    uint64_t random;
    uint32_t last[8]; /* operations of each rank */
    bool has_any;     /* receives from anybody */
};

/* After the last of its rank, in one of three ways, or of nobody. */
static void place(struct maker *maker, const struct weft_sim_operation *operation)
{
    uint32_t number = weft_sim_graph_add(maker->graph, operation);
    uint32_t *last = &maker->last[operation->rank];
    uint32_t how = draw(&maker->random, 5);
    if (how < 3)
        weft_sim_graph_wait(maker->graph, number, *last, (enum weft_sim_wait)how);
    if (how == 1 && *last != WEFT_SIM_NONE && *last > 0)
        for (uint32_t other = *last; other-- > 0;)
            if (maker->graph->operations[other].rank == operation->rank) {
                weft_sim_graph_wait(maker->graph, number, other, WEFT_SIM_WAIT_ANY);
                break;
            }
    *last = number;
}

static void add_message(struct maker *maker)
{
    static const uint32_t sizes[] = {0, 1, 8, 100, 5000};
    uint32_t ranks = maker->graph->ranks;
    struct weft_sim_operation message = {.action = (uint8_t)draw(&maker->random, 3)};
    message.rank = draw(&maker->random, ranks);
    message.peer = draw(&maker->random, ranks);
    message.tag = draw(&maker->random, 3);
    message.size = sizes[draw(&maker->random, 5)];
    message.cpu = (uint8_t)draw(&maker->random, 2);
    message.nic = (uint8_t)draw(&maker->random, 2);
    struct weft_sim_operation receive = message;
    receive.action = WEFT_SIM_RECEIVE;
    receive.rank = message.peer;
    receive.peer = message.rank;
    if (maker->has_any && draw(&maker->random, 4) == 0)
        receive.peer = WEFT_SIM_ANY;
    if (maker->has_any && draw(&maker->random, 4) == 0)
        receive.tag = WEFT_SIM_ANY;
    bool is_first = draw(&maker->random, 2);
    place(maker, is_first ? &receive : &message);
    place(maker, is_first ? &message : &receive);
}

static void add_computation(struct maker *maker)
{
    struct weft_sim_operation work = {.action = WEFT_SIM_CALCULATE};
    work.action += (uint8_t)draw(&maker->random, 2);
    work.rank = draw(&maker->random, maker->graph->ranks);
    work.size = draw(&maker->random, 5);
    place(maker, &work);
}

static void make(struct weft_sim_graph *graph, uint64_t seed)
{
    struct maker maker = {.graph = graph, .random = seed};
    memset(maker.last, 0xff, sizeof maker.last);
    graph->ranks = 1 + draw(&maker.random, 8);
    graph->cpus = graph->nics = 2;
    maker.has_any = draw(&maker.random, 2);
    uint32_t count = draw(&maker.random, 120);
    for (uint32_t i = 0; i < count; i++)
        if (draw(&maker.random, 4))
            add_message(&maker);
        else
            add_computation(&maker);
    weft_sim_graph_finish(graph);
}

static void add_operations(struct weft_sim_graph *graph, const struct weft_sim_graph *from)
{
    for (uint32_t i = 0; i < from->count; i++) {
        struct weft_sim_operation operation = from->operations[i];
        operation.waits = operation.followers = 0;
        operation.is_any = false;
        weft_sim_graph_add(graph, &operation);
    }
}

/* Through up to three joins, for an operation or for none. */
static void wait_through_joins(struct weft_sim_graph *graph, const struct weft_sim_graph *from,
                               uint32_t earlier, uint32_t follower, uint64_t *random)
{
    const struct weft_sim_operation join = {.action = WEFT_SIM_NIC_CALCULATE};
    uint32_t later = follower & ~WEFT_SIM_EDGE_BEGUN;
    enum weft_sim_wait wait = follower == later ? WEFT_SIM_WAIT_ALL : WEFT_SIM_WAIT_BEGUN;
    for (uint32_t joins = draw(random, 4); joins; joins--) {
        uint32_t number = weft_sim_graph_add(graph, &join);
        weft_sim_graph_wait(graph, number, earlier, wait);
        earlier = number;
        wait = WEFT_SIM_WAIT_ALL;
    }
    if (from->operations[later].is_any)
        wait = WEFT_SIM_WAIT_ANY;
    weft_sim_graph_wait(graph, later, earlier, wait);
}

/* The same operations with the same numbers, and joins behind and before them. */
static void add_joins(struct weft_sim_graph *graph, const struct weft_sim_graph *from,
                      uint64_t seed)
{
    *graph = (struct weft_sim_graph){.ranks = from->ranks, .cpus = from->cpus, .nics = from->nics};
    add_operations(graph, from);
    for (uint32_t i = 0; i < from->count; i++) {
        const struct weft_sim_operation *operation = &from->operations[i];
        for (uint32_t j = operation[0].followers; j < operation[1].followers; j++)
            wait_through_joins(graph, from, i, from->followers[j], &seed);
        if (!operation->waits)
            wait_through_joins(graph, from, WEFT_SIM_NONE, i, &seed);
    }
    weft_sim_graph_finish(graph);
}

static struct weft_sim_costs draw_costs(uint64_t seed)
{
    uint64_t random = ~seed;
    struct weft_sim_costs costs = {.latency = draw(&random, 4000)};
    costs.overhead = draw(&random, 2000);
    costs.gap = draw(&random, 1000);
    costs.byte_gap = draw(&random, 10);
    costs.byte_overhead = draw(&random, 40);
    costs.byte_overhead *= costs.byte_overhead < 20;
    costs.matching = draw(&random, 500);
    costs.eager = draw(&random, 2) ? 99 : 10000;
    return costs;
}

/* ---- Checks ------------------------------------------------------------------------------- */

static uint32_t count_complete(const struct weft_sim_graph *graph, const uint64_t *times,
                               bool of_messages)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct weft_sim_operation *operation = &graph->operations[i];
        count += times[i] != UINT64_MAX && (of_messages ? weft_sim_is_message(operation)
                                                        : operation->action == WEFT_SIM_RECEIVE);
    }
    return count;
}

static bool agrees(const struct weft_sim_graph *graph, const struct weft_sim_costs *costs,
                   uint64_t *times, uint64_t *expected)
{
    struct weft_sim_outcome outcome, again;
    enum weft_sim_end end = weft_sim_job_run(graph, costs, times, &outcome);
    reference_run(graph, costs, expected);
    bool is_same = memcmp(times, expected, graph->count * sizeof *times) == 0;
    bool is_conserved =
        outcome.messages == count_complete(graph, times, false) + outcome.unreceived;
    bool is_told = (end == WEFT_SIM_ENDED) == (outcome.stuck == WEFT_SIM_NONE) &&
                   (outcome.incomplete == 0) == (end == WEFT_SIM_ENDED);
    weft_sim_job_run(graph, costs, NULL, &again);
    bool is_again = again.time == outcome.time && again.events == outcome.events &&
                    again.handling == outcome.handling && again.mean == outcome.mean;
    return is_same && is_conserved && is_told && is_again;
}

static bool is_same_with_joins(const struct weft_sim_graph *graph,
                               const struct weft_sim_costs *costs, uint64_t seed,
                               const uint64_t *times)
{
    struct weft_sim_graph joined;
    struct weft_sim_outcome outcome;
    add_joins(&joined, graph, seed);
    uint64_t *others = malloc((joined.count + 1) * sizeof *others);
    weft_sim_job_run(&joined, costs, others, &outcome);
    bool is_same = memcmp(times, others, graph->count * sizeof *times) == 0;
    free(others);
    weft_sim_graph_fini(&joined);
    return is_same;
}

static void test_seeds(uint64_t first, uint64_t count)
{
    uint64_t wrong = 0, complete = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct weft_sim_graph graph = {0};
        struct weft_sim_costs costs = draw_costs(seed);
        make(&graph, seed);
        uint64_t *times = malloc((graph.count + 1) * sizeof *times);
        uint64_t *expected = malloc((graph.count + 1) * sizeof *expected);
        if (!agrees(&graph, &costs, times, expected) ||
            !is_same_with_joins(&graph, &costs, seed, times)) {
            tap_note("replay: message_graphs_test %llu 1", (unsigned long long)seed);
            wrong++;
        }
        complete += count_complete(&graph, times, true) + count_complete(&graph, times, false);
        free(times);
        free(expected);
        weft_sim_graph_fini(&graph);
    }
    check_uint(wrong, 0);
    tap_note("%llu sends and receives were complete", (unsigned long long)complete);
    check(complete > 0);
}

int main(int argc, char **argv)
{
    test_seeds(argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
               argc > 2 ? strtoull(argv[2], NULL, 10) : 3000);
    return tap_done();
}
