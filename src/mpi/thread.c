/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Serves those who take what we offer while the program computes, or sits in a call of MPI that we
 * do not see. It calls nothing of MPI, so it needs no level of thread support. It sleeps while
 * nothing is under way, and while a thread of the program waits with us and so serves all: two
 * that share a processor would only be in each other's way.
 */
#include <time.h>

#include "base/log.h"
#include "mpi/state.h"
#include "portals/thread.h"
#include "transfer/request.h"

/* Nanoseconds between two looks, as long as they find nothing; twice as many each time that the
 * program has looked itself, up to the most. */
#define INTERVAL 100000
#define MOST_INTERVAL 1600000

static struct {
    pthread_mutex_t lock;
    pthread_cond_t change;
    pthread_t thread;
    bool is_running, stops, sleeps;
    int under_way;
    int present; /* threads of the program that serve, too */
} helper = {.lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER};

static long twice(long pause)
{
    return pause < INTERVAL ? INTERVAL : pause < MOST_INTERVAL ? 2 * pause : pause;
}

/* Does what there is to do, unless the program has looked since `turns`. Says when to look again.
 */
static long serve(uint64_t *turns, long pause)
{
    struct weft_net *net = weft_mpi.net;
    if (pthread_mutex_trylock(&net->lock) != 0)
        return twice(pause);
    if (net->pumping || net->turns != *turns) {
        pause = twice(pause);
    } else {
        pause = INTERVAL;
        while (weft_net_advance(net, 0))
            pause = 0;
    }
    *turns = net->turns;
    pthread_mutex_unlock(&net->lock);
    return pause;
}

/* Whether somebody is still to come for a copy. */
static bool is_owing(void)
{
    struct weft_net *net = weft_mpi.net;
    pthread_mutex_lock(&net->lock);
    bool is_owing = net->buffered > 0;
    pthread_mutex_unlock(&net->lock);
    return is_owing;
}

static bool is_needed(void)
{
    return helper.present == 0 && (helper.under_way > 0 || is_owing());
}

static void *run(void *unused)
{
    (void)unused;
    uint64_t turns = 0;
    long pause = INTERVAL;
    pthread_mutex_lock(&helper.lock);
    while (!helper.stops) {
        if (!is_needed()) {
            helper.sleeps = true;
            pthread_cond_wait(&helper.change, &helper.lock);
            continue;
        }
        pthread_mutex_unlock(&helper.lock);
        if (pause)
            nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
        pause = serve(&turns, pause);
        pthread_mutex_lock(&helper.lock);
    }
    pthread_mutex_unlock(&helper.lock);
    return NULL;
}

static void start(void)
{
    helper.stops = helper.sleeps = false;
    helper.is_running = weft_thread_start(&helper.thread, run, NULL);
    if (!helper.is_running)
        weft_log(WEFT_LOG_WARN, "cannot start a thread: other processes wait for their data "
                                "while this one computes");
}

/* A thread is started when it is needed for the first time. */
static void wake(void)
{
    if (!is_needed())
        return;
    if (!helper.is_running)
        start();
    else if (helper.sleeps)
        pthread_cond_signal(&helper.change);
    helper.sleeps = false;
}

void weft_mpi_thread_count(int change)
{
    pthread_mutex_lock(&helper.lock);
    helper.under_way += change;
    wake();
    pthread_mutex_unlock(&helper.lock);
}

void weft_mpi_thread_enter(void)
{
    pthread_mutex_lock(&helper.lock);
    helper.present++;
    pthread_mutex_unlock(&helper.lock);
}

/* Also after a send that has lost its patience: somebody is to come for its copy. */
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
    pthread_cond_signal(&helper.change);
    pthread_mutex_unlock(&helper.lock);
    if (was_running)
        pthread_join(helper.thread, NULL);
}
