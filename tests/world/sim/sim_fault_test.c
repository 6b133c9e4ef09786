/* SPDX-License-Identifier: BSD-3-Clause */
/* The world in virtual time when things go wrong: faults on the way, seeds, nodes that die. */
#include <errno.h>

#include "world/sim/sim_nic.h"

/* ---- Faults and seeds --------------------------------------------------------------------- */

#define FLOOD 100000u

static void flood(struct weft_nic *nic)
{
    for (unsigned i = 1; i <= FLOOD; i++) {
        while (!send_to(nic, nic->number + 1, i, 64))
            nic->world->ops->relax(nic->world);
        nic->world->ops->relax(nic->world);
    }
}

/* Within a tenth of so many parts in a million. */
static bool near(uint64_t count, uint64_t of, uint64_t chance)
{
    uint64_t expected = of * chance / 1000000;
    return count >= expected - expected / 10 && count <= expected + expected / 10;
}

static struct weft_sim_config lossy(unsigned nodes, uint64_t seed, uint32_t loss)
{
    struct weft_sim_config config = usual(nodes);
    config.seed = seed;
    config.reliable = false;
    config.loss = loss;
    return config;
}

static struct weft_sim_totals flood_with(uint64_t seed, uint32_t loss, uint32_t duplicate,
                                         uint32_t reorder)
{
    struct weft_sim_config config = lossy(2, seed, loss);
    config.duplicate = duplicate;
    config.reorder = reorder;
    config.reorder_delay = 5000;
    struct weft_sim *sim = make(&config);
    start(sim, 0, flood);
    start(sim, 1, do_nothing);
    check_int(weft_sim_run(sim), 0);
    struct weft_sim_totals totals = weft_sim_totals(sim);
    check_uint(totals.sent, FLOOD);
    check_uint(totals.delivered, nics[1].arrived);
    check_uint(totals.sent + totals.duplicated, totals.delivered + totals.lost + totals.vanished);
    weft_sim_destroy(sim);
    return totals;
}

static void test_faults(void)
{
    struct weft_sim_totals totals = flood_with(1, 0, 0, 0);
    check(nics[1].ordered);
    check_uint(totals.delivered, FLOOD);

    totals = flood_with(1, 50000, 0, 0);
    check(near(totals.lost, FLOOD, 50000) && !totals.duplicated && !totals.reordered);

    totals = flood_with(1, 0, 50000, 0);
    check(near(totals.duplicated, FLOOD, 50000) && !totals.lost && !totals.reordered);

    totals = flood_with(1, 0, 0, 50000);
    check(near(totals.reordered, FLOOD, 50000) && !totals.lost && !totals.duplicated);
    check(!nics[1].ordered);
    check_uint(totals.delivered, FLOOD);

    totals = flood_with(1, 1000000, 0, 0);
    check_uint(totals.lost, FLOOD);
}

static void test_seeds(void)
{
    flood_with(1, 10000, 10000, 10000);
    uint64_t first = nics[1].log;
    flood_with(1, 10000, 10000, 10000);
    check_uint(nics[1].log, first);
    flood_with(2, 10000, 10000, 10000);
    check(nics[1].log != first);
    /* The same on every host and for ever: seeds of old bugs must stay what they were. */
    check_uint(first, UINT64_C(9744924058508711956));
}

#define PATHS 4u
#define PATH_DELAY 300u

static uint64_t flood_paths(uint64_t seed, uint32_t paths)
{
    struct weft_sim_config config = usual(2);
    config.seed = seed;
    config.paths = paths;
    config.path_delay = PATH_DELAY;
    struct weft_sim *sim = make(&config);
    check(weft_sim_world(sim, 1)->reorders == (paths > 1));
    start(sim, 0, flood);
    start(sim, 1, do_nothing);
    check_int(weft_sim_run(sim), 0);
    check_uint(nics[1].arrived, FLOOD);
    check_uint(weft_sim_totals(sim).reordered, 0);
    weft_sim_destroy(sim);
    return nics[1].log;
}

