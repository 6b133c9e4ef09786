/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that leave in good order, stand still for longer than the timeout, or come back: what
 * others have under way with them ends in the right way.
 */
#include <signal.h>
#include <stdlib.h>

#include "support/tap.h"
#include "world/survive/endpoint.h"
#include "world/survive/stage.h"

#define TRANSFERS 100u

/* Each role waits for the test to come to a step, and says when it has done its part. */
static void await_test(unsigned step)
{
    wait_until(stage->test >= step);
}

static void go(unsigned step)
{
    stage->test = step;
}

/* ---- Leaving ------------------------------------------------------------------------------- */

/* The survivor fills its rings, it leaves without having looked, and it comes back. */
static void leave_and_return(void)
{
    endpoint_open(VICTIM);
    stage->victim = 1;
    await_test(1);
    endpoint_leave();
    stage->dead_at = stage_now();
    await_test(2);
    endpoint_open(VICTIM);
    stage->victim = 2;
    while (stage->test < 3)
        endpoint_step();
    endpoint_close();
}

static void outlive_leaver(void)
{
    struct stage_holdings before = stage_holdings();
    unsigned made;
    endpoint_open(SURVIVOR);
    endpoint_put(VICTIM, 3);
    endpoint_get(VICTIM, 3);
    endpoint_put_counted(VICTIM);
    stage->survivor = 1;
    wait_until((endpoint_step(), endpoint_pending() == 0));
    wait_until((endpoint_step(), stage->dead_at));
    stage->latency = stage_since_death();
    need(endpoint_failed() == 6 && endpoint_counted(&made).failure == 1);
    endpoint_fails_at_once(VICTIM);
    stage->survivor = 2;
    wait_until((endpoint_step(), stage->victim == 2));
    endpoint_talk(VICTIM);
    stage->survivor = 3;
    endpoint_close();
    struct stage_holdings after;
    wait_until((after = stage_holdings(), after.threads == before.threads));
    need(after.files == before.files && after.maps == before.maps);
}

static void test_leaving(void)
{
    tap_note("a process that leaves while others have operations under way with it");
    pid_t victim = stage_start(leave_and_return, "0");
    wait_until(stage->victim == 1);
    pid_t survivor = stage_start(outlive_leaver, "1000");
    wait_until(stage->survivor == 1);
    stage->is_doomed = true;
    go(1);
    wait_until(stage->survivor == 2);
    check(stage->latency <= STAGE_LIMIT);
    tap_note("the last operation ended after %.2f ms", (double)stage->latency / STAGE_MILLISECOND);
    go(2);
    wait_until(stage->survivor == 3);
    go(3);
    check(stage_ended_well(survivor));
    check(stage_ended_well(victim));
}

/* ---- Standing still ------------------------------------------------------------------------ */

/* Both sides do the same: one of them is stopped on the way. */
static void transfer_with(ptl_pid_t other, atomic_uint *progress)
{
    for (unsigned i = 0; i < TRANSFERS; i++) {
        endpoint_put(other, 2);
        endpoint_get(other, 2);
        endpoint_put_counted(other);
        wait_until((endpoint_step(), endpoint_pending() == 0));
        atomic_store(progress, i + 1);
    }
    need(endpoint_failed() == 0);
}

static void check_transfers(unsigned failed_puts)
{
    struct endpoint_served sum = {0};
    while (sum.puts < 3 * TRANSFERS || sum.gets < 2 * TRANSFERS || sum.failed_puts < failed_puts) {
        endpoint_step();
        struct endpoint_served served = endpoint_served();
        need(!served.failed_gets && !served.other);
        sum.puts += served.puts;
        sum.gets += served.gets;
        sum.failed_puts += served.failed_puts;
    }
    need(sum.puts == 3 * TRANSFERS && sum.gets == 2 * TRANSFERS);
    need(sum.failed_puts == failed_puts);
}

static void transfer(ptl_pid_t pid, ptl_pid_t other, atomic_uint *progress, unsigned failed_puts)
{
    endpoint_open(pid);
    *progress = 1;
    await_test(1);
    transfer_with(other, progress);
    check_transfers(failed_puts);
    *progress = TRANSFERS + 1;
    wait_until((endpoint_step(), stage->test == 2));
    endpoint_close();
}

