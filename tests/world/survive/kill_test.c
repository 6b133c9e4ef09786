/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: kill_test [SEED [ROUNDS [PROGRESS [PROVIDER]]]]
 *
 * One process survives many: victims, most of them with the same address, are killed one after
 * the other at random moments of many situations. Every operation that the survivor has under way
 * must end soon, it must be able to talk to a third process and to the next victim, and it must
 * hold no more than before. They share memory, or use a PROVIDER of libfabric; then some victims
 * only stop, which nobody can tell from death.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/rng.h"
#include "support/tap.h"
#include "world/survive/endpoint.h"
#include "world/survive/stage.h"

/* What the survivor does with the victim. */
enum { PUTS = 1, GETS = 2, COUNTED = 4, TALK = 8 };

struct scenario {
    const char *name;
    void (*victim)(void);
    const char *progress; /* of the victim */
    unsigned operations;  /* of the survivor */
    bool is_early;        /* it begins before the victim exists, and the kill is as early */
    bool is_near;         /* only in shared memory does it come so far without the survivor */
    bool is_deaf;         /* the victim takes nothing: no operation can succeed */
    unsigned failed_puts; /* of the victim, that the survivor learns of */
    unsigned failed_gets;
    bool is_busy;          /* some of the victim's operations may fail, depending on the moment */
    unsigned longest_wait; /* microseconds until the kill */
};

#define FIRST_PID 100u

static unsigned round_number, rounds;

static const struct scenario *scenario_now(void);

/* Of victims that are killed while they appear, one that was never heard of before; and a rank
 * that is dead does not join its job again. */
static ptl_pid_t victim_pid(void)
{
    return scenario_now()->is_early || stage_is_far() ? FIRST_PID + round_number : VICTIM;
}

/* ---- Victims ------------------------------------------------------------------------------- */

static void appear(void)
{
    endpoint_open(victim_pid());
}

static void be_ready(void)
{
    atomic_store(&stage->victim, round_number + 1);
}

static void serve(void)
{
    appear();
    be_ready();
    for (;;)
        endpoint_step();
}

static void keep_busy(ptl_pid_t with, unsigned operations)
{
    endpoint_step();
    if (endpoint_pending() > 2)
        return;
    if (operations & PUTS)
        endpoint_put(with, 1);
    if (operations & GETS)
        endpoint_get(with, 1);
}

static void attack(void)
{
    appear();
    be_ready();
    for (;;)
        keep_busy(SURVIVOR, PUTS | GETS);
}

/* Without a progress thread and without another call: nothing moves any more. */
static void be_deaf(void)
{
    be_ready();
    for (;;)
        pause();
}

static void appear_deaf(void)
{
    appear();
    be_deaf();
}

/* The survivor is stopped meanwhile, or it might take all of the put. */
static void put_half(void)
{
    appear();
    stage->asks_to_stop = true;
    wait_until(!stage->asks_to_stop);
    endpoint_put(SURVIVOR, 1);
    be_deaf();
}

static void get_half(void)
{
    appear();
    endpoint_get(SURVIVOR, 1);
    be_deaf();
}

static const struct scenario scenarios[] = {
    {"idle", serve, "1000", .operations = TALK, .longest_wait = 1000},
    {"idle, before a word was said", appear_deaf, "0", .longest_wait = 1000},
    {"while it takes puts", serve, "1000", .operations = PUTS | COUNTED, .longest_wait = 5000},
    {"while it answers gets", serve, "1000", .operations = GETS, .longest_wait = 5000},
    {"while it puts and gets", attack, "100", .is_busy = true, .longest_wait = 5000},
    {"in the middle of everything", attack, "1000", .operations = PUTS | GETS | COUNTED,
     .is_busy = true, .longest_wait = 5000},
    {"with full rings", appear_deaf, "0", .operations = PUTS | GETS | COUNTED, .is_deaf = true,
     .longest_wait = 500},
    {"in the middle of a put", put_half, "0", .failed_puts = 1, .is_near = true,
     .longest_wait = 500},
    {"in the middle of a reply to it", get_half, "0", .failed_gets = 1, .is_near = true,
     .longest_wait = 500},
    {"while others connect to it", serve, "1000", .operations = PUTS | GETS | COUNTED,
     .is_early = true, .longest_wait = 4000},
    {"while it connects to others", attack, "1000", .is_early = true, .is_busy = true,
     .longest_wait = 4000},
};

