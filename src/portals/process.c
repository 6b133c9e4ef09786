/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/process.h"

#include <sched.h>
#include <string.h>

#include "base/log.h"
#include "base/setting.h"
#include "job/wireup.h"
#include "nic/interface.h"
#include "nic/trigger.h"
#include "portals/hpu_threads.h"
#include "portals/progress.h"
#include "world/world.h"

#define MILLISECOND 1000000u

static struct weft_portals_process host = {
    .life = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER, .is_closed = true};
static struct weft_portals_process *current = &host;

struct weft_portals_process *weft_portals_process_self(void)
{
    return current;
}

void weft_portals_process_become(struct weft_portals_process *process)
{
    current = process ? process : &host;
}

void weft_portals_process_init(struct weft_portals_process *process)
{
    *process = (struct weft_portals_process){
        .life = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER, .is_closed = true};
}

/* ---- World and NIC ------------------------------------------------------------------------ */

/* One process speaks for its job. */
static void warn_unknown(void)
{
    const struct weft_job *job = weft_world_job();
    if (!job || job->rank == 0)
        weft_setting_warn_unknown();
}

static int open_world(struct weft_portals_process *process, ptl_pid_t pid)
{
    enum weft_world_status status;
    process->world = weft_world_open(pid, &status);
    warn_unknown();
    if (process->world)
        return PTL_OK;
    return status == WEFT_WORLD_PID_IN_USE ? PTL_PID_IN_USE : PTL_FAIL;
}

bool weft_portals_process_visit(struct weft_portals_process *process)
{
    /* Both in one order for all threads: either we see the end, or the end sees us. */
    atomic_fetch_add(&process->visitors, 1);
    if (!atomic_load(&process->is_closed))
        return true;
    atomic_fetch_sub(&process->visitors, 1);
    return false;
}

void weft_portals_process_leave(struct weft_portals_process *process)
{
    atomic_fetch_sub(&process->visitors, 1);
}

static void send_visitors_home(struct weft_portals_process *process)
{
    atomic_store(&process->is_closed, true);
    /* Nobody visits for longer than a sleep, and a sleep ends with this. */
    while (atomic_load(&process->visitors)) {
        process->world->ops->wake(process->world);
        sched_yield();
    }
}

static void close_world(struct weft_portals_process *process)
{
    process->world->ops->close(process->world);
    process->world = NULL;
}

static void configure_nic(struct weft_nic_config *config)
{
    uint64_t threads = weft_setting(WEFT_SETTING_HPUS);
    uint64_t contexts = weft_setting(WEFT_SETTING_HPU_CONTEXTS);
    if (threads > PTL_MAX_HPUS) {
        weft_log(WEFT_LOG_WARN, "WEFT_HPUS=%llu is more than %d: using that",
                 (unsigned long long)threads, PTL_MAX_HPUS);
        threads = PTL_MAX_HPUS;
    }
    if (contexts == 0 || contexts > UINT32_MAX)
        contexts = 1;
    *config = (struct weft_nic_config){
        .hpus = {.count = (uint32_t)threads, .contexts = (uint32_t)contexts, .are_threads = true},
        .memory = weft_setting(WEFT_SETTING_NIC_MEM)};
}

/* Of its parent, a child has neither the threads nor the right to the NIC, and locks that nobody
 * will ever release. */
static void begin_anew(void)
{
    weft_portals_process_init(&host);
}

static bool mind_children(void)
{
    static bool is_done;
    is_done = is_done || pthread_atfork(NULL, NULL, begin_anew) == 0;
    return is_done;
}

/* Opens the process to them first: they visit it at once. */
static bool start_threads(struct weft_portals_process *process)
{
    atomic_store(&process->is_closed, false);
    if (process->world_is_given)
        return true;
    if (weft_portals_hpu_threads_start(process)) {
        if (weft_portals_progress_start(process))
            return true;
        weft_portals_hpu_threads_stop(process);
    }
    send_visitors_home(process);
    return false;
}

int weft_portals_process_open(struct weft_portals_process *process, ptl_pid_t pid)
{
    if (process->nic || process->world_is_given) {
        if (pid != PTL_PID_ANY && pid != process->world->self.pid)
            return PTL_ARG_INVALID;
        if (process->nic)
            return PTL_OK;
    } else {
        if (!mind_children())
            return PTL_NO_SPACE;
        process->spin = weft_setting(WEFT_SETTING_SPIN) * 1000;
        int result = open_world(process, pid);
        if (result != PTL_OK)
            return result;
        configure_nic(&process->nic_config);
    }
    process->nic = weft_nic_open(process->world, &process->nic_config);
    process->seen = 0;
    if (process->nic && start_threads(process))
        return PTL_OK;
    if (process->nic)
        weft_nic_close(process->nic);
    process->nic = NULL;
    if (!process->world_is_given)
        close_world(process);
    return PTL_NO_SPACE;
}

