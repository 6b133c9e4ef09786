/* SPDX-License-Identifier: BSD-3-Clause */
/* The world in virtual time by itself: its clock, its links, how programs wait and runs end. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "packet/packet.h"
#include "support/allocations.h"
#include "world/sim/sim_nic.h"

/* ---- What the log says -------------------------------------------------------------------- */

static int saved_stderr;
static FILE *log_file;
static char log_text[1000];

static void catch_log(void)
{
    saved_stderr = dup(STDERR_FILENO);
    log_file = tmpfile();
    if (saved_stderr < 0 || !log_file || dup2(fileno(log_file), STDERR_FILENO) < 0)
        abort();
}

static void read_log(void)
{
    fflush(stderr);
    dup2(saved_stderr, STDERR_FILENO);
    close(saved_stderr);
    rewind(log_file);
    log_text[fread(log_text, 1, sizeof log_text - 1, log_file)] = '\0';
    fclose(log_file);
}

static int run_logged(struct weft_sim *sim)
{
    catch_log();
    int result = weft_sim_run(sim);
    read_log();
    return result;
}

static bool is_refused(struct weft_sim_config config, const char *why)
{
    catch_log();
    errno = 0;
    struct weft_sim *sim = weft_sim_create(&config);
    read_log();
    return !sim && errno == EINVAL && strstr(log_text, why);
}

/* ---- Time and links ----------------------------------------------------------------------- */

static void receiver(struct weft_nic *nic)
{
    await_packets(nic, nic->rounds);
    nic->result = now(nic);
}

/* Sends `count` packets of 1,000 bytes at 500 ns; says when the last arrived. */
static uint64_t time_of(uint64_t bandwidth, unsigned count)
{
    struct weft_sim_config config = usual(2);
    config.bandwidth = bandwidth;
    struct weft_sim *sim = make(&config);
    nics[0].rounds = nics[1].rounds = count;
    start(sim, 0, sender);
    start(sim, 1, receiver);
    check_int(weft_sim_run(sim), 0);
    check_uint(nics[0].result, 500);
    check_uint(nics[1].result, nics[1].arrival);
    check_uint(nics[1].from, 1);
    check_uint(nics[1].size, 1000);
    check(nics[1].ordered);
    weft_sim_destroy(sim);
    return nics[1].result;
}

static void test_times(void)
{
    check_uint(time_of(0, 1), 500 + LATENCY);
    check_uint(time_of(0, 10), 500 + LATENCY);
    check_uint(time_of(1000, 1), 500 + 1000 + LATENCY);
    check_uint(time_of(1000, 60), 500 + 60 * 1000 + LATENCY);
    /* 23.26 ns each: the parts of a nanosecond add up. */
    check_uint(time_of(43000, 1), 500 + 23 + LATENCY);
    check_uint(time_of(43000, 43), 500 + 1000 + LATENCY);
}

static void ping(struct weft_nic *nic)
{
    unsigned other = nic->number ^ 1;
    for (unsigned i = 1; i <= nic->rounds; i++) {
        if (nic->number == 0)
            send_to(nic, other, i, 8);
        await_packets(nic, i);
        if (nic->number == 1)
            send_to(nic, other, i, 8);
    }
    nic->result = now(nic);
}

static void test_ping_pong(void)
{
    struct weft_sim_config config = usual(2);
    struct weft_sim *sim = make(&config);
    nics[0].rounds = nics[1].rounds = 1000;
    start(sim, 0, ping);
    start(sim, 1, ping);
    check_int(weft_sim_run(sim), 0);
    check_uint(nics[0].result, 1000 * 2 * LATENCY);
    check_uint(weft_sim_totals(sim).delivered, 2000);
    check(nics[0].ordered && nics[1].ordered);
    /* A program is resumed once for each packet, not more. */
    check(weft_sim_totals(sim).resumes <= 2000 + 2);
    size_t before = allocations_made();
    for (unsigned i = 0; i < 2; i++) {
        nics[i].arrived = 0;
        start(sim, i, ping);
    }
    size_t started = allocations_made();
    check_int(weft_sim_run(sim), 0);
    check_uint(nics[0].result, 2 * 1000 * 2 * LATENCY);
    check_uint(started - before, 2);
    check_uint(allocations_made() - started, 0);
    weft_sim_destroy(sim);
}