static void transfer_as_survivor(void)
{
    transfer(SURVIVOR, VICTIM, &stage->survivor, 0);
}

/* The half of a put that the leaver could send is what fails. */
static void transfer_as_victim(void)
{
    transfer(VICTIM, SURVIVOR, &stage->victim, 1);
}

/* It waits for the one that stands still, but not for ever. */
static void leave_the_stopped(void)
{
    endpoint_open(LEAVER);
    endpoint_put(VICTIM, 3);
    uint64_t begin = stage_now();
    endpoint_leave();
    need(stage_now() - begin <= 5 * STAGE_LIMIT); /* it cannot tell when others hold it up */
}

static void test_stopping(void)
{
    tap_note("a process that stands still for longer than the timeout");
    stage_reset();
    pid_t survivor = stage_start(transfer_as_survivor, "1000");
    pid_t victim = stage_start(transfer_as_victim, "1000");
    wait_until(stage->survivor == 1 && stage->victim == 1);
    go(1);
    wait_until(stage->victim >= 5);
    stage_stop(victim);
    uint64_t stopped_at = stage_now();
    pid_t leaver = stage_start(leave_the_stopped, "1000");
    bool left = stage_ended_well(leaver);
    wait_until(stage_now() - stopped_at > STAGE_SECOND * 3 / 2);
    unsigned seen = stage->survivor;
    kill(victim, SIGCONT);
    check(left);
    check(seen <= TRANSFERS);
    wait_until(stage->survivor == TRANSFERS + 1 && stage->victim == TRANSFERS + 1);
    go(2);
    check(stage_ended_well(victim));
    check(stage_ended_well(survivor));
}

/* ---- Addresses ----------------------------------------------------------------------------- */

static void hold_address(void)
{
    endpoint_open(VICTIM);
    stage->victim = 1;
    for (;;)
        endpoint_step();
}

static void find_address_taken(void)
{
    ptl_handle_ni_t ni;
    need(PtlInit() == PTL_OK);
    need(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, VICTIM, NULL, NULL,
                   &ni) == PTL_PID_IN_USE);
    PtlFini();
}

static void take_address(void)
{
    endpoint_open(VICTIM);
    endpoint_close();
}

static void test_addresses(void)
{
    tap_note("an address is free again as soon as its process is dead");
    stage_reset();
    pid_t victim = stage_start(hold_address, "1000");
    wait_until(stage->victim == 1);
    check(stage_ended_well(stage_start(find_address_taken, "1000")));
    stage_kill(victim);
    check(stage_ended_well(stage_start(take_address, "1000")));
    stage_reap(victim);
}

/* ---- Looking without waiting --------------------------------------------------------------- */

static void look_only(void)
{
    endpoint_open(SURVIVOR);
    endpoint_allow_drops(true);
    endpoint_put(VICTIM, 1);
    stage->survivor = 1;
    wait_until((endpoint_look(), endpoint_pending() == 0));
    stage->survivor = 2;
    wait_until((endpoint_look(), stage->dead_at));
    unsigned failed = endpoint_failed();
    endpoint_allow_drops(false);
    endpoint_put(VICTIM, 1);
    wait_until((endpoint_look(), endpoint_pending() == 0));
    need(endpoint_failed() == failed + 1);
    endpoint_close();
}

static void test_looking(void)
{
    tap_note("a program that never waits, without a progress thread, connects and sees a death");
    stage_reset();
    pid_t survivor = stage_start(look_only, "0");
    wait_until(stage->survivor == 1);
    pid_t victim = stage_start(hold_address, "1000");
    wait_until(stage->survivor == 2);
    stage_kill(victim);
    check(stage_ended_well(survivor));
    stage_reap(victim);
}

int main(void)
{
    stage_open(NULL, 0);
    test_leaving();
    test_stopping();
    test_addresses();
    test_looking();
    stage_close();
    return tap_done();
}
