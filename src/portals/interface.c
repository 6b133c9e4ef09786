/* SPDX-License-Identifier: BSD-3-Clause */
/* PtlInit and the network interfaces. */
#include "nic/interface.h"

#include <string.h>

#include "base/log.h"
#include "nic/hpu.h"
#include "portals/process.h"

/* ---- The library -------------------------------------------------------------------------- */

int PtlInit(void)
{
    struct weft_portals_process *process = weft_portals_process_self();
    pthread_mutex_lock(&process->lock);
    process->init_count++;
    pthread_mutex_unlock(&process->lock);
    return PTL_OK;
}

void PtlFini(void)
{
    struct weft_portals_process *process = weft_portals_process_self();
    pthread_mutex_lock(&process->life);
    pthread_mutex_lock(&process->lock);
    if (process->init_count > 0 && --process->init_count == 0) {
        if (process->nic)
            weft_portals_process_close(process);
        memset(process->ni_count, 0, sizeof process->ni_count);
        atomic_store(&process->aborted, false);
    }
    pthread_mutex_unlock(&process->lock);
    pthread_mutex_unlock(&process->life);
}

/* May be called from a signal handler: it takes no lock. Waiters look at the flag each round. */
void PtlAbort(void)
{
    struct weft_portals_process *process = weft_portals_process_self();
    if (atomic_load(&process->init_count) == 0)
        return;
    atomic_store(&process->aborted, true);
    if (!weft_portals_process_visit(process))
        return;
    process->world->ops->wake(process->world);
    weft_portals_process_leave(process);
}

/* ---- Interfaces --------------------------------------------------------------------------- */

static bool is_one_of(unsigned options, unsigned a, unsigned b)
{
    return !(options & a) != !(options & b);
}

static bool options_are_valid(unsigned options)
{
    unsigned known = PTL_NI_MATCHING | PTL_NI_NO_MATCHING | PTL_NI_LOGICAL | PTL_NI_PHYSICAL;
    return !(options & ~known) && is_one_of(options, PTL_NI_MATCHING, PTL_NI_NO_MATCHING) &&
           is_one_of(options, PTL_NI_LOGICAL, PTL_NI_PHYSICAL);
}

static int open_interface(struct weft_portals_process *process, unsigned options, ptl_pid_t pid,
                          const ptl_ni_limits_t *desired, struct weft_nic_ni **ni)
{
    bool is_first = process->nic == NULL;
    int result = weft_portals_process_open(process, pid);
    if (result != PTL_OK)
        return result;
    *ni = weft_nic_ni_of(process->nic, options);
    if (!(*ni)->open)
        result = weft_nic_ni_open(*ni, options, desired, process->incarnations[(*ni)->number]++);
    if (result == PTL_OK)
        process->ni_count[(*ni)->number]++;
    else if (is_first)
        weft_portals_process_close(process);
    return result;
}

int PtlNIInit(ptl_interface_t iface, unsigned int options, ptl_pid_t pid,
              const ptl_ni_limits_t *desired, ptl_ni_limits_t *actual, ptl_handle_ni_t *ni_handle)
{
    struct weft_portals_process *process = weft_portals_process_self();
    bool pid_is_valid = pid == PTL_PID_ANY || (pid > 0 && pid <= PTL_PID_MAX);
    pthread_mutex_lock(&process->life);
    pthread_mutex_lock(&process->lock);
    int result = PTL_ARG_INVALID;
    struct weft_nic_ni *ni;
    if (process->init_count == 0)
        result = PTL_NO_INIT;
    else if ((iface == PTL_IFACE_DEFAULT || iface == 0) && options_are_valid(options) &&
             pid_is_valid && ni_handle)
        result = open_interface(process, options, pid, desired, &ni);
    if (result == PTL_OK) {
        if (actual)
            *actual = ni->limits;
        *ni_handle = weft_portals_ni_handle(ni);
    }
    pthread_mutex_unlock(&process->lock);
    pthread_mutex_unlock(&process->life);
    return result;
}

static bool has_other_interfaces(const struct weft_portals_process *process)
{
    for (unsigned i = 0; i < WEFT_NIC_NIS; i++)
        if (process->ni_count[i])
            return true;
    return false;
}

/* What was sent should arrive even if the program ends now; but a peer that takes nothing must
 * not hold us up for ever. The lock is held, and let go of in between. */
static void flush(struct weft_portals_scope *scope)
{
    struct weft_portals_process *process = scope->process;
    struct weft_wait wait;
    weft_portals_wait_begin(&wait, process, (ptl_time_t)(process->world->timeout / 1000000));
    while (!weft_nic_is_flushed(process->nic) && !wait.is_over) {
        if (weft_portals_process_step(process))
            continue;
        pthread_mutex_unlock(&process->lock);
        weft_portals_wait_pause(&wait);
        pthread_mutex_lock(&process->lock);
    }
}

/* Nothing stops native code, and its memory must not go while it runs. */
static void wait_for_handlers(struct weft_portals_scope *scope)
{
    struct weft_portals_process *process = scope->process;
    struct weft_wait wait;
    weft_portals_wait_begin(&wait, process, (ptl_time_t)(process->world->timeout / 1000000));
    while (process->hpu_threads && weft_nic_hpu_is_busy(process->nic, scope->ni)) {
        pthread_mutex_unlock(&process->lock);
        weft_portals_wait_pause(&wait);
        pthread_mutex_lock(&process->lock);
        if (!wait.is_over)
            continue;
        weft_log(WEFT_LOG_ERROR, "a handler does not end: PtlNIFini waits for it");
        weft_portals_wait_begin(&wait, process, PTL_TIME_FOREVER);
    }
}

