/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/progress.h"

#include <stdlib.h>

#include "base/deadline.h"
#include "base/log.h"
#include "base/setting.h"
#include "base/thread.h"
#include "portals/process.h"

/* One visit ends after so many rounds, even if there is more to do: callers want the lock, too. */
#define ROUNDS 64

struct weft_portals_progress {
    pthread_t thread;
    pthread_mutex_t lock; /* of `stops` only */
    pthread_cond_t change;
    bool stops;
    uint64_t interval; /* nanoseconds */
    struct weft_portals_process *process;
};

static bool visit(struct weft_portals_process *process)
{
    unsigned rounds = 0;
    pthread_mutex_lock(&process->lock);
    weft_portals_process_check(process);
    while (rounds < ROUNDS && weft_portals_process_step(process))
        rounds++;
    weft_portals_process_notify(process);
    pthread_mutex_unlock(&process->lock);
    return rounds == ROUNDS;
}

static void *run(void *argument)
{
    struct weft_portals_progress *progress = argument;
    pthread_mutex_lock(&progress->lock);
    while (!progress->stops) {
        pthread_mutex_unlock(&progress->lock);
        bool is_busy = visit(progress->process);
        pthread_mutex_lock(&progress->lock);
        struct timespec time = weft_deadline_timespec(weft_deadline_after(progress->interval));
        if (!is_busy && !progress->stops)
            pthread_cond_timedwait(&progress->change, &progress->lock, &time);
    }
    pthread_mutex_unlock(&progress->lock);
    return NULL;
}

bool weft_portals_progress_start(struct weft_portals_process *process)
{
    uint64_t interval = weft_setting(WEFT_SETTING_PROGRESS) * 1000;
    if (interval == 0)
        return true;
    struct weft_portals_progress *progress = calloc(1, sizeof *progress);
    if (!progress)
        return false;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&progress->change, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&progress->lock, NULL);
    progress->interval = interval;
    progress->process = process;
    process->progress = progress;
    if (weft_thread_start(&progress->thread, run, progress))
        return true;
    weft_log(WEFT_LOG_ERROR, "cannot start the progress thread: set WEFT_PROGRESS=0 to run "
                             "without it");
    process->progress = NULL;
    free(progress);
    return false;
}

void weft_portals_progress_stop(struct weft_portals_process *process)
{
    struct weft_portals_progress *progress = process->progress;
    if (!progress)
        return;
    process->progress = NULL;
    pthread_mutex_lock(&progress->lock);
    progress->stops = true;
    pthread_cond_signal(&progress->change);
    pthread_mutex_unlock(&progress->lock);
    pthread_mutex_unlock(&process->lock);
    pthread_join(progress->thread, NULL);
    pthread_mutex_lock(&process->lock);
    pthread_cond_destroy(&progress->change);
    pthread_mutex_destroy(&progress->lock);
    free(progress);
}