/* The same without a stack: a turn at first, and one for each packet. */
static bool pong(void *argument, struct weft_sim_turn *turn)
{
    struct weft_nic *nic = argument;
    wrong_current += current != nic;
    check_uint(turn->now, now(nic));
    if (nic->arrived < nic->rounds && (nic->arrived || nic->number == 0))
        send_to(nic, nic->number ^ 1, nic->arrived + 1, 8);
    nic->result = turn->now;
    return nic->arrived == nic->rounds;
}

/* One ends a packet earlier than the other expects. */
static void test_reacting(void)
{
    struct weft_sim_config config = usual(2);
    struct weft_sim *sim = make(&config);
    size_t before = allocations_made();
    for (unsigned i = 0; i < 2; i++) {
        nics[i].rounds = 1000 - i;
        check_int(weft_sim_start_reacting(sim, i, pong, &nics[i], &nics[i]), 0);
        check_int(weft_sim_start_reacting(sim, i, pong, &nics[i], &nics[i]), -EBUSY);
    }
    check_uint(allocations_made() - before, 1); /* the timers */
    check_int(run_logged(sim), -EDEADLK);
    check(strstr(log_text, "nodes 0") != NULL);
    check_uint(nics[0].arrived, 999 - 1);
    check(weft_sim_totals(sim).resumes <= 2000);
    weft_sim_destroy(sim);
}

/* Called when it wants to be, and again at once if it was woken while it ran. */
static bool tick(void *argument, struct weft_sim_turn *turn)
{
    struct weft_nic *nic = argument;
    if (++nic->rounds == 2)
        nic->world->ops->wake(nic->world);
    nic->result = turn->now;
    turn->next = turn->now + 700;
    return nic->rounds == 4;
}

static void test_turns(void)
{
    struct weft_sim_config config = usual(3);
    struct weft_sim *sim = make(&config);
    for (unsigned i = 0; i < 2; i++)
        check_int(weft_sim_start_reacting(sim, i, tick, &nics[i], &nics[i]), 0);
    weft_sim_crash(sim, 1, 1000);
    check_int(weft_sim_run(sim), 0);
    check_uint(nics[0].result, 2 * 700);
    check_uint(nics[1].rounds, 3);
    check_uint(nics[1].result, 700);
    check_int(weft_sim_start_reacting(sim, 1, tick, &nics[1], &nics[1]), -EBUSY);
    start(sim, 0, do_nothing); /* a stack after none */
    check_int(weft_sim_run(sim), 0);
    weft_sim_destroy(sim);
}

/* More than a link takes at once: the rest goes when there is room. */
static void queue(struct weft_nic *nic)
{
    nic->queued = 1000;
}

static void test_full_link(void)
{
    struct weft_sim_config config = usual(2);
    config.bandwidth = PAYLOAD; /* a packet per microsecond */
    struct weft_sim *sim = make(&config);
    nics[1].rounds = 1000;
    start(sim, 0, queue);
    start(sim, 1, receiver);
    check_int(weft_sim_run(sim), 0);
    check_uint(nics[1].result, 1000 * 1000 + LATENCY);
    check(nics[1].ordered);
    check(nics[0].refusals >= 1000 - WEFT_SIM_QUEUE && nics[0].refusals < 1100);
    check_uint(weft_sim_totals(sim).sent_bytes, 1000 * PAYLOAD);
    weft_sim_destroy(sim);
}

/* ---- Waiting ------------------------------------------------------------------------------ */

static void waiter(struct weft_nic *nic)
{
    const struct weft_nic_world_ops *ops = nic->world->ops;
    sleep_until(nic, 300);
    check_uint(now(nic), 300);
    sleep_until(nic, 300);
    sleep_until(nic, 10);
    check_uint(now(nic), 300);
    ops->relax(nic->world);
    check_uint(now(nic), 300 + WEFT_SIM_RELAX);
    /* A wake before the sleep is not lost, and is used up. */
    ops->wake(nic->world);
    ops->wake(nic->world);
    sleep_until(nic, 5000);
    check_uint(now(nic), 300 + WEFT_SIM_RELAX);
    sleep_until(nic, 800);
    check_uint(now(nic), 800);
    /* Woken by the packet that the other sends at 1,000 ns; then the old deadline is void. */
    sleep_until(nic, 9000);
    check_uint(now(nic), 1000 + LATENCY);
    sleep_until(nic, 20000);
    check_uint(now(nic), 20000);
    nic->result = 1;
}