void weft_portals_process_close(struct weft_portals_process *process)
{
    weft_portals_progress_stop(process);
    weft_portals_hpu_threads_stop(process);
    send_visitors_home(process);
    weft_nic_close(process->nic);
    process->nic = NULL;
    if (!process->world_is_given)
        close_world(process);
}

void weft_portals_process_check(struct weft_portals_process *process)
{
    uint64_t now = process->world->ops->now(process->world);
    if (now - process->checked < MILLISECOND)
        return;
    process->checked = now;
    process->world->ops->check(process->world, process->nic);
}

bool weft_portals_process_step(struct weft_portals_process *process)
{
    bool any = weft_nic_step(process->nic);
    unsigned moves = atomic_load_explicit(&process->moves, memory_order_relaxed);
    if (any) /* only the owner of the lock writes it */
        atomic_store_explicit(&process->moves, moves + 1, memory_order_relaxed);
    weft_portals_process_notify(process);
    return any;
}

void weft_portals_process_advance(struct weft_portals_process *process)
{
    weft_portals_process_check(process);
    weft_portals_process_step(process);
}

void weft_portals_process_notify(struct weft_portals_process *process)
{
    if (process->seen == process->nic->posted)
        return;
    process->seen = process->nic->posted;
    if (atomic_load_explicit(&process->sleepers, memory_order_relaxed))
        process->world->ops->wake(process->world);
}

/* ---- Calls -------------------------------------------------------------------------------- */

static const struct weft_pool *pool_of(const struct weft_nic_ni *ni,
                                       enum weft_portals_handle_kind kind)
{
    switch (kind) {
    case WEFT_PORTALS_HANDLE_EQ:
        return &ni->eqs;
    case WEFT_PORTALS_HANDLE_CT:
        return &ni->cts;
    case WEFT_PORTALS_HANDLE_MD:
        return &ni->mds;
    case WEFT_PORTALS_HANDLE_ENTRY:
        return &ni->entries;
    case WEFT_PORTALS_HANDLE_HPU:
        return &ni->memories;
    case WEFT_PORTALS_HANDLE_IMAGE:
        return &ni->nic->hpu.codes;
    case WEFT_PORTALS_HANDLE_NI:
    case WEFT_PORTALS_HANDLE_STREAM:
        break;
    }
    return NULL;
}

void *weft_portals_find(const struct weft_nic_ni *ni, ptl_handle_any_t handle,
                        enum weft_portals_handle_kind kind)
{
    const struct weft_pool *pool = pool_of(ni, kind);
    if (!pool || weft_portals_handle_kind(handle) != kind ||
        weft_portals_handle_ni(handle) != ni->number)
        return NULL;
    return weft_pool_find(pool, weft_portals_handle_id(handle));
}

bool weft_portals_find_id(const struct weft_nic_ni *ni, ptl_handle_any_t handle,
                          enum weft_portals_handle_kind kind, ptl_handle_any_t none, uint32_t *id)
{
    *id = handle == none ? 0 : weft_portals_handle_id(handle);
    return handle == none || weft_portals_find(ni, handle, kind);
}

static bool resolve(struct weft_portals_scope *scope, ptl_handle_any_t handle,
                    enum weft_portals_handle_kind kind)
{
    if (!scope->process->nic || weft_portals_handle_kind(handle) != kind)
        return false;
    scope->ni = &scope->process->nic->nis[weft_portals_handle_ni(handle)];
    if (!scope->ni->open)
        return false;
    if (kind == WEFT_PORTALS_HANDLE_NI)
        return handle == weft_portals_ni_handle(scope->ni);
    if (kind == WEFT_PORTALS_HANDLE_STREAM)
        return true; /* which of the NIC's operations it is, is found out later */
    scope->object = weft_portals_find(scope->ni, handle, kind);
    return scope->object != NULL;
}

bool weft_portals_enter(struct weft_portals_scope *scope, ptl_handle_any_t handle,
                        enum weft_portals_handle_kind kind)
{
    scope->process = weft_portals_process_self();
    scope->object = NULL;
    scope->result = PTL_OK;
    pthread_mutex_lock(&scope->process->lock);
    if (scope->process->init_count == 0)
        scope->result = PTL_NO_INIT;
    else if (!resolve(scope, handle, kind))
        scope->result = PTL_ARG_INVALID;
    if (scope->result != PTL_OK)
        pthread_mutex_unlock(&scope->process->lock);
    return scope->result == PTL_OK;
}

int weft_portals_leave(struct weft_portals_scope *scope, int result)
{
    struct weft_portals_process *process = scope->process;
    if (process->nic) {
        weft_nic_trigger_run(process->nic);
        weft_portals_process_notify(process);
    }
    pthread_mutex_unlock(&process->lock);
    return result;
}
