/* SPDX-License-Identifier: BSD-3-Clause */
/* Routers between the nodes of the world in virtual time: what arrives when, who waits, and what
 * they do not go together with. */
#include <errno.h>

#include "sim/network/study.h"
#include "world/sim/sim_nic.h"

#define NODES 72u
#define FAR (NODES - 1) /* in another group than node 0 */
#define BEGIN 500u
#define SIZE 1000u

/* A dragonfly whose packets are as long as those of the world. */
static struct weft_sim_study small(void)
{
    struct weft_sim_study study = weft_sim_study_paper();
    study.sizes[0] = study.sizes[2] = 2;
    study.sizes[1] = 4;
    study.routing.kind = WEFT_SIM_MINIMAL;
    return study;
}

static void prepare(struct weft_sim_run *run, const struct weft_sim_study *study)
{
    check(weft_sim_run_prepare(run, study));
    run->fabric.flit_size = PAYLOAD / 8;
}

static struct weft_sim_config on_routers(const struct weft_sim_run *run)
{
    struct weft_sim_config config = usual(NODES);
    config.latency = 0;
    config.routers = &run->fabric;
    return config;
}

static void sender_of_one(struct weft_nic *nic)
{
    await_time(nic, BEGIN);
    check(send_to(nic, FAR, 1, SIZE));
}

static void receiver_of_one(struct weft_nic *nic)
{
    await_packets(nic, 1);
    nic->result = now(nic);
}

static void test_time(void)
{
    struct weft_sim_study study = small();
    struct weft_sim_run run;
    prepare(&run, &study);
    struct weft_sim_config config = on_routers(&run);
    struct weft_sim *sim = make(&config);
    start(sim, 0, sender_of_one);
    start(sim, FAR, receiver_of_one);
    check_int(weft_sim_run(sim), 0);
    check_uint(nics[FAR].size, SIZE);
    uint32_t flits = (SIZE + run.fabric.flit_size - 1) / run.fabric.flit_size;
    check_uint(nics[FAR].result, BEGIN + weft_sim_fabric_alone(&run.fabric, 0, FAR, flits));
    weft_sim_destroy(sim);
    weft_sim_run_close(&run);
}

static void sender_of_many(struct weft_nic *nic)
{
    nic->queued = nic->rounds;
    await_time(nic, BEGIN);
}

static void receiver_of_many(struct weft_nic *nic)
{
    await_packets(nic, nic->rounds);
    nic->result = now(nic);
}

/* A NIC that is refused is stepped when its node has room, and nothing is lost or overtaken on
 * direct ways. A slow node takes as long as it says. */
static void test_room(uint32_t slowness)
{
    enum { COUNT = 200 };
    struct weft_sim_study study = small();
    struct weft_sim_run run;
    study.slow = slowness > 1 ? 1 : 0;
    study.slowness = slowness;
    prepare(&run, &study);
    struct weft_sim_config config = on_routers(&run);
    struct weft_sim *sim = make(&config);
    nics[0].rounds = nics[1].rounds = COUNT;
    start(sim, 0, sender_of_many);
    start(sim, 1, receiver_of_many);
    check_int(weft_sim_run(sim), 0);
    uint64_t packet = PAYLOAD / run.fabric.flit_size * run.fabric.flit_time * slowness;
    check(nics[0].refusals > 0);
    check(nics[1].ordered);
    check_uint(weft_sim_totals(sim).delivered, COUNT);
    check(nics[1].result >= COUNT * packet && nics[1].result < (COUNT + 10) * packet);
    weft_sim_destroy(sim);
    weft_sim_run_close(&run);
}

/* NICs must know whether packets overtake each other. */
static void test_order(enum weft_sim_routing_kind kind)
{
    struct weft_sim_study study = small();
    struct weft_sim_run run;
    study.routing.kind = kind;
    prepare(&run, &study);
    struct weft_sim_config config = on_routers(&run);
    struct weft_sim *sim = make(&config);
    check_int(weft_sim_world(sim, 0)->reorders, kind != WEFT_SIM_MINIMAL);
    weft_sim_destroy(sim);
    weft_sim_run_close(&run);
}

static void check_refused(struct weft_sim_config config)
{
    errno = 0;
    check(!weft_sim_create(&config));
    check_int(errno, EINVAL);
}

static void test_nonsense(void)
{
    struct weft_sim_study study = small();
    struct weft_sim_run run;
    prepare(&run, &study);
    struct weft_sim_config config = on_routers(&run);
    config.nodes--;
    check_refused(config);
    config = on_routers(&run);
    config.latency = 1;
    check_refused(config);
    config = on_routers(&run);
    config.reliable = false;
    check_refused(config);
    config = on_routers(&run);
    run.fabric.flit_size = PAYLOAD / 16; /* no room for headers */
    check_refused(config);
    weft_sim_run_close(&run);
}

int main(void)
{
    setenv("WEFT_LOG", "off", 1);
    test_time();
    test_room(1);
    test_room(8);
    test_order(WEFT_SIM_MINIMAL);
    test_order(WEFT_SIM_VALIANT);
    test_nonsense();
    return tap_done();
}
