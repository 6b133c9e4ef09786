/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Serves those who take what we offer while the program computes, or sits in a call of MPI that we
 * do not see. It calls nothing of MPI, so it needs no level of thread support, and sleeps while
 * nothing is under way.
 */
#include <time.h>

#include "base/log.h"
#include "mpi/state.h"
#include "portals/thread.h"
#include "transfer/request.h"

/* Nanoseconds between two looks, as long as they find nothing. */
#define INTERVAL 100000

static struct {
    pthread_mutex_t lock;
    pthread_cond_t change;
    pthread_t thread;
    bool is_running, stops;
    int under_way;
} helper = {.lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER};

/* True if there was something to do. */
static bool serve(void)
{
    struct weft_net *net = weft_mpi.net;
    bool was_busy = false;
    pthread_mutex_lock(&net->lock);
    while (weft_net_advance(net, 0))
        was_busy = true;
    pthread_mutex_unlock(&net->lock);
    return was_busy;
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

static void *run(void *unused)
{
    (void)unused;
    bool was_busy = false;
    pthread_mutex_lock(&helper.lock);
    while (!helper.stops) {
        /* Asked only now: a send that loses patience makes its copy before it is counted as
         * over, and nobody else would serve who comes for it. */
        if (helper.under_way == 0 && !is_owing()) {
            pthread_cond_wait(&helper.change, &helper.lock);
            continue;
        }
        pthread_mutex_unlock(&helper.lock);
        if (!was_busy)
            nanosleep(&(struct timespec){.tv_nsec = INTERVAL}, NULL);
        was_busy = serve();
        pthread_mutex_lock(&helper.lock);
    }
    pthread_mutex_unlock(&helper.lock);
    return NULL;
}

void weft_mpi_thread_count(int change)
{
    pthread_mutex_lock(&helper.lock);
    helper.under_way += change;
    if (!helper.is_running) {
        helper.stops = false;
        helper.is_running = weft_thread_start(&helper.thread, run, NULL);
        if (!helper.is_running)
            weft_log(WEFT_LOG_WARN, "cannot start a thread: other processes wait for their data "
                                    "while this one computes");
    } else if (change > 0 && helper.under_way == change) {
        pthread_cond_signal(&helper.change);
    }
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
