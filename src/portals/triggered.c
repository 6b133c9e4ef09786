/* SPDX-License-Identifier: BSD-3-Clause */
/* Triggered changes of counters and lists. */
#include "nic/trigger.h"
#include "portals/list.h"

static int change_counter(ptl_handle_ct_t ct_handle, ptl_ct_event_t value,
                          enum weft_nic_trigger_what what, ptl_handle_ct_t trigger_handle,
                          ptl_size_t threshold)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, trigger_handle, WEFT_PORTALS_HANDLE_CT))
        return scope.result;
    if (!weft_portals_find(scope.ni, ct_handle, WEFT_PORTALS_HANDLE_CT))
        return weft_portals_leave(&scope, PTL_ARG_INVALID);
    struct weft_nic_trigger *trigger = weft_nic_trigger_new(scope.ni, what);
    if (!trigger)
        return weft_portals_leave(&scope, PTL_NO_SPACE);
    trigger->object = weft_portals_handle_id(ct_handle);
    trigger->value = value;
    weft_nic_trigger_set(trigger, scope.object, threshold);
    return weft_portals_leave(&scope, PTL_OK);
}

int PtlTriggeredCTInc(ptl_handle_ct_t ct_handle, ptl_ct_event_t increment,
                      ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold)
{
    if (increment.success && increment.failure)
        return PTL_ARG_INVALID;
    return change_counter(ct_handle, increment, WEFT_NIC_TRIGGER_INCREMENT, trig_ct_handle,
                          threshold);
}

int PtlTriggeredCTSet(ptl_handle_ct_t ct_handle, ptl_ct_event_t new_ct,
                      ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold)
{
    return change_counter(ct_handle, new_ct, WEFT_NIC_TRIGGER_SET, trig_ct_handle, threshold);
}

/* The entry exists from now on, so that its handle can be given; its contents are read later. */
static int reserve(struct weft_nic_ni *ni, const struct weft_nic_entry_spec *spec,
                   struct weft_nic_ct *ct, ptl_size_t threshold, const ptl_me_t *me,
                   ptl_handle_me_t *handle)
{
    uint32_t id;
    struct weft_nic_trigger *trigger = weft_nic_trigger_new(ni, WEFT_NIC_TRIGGER_APPEND);
    if (!trigger)
        return PTL_NO_SPACE;
    int result = weft_nic_entry_reserve(ni, spec, &id);
    if (result != PTL_OK) {
        weft_pool_give(&ni->triggers, trigger);
        return result;
    }
    trigger->object = id;
    trigger->me = me;
    *handle = weft_portals_handle(WEFT_PORTALS_HANDLE_ENTRY, ni->number, id);
    weft_nic_trigger_set(trigger, ct, threshold);
    return PTL_OK;
}

int PtlTriggeredMEAppend(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_me_t *me,
                         ptl_list_t ptl_list, void *user_ptr, ptl_handle_me_t *me_handle,
                         ptl_handle_ct_t trig_ct_handle, ptl_size_t threshold)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, trig_ct_handle, WEFT_PORTALS_HANDLE_CT))
        return scope.result;
    struct weft_nic_entry_spec spec;
    bool is_ours = ni_handle == weft_portals_ni_handle(scope.ni);
    int result = is_ours && scope.ni->matching && me_handle
                     ? weft_portals_list_spec(scope.ni, pt_index, me, ptl_list, user_ptr, &spec)
                     : PTL_ARG_INVALID;
    if (result == PTL_OK)
        result = reserve(scope.ni, &spec, scope.object, threshold, me, me_handle);
    return weft_portals_leave(&scope, result);
}

int PtlTriggeredMEUnlink(ptl_handle_me_t me_handle, ptl_handle_ct_t trig_ct_handle,
                         ptl_size_t threshold)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, trig_ct_handle, WEFT_PORTALS_HANDLE_CT))
        return scope.result;
    if (!scope.ni->matching || !weft_portals_find(scope.ni, me_handle, WEFT_PORTALS_HANDLE_ENTRY))
        return weft_portals_leave(&scope, PTL_ARG_INVALID);
    struct weft_nic_trigger *trigger = weft_nic_trigger_new(scope.ni, WEFT_NIC_TRIGGER_UNLINK);
    if (!trigger)
        return weft_portals_leave(&scope, PTL_NO_SPACE);
    trigger->object = weft_portals_handle_id(me_handle);
    weft_nic_trigger_set(trigger, scope.object, threshold);
    return weft_portals_leave(&scope, PTL_OK);
}
