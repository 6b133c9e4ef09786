/* SPDX-License-Identifier: BSD-3-Clause */
/* The portal table. */
#include "nic/event.h"
#include "portals/process.h"

static bool is_index(const struct weft_nic_ni *ni, ptl_pt_index_t index)
{
    return index <= (ptl_pt_index_t)ni->limits.max_pt_index;
}

/* PTL_OK and the entry to use. */
static int choose(struct weft_nic_ni *ni, ptl_pt_index_t spec, ptl_pt_index_t *index)
{
    if (spec != PTL_PT_ANY) {
        *index = spec;
        if (!is_index(ni, spec))
            return PTL_ARG_INVALID;
        return ni->pts[spec].allocated ? PTL_PT_IN_USE : PTL_OK;
    }
    for (*index = 0; is_index(ni, *index); ++*index)
        if (!ni->pts[*index].allocated)
            return PTL_OK;
    return PTL_PT_FULL;
}

/* Flow control must always be able to say that it has disabled the entry. */
static int reserve_event(struct weft_nic_ni *ni, uint32_t id, unsigned options)
{
    if (!(options & PTL_PT_FLOWCTRL))
        return PTL_OK;
    struct weft_nic_eq *eq = weft_pool_find(&ni->eqs, id);
    if (!eq)
        return PTL_PT_EQ_NEEDED;
    return weft_nic_event_resize(eq, eq->count, eq->reserve + 1) ? PTL_OK : PTL_NO_SPACE;
}

static int allocate(struct weft_nic_ni *ni, unsigned options, ptl_handle_eq_t eq_handle,
                    ptl_pt_index_t spec, ptl_pt_index_t *index)
{
    unsigned known =
        PTL_PT_ONLY_USE_ONCE | PTL_PT_FLOWCTRL | PTL_PT_ONLY_TRUNCATE | PTL_PT_ALLOC_DISABLED;
    uint32_t eq;
    ptl_pt_index_t chosen;
    if ((options & ~known) || !index ||
        !weft_portals_find_id(ni, eq_handle, WEFT_PORTALS_HANDLE_EQ, PTL_EQ_NONE, &eq))
        return PTL_ARG_INVALID;
    int result = choose(ni, spec, &chosen);
    if (result == PTL_OK)
        result = reserve_event(ni, eq, options);
    if (result != PTL_OK)
        return result;
    struct weft_nic_pt *pt = &ni->pts[chosen];
    pt->allocated = true;
    pt->enabled = !(options & PTL_PT_ALLOC_DISABLED);
    pt->options = options;
    pt->eq = eq;
    pt->queue = weft_pool_find(&ni->eqs, eq);
    *index = chosen;
    return PTL_OK;
}

int PtlPTAlloc(ptl_handle_ni_t ni_handle, unsigned int options, ptl_handle_eq_t eq_handle,
               ptl_pt_index_t pt_index_req, ptl_pt_index_t *pt_index)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI))
        return scope.result;
    return weft_portals_leave(&scope,
                              allocate(scope.ni, options, eq_handle, pt_index_req, pt_index));
}

/* Enters a call about an allocated portal table entry. */
static bool enter(struct weft_portals_scope *scope, ptl_handle_ni_t ni_handle,
                  ptl_pt_index_t pt_index, struct weft_nic_pt **pt)
{
    if (!weft_portals_enter(scope, ni_handle, WEFT_PORTALS_HANDLE_NI))
        return false;
    if (is_index(scope->ni, pt_index) && scope->ni->pts[pt_index].allocated)
        *pt = &scope->ni->pts[pt_index];
    else
        scope->result = weft_portals_leave(scope, PTL_ARG_INVALID);
    return scope->result == PTL_OK;
}

static bool is_in_use(const struct weft_nic_pt *pt)
{
    return pt->pending || pt->lists[PTL_PRIORITY_LIST].count ||
           pt->lists[PTL_OVERFLOW_LIST].count || !weft_list_is_empty(&pt->unexpected);
}

int PtlPTFree(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index)
{
    struct weft_portals_scope scope;
    struct weft_nic_pt *pt = NULL;
    if (!enter(&scope, ni_handle, pt_index, &pt))
        return scope.result;
    if (is_in_use(pt))
        weft_portals_process_advance(scope.process);
    if (is_in_use(pt))
        return weft_portals_leave(&scope, PTL_IN_USE);
    struct weft_nic_eq *eq = weft_pool_find(&scope.ni->eqs, pt->eq);
    if (eq && pt->options & PTL_PT_FLOWCTRL)
        eq->reserve--;
    pt->allocated = false;
    return weft_portals_leave(&scope, PTL_OK);
}

static int set_enabled(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, bool is_enabled)
{
    struct weft_portals_scope scope;
    struct weft_nic_pt *pt = NULL;
    if (!enter(&scope, ni_handle, pt_index, &pt))
        return scope.result;
    pt->enabled = is_enabled;
    return weft_portals_leave(&scope, PTL_OK);
}

/* What is under way ends, at the latest when its sender counts as dead. */
static int drain(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index)
{
    struct weft_wait wait;
    weft_portals_wait_begin(&wait, weft_portals_process_self(), PTL_TIME_FOREVER);
    do {
        struct weft_portals_scope scope;
        struct weft_nic_pt *pt = NULL;
        if (!enter(&scope, ni_handle, pt_index, &pt))
            return scope.result;
        if (pt->pending)
            weft_portals_process_step(scope.process);
        bool is_idle = !pt->pending;
        weft_portals_leave(&scope, PTL_OK);
        if (is_idle)
            return PTL_OK;
        weft_portals_wait_pause(&wait);
    } while (!atomic_load(&wait.process->aborted));
    return PTL_ABORTED;
}

int PtlPTDisable(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index)
{
    int result = set_enabled(ni_handle, pt_index, false);
    return result == PTL_OK ? drain(ni_handle, pt_index) : result;
}

int PtlPTEnable(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index)
{
    return set_enabled(ni_handle, pt_index, true);
}
