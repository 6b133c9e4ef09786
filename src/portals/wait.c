/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/process.h"

#include <sched.h>

#include "base/courtesy.h"

#define MILLISECOND 1000000u
/* Asking for the time costs more than a look at an empty ring. */
#define ROUNDS_PER_CLOCK 64
/* Nanoseconds without packets, after which the process that they shall come from may be waiting
 * for this core. */
#define YIELD_AFTER 5000
/* Given to HPUs that want the lock, before the caller looks again. */
#define MOST_TURNS 16

static uint64_t now(const struct weft_wait *wait)
{
    return wait->process->world->ops->now(wait->process->world);
}

void weft_portals_wait_begin(struct weft_wait *wait, struct weft_portals_process *process,
                             ptl_time_t timeout)
{
    *wait = (struct weft_wait){.process = process, .deadline = UINT64_MAX};
    if (timeout != PTL_TIME_FOREVER)
        wait->deadline = (uint64_t)timeout * MILLISECOND; /* from the first pause on */
}

static void start_clock(struct weft_wait *wait)
{
    wait->idle_since = now(wait);
    if (wait->deadline != UINT64_MAX)
        wait->deadline += wait->idle_since;
}

/* Between two looks at the clock. */
static bool is_round_to_poll(const struct weft_wait *wait)
{
    return wait->process->spin && wait->rounds % ROUNDS_PER_CLOCK != 0 &&
           !weft_courtesy_is_in_company(&wait->process->courtesy);
}

static void check_world(struct weft_portals_process *process)
{
    if (pthread_mutex_trylock(&process->lock) != 0)
        return;
    if (process->nic) {
        weft_portals_process_check(process);
        weft_portals_process_notify(process);
    }
    pthread_mutex_unlock(&process->lock);
}

/* A program that only ever looks must not miss that others come and go. It may also keep the
 * process that it waits for from running, if there are more of them than processors. */
static void look_in(struct weft_portals_process *process)
{
    unsigned looks = atomic_fetch_add_explicit(&process->looks, 1, memory_order_relaxed);
    if (looks % ROUNDS_PER_CLOCK != 0)
        return;
    check_world(process);
    if (!process->world_is_given)
        weft_courtesy_yield(&process->courtesy);
}

/* Packets that come and go while one waits are a reason to go on polling: of a long message there
 * is no event for a while. */
static bool is_idle(struct weft_wait *wait, uint64_t time)
{
    unsigned moves = atomic_load_explicit(&wait->process->moves, memory_order_relaxed);
    if (moves != wait->moves) {
        wait->moves = moves;
        wait->idle_since = time;
    }
    return time - wait->idle_since >= wait->process->spin;
}

static bool is_yield_due(const struct weft_wait *wait, uint64_t time)
{
    const struct weft_portals_process *process = wait->process;
    return !process->world_is_given && (weft_courtesy_is_in_company(&process->courtesy) ||
                                        time - wait->idle_since >= YIELD_AFTER);
}

static void look_after_time(struct weft_wait *wait)
{
    struct weft_portals_process *process = wait->process;
    uint64_t time = now(wait);
    if (time >= wait->deadline) {
        wait->is_over = true;
        return;
    }
    check_world(process);
    if (!is_idle(wait, time)) {
        if (is_yield_due(wait, time))
            weft_courtesy_yield(&process->courtesy);
        return;
    }
    atomic_fetch_add(&process->sleepers, 1);
    process->world->ops->sleep(process->world, wait->deadline);
    atomic_fetch_sub(&process->sleepers, 1);
}

/* A lock that is taken again at once is never free for a thread that sleeps for it. */
static void make_way(struct weft_portals_process *process)
{
    for (unsigned i = 0; i < MOST_TURNS && atomic_load(&process->contenders); i++)
        sched_yield();
}

void weft_portals_wait_pause(struct weft_wait *wait)
{
    struct weft_portals_process *process = wait->process;
    if (!weft_portals_process_visit(process))
        return; /* the next look finds out */
    make_way(process);
    if (wait->deadline == 0) {
        wait->is_over = true;
        look_in(process);
        process->world->ops->relax(process->world);
    } else {
        if (wait->rounds++ == 0)
            start_clock(wait);
        if (is_round_to_poll(wait))
            process->world->ops->relax(process->world);
        else
            look_after_time(wait);
    }
    weft_portals_process_leave(process);
}

void weft_portals_wait_once(void)
{
    struct weft_wait wait;
    weft_portals_wait_begin(&wait, weft_portals_process_self(), 0);
    weft_portals_wait_pause(&wait);
}