static void late_sender(struct weft_nic *nic)
{
    await_time(nic, 1000);
    send_to(nic, 0, 1, 8);
}

static void test_waiting(void)
{
    struct weft_sim_config config = usual(2);
    struct weft_sim *sim = make(&config);
    struct weft_nic_world *world = weft_sim_world(sim, 0);
    world->ops->sleep(world, UINT64_MAX);
    world->ops->relax(world);
    check_uint(weft_sim_now(sim), 0);
    start(sim, 0, waiter);
    start(sim, 1, late_sender);
    check_int(weft_sim_start(sim, 1, program, &nics[1], &nics[1]), -EBUSY);
    check_int(weft_sim_run(sim), 0);
    check_uint(nics[0].result, 1);
    check_uint(weft_sim_now(sim), 20000);
    weft_sim_destroy(sim);
}

static void sleep_long(struct weft_nic *nic)
{
    nic->deadline = 700;
    await_time(nic, 100000);
}

static void stay_busy(struct weft_nic *nic)
{
    nic->busy_until = 1000;
    await_time(nic, 100000);
}

static void test_timers(void)
{
    struct weft_sim_config config = usual(2);
    struct weft_sim *sim = make(&config);
    start(sim, 0, sleep_long);
    start(sim, 1, stay_busy);
    check_int(weft_sim_run(sim), 0);
    /* When it parks, at its deadline, when it ends. */
    check_uint(nics[0].steps, 3);
    check_uint(nics[0].last_step, 100000);
    /* A NIC that always wants more does not stop the time. */
    check(nics[1].steps > 10 && nics[1].steps < 1000);
    weft_sim_destroy(sim);
}

static void many(struct weft_nic *nic)
{
    unsigned nodes = MOST_NODES;
    unsigned right = (nic->number + 1) % nodes;
    unsigned left = (nic->number + nodes - 1) % nodes;
    for (unsigned round = 1; round <= nic->rounds; round++) {
        send_to(nic, right, round, 64);
        send_to(nic, left, round, 64);
        await_packets(nic, 2 * round);
    }
    nic->result = now(nic);
}

static void test_many(void)
{
    struct weft_sim_config config = usual(MOST_NODES);
    struct weft_sim *sim = make(&config);
    for (unsigned i = 0; i < MOST_NODES; i++) {
        nics[i].rounds = 20;
        start(sim, i, many);
    }
    check_int(weft_sim_run(sim), 0);
    unsigned good = 0;
    for (unsigned i = 0; i < MOST_NODES; i++)
        good += nics[i].result == 20 * LATENCY && nics[i].arrived == 40;
    check_uint(good, MOST_NODES);
    check_uint(weft_sim_totals(sim).delivered, 40 * MOST_NODES);
    weft_sim_destroy(sim);
}

static void tell_all(struct weft_nic *nic)
{
    for (unsigned round = 1; round <= 2; round++)
        for (unsigned i = 0; i < MOST_NODES; i++)
            send_to(nic, i, round, 8);
}

static void test_many_routes(void)
{
    struct weft_sim_config config = usual(MOST_NODES);
    struct weft_sim *sim = make(&config);
    start(sim, 0, tell_all);
    for (unsigned i = 1; i < MOST_NODES; i++)
        start(sim, i, do_nothing);
    check_int(weft_sim_run(sim), 0);
    unsigned good = 0;
    for (unsigned i = 0; i < MOST_NODES; i++)
        good += nics[i].arrived == 2 && nics[i].ordered && nics[i].from == 1;
    check_uint(good, MOST_NODES);
    weft_sim_destroy(sim);
}

/* ---- The end of a run --------------------------------------------------------------------- */

static void wait_for_ever(struct weft_nic *nic)
{
    for (;;)
        sleep_until(nic, UINT64_MAX);
}

static void tick_for_ever(struct weft_nic *nic)
{
    nic->period = 1000;
    wait_for_ever(nic);
}