static const struct scenario *scenario_now(void)
{
    return &scenarios[round_number % (sizeof scenarios / sizeof *scenarios)];
}

/* ---- The survivor -------------------------------------------------------------------------- */

static void say(unsigned step)
{
    atomic_store(&stage->survivor, 4 * round_number + step);
}

static void begin(unsigned operations)
{
    if (operations & TALK)
        endpoint_talk(victim_pid());
    if (operations & PUTS)
        endpoint_put(victim_pid(), 3);
    if (operations & GETS)
        endpoint_get(victim_pid(), 3);
    if (operations & COUNTED) {
        endpoint_put_counted(victim_pid());
        endpoint_put_counted(victim_pid());
    }
}

static void go_on_until_killed(const struct scenario *scenario)
{
    if (scenario->is_early)
        begin(scenario->operations);
    say(1);
    if (!scenario->is_early) {
        wait_until((endpoint_step(), stage->victim == round_number + 1));
        begin(scenario->operations);
    }
    say(2);
    while (!stage->is_doomed)
        keep_busy(victim_pid(), scenario->operations);
    /* Only then is it certain that it does not register at the last moment. */
    wait_until((endpoint_step(), stage->dead_at));
}

static bool have_failed(const struct scenario *scenario, struct endpoint_served *sum)
{
    struct endpoint_served served = endpoint_served();
    need(served.puts == 0 && served.gets == 0 && served.other == 0);
    sum->failed_puts += served.failed_puts;
    sum->failed_gets += served.failed_gets;
    return sum->failed_puts >= scenario->failed_puts && sum->failed_gets >= scenario->failed_gets;
}

/* Before anything is sent to the victim: nothing but its death makes the difference. */
static void see_messages_fail(const struct scenario *scenario)
{
    struct endpoint_served sum = {0};
    wait_until((endpoint_step(), have_failed(scenario, &sum)));
    need(sum.failed_puts == scenario->failed_puts && sum.failed_gets == scenario->failed_gets);
    need(stage_since_death() <= STAGE_LIMIT);
}

static void see_all_end(void)
{
    endpoint_put(victim_pid(), 1);
    wait_until((endpoint_step(), endpoint_pending() == 0));
    stage->latency = stage_since_death();
    need(stage->latency <= STAGE_LIMIT);
    endpoint_fails_at_once(victim_pid());
}

static bool holds_as(struct stage_holdings before)
{
    struct stage_holdings now = stage_holdings();
    return now.files == before.files && now.threads == before.threads && now.maps == before.maps;
}

static void survive_one(struct stage_holdings usual)
{
    const struct scenario *scenario = scenario_now();
    if (scenario->is_near && stage_is_far())
        return;
    unsigned failed = endpoint_failed(), made;
    ptl_ct_event_t counted = endpoint_counted(&made);
    wait_until((endpoint_step(), stage->test == round_number + 1));
    endpoint_allow_drops(scenario->is_early);
    go_on_until_killed(scenario);
    if (!scenario->is_busy)
        see_messages_fail(scenario);
    see_all_end();
    endpoint_unlink();
    need(stage_since_death() <= STAGE_LIMIT);
    struct endpoint_served served = endpoint_served();
    need(served.other == 0 && served.failed_puts <= scenario->is_busy &&
         served.failed_gets <= scenario->is_busy * SLOTS);
    stage->failed = endpoint_failed() - failed;
    if (scenario->is_deaf)
        /* The six and the two that `begin` makes, and the three that came too late. */
        need(stage->failed == 6 + 3 && endpoint_counted(&made).failure == counted.failure + 2);
    endpoint_append();
    endpoint_talk(THIRD);
    wait_until((endpoint_step(), holds_as(usual)));
    say(3);
}

static void survive(void)
{
    struct stage_holdings before = stage_holdings();
    endpoint_open(SURVIVOR);
    endpoint_talk(THIRD);
    struct stage_holdings usual = stage_holdings();
    for (round_number = 0; round_number < rounds; round_number++)
        survive_one(usual);
    endpoint_close();
    wait_until(holds_as(before));
}

/* ---- The third ----------------------------------------------------------------------------- */

