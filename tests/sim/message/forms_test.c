/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be computed by hand: times of messages and of collectives of any size. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/message/job.h"
#include "sim/message/plan.h"
#include "sim/message/text.h"
#include "support/tap.h"

/* [DiG15], table I; in picoseconds. */
static const struct weft_sim_costs hosts = {
    .latency = 2700000, .overhead = 1200000, .gap = 500000, .byte_gap = 400, .eager = 65536};
#define BYTES 50u

static struct weft_sim_costs nics(void)
{
    struct weft_sim_costs costs = hosts;
    costs.matching = 300000;
    return costs;
}

static uint64_t rest(uint64_t bytes)
{
    return (bytes - 1) * hosts.byte_gap;
}

static struct weft_sim_outcome run(const struct weft_sim_graph *graph,
                                   const struct weft_sim_costs *costs)
{
    struct weft_sim_outcome outcome;
    check_int(weft_sim_job_run(graph, costs, NULL, &outcome), WEFT_SIM_ENDED);
    check_uint(outcome.incomplete, 0);
    check_uint(outcome.unreceived, 0);
    return outcome;
}

static uint64_t time_of(const char *text, const struct weft_sim_costs *costs)
{
    struct weft_sim_graph graph = {0};
    struct weft_sim_mistake mistake;
    uint64_t time = 0;
    if (check(weft_sim_text_read(&graph, text, strlen(text), &mistake)))
        time = run(&graph, costs).time;
    else
        tap_note("line %u: %s", mistake.line, mistake.text);
    weft_sim_graph_fini(&graph);
    return time;
}

static uint64_t time_of_plan(const struct weft_sim_plan *plan, const struct weft_sim_costs *costs)
{
    struct weft_sim_graph graph = {0};
    check(weft_sim_plan_build(plan, &graph));
    struct weft_sim_outcome outcome = run(&graph, costs);
    check_uint(outcome.messages, weft_sim_plan_messages(plan));
    weft_sim_graph_fini(&graph);
    return outcome.time;
}

/* ---- One message -------------------------------------------------------------------------- */

#define PAIR(there, back)                                                                         \
    "num_ranks 2\nrank 0 {\na: " there " 50b to 1\nb: recv 50b from 1\n}\n"                       \
    "rank 1 {\na: recv 50b from 0\nb: " back " 50b to 0\nb requires a\n}\n"

static void test_ping_pong(void)
{
    struct weft_sim_costs offloaded = nics();
    uint64_t L = hosts.latency, o = hosts.overhead, m = offloaded.matching;
    check_uint(time_of(PAIR("send", "send"), &hosts), 2 * (2 * o + L + rest(BYTES)));
    check_uint(time_of(PAIR("put", "put"), &offloaded), 2 * (o + L + rest(BYTES) + m));
    check_uint(time_of(PAIR("tput", "tput"), &offloaded), 2 * (L + rest(BYTES) + m));
}

/* Long messages one after the other leave at the rate of the link; what is sent by CPUs is also
 * taken by them. */
static void test_stream(void)
{
    uint64_t o = hosts.overhead, bytes = 10001, each = hosts.gap + rest(bytes);
    const char *by_nics = "num_ranks 2\nrank 0 {\ntput 10001b to 1\ntput 10001b to 1\n"
                          "tput 10001b to 1\n}\nrank 1 {\nrecv 10001b from 0\n"
                          "recv 10001b from 0\nrecv 10001b from 0\n}\n";
    check_uint(time_of(by_nics, &hosts), hosts.latency + 2 * each + rest(bytes));
    const char *by_cpus = "num_ranks 2\nrank 0 {\nsend 1b to 1\nsend 1b to 1\nsend 1b to 1\n}\n"
                          "rank 1 {\nrecv 1b from 0\nrecv 1b from 0\nrecv 1b from 0\n}\n";
    check_uint(time_of(by_cpus, &hosts), 3 * o + hosts.latency + o);
}

static void test_overhead_of_bytes(void)
{
    struct weft_sim_costs costs = hosts;
    costs.byte_overhead = 1000;
    const char *text = "num_ranks 2\nrank 0 {\nsend 101b to 1\n}\nrank 1 {\nrecv 101b from 0\n}\n";
    check_uint(time_of(text, &costs), 2 * costs.overhead + costs.latency + 100 * 1000);
}

