/* SPDX-License-Identifier: BSD-3-Clause */
/* Handlers, from the side of the program: entries that have them, and the memory they share. */
#include <stdlib.h>

#include "nic/execution.h"
#include "nic/interface.h"
#include "portals/image.h"
#include "portals/list.h"

static bool policy_is_valid(const ptl_handlers_t *handlers)
{
    switch (handlers->policy) {
    case PTL_SCHED_DEFAULT:
        return true;
    case PTL_SCHED_BLOCKED_RR:
        return handlers->delta_p > 0 && handlers->vhpus > 0;
    }
    return false;
}

/* The state is at the beginning of the memory, so it must fit there. */
static bool state_is_valid(const struct weft_nic_ni *ni, const ptl_handlers_t *handlers,
                           const struct weft_nic_memory *memory)
{
    ptl_size_t length = handlers->hpu_initial_state_length;
    if (length == 0)
        return true;
    return memory && length <= memory->length && length <= ni->handler_limits.max_initial_state;
}

static bool are_valid(const struct weft_nic_ni *ni, const ptl_handlers_t *handlers,
                      const struct weft_nic_memory *memory)
{
    return policy_is_valid(handlers) && !(handlers->options & ~PTL_HANDLER_IOVEC) &&
           handlers->user_hdr_size <= ni->handler_limits.max_user_hdr_size &&
           (memory || handlers->hpu_memory == PTL_HPU_NONE) &&
           state_is_valid(ni, handlers, memory);
}

static int append(struct weft_nic_ni *ni, ptl_handlers_t handlers,
                  struct weft_nic_entry_spec *spec, uint32_t *id)
{
    spec->memory = weft_portals_find(ni, handlers.hpu_memory, WEFT_PORTALS_HANDLE_HPU);
    if (!are_valid(ni, &handlers, spec->memory))
        return PTL_ARG_INVALID;
    int result = handlers.image ? weft_portals_image_bind(ni, &handlers, spec) : PTL_OK;
    if (result != PTL_OK)
        return result;
    spec->handlers = &handlers;
    result = weft_nic_entry_append(ni, spec, id);
    if (result != PTL_OK)
        free(spec->core);
    return result;
}

int PtlMEAppendHandlers(ptl_handle_ni_t ni_handle, ptl_pt_index_t pt_index, const ptl_me_t *me,
                        const ptl_handlers_t *handlers, ptl_list_t ptl_list, void *user_ptr,
                        ptl_handle_me_t *me_handle)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI))
        return scope.result;
    struct weft_nic_entry_spec spec;
    if (!handlers || !me_handle || !scope.ni->matching)
        return weft_portals_leave(&scope, PTL_ARG_INVALID);
    uint32_t id;
    int result = weft_portals_list_spec(scope.ni, pt_index, me, ptl_list, user_ptr, &spec);
    if (result == PTL_OK)
        result = append(scope.ni, *handlers, &spec, &id);
    if (result == PTL_OK)
        *me_handle = weft_portals_handle(WEFT_PORTALS_HANDLE_ENTRY, scope.ni->number, id);
    return weft_portals_leave(&scope, result);
}

/* ---- Memory of the NIC -------------------------------------------------------------------- */

int PtlHPUAllocMem(ptl_size_t length, ptl_handle_ni_t ni_handle, ptl_handle_hpu_t *hpu_memory)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI))
        return scope.result;
    uint32_t id;
    int result = hpu_memory ? weft_nic_memory_open(scope.ni, length, &id) : PTL_ARG_INVALID;
    if (result == PTL_OK)
        *hpu_memory = weft_portals_handle(WEFT_PORTALS_HANDLE_HPU, scope.ni->number, id);
    return weft_portals_leave(&scope, result);
}

int PtlHPUFreeMem(ptl_handle_hpu_t *hpu_memory)
{
    struct weft_portals_scope scope;
    if (!hpu_memory)
        return PTL_ARG_INVALID;
    if (!weft_portals_enter(&scope, *hpu_memory, WEFT_PORTALS_HANDLE_HPU))
        return scope.result;
    int result = weft_nic_memory_close(scope.ni, scope.object);
    if (result == PTL_OK)
        *hpu_memory = PTL_HPU_NONE;
    else
        weft_portals_process_advance(scope.process);
    return weft_portals_leave(&scope, result);
}

int PtlNIHandlerLimits(ptl_handle_ni_t ni_handle, const ptl_handler_limits_t *desired,
                       ptl_handler_limits_t *actual)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI))
        return scope.result;
    if (desired)
        weft_nic_ni_lower_handler_limits(scope.ni, desired);
    if (actual)
        *actual = scope.ni->handler_limits;
    return weft_portals_leave(&scope, desired || actual ? PTL_OK : PTL_ARG_INVALID);
}