/* Nothing is lost or doubled on paths of different length, but packets overtake each other. */
static void test_paths(void)
{
    uint64_t straight = flood_paths(1, 1), mixed = flood_paths(1, PATHS);
    check(!nics[1].ordered);
    check(mixed != straight);
    check_uint(flood_paths(1, PATHS), mixed);
    check(flood_paths(2, PATHS) != mixed);
    check_uint(flood_paths(2, 0), straight);
    check(nics[1].ordered);
}

static void send_apart(struct weft_nic *nic)
{
    for (unsigned i = 1; i <= nic->rounds; i++) {
        send_to(nic, 1, i, 8);
        await_time(nic, i * 100000);
    }
}

static uint64_t flights[PATHS];

static void time_flights(struct weft_nic *nic)
{
    for (unsigned i = 1; i <= nic->rounds; i++) {
        await_packets(nic, i);
        uint64_t delay = nic->arrival - (i - 1) * 100000 - LATENCY;
        check(delay % PATH_DELAY == 0 && delay / PATH_DELAY < PATHS);
        flights[delay / PATH_DELAY % PATHS]++;
    }
}

/* Each is as long as it says, and taken as often as the others. */
static void test_path_lengths(void)
{
    struct weft_sim_config config = usual(2);
    config.paths = PATHS;
    config.path_delay = PATH_DELAY;
    struct weft_sim *sim = make(&config);
    nics[0].rounds = nics[1].rounds = 2000;
    start(sim, 0, send_apart);
    start(sim, 1, time_flights);
    check_int(weft_sim_run(sim), 0);
    for (unsigned i = 0; i < PATHS; i++)
        check(flights[i] > 400 && flights[i] < 600);
    weft_sim_destroy(sim);
}

/* Each node has luck of its own. */
static void test_separate_luck(void)
{
    struct weft_sim_config config = lossy(4, 1, 50000);
    struct weft_sim *sim = make(&config);
    for (unsigned i = 0; i < 4; i++)
        start(sim, i, i % 2 ? do_nothing : flood);
    check_int(weft_sim_run(sim), 0);
    check(nics[1].arrived != nics[3].arrived);
    check(near(FLOOD - nics[3].arrived, FLOOD, 50000));
    weft_sim_destroy(sim);
}

/* ---- Death -------------------------------------------------------------------------------- */

static void await_failure(struct weft_nic *nic)
{
    nic->world->ops->route(nic->world, address_of(0));
    while (!nic->failures)
        sleep_until(nic, UINT64_MAX);
    check(!send_to(nic, 0, 1, 8));
}

static void chatter(struct weft_nic *nic)
{
    for (uint64_t i = 1;; i++) {
        nic->result = now(nic);
        send_to(nic, 1, i, 1000);
        await_time(nic, i * 1000);
    }
}

static void test_crash(void)
{
    struct weft_sim_config config = usual(4);
    config.bandwidth = 10000; /* a packet of the chatter takes 100 ns */
    struct weft_sim *sim = make(&config);
    start(sim, 0, chatter);
    start(sim, 1, await_failure);
    start(sim, 2, await_failure);
    start(sim, 3, do_nothing);
    check_int(weft_sim_crash(sim, 0, 50050), 0);
    check_int(weft_sim_run(sim), 0);
    /* At 50,000 ns it sent one more, which had not left. */
    check_uint(nics[0].result, 50000);
    check_uint(nics[1].arrived, 50);
    check_uint(nics[1].arrival, 49000 + 100 + LATENCY);
    check_uint(weft_sim_totals(sim).vanished, 1);
    for (unsigned i = 1; i <= 2; i++) {
        check_uint(nics[i].failures, 1);
        check_uint(nics[i].failed_nid, 1);
        check_uint(nics[i].failure_time, 50050 + TIMEOUT);
    }
    check_uint(nics[3].failures, 0);
    check_int(weft_sim_start(sim, 0, program, &nics[0], &nics[0]), -EBUSY);
    weft_sim_destroy(sim);
}