/* A sender of more than S bytes goes on when the receiver has them, who is late. */
static void test_rendezvous(void)
{
    struct weft_sim_costs costs = hosts;
    const char *text = "num_ranks 2\nrank 0 {\na: send 100b to 1\nb: calc 5000\nb requires a\n}\n"
                       "rank 1 {\na: calc 1000000\nb: recv 100b from 0\nb requires a\n}\n";
    uint64_t work = 5000 * WEFT_SIM_NANOSECOND, late = 1000000 * WEFT_SIM_NANOSECOND;
    check_uint(time_of(text, &costs), late + costs.overhead + rest(100));
    costs.eager = 99;
    check_uint(time_of(text, &costs), late + costs.overhead + rest(100) + costs.latency + work);
}

/* Two CPUs compute side by side; a wait for the beginning is no wait for the end. */
static void test_units(void)
{
    uint64_t us = 1000 * WEFT_SIM_NANOSECOND;
    check_uint(time_of("num_ranks 1\nrank 0 {\ncalc 1000\ncalc 1000\n}", &hosts), 2 * us);
    check_uint(time_of("num_ranks 1\nrank 0 {\ncalc 1000\ncalc 1000 cpu 1\n}", &hosts), us);
    check_uint(time_of("num_ranks 1\nrank 0 {\na: calc 1000\nb: calc 1000 cpu 1\n"
                       "b irequires a\n}",
                       &hosts),
               us);
    check_uint(time_of("num_ranks 1\nrank 0 {\na: calc 1000\nb: calc 1000 cpu 1\n"
                       "b requires a\n}",
                       &hosts),
               2 * us);
    check_uint(time_of("num_ranks 1\nrank 0 {\na: calc 1000\nb: calc 9000 cpu 1\n"
                       "c: calc 2000 cpu 2\nc requires any a\nc requires any b\n}",
                       &hosts),
               9 * us);
}

/* ---- Collectives -------------------------------------------------------------------------- */

static uint32_t levels(uint32_t ranks)
{
    uint32_t count = 0;
    while (1u << count < ranks)
        count++;
    return count;
}

/* Five ranks compute for a microsecond each, and the first tells the last when it has. */
static void test_cores(void)
{
    const char *text = "num_ranks 5\nrank 0 {\na: calc 1000\nb: send 1b to 4\nb requires a\n}\n"
                       "rank 1 {\ncalc 1000\n}\nrank 2 {\ncalc 1000\n}\nrank 3 {\ncalc 1000\n}\n"
                       "rank 4 {\na: calc 1000\nb: recv 1b from 0\nb requires a\n}\n";
    const uint64_t microsecond = 1000 * WEFT_SIM_NANOSECOND;
    struct weft_sim_costs costs = {.eager = 65536};
    for (costs.cores = 0; costs.cores <= 6; costs.cores++) {
        uint64_t turns = costs.cores ? (5 + costs.cores - 1) / costs.cores : 1;
        check_uint(time_of(text, &costs), turns * microsecond);
    }
    costs.overhead = microsecond;
    costs.cores = 1;
    check_uint(time_of(text, &costs), 7 * microsecond);
}

static void test_trees(void)
{
    struct weft_sim_costs offloaded = nics();
    uint64_t by_cpu = 2 * hosts.overhead + hosts.latency + rest(BYTES);
    uint64_t by_nic = offloaded.matching + hosts.latency + rest(BYTES);
    for (uint32_t ranks = 2; ranks <= 4096; ranks *= 2) {
        struct weft_sim_plan plan = {.scheme = WEFT_SIM_BCAST, .ranks = ranks, .size = BYTES};
        uint64_t k = levels(ranks);
        check_uint(time_of_plan(&plan, &hosts), k * by_cpu);
        plan.is_offloaded = true;
        check_uint(time_of_plan(&plan, &offloaded), k * by_nic);
        plan.scheme = WEFT_SIM_ALLREDUCE;
        check_uint(time_of_plan(&plan, &offloaded), 2 * k * by_nic);
        plan.combine = 10;
        check_uint(time_of_plan(&plan, &offloaded), k * (2 * by_nic + 10 * WEFT_SIM_NANOSECOND));
        plan = (struct weft_sim_plan){.scheme = WEFT_SIM_ALLREDUCE, .ranks = ranks, .size = BYTES};
        check_uint(time_of_plan(&plan, &hosts), 2 * k * by_cpu);
    }
}

static void test_doubling(void)
{
    uint64_t step = 2 * hosts.overhead + hosts.latency + rest(BYTES);
    for (uint32_t ranks = 2; ranks <= 1024; ranks *= 2) {
        struct weft_sim_plan plan = {.scheme = WEFT_SIM_DOUBLING, .ranks = ranks, .size = BYTES};
        check_uint(time_of_plan(&plan, &hosts), levels(ranks) * step);
        /* Those that are left over send before and receive after all others. */
        plan.ranks = ranks + ranks / 3 + 1;
        check(time_of_plan(&plan, &hosts) >= (levels(ranks) + 1) * step);
    }
}

