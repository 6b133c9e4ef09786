/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole studies: seeds, slow nodes, windows, notification. */
#include <math.h>
#include <string.h>

#include "sim/network/hypercube.h"
#include "sim/network/small.h"
#include "support/tap.h"

static struct weft_sim_finding run(const struct weft_sim_study *study)
{
    struct weft_sim_finding finding = {.nodes = 0};
    check(weft_sim_study_run(study, &finding));
    return finding;
}

static bool is_same(const struct weft_sim_finding *a, const struct weft_sim_finding *b)
{
    return a->throughput == b->throughput && a->latency == b->latency &&
           a->detours == b->detours && a->marks == b->marks && a->events == b->events;
}

static void test_seeds(void)
{
    struct weft_sim_study study = small_dragonfly(WEFT_SIM_PROGRESSIVE);
    study.is_notified = true;
    study.slow = 0.03;
    struct weft_sim_finding first = run(&study), again = run(&study);
    study.seed = 2;
    struct weft_sim_finding other = run(&study);
    check(is_same(&first, &again));
    check(!is_same(&first, &other));
}

/* Slow nodes take what they can, and no more; on direct ways, nobody keeps packets from them. */
static void test_slow_nodes(void)
{
    struct weft_sim_study study = small_dragonfly(WEFT_SIM_MINIMAL);
    study.slow = 0.1;
    study.sample = 8000;
    study.least = 24000;
    struct weft_sim_finding finding = run(&study);
    check(fabs(finding.of_slow - 0.125) < 0.0025);
    study.slow = 0;
    check(run(&study).throughput > finding.throughput);
    check(run(&study).of_slow == 0);
}

/* With one packet at a time, each takes a round trip. */
static void test_window_of_one(void)
{
    struct weft_sim_study study = small_other(WEFT_SIM_SHAPE_STAR);
    study.window = WEFT_SIM_WINDOW_FIXED;
    study.window_size = 1;
    /* Links 1 + 1, a pipeline of 3, 16 flits; and 1 flit back. */
    double round_trip = (1 + 1 + 3 + 16) + (1 + 1 + 3 + 1);
    check(fabs(run(&study).throughput - 16 / round_trip) < 0.01);
    study.window_size = 8;
    check(run(&study).throughput > 0.98);
}

/* A receiver that is slow has fewer packets under way to it: the gain, and little more, since its
 * own time is nearly all of the round trip. Any other has as many as it needs. */
static void test_measured_window(void)
{
    struct weft_sim_study study = small_other(WEFT_SIM_SHAPE_STAR);
    struct weft_sim_run made;
    study.window = WEFT_SIM_WINDOW_MEASURED;
    study.slow = 0.2;
    check(weft_sim_run_open(&made, &study));
    weft_sim_run_sample(&made, 20000);
    unsigned wrong = 0;
    for (uint32_t node = 0; node < made.topology->nodes; node++) {
        uint32_t peer = made.pattern.peers[node];
        wrong += (made.hosts.hosts[node].lanes->window > 8) != (made.sinks[peer] == 1);
    }
    check_uint(wrong, 0);
    weft_sim_run_close(&made);
    check(run(&study).throughput > 0.98 * (0.8125 + 0.1875 / 8));
}

/* Who has a slow neighbour sends to the others all the same: each has its own window. */
static void test_windows_of_neighbours(enum weft_sim_window_kind window)
{
    struct weft_sim_study study = small_other(WEFT_SIM_SHAPE_STAR);
    study.sizes[0] = 27;
    study.pattern = WEFT_SIM_HALO;
    study.window = window;
    study.window_size = 2;
    double without = run(&study).throughput;
    study.slow = 1.0 / 27;
    double kept = run(&study).throughput / without;
    tap_note("%.3f, of which %.3f is kept with a slow neighbour", without, kept);
    check(kept > 0.9 * 26 / 27);
}

/* Marks only where queues are long; who is told of them sends less. */
static void test_notification(void)
{
    struct weft_sim_study study = small_other(WEFT_SIM_SHAPE_STAR);
    study.is_notified = true;
    struct weft_sim_finding finding = run(&study);
    check(finding.marks == 0);
    check(finding.throughput > 0.98);
    study.slow = 0.2;
    study.slowness = 2;
    struct weft_sim_finding slow = run(&study);
    check(slow.marks > 0);
    study.mark_rate = 2;
    study.becn_every = 50;
    check(run(&study).throughput < slow.throughput);
}

/* Direct ways of a permutation meet in a hypercube; with detours, all links carry their part.
 * Every packet and credit is there at the end. */
static void test_own_topology(void)
{
    struct weft_sim_study study = weft_sim_study_paper();
    struct weft_sim_run made;
    study.shape = WEFT_SIM_SHAPE_OWN;
    study.own = hypercube_create;
    study.sizes[0] = 6;
    check_uint(run(&study).nodes, 64);
    check(run(&study).throughput > 0.4);
    check(weft_sim_run_open(&made, &study));
    weft_sim_run_sample(&made, 5000);
    check(!weft_sim_fabric_audit(made.hosts.network));
    made.hosts.is_over = true;
    weft_sim_engine_run(&made.engine, WEFT_SIM_NEVER);
    check_uint(made.hosts.network->under_way, 0);
    weft_sim_run_close(&made);
}

int main(void)
{
    test_seeds();
    test_slow_nodes();
    test_window_of_one();
    test_measured_window();
    test_windows_of_neighbours(WEFT_SIM_WINDOW_FIXED);
    test_windows_of_neighbours(WEFT_SIM_WINDOW_MEASURED);
    test_notification();
    test_own_topology();
    return tap_done();
}