static void end_ticking(struct weft_nic *nic)
{
    nic->period = 1000;
    send_to(nic, 1, 1, 8);
}

static void test_stuck(void)
{
    struct weft_sim_config config = usual(40);
    struct weft_sim *sim = make(&config);
    for (unsigned i = 0; i < 40; i++)
        start(sim, i, i % 2 ? wait_for_ever : do_nothing);
    check_int(run_logged(sim), -EDEADLK);
    check(strstr(log_text, "20 of 40") && strstr(log_text, " 1 3 5 ") &&
          strstr(log_text, "31 and more"));
    weft_sim_destroy(sim);

    sim = make(&config);
    start(sim, 0, do_nothing);
    start(sim, 1, tick_for_ever);
    check_int(run_logged(sim), -ETIMEDOUT);
    check(strstr(log_text, "limit") && strstr(log_text, "on nodes 1\n"));
    check(weft_sim_now(sim) <= config.limit && weft_sim_now(sim) > config.limit - 2000);
    weft_sim_destroy(sim);

    /* Timers of programs that have ended hold nobody up, and what is in flight arrives. */
    sim = make(&config);
    start(sim, 0, end_ticking);
    start(sim, 1, do_nothing);
    check_int(weft_sim_run(sim), 0);
    check_uint(weft_sim_now(sim), LATENCY);
    check_uint(nics[1].arrived, 1);
    weft_sim_destroy(sim);
}

static void seen(void *argument, unsigned node, const struct weft_trace_line *record)
{
    uint64_t *sum = argument;
    *sum += node * 1000 + record->what;
}

static void test_configurations(void)
{
    uint64_t sum = 0;
    struct weft_sim_config config = usual(4);
    struct weft_sim *sim = make(&config);
    check(nics[3].world->ops->trace == NULL);
    check_uint(nics[3].world->self.nid, 4);
    check_uint(nics[3].world->self.pid, 1);
    check_uint(nics[3].world->packet_size, PAYLOAD + WEFT_PACKET_HEADERS);
    check_uint(nics[3].world->timeout, TIMEOUT);
    weft_sim_destroy(sim);

    config.trace = seen;
    config.trace_argument = &sum;
    sim = make(&config);
    struct weft_trace_line record = {.what = WEFT_TRACE_DROP};
    nics[3].world->ops->trace(nics[3].world, &record);
    check_uint(sum, 3000 + WEFT_TRACE_DROP);
    weft_sim_destroy(sim);

    config.loss = 1;
    check(is_refused(config, "no faults"));
    config.reliable = false;
    config.loss = 1000001;
    check(is_refused(config, "a million"));
    config.loss = 0;
    config.reorder = 1;
    check(is_refused(config, "without a delay"));
    check(is_refused(usual(0), "nodes"));
    config = usual(1);
    config.packet_size = 100;
    check(is_refused(config, "atomic"));
    config = usual(1);
    config.limit = 0;
    check(is_refused(config, "limit"));
    config = usual(1);
    config.paths = 2;
    check(is_refused(config, "length"));
    config = usual(1);
    config.step = NULL;
    check(is_refused(config, "step"));
    for (size_t working = 0; working < 2; working++) {
        config = usual(1);
        allocations_fail_after(working);
        sim = weft_sim_create(&config);
        allocations_work_again();
        check(sim == NULL);
    }
}

static void test_no_memory(void)
{
    struct weft_sim_config config = usual(2);
    struct weft_sim *sim = make(&config);
    nics[0].rounds = nics[1].rounds = 10;
    start(sim, 0, ping);
    start(sim, 1, ping);
    /* The route works, the first packet does not. */
    allocations_fail_after(2);
    check_int(run_logged(sim), -ENOMEM);
    allocations_work_again();
    check(strstr(log_text, "out of memory") != NULL);
    weft_sim_destroy(sim);
}

int main(void)
{
    test_times();
    test_ping_pong();
    test_reacting();
    test_turns();
    test_full_link();
    test_waiting();
    test_timers();
    test_many();
    test_many_routes();
    test_stuck();
    test_no_memory();
    check_uint(wrong_current, 0);
    test_configurations();
    return tap_done();
}