/* The numbers of ranks need not be powers of two. */
static void test_exchanges(void)
{
    struct weft_sim_costs offloaded = nics();
    uint64_t by_cpu = 2 * hosts.overhead + hosts.latency;
    for (uint32_t ranks = 2; ranks <= 300; ranks = ranks * 3 / 2 + 1) {
        struct weft_sim_plan plan = {.scheme = WEFT_SIM_BARRIER, .ranks = ranks, .size = BYTES};
        uint64_t k = levels(ranks);
        check_uint(time_of_plan(&plan, &hosts), k * by_cpu);
        plan.scheme = WEFT_SIM_RING;
        plan.is_offloaded = true;
        plan.size = (uint64_t)BYTES * ranks;
        check_uint(time_of_plan(&plan, &offloaded),
                   2 * (ranks - 1) * (hosts.latency + rest(BYTES) + offloaded.matching));
        plan.scheme = WEFT_SIM_ALLTOALL;
        plan.size = BYTES;
        check_uint(time_of_plan(&plan, &offloaded), hosts.latency +
                                                        (ranks - 2) * (hosts.gap + rest(BYTES)) +
                                                        rest(BYTES) + offloaded.matching);
    }
}

/* Packets follow each other down the tree: of four ranks, the first child has its last packet when
 * the other begins to get its own, and has forwarded all but that one. */
static void test_packets(void)
{
    struct weft_sim_costs costs = {.latency = 1000000, .byte_gap = 100, .eager = 1 << 20};
    struct weft_sim_plan plan = {
        .scheme = WEFT_SIM_BCAST, .ranks = 2, .size = 16384, .packet = 4096, .is_offloaded = true};
    uint64_t packet = 4095 * costs.byte_gap;
    check_uint(time_of_plan(&plan, &costs), costs.latency + 4 * packet);
    plan.ranks = 4;
    check_uint(time_of_plan(&plan, &costs), costs.latency + 8 * packet);
    plan.size = 16385;
    check_uint(time_of_plan(&plan, &costs), costs.latency + 8 * packet);
    plan.size = 16384;
    plan.packet = 0;
    check_uint(time_of_plan(&plan, &costs), 2 * (costs.latency + 16383 * costs.byte_gap));
}

static void test_transposition(void)
{
    struct weft_sim_plan plan = {
        .scheme = WEFT_SIM_FFT2D, .ranks = 2, .size = BYTES, .compute = 1000, .unpack = 300};
    uint64_t once = 1000 * WEFT_SIM_NANOSECOND + 2 * hosts.overhead + hosts.latency + rest(BYTES);
    check_uint(time_of_plan(&plan, &hosts), 2 * (once + 300 * WEFT_SIM_NANOSECOND));
    plan.unpack = 0;
    check_uint(time_of_plan(&plan, &hosts), 2 * once);
}

/* ---- Solo --------------------------------------------------------------------------------- */

/* When the last rank has the result, if one rank begins and the others compute for a second. */
static uint64_t time_of_solo(uint32_t ranks, uint32_t beginner)
{
    struct weft_sim_plan plan = {
        .scheme = WEFT_SIM_SOLO, .ranks = ranks, .size = BYTES, .is_offloaded = true};
    struct weft_sim_graph graph = {0};
    struct weft_sim_outcome outcome;
    struct weft_sim_costs costs = nics();
    uint64_t last = 0;
    check(weft_sim_plan_build(&plan, &graph));
    for (uint32_t i = 0; i < graph.count; i++)
        if (graph.operations[i].action == WEFT_SIM_CALCULATE)
            graph.operations[i].size = graph.operations[i].rank == beginner ? 0 : 1000000000;
    uint64_t *times = malloc(graph.count * sizeof *times);
    check_int(weft_sim_job_run(&graph, &costs, times, &outcome), WEFT_SIM_ENDED);
    check_uint(outcome.messages, weft_sim_plan_messages(&plan));
    for (uint32_t i = 0; i < graph.count; i++)
        if (graph.operations[i].action == WEFT_SIM_RECEIVE &&
            graph.operations[i].tag == WEFT_SIM_TAG_RESULT && times[i] > last)
            last = times[i];
    free(times);
    weft_sim_graph_fini(&graph);
    return last;
}

