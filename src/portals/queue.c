/* SPDX-License-Identifier: BSD-3-Clause */
/* Event queues. */
#include <stdlib.h>

#include "nic/event.h"
#include "portals/process.h"

/* More would be a mistake of the program, and overflow sums. */
#define LONGEST ((ptl_size_t)1 << 32)

int PtlEQAlloc(ptl_handle_ni_t ni_handle, ptl_size_t count, ptl_handle_eq_t *eq_handle)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI))
        return scope.result;
    if (!eq_handle || count > LONGEST)
        return weft_portals_leave(&scope, PTL_ARG_INVALID);
    struct weft_nic_eq *eq = weft_pool_take(&scope.ni->eqs);
    if (!eq)
        return weft_portals_leave(&scope, PTL_NO_SPACE);
    if (!weft_nic_event_resize(eq, count ? count : 1, 0)) {
        weft_pool_give(&scope.ni->eqs, eq);
        return weft_portals_leave(&scope, PTL_NO_SPACE);
    }
    *eq_handle = weft_portals_handle(WEFT_PORTALS_HANDLE_EQ, scope.ni->number, eq->slot.id);
    return weft_portals_leave(&scope, PTL_OK);
}

int PtlEQFree(ptl_handle_eq_t eq_handle)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, eq_handle, WEFT_PORTALS_HANDLE_EQ))
        return scope.result;
    struct weft_nic_eq *eq = scope.object;
    free(eq->events);
    eq->events = NULL;
    weft_pool_give(&scope.ni->eqs, eq);
    scope.process->nic->posted++; /* those who wait for it must notice */
    return weft_portals_leave(&scope, PTL_OK);
}

/* One look at a queue: PTL_OK, PTL_EQ_DROPPED, PTL_EQ_EMPTY or an error. */
static int look(ptl_handle_eq_t handle, ptl_event_t *event)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, handle, WEFT_PORTALS_HANDLE_EQ))
        return scope.result;
    int result = weft_nic_event_get(scope.object, event);
    if (result == PTL_EQ_EMPTY && weft_portals_process_step(scope.process))
        result = weft_nic_event_get(scope.object, event);
    return weft_portals_leave(&scope, result);
}

int PtlEQGet(ptl_handle_eq_t eq_handle, ptl_event_t *event)
{
    if (!event)
        return PTL_ARG_INVALID;
    int result = look(eq_handle, event);
    if (result == PTL_EQ_EMPTY)
        weft_portals_wait_once();
    return result;
}

int PtlEQWait(ptl_handle_eq_t eq_handle, ptl_event_t *event)
{
    unsigned which;
    return PtlEQPoll(&eq_handle, 1, PTL_TIME_FOREVER, event, &which);
}

/* Looks at all of them once, beginning with another one each time. */
static int look_at_all(const ptl_handle_eq_t *handles, unsigned size, unsigned first,
                       ptl_event_t *event, unsigned *which)
{
    for (unsigned i = 0; i < size; i++) {
        unsigned candidate = (first % size + i) % size;
        int result = look(handles[candidate], event);
        if (result != PTL_EQ_EMPTY) {
            *which = candidate;
            return result;
        }
    }
    return PTL_EQ_EMPTY;
}

int PtlEQPoll(const ptl_handle_eq_t *eq_handles, unsigned int size, ptl_time_t timeout,
              ptl_event_t *event, unsigned int *which)
{
    if (!eq_handles || !size || !event || !which)
        return PTL_ARG_INVALID;
    struct weft_portals_process *process = weft_portals_process_self();
    struct weft_wait wait;
    unsigned first = atomic_fetch_add_explicit(&process->polls, 1, memory_order_relaxed);
    unsigned found = 0;
    int result = look_at_all(eq_handles, size, first, event, &found);
    weft_portals_wait_begin(&wait, process, timeout);
    while (result == PTL_EQ_EMPTY) {
        if (atomic_load(&process->aborted))
            return PTL_ABORTED;
        weft_portals_wait_pause(&wait);
        result = look_at_all(eq_handles, size, ++first, event, &found);
        /* It was there when the call began, so another thread has freed it. */
        if (result == PTL_ARG_INVALID || result == PTL_NO_INIT)
            return PTL_INTERRUPTED;
        if (wait.is_over)
            break;
    }
    if (result == PTL_OK || result == PTL_EQ_DROPPED)
        *which = found;
    return result;
}