static void be_third(void)
{
    endpoint_open(THIRD);
    stage->third = 1;
    while (stage->third == 1)
        endpoint_step();
    endpoint_close();
}

/* ---- The test ------------------------------------------------------------------------------ */

static bool has_ended(pid_t process)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == process;
}

/* False if it has ended instead. */
static bool await(pid_t survivor, unsigned step)
{
    wait_until(stage->survivor >= 4 * round_number + step || has_ended(survivor));
    return stage->survivor >= 4 * round_number + step;
}

static void stop_during_put(pid_t survivor)
{
    wait_until(stage->asks_to_stop);
    stage_stop(survivor);
    stage->asks_to_stop = false;
    wait_until(stage->victim == round_number + 1);
    kill(survivor, SIGCONT);
}

/* It goes on for a moment, to find that it was given up. One that nobody could know yet was not:
 * it would join late, talk to the survivor, and that is right, but no part of the next round. */
static void end_stopped(pid_t victim)
{
    if (stage->victim == round_number + 1) {
        kill(victim, SIGCONT);
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    kill(victim, SIGKILL);
}

static bool run_round(pid_t survivor, struct rng *rng)
{
    const struct scenario *scenario = scenario_now();
    size_t microseconds = rng_below(rng, scenario->longest_wait);
    bool is_zombie = rng_one_in(rng, 2), only_stops = stage_is_far() && rng_one_in(rng, 4);
    char name[160];
    snprintf(name, sizeof name, "%s %s, after %zu us%s", only_stops ? "stopped" : "killed",
             scenario->name, microseconds, is_zombie ? ", and reaped late" : "");
    if (scenario->is_near && stage_is_far())
        return true;
    stage->is_doomed = false;
    stage->dead_at = 0;
    stage->latency = 0;
    stage->failed = 0;
    stage->test = round_number + 1;
    if (!await(survivor, 1))
        return tap_check(false, __FILE__, __LINE__, name);
    pid_t victim = stage_start(scenario->victim, scenario->progress);
    if (scenario->victim == put_half)
        stop_during_put(survivor);
    bool is_fine = scenario->is_early || await(survivor, 2);
    nanosleep(&(struct timespec){.tv_nsec = (long)microseconds * 1000}, NULL);
    if (only_stops)
        stage_stop_for_good(victim);
    else
        stage_kill(victim);
    if (!is_zombie && !only_stops)
        stage_reap(victim);
    is_fine = is_fine && await(survivor, 3);
    if (only_stops)
        end_stopped(victim);
    if (is_zombie || only_stops)
        stage_reap(victim);
    tap_check(is_fine, __FILE__, __LINE__, name);
    tap_note("%u operations failed, the last after %.2f ms", stage->failed,
             (double)stage->latency / STAGE_MILLISECOND);
    return is_fine;
}

int main(int count, char **arguments)
{
    uint64_t seed = count > 1 ? strtoull(arguments[1], NULL, 10) : 1;
    uint64_t worst = 0, worst_early = 0;
    rounds = count > 2 ? (unsigned)strtoul(arguments[2], NULL, 10) : 33;
    const char *progress = count > 3 ? arguments[3] : "1000";
    struct rng rng = {seed};
    tap_note("seed %llu, %u rounds, WEFT_PROGRESS=%s", (unsigned long long)seed, rounds, progress);
    stage_open(count > 4 ? arguments[4] : NULL, FIRST_PID + rounds);
    pid_t third = stage_start(be_third, "1000");
    wait_until(stage->third == 1);
    pid_t survivor = stage_start(survive, progress);
    bool is_fine = true;
    for (round_number = 0; is_fine && round_number < rounds; round_number++) {
        is_fine = run_round(survivor, &rng);
        uint64_t *slowest = scenario_now()->is_early ? &worst_early : &worst;
        *slowest = stage->latency > *slowest ? stage->latency : *slowest;
    }
    tap_note("the slowest failure took %.2f ms, %.2f ms while connecting (WEFT_TIMEOUT=%s)",
             (double)worst / STAGE_MILLISECOND, (double)worst_early / STAGE_MILLISECOND,
             STAGE_TIMEOUT);
    check(stage_ended_well(survivor));
    stage->third = 2;
    check(stage_ended_well(third));
    stage_close();
    return tap_done();
}