/* Not before the result could have gone up and down the tree, and not after the last rank was
 * woken before it began. */
static void test_solo(void)
{
    struct weft_sim_costs costs = nics();
    uint64_t hop = costs.latency + costs.matching;
    for (uint32_t ranks = 2; ranks <= 200; ranks = ranks * 3 / 2 + 1) {
        uint64_t k = levels(ranks), least = 2 * k * (hop + rest(BYTES));
        uint64_t last = time_of_solo(ranks, ranks * 2 / 3);
        check(last >= least - 2 * (hop + rest(BYTES)));
        check(last <= costs.overhead + k * (hop + costs.gap) + least + k * costs.gap);
    }
}

/* ---- Joins -------------------------------------------------------------------------------- */

/* What takes no time follows itself without events, and without a stack. */
static void test_joins(void)
{
    struct weft_sim_graph graph = {.ranks = 1, .cpus = 1, .nics = 1};
    struct weft_sim_operation work = {.action = WEFT_SIM_CALCULATE, .size = 7};
    struct weft_sim_operation join = {.action = WEFT_SIM_NIC_CALCULATE};
    struct weft_sim_outcome outcome;
    uint32_t last = weft_sim_graph_add(&graph, &work);
    for (unsigned i = 0; i < 1000000; i++) {
        uint32_t next = weft_sim_graph_add(&graph, &join);
        weft_sim_graph_wait(&graph, next, last, WEFT_SIM_WAIT_ALL);
        last = next;
    }
    weft_sim_graph_wait(&graph, weft_sim_graph_add(&graph, &work), last, WEFT_SIM_WAIT_ALL);
    check(weft_sim_graph_finish(&graph));
    check_int(weft_sim_job_run(&graph, &hosts, NULL, &outcome), WEFT_SIM_ENDED);
    check_uint(outcome.time, 14 * WEFT_SIM_NANOSECOND);
    check_uint(outcome.events, 1);
    weft_sim_graph_fini(&graph);
}

/* ---- Noise -------------------------------------------------------------------------------- */

static uint64_t time_of_work(uint64_t microseconds, const struct weft_sim_noise *noise)
{
    struct weft_sim_costs costs = hosts;
    char text[64];
    costs.noise = *noise;
    snprintf(text, sizeof text, "num_ranks 1\nrank 0 {\ncalc %u000\n}", (unsigned)microseconds);
    return time_of(text, &costs);
}

static void test_record(void)
{
    uint64_t us = 1000 * WEFT_SIM_NANOSECOND;
    const struct weft_sim_detour record[] = {{us, 3 * us}, {8 * us, 10 * us}};
    struct weft_sim_noise noise = {
        .kind = WEFT_SIM_NOISE_RECORDED, .record = record, .record_count = 2, .is_together = true};
    check_uint(time_of_work(1, &noise), us);
    check_uint(time_of_work(2, &noise), 4 * us);
    check_uint(time_of_work(6, &noise), 8 * us);
    check_uint(time_of_work(7, &noise), 11 * us);
    check_uint(time_of_work(60, &noise), 100 * us - 2 * us);
    noise.is_together = false;
    for (noise.seed = 1; noise.seed < 20; noise.seed++) {
        uint64_t time = time_of_work(60, &noise);
        check(time >= 98 * us && time <= 102 * us);
    }
}

/* A tenth of the time is lost, on average. */
static void test_random_noise(void)
{
    uint64_t us = 1000 * WEFT_SIM_NANOSECOND;
    struct weft_sim_noise noise = {
        .kind = WEFT_SIM_NOISE_POISSON, .interval = 9 * us, .duration = us, .seed = 1};
    uint64_t time = time_of_work(900000, &noise);
    check(time > 990000 * us && time < 1010000 * us);
    noise = (struct weft_sim_noise){.kind = WEFT_SIM_NOISE_UNIFORM, .duration = 50 * us};
    uint64_t sum = 0;
    for (noise.seed = 1; noise.seed <= 200; noise.seed++) {
        uint64_t more = time_of_work(100, &noise) - 100 * us;
        check(more < 50 * us);
        sum += more;
    }
    check(sum > 200 * 21 * us && sum < 200 * 29 * us);
}

int main(void)
{
    test_ping_pong();
    test_stream();
    test_overhead_of_bytes();
    test_rendezvous();
    test_units();
    test_cores();
    test_trees();
    test_doubling();
    test_exchanges();
    test_packets();
    test_transposition();
    test_solo();
    test_joins();
    test_record();
    test_random_noise();
    return tap_done();
}
