/* SPDX-License-Identifier: BSD-3-Clause */
/* What can be computed by hand: one packet alone, one flow, and many senders to one receiver. */
#include <math.h>

#include "sim/network/small.h"
#include "support/tap.h"

/* ---- One packet --------------------------------------------------------------------------- */

static uint64_t delivered_at;

static void note_delivery(void *self, struct weft_sim_packet *packet)
{
    (void)packet;
    delivered_at = ((struct weft_sim_engine *)self)->now;
}

static uint64_t time_of_one(weft_sim_fabric_maker *make,
                            const struct weft_sim_fabric_config *config, uint32_t source,
                            uint32_t target)
{
    struct weft_sim_engine engine = {0};
    struct weft_sim_freight freight = {
        .packet = {.size = config->packet, .source = source, .target = target}};
    struct weft_sim_network *network =
        make(&engine, &(struct weft_sim_network_user){.self = &engine, .deliver = note_delivery},
             config);
    weft_sim_network_inject(network, &freight.packet);
    weft_sim_engine_run(&engine, WEFT_SIM_NEVER);
    weft_sim_network_destroy(network);
    weft_sim_engine_fini(&engine);
    return delivered_at;
}

/* A packet from node 0 through 2 routers of one group, and through 4 of two groups: its parts are
 * links, pipelines and its flits. */
static void test_parts(void)
{
    struct weft_sim_topology *topology = weft_sim_dragonfly_create(2, 4, 2);
    const struct weft_sim_fabric_config config = {.topology = topology,
                                                  .flit_size = 1,
                                                  .packet = 16,
                                                  .buffer = 256,
                                                  .queue = 1,
                                                  .flit_time = 12,
                                                  .cross_time = 5,
                                                  .pipeline = 36,
                                                  .latency = {0, 12, 24, 120}};
    check_uint(time_of_one(weft_sim_fabric_create, &config, 0, 1), 12 + 36 + 12 + 192);
    check_uint(time_of_one(weft_sim_fabric_create, &config, 0, 2), 12 + 2 * 36 + 24 + 12 + 192);
    /* Link 7 of group 0 leads to group 8, from router 3; its link back is of router 0. */
    check_uint(time_of_one(weft_sim_fabric_create, &config, 0, 66),
               12 + 4 * 36 + 2 * 24 + 120 + 12 + 192);
    weft_sim_topology_destroy(topology);
}

/* All shapes, many pairs: the closed form, and the reference no more than a step at each router
 * and at the end behind it. */
static void test_alone(enum weft_sim_shape shape)
{
    struct weft_sim_study study = small_other(shape);
    struct weft_sim_run run;
    uint32_t bad = 0, far = 0;
    study.routing.kind = WEFT_SIM_MINIMAL;
    if (!check(weft_sim_run_open(&run, &study)))
        return;
    for (uint32_t target = 1; target < run.topology->nodes; target++) {
        uint64_t time = weft_sim_fabric_alone(&run.fabric, 0, target, study.packet);
        uint64_t packets = time_of_one(weft_sim_fabric_create, &run.fabric, 0, target);
        uint64_t flits = time_of_one(weft_sim_flits_create, &run.fabric, 0, target);
        bad += packets != time;
        far += flits < time || flits > time + 16 * (uint64_t)run.fabric.cross_time;
    }
    check_uint(bad, 0);
    check_uint(far, 0);
    weft_sim_run_close(&run);
}

/* ---- Flows -------------------------------------------------------------------------------- */

static bool is_near(double value, double expected)
{
    bool is = fabs(value - expected) <= 0.02 * expected;
    if (!is)
        tap_note("%.4f, not %.4f", value, expected);
    return is;
}

/* The receiver takes all that a link carries, in equal shares. */
static void test_incast(enum weft_sim_shape shape, uint32_t senders, uint32_t slowness)
{
    struct weft_sim_study study = small_other(shape);
    struct weft_sim_finding finding;
    tap_note("shape %d, %u senders, receiver %u times slower", shape, senders, slowness);
    study.pattern = WEFT_SIM_INCAST;
    study.pattern_number = senders;
    study.routing.kind = WEFT_SIM_MINIMAL;
    study.slow = slowness > 1 ? 1 : 0;
    study.slowness = slowness;
    study.sample = 4000;
    study.least = 20000;
    check(weft_sim_study_run(&study, &finding));
    check(is_near(finding.throughput * finding.nodes, 1.0 / slowness));
}

static void test_shares(void)
{
    struct weft_sim_study study = small_other(WEFT_SIM_SHAPE_STAR);
    struct weft_sim_run run;
    uint64_t before[9];
    study.pattern = WEFT_SIM_INCAST;
    study.pattern_number = 8;
    check(weft_sim_run_open(&run, &study));
    weft_sim_run_sample(&run, 5000);
    for (unsigned i = 1; i <= 8; i++)
        before[i] = run.hosts.hosts[i].sent;
    weft_sim_run_sample(&run, 85000);
    for (unsigned i = 1; i <= 8; i++)
        check(
            is_near((double)(run.hosts.hosts[i].sent - before[i]) * study.packet / 80000, 0.125));
    weft_sim_run_close(&run);
}

int main(void)
{
    test_parts();
    for (unsigned shape = WEFT_SIM_SHAPE_DRAGONFLY; shape <= WEFT_SIM_SHAPE_STAR; shape++) {
        test_alone((enum weft_sim_shape)shape);
        test_incast((enum weft_sim_shape)shape, 1, 1);
        test_incast((enum weft_sim_shape)shape, 1, 8);
        test_incast((enum weft_sim_shape)shape, 8, 1);
    }
    test_shares();
    return tap_done();
}
