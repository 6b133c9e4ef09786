/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting events. */
#include "nic/trigger.h"
#include "portals/process.h"

int PtlCTAlloc(ptl_handle_ni_t ni_handle, ptl_handle_ct_t *ct_handle)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI))
        return scope.result;
    if (!ct_handle)
        return weft_portals_leave(&scope, PTL_ARG_INVALID);
    struct weft_nic_ct *ct = weft_pool_take(&scope.ni->cts);
    if (!ct)
        return weft_portals_leave(&scope, PTL_NO_SPACE);
    ct->ni = scope.ni;
    *ct_handle = weft_portals_handle(WEFT_PORTALS_HANDLE_CT, scope.ni->number, ct->slot.id);
    return weft_portals_leave(&scope, PTL_OK);
}

static int cancel_triggered(ptl_handle_ct_t ct_handle, bool frees)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, ct_handle, WEFT_PORTALS_HANDLE_CT))
        return scope.result;
    weft_nic_trigger_cancel(scope.object);
    if (frees) {
        weft_pool_give(&scope.ni->cts, scope.object);
        scope.process->nic->posted++; /* those who wait for it must notice */
    }
    return weft_portals_leave(&scope, PTL_OK);
}

int PtlCTFree(ptl_handle_ct_t ct_handle)
{
    return cancel_triggered(ct_handle, true);
}

int PtlCTCancelTriggered(ptl_handle_ct_t ct_handle)
{
    return cancel_triggered(ct_handle, false);
}

/* One look at a counter, after a step: PTL_OK or an error. */
static int look(ptl_handle_ct_t handle, ptl_ct_event_t *event)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, handle, WEFT_PORTALS_HANDLE_CT))
        return scope.result;
    weft_portals_process_step(scope.process);
    *event = ((const struct weft_nic_ct *)scope.object)->value;
    return weft_portals_leave(&scope, PTL_OK);
}

int PtlCTGet(ptl_handle_ct_t ct_handle, ptl_ct_event_t *event)
{
    if (!event)
        return PTL_ARG_INVALID;
    int result = look(ct_handle, event);
    if (result == PTL_OK)
        weft_portals_wait_once();
    return result;
}

int PtlCTWait(ptl_handle_ct_t ct_handle, ptl_size_t test, ptl_ct_event_t *event)
{
    unsigned which;
    return PtlCTPoll(&ct_handle, &test, 1, PTL_TIME_FOREVER, event, &which);
}

static int look_at_all(const ptl_handle_ct_t *handles, const ptl_size_t *tests, unsigned size,
                       unsigned first, ptl_ct_event_t *event, unsigned *which)
{
    for (unsigned i = 0; i < size; i++) {
        unsigned candidate = (first % size + i) % size;
        ptl_ct_event_t value;
        int result = look(handles[candidate], &value);
        if (result != PTL_OK)
            return result;
        if (value.success + value.failure >= tests[candidate]) {
            *event = value;
            *which = candidate;
            return PTL_OK;
        }
    }
    return PTL_CT_NONE_REACHED;
}

int PtlCTPoll(const ptl_handle_ct_t *ct_handles, const ptl_size_t *tests, unsigned int size,
              ptl_time_t timeout, ptl_ct_event_t *event, unsigned int *which)
{
    if (!ct_handles || !tests || !size || !event || !which)
        return PTL_ARG_INVALID;
    struct weft_portals_process *process = weft_portals_process_self();
    struct weft_wait wait;
    unsigned first = atomic_fetch_add_explicit(&process->polls, 1, memory_order_relaxed);
    int result = look_at_all(ct_handles, tests, size, first, event, which);
    weft_portals_wait_begin(&wait, process, timeout);
    while (result == PTL_CT_NONE_REACHED) {
        if (atomic_load(&process->aborted))
            return PTL_ABORTED;
        weft_portals_wait_pause(&wait);
        result = look_at_all(ct_handles, tests, size, ++first, event, which);
        /* It was there when the call began, so another thread has freed it. */
        if (result == PTL_ARG_INVALID || result == PTL_NO_INIT)
            return PTL_INTERRUPTED;
        if (wait.is_over)
            break;
    }
    return result;
}

int PtlCTSet(ptl_handle_ct_t ct_handle, ptl_ct_event_t new_ct)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, ct_handle, WEFT_PORTALS_HANDLE_CT))
        return scope.result;
    struct weft_nic_ct *ct = scope.object;
    ct->value = new_ct;
    weft_nic_trigger_reached(ct);
    return weft_portals_leave(&scope, PTL_OK);
}

int PtlCTInc(ptl_handle_ct_t ct_handle, ptl_ct_event_t increment)
{
    struct weft_portals_scope scope;
    if (increment.success && increment.failure)
        return PTL_ARG_INVALID;
    if (!weft_portals_enter(&scope, ct_handle, WEFT_PORTALS_HANDLE_CT))
        return scope.result;
    bool is_added = weft_nic_trigger_add(scope.object, increment);
    return weft_portals_leave(&scope, is_added ? PTL_OK : PTL_ARG_INVALID);
}
