/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Serves those who take what we offer while the program computes, or sits in a call of MPI that we
 * do not see. It calls nothing of MPI, so it needs no level of thread support. It rests while a
 * thread of the program waits with us and so serves all: two that share a processor would only be
 * in each other's way. For those who may come for a copy it looks in now and then.
 */
#include <time.h>

#include "base/clock.h"
#include "base/deadline.h"
#include "base/log.h"
#include "base/thread.h"
#include "mpi/state.h"
#include "transfer/net.h"

/* Nanoseconds between two looks, as long as they find nothing; twice as many each time that the
 * program has looked itself, up to the most. */
#define INTERVAL 100000
#define MOST_INTERVAL 1600000
/* Until it is woken; it may be soon, so before that it looks a few times. */
#define ENDLESS (-1)
#define LAST_LOOKS 16u

static struct {
    pthread_mutex_t lock;
    pthread_cond_t change;
    pthread_t thread;
    bool is_running, stops, is_woken;
    long rest; /* how long it does */
    int under_way;
    int present;       /* threads of the program that serve, too */
    uint64_t absent;   /* since when none does although something is under way; 0: one does */
    bool returns_soon; /* the last time one was back before the thread could have been of use */
} helper = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- What there is to do ------------------------------------------------------------------- */

enum need { NEED_NOTHING, NEED_LATER, NEED_NOW };

/* Whether somebody may still come for a copy. */
static bool is_owing(void)
{
    return weft_mpi.net && weft_net_copied(weft_mpi.net) > 0;
}

static enum need find_need(void)
{
    if (helper.present > 0)
        return NEED_NOTHING;
    return helper.under_way > 0 ? NEED_NOW : is_owing() ? NEED_LATER : NEED_NOTHING;
}

static long twice(long pause)
{
    return pause < INTERVAL ? INTERVAL : pause < MOST_INTERVAL ? 2 * pause : pause;
}

/* Does what there is to do, unless the program has looked since `turns`. Says when to look again:
 * at once if there was something. */
static long serve(uint64_t *turns, long pause)
{
    switch (weft_net_look_in(weft_mpi.net, turns)) {
    case WEFT_NET_LOOK_FOUND:
        return 0;
    case WEFT_NET_LOOK_QUIET:
        return INTERVAL;
    default:
        return twice(pause);
    }
}

/* ---- The thread ---------------------------------------------------------------------------- */

/* False if it was woken before the time had passed. */
static bool rest(long nanoseconds)
{
    struct timespec until = weft_deadline_timespec(
        weft_deadline_after(nanoseconds == ENDLESS ? 0 : (uint64_t)nanoseconds));
    int result = 0;
    helper.rest = nanoseconds;
    helper.is_woken = false;
    while (!helper.stops && !helper.is_woken && result == 0)
        result = nanoseconds == ENDLESS
                     ? pthread_cond_wait(&helper.change, &helper.lock)
                     : pthread_cond_timedwait(&helper.change, &helper.lock, &until);
    return !helper.is_woken && !helper.stops;
}

static long next_rest(enum need need, long pause, unsigned idle)
{
    if (need == NEED_NOTHING)
        return idle > LAST_LOOKS ? ENDLESS : MOST_INTERVAL;
    return need == NEED_NOW || pause == 0 ? pause : MOST_INTERVAL;
}

static void *run(void *unused)
{
    (void)unused;
    uint64_t turns = 0;
    long pause = INTERVAL;
    unsigned idle = 0;
    pthread_mutex_lock(&helper.lock);
    while (!helper.stops) {
        enum need need = find_need();
        idle = need == NEED_NOTHING ? idle + 1 : 0;
        if (need == NEED_NOTHING)
            pause = INTERVAL;
        long wanted = next_rest(need, pause, idle);
        if ((wanted && !rest(wanted)) || find_need() == NEED_NOTHING)
            continue;
        pthread_mutex_unlock(&helper.lock);
        pause = serve(&turns, pause);
        pthread_mutex_lock(&helper.lock);
    }
    pthread_mutex_unlock(&helper.lock);
    return NULL;
}

static void start(void)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&helper.change, &monotonic);
    pthread_condattr_destroy(&monotonic);
    helper.stops = false;
    helper.rest = 0;
    helper.is_running = weft_thread_start(&helper.thread, run, NULL);
    if (!helper.is_running)
        weft_log(WEFT_LOG_WARN, "cannot start a thread: other processes wait for their data "
                                "while this one computes");
}

/* ---- The program --------------------------------------------------------------------------- */

/* To wake the thread takes the processor away from the program, and longer than a short message
 * does. A program that begins messages and at once waits for them needs nobody else. */
static bool is_urgent(enum need need)
{
    return need == NEED_NOW && helper.rest > INTERVAL && !helper.returns_soon;
}

/* The thread is started when it is needed for the first time. */
static void wake(void)
{
    enum need need = find_need();
    if (need == NEED_NOTHING)
        return;
    if (need == NEED_NOW && !helper.absent)
        helper.absent = weft_clock_now();
    if (!helper.is_running) {
        start();
    } else if (helper.rest == ENDLESS || is_urgent(need)) {
        helper.is_woken = true;
        helper.rest = 0;
        pthread_cond_signal(&helper.change);
    }
}

static void note_return(void)
{
    if (!helper.absent)
        return;
    helper.returns_soon = weft_clock_now() - helper.absent < INTERVAL;
    helper.absent = 0;
}

void weft_mpi_thread_count(int change)
{
    pthread_mutex_lock(&helper.lock);
    helper.under_way += change;
    if (helper.under_way == 0)
        note_return();
    pthread_mutex_unlock(&helper.lock);
}

void weft_mpi_thread_wake(void)
{
    pthread_mutex_lock(&helper.lock);
    wake();
    pthread_mutex_unlock(&helper.lock);
}

void weft_mpi_thread_enter(void)
{
    pthread_mutex_lock(&helper.lock);
    helper.present++;
    note_return();
    pthread_mutex_unlock(&helper.lock);
}

void weft_mpi_thread_look(void)
{
    if (weft_mpi.net)
        weft_net_look_in(weft_mpi.net, NULL);
}

void weft_mpi_thread_leave(void)
{
    pthread_mutex_lock(&helper.lock);
    helper.present--;
    wake();
    pthread_mutex_unlock(&helper.lock);
}

void weft_mpi_thread_stop(void)
{
    pthread_mutex_lock(&helper.lock);
    bool was_running = helper.is_running;
    helper.stops = true;
    helper.is_running = false;
    if (was_running)
        pthread_cond_signal(&helper.change);
    pthread_mutex_unlock(&helper.lock);
    if (!was_running)
        return;
    pthread_join(helper.thread, NULL);
    pthread_cond_destroy(&helper.change);
}