static void outlive(struct weft_nic *nic)
{
    await_time(nic, 2 * TIMEOUT);
}

/* Without a reliable world it is the NIC that must find out. */
static void test_silent_crash(void)
{
    struct weft_sim_config config = lossy(3, 1, 0);
    struct weft_sim *sim = make(&config);
    start(sim, 0, sender);
    start(sim, 1, outlive);
    start(sim, 2, outlive);
    nics[0].rounds = 7;
    weft_sim_crash(sim, 1, 700);
    check_int(weft_sim_run(sim), 0);
    check_uint(nics[0].failures, 0);
    check_uint(weft_sim_totals(sim).vanished, 7);
    weft_sim_destroy(sim);
}

static void send_and_wait(struct weft_nic *nic)
{
    for (unsigned i = 1; i <= nic->rounds; i++)
        send_to(nic, 1, i, 8);
    await_time(nic, UINT64_MAX);
}

static void open_late(struct weft_nic *nic)
{
    nic->closed = true;
    nic->world->ops->route(nic->world, address_of(0));
    await_time(nic, 2 * TIMEOUT);
    check_uint(nic->arrived, 0);
    nic->closed = false;
    nic->quiet = true;
    while (!nic->failures)
        sleep_until(nic, UINT64_MAX);
    nic->result = now(nic);
}

/* What came before the NIC was there is kept, and the death of the sender comes last. */
static void test_late_nic(void)
{
    struct weft_sim_config config = usual(2);
    struct weft_sim *sim = make(&config);
    nics[0].rounds = 50;
    start(sim, 0, send_and_wait);
    start(sim, 1, open_late);
    weft_sim_crash(sim, 0, 100);
    check_int(weft_sim_run(sim), 0);
    check_uint(nics[1].arrived, 50);
    check(nics[1].ordered);
    check_uint(nics[1].arrived_before_failure, 50);
    check_uint(nics[1].result, 2 * TIMEOUT);
    weft_sim_destroy(sim);
}

static void seek_nobody(struct weft_nic *nic)
{
    await_time(nic, 2000);
    struct weft_nic_address nobody = {.nid = 1, .pid = 77};
    struct weft_nic_address nowhere = {.nid = 99, .pid = 1};
    check(!send_value(nic, nobody, 1, 8) && !send_value(nic, nowhere, 1, 8));
    while (nic->failures < 2)
        sleep_until(nic, UINT64_MAX);
    nic->result = now(nic);
}

static void close_early(struct weft_nic *nic)
{
    await_time(nic, 1500);
    send_to(nic, 2, 1, 8);
    nic->closed = true;
    nic->world->ops->close(nic->world);
    await_time(nic, 2 * TIMEOUT);
    nic->result = now(nic);
}

static void test_nobody(void)
{
    struct weft_sim_config config = usual(3);
    struct weft_sim *sim = make(&config);
    start(sim, 0, close_early);
    start(sim, 1, seek_nobody);
    start(sim, 2, await_failure);
    check_int(weft_sim_run(sim), 0);
    check_uint(nics[1].failure_time, 2000 + TIMEOUT);
    check_uint(nics[1].result, 2000 + TIMEOUT);
    /* A node that closes counts as dead, but what it sent arrives and its program goes on. */
    check_uint(nics[2].arrived, 1);
    check_uint(nics[2].failure_time, 1500 + TIMEOUT);
    check_uint(nics[0].result, 2 * TIMEOUT);
    weft_sim_destroy(sim);
}

int main(void)
{
    test_faults();
    test_seeds();
    test_paths();
    test_path_lengths();
    test_separate_luck();
    test_crash();
    test_silent_crash();
    test_late_nic();
    test_nobody();
    check_uint(wrong_current, 0);
    return tap_done();
}
