/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/hpu_threads.h"

#include <sched.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/thread.h"
#include "nic/hpu.h"
#include "nic/trigger.h"
#include "portals/place.h"
#include "portals/process.h"

struct hpu {
    pthread_t thread;
    struct weft_portals_process *process;
    uint32_t number;
};

struct weft_portals_hpu_threads {
    atomic_bool stop;
    uint32_t count; /* of those that run */
    struct hpu hpus[];
};

/* To sleep for the lock would cost more than most handlers take. */
void weft_portals_hpu_lock(struct weft_portals_process *process)
{
    if (pthread_mutex_trylock(&process->lock) == 0)
        return;
    atomic_fetch_add(&process->contenders, 1);
    while (pthread_mutex_trylock(&process->lock) != 0)
        sched_yield();
    atomic_fetch_sub(&process->contenders, 1);
}

/* The next task, having ended the last one; steps the NIC if there is none. */
static struct weft_nic_task *next_task(const struct hpu *hpu, struct weft_nic_task *last)
{
    struct weft_portals_process *process = hpu->process;
    weft_portals_hpu_lock(process);
    if (last) {
        weft_nic_hpu_done(last);
        weft_nic_trigger_run(process->nic);
    }
    struct weft_nic_task *task = weft_nic_hpu_take(process->nic, hpu->number);
    if (!task) {
        weft_portals_process_step(process);
        task = weft_nic_hpu_take(process->nic, hpu->number);
    }
    weft_portals_process_notify(process);
    pthread_mutex_unlock(&process->lock);
    return task;
}

static void *run(void *argument)
{
    const struct hpu *hpu = argument;
    struct weft_portals_hpu_threads *threads = hpu->process->hpu_threads;
    struct weft_wait wait;
    struct weft_nic_task *task = NULL;
    /* Processes of a host have different numbers, and so their HPUs different cores. */
    weft_portals_place_thread(hpu->process->world->self.pid * hpu->process->nic_config.hpus.count +
                              hpu->number);
    weft_portals_wait_begin(&wait, hpu->process, PTL_TIME_FOREVER);
    while (task || !atomic_load(&threads->stop)) {
        task = next_task(hpu, task);
        if (task)
            weft_nic_hpu_run(task, false);
        else
            weft_portals_wait_pause(&wait);
    }
    return NULL;
}

bool weft_portals_hpu_threads_start(struct weft_portals_process *process)
{
    uint32_t count = process->nic_config.hpus.count;
    if (count == 0)
        return true;
    struct weft_portals_hpu_threads *threads =
        calloc(1, sizeof *threads + count * sizeof *threads->hpus);
    if (!threads)
        return false;
    process->hpu_threads = threads;
    for (uint32_t i = 0; i < count; i++) {
        threads->hpus[i].process = process;
        threads->hpus[i].number = i;
        if (!weft_thread_start(&threads->hpus[i].thread, run, &threads->hpus[i])) {
            weft_log(WEFT_LOG_ERROR, "cannot start HPU thread %u: set WEFT_HPUS lower", i);
            weft_portals_hpu_threads_stop(process);
            return false;
        }
        threads->count++;
    }
    return true;
}

void weft_portals_hpu_threads_stop(struct weft_portals_process *process)
{
    struct weft_portals_hpu_threads *threads = process->hpu_threads;
    if (!threads)
        return;
    atomic_store(&threads->stop, true);
    pthread_mutex_unlock(&process->lock);
    for (uint32_t i = 0; i < threads->count; i++) {
        process->world->ops->wake(process->world);
        pthread_join(threads->hpus[i].thread, NULL);
    }
    pthread_mutex_lock(&process->lock);
    process->hpu_threads = NULL;
    free(threads);
}