static int close_interface(ptl_handle_ni_t ni_handle)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI))
        return scope.result;
    if (--scope.process->ni_count[scope.ni->number] == 0) {
        flush(&scope);
        wait_for_handlers(&scope);
        weft_nic_ni_close(scope.ni);
        scope.process->bundles[scope.ni->number] = 0;
        scope.process->nic->posted++; /* waiters must notice that their objects are gone */
        if (!has_other_interfaces(scope.process))
            weft_portals_process_close(scope.process);
    }
    return weft_portals_leave(&scope, PTL_OK);
}

int PtlNIFini(ptl_handle_ni_t ni_handle)
{
    struct weft_portals_process *process = weft_portals_process_self();
    pthread_mutex_lock(&process->life);
    int result = close_interface(ni_handle);
    pthread_mutex_unlock(&process->life);
    return result;
}

int PtlNIStatus(ptl_handle_ni_t ni_handle, ptl_sr_index_t status_register, ptl_sr_value_t *status)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI))
        return scope.result;
    weft_portals_process_step(scope.process);
    bool is_register = (unsigned)status_register < PTL_SR_LAYOUT_LAST &&
                       (unsigned)status_register != PTL_SR_LAST;
    if (!is_register || !status)
        return weft_portals_leave(&scope, PTL_ARG_INVALID);
    *status = scope.ni->status[status_register];
    return weft_portals_leave(&scope, PTL_OK);
}

int PtlNIHandle(ptl_handle_any_t handle, ptl_handle_ni_t *ni_handle)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, handle, weft_portals_handle_kind(handle)))
        return scope.result;
    if (!ni_handle)
        return weft_portals_leave(&scope, PTL_ARG_INVALID);
    *ni_handle = weft_portals_ni_handle(scope.ni);
    return weft_portals_leave(&scope, PTL_OK);
}

/* ---- Identity ----------------------------------------------------------------------------- */

static ptl_process_t physical(const struct weft_portals_scope *scope)
{
    struct weft_nic_address self = scope->process->world->self;
    return (ptl_process_t){.phys = {self.nid, self.pid}};
}

int PtlGetUid(ptl_handle_ni_t ni_handle, ptl_uid_t *uid)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI))
        return scope.result;
    if (uid)
        *uid = scope.process->world->uid;
    return weft_portals_leave(&scope, uid ? PTL_OK : PTL_ARG_INVALID);
}

static int get_id(ptl_handle_ni_t ni_handle, ptl_process_t *id, bool is_physical)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI))
        return scope.result;
    bool is_rank = scope.ni->logical && !is_physical;
    if (!id || (is_rank && !scope.ni->map))
        return weft_portals_leave(&scope, PTL_ARG_INVALID);
    *id = is_rank ? (ptl_process_t){.rank = scope.ni->rank} : physical(&scope);
    return weft_portals_leave(&scope, PTL_OK);
}

int PtlGetId(ptl_handle_ni_t ni_handle, ptl_process_t *id)
{
    return get_id(ni_handle, id, false);
}

int PtlGetPhysId(ptl_handle_ni_t ni_handle, ptl_process_t *id)
{
    return get_id(ni_handle, id, true);
}

int PtlSetMap(ptl_handle_ni_t ni_handle, ptl_size_t map_size, const ptl_process_t *mapping)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI))
        return scope.result;
    /* A rank has 32 bits, and the last is PTL_RANK_ANY. */
    if (!scope.ni->logical || !mapping || map_size == 0 || map_size >= PTL_RANK_ANY)
        return weft_portals_leave(&scope, PTL_ARG_INVALID);
    bool is_shared = mapping == scope.process->shared_map;
    return weft_portals_leave(&scope, is_shared
                                          ? weft_nic_ni_share_map(scope.ni, mapping, map_size)
                                          : weft_nic_ni_set_map(scope.ni, mapping, map_size));
}

int PtlGetMap(ptl_handle_ni_t ni_handle, ptl_size_t map_size, ptl_process_t *mapping,
              ptl_size_t *actual_map_size)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI))
        return scope.result;
    const struct weft_nic_ni *ni = scope.ni;
    if (!ni->logical || !ni->map || (map_size && !mapping) || (!map_size && !actual_map_size))
        return weft_portals_leave(&scope, PTL_ARG_INVALID);
    if (map_size > ni->map_size)
        map_size = ni->map_size;
    if (map_size)
        memcpy(mapping, ni->map, map_size * sizeof *mapping);
    if (actual_map_size)
        *actual_map_size = ni->map_size;
    return weft_portals_leave(&scope, PTL_OK);
}

/* ---- Bundles and handles ------------------------------------------------------------------ */

/* Packets go straight into the memory of the receiver: there is nothing to gain by holding them
 * back. So a bundle only counts, and its end sends what could not be sent at once. */
int PtlStartBundle(ptl_handle_ni_t ni_handle)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI))
        return scope.result;
    scope.process->bundles[scope.ni->number]++;
    return weft_portals_leave(&scope, PTL_OK);
}

int PtlEndBundle(ptl_handle_ni_t ni_handle)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI))
        return scope.result;
    if (scope.process->bundles[scope.ni->number] == 0)
        return weft_portals_leave(&scope, PTL_ARG_INVALID);
    scope.process->bundles[scope.ni->number]--;
    weft_portals_process_step(scope.process);
    return weft_portals_leave(&scope, PTL_OK);
}

int PtlHandleIsEqual(ptl_handle_any_t handle1, ptl_handle_any_t handle2)
{
    return handle1 == handle2;
}
