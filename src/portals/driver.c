/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/driver.h"

#include "nic/hpu.h"
#include "packet/packet.h"
#include "portals/process.h"

int weft_portals_driver_nic(ptl_handle_ni_t ni_handle, struct weft_portals_driver_nic *nic)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI))
        return scope.result;
    const ptl_handler_limits_t *limits = &scope.ni->handler_limits;
    uint32_t packet_size = scope.ni->nic->world->packet_size;
    *nic = (struct weft_portals_driver_nic){.hpus = weft_nic_hpu_count(scope.ni->nic),
                                            .packet = limits->max_payload_size,
                                            .first_packet =
                                                weft_packet_room(packet_size, WEFT_PACKET_PUT),
                                            .memory = limits->max_handler_mem};
    return weft_portals_leave(&scope, PTL_OK);
}

void *weft_portals_driver_memory(ptl_handle_hpu_t hpu_memory)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, hpu_memory, WEFT_PORTALS_HANDLE_HPU))
        return NULL;
    void *bytes = ((const struct weft_nic_memory *)scope.object)->bytes;
    weft_portals_leave(&scope, PTL_OK);
    return bytes;
}

bool weft_portals_driver_traces(ptl_handle_ni_t ni_handle)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI))
        return false;
    bool traces = scope.ni->nic->traces;
    weft_portals_leave(&scope, PTL_OK);
    return traces;
}

void weft_portals_driver_trace(ptl_handle_ni_t ni_handle, unsigned what, uint64_t a, uint64_t b,
                               ptl_handle_ct_t ct, uint32_t number)
{
    struct weft_portals_scope scope;
    bool is_counter = ct != PTL_CT_NONE;
    if (!weft_portals_enter(&scope, is_counter ? ct : ni_handle,
                            is_counter ? WEFT_PORTALS_HANDLE_CT : WEFT_PORTALS_HANDLE_NI))
        return;
    struct weft_nic_world *world = scope.ni->nic->world;
    if (is_counter)
        number = ((const struct weft_nic_ct *)scope.object)->slot.id;
    world->ops->trace(
        world,
        &(struct weft_trace_line){
            .time = world->ops->now(world), .a = a, .b = b, .what = what, .peer_pid = number});
    weft_portals_leave(&scope, PTL_OK);
}

bool weft_portals_driver_has_event(ptl_handle_eq_t eq_handle)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, eq_handle, WEFT_PORTALS_HANDLE_EQ))
        return false;
    const struct weft_nic_eq *eq = scope.object;
    bool has_event = eq->read != eq->posted;
    weft_portals_leave(&scope, PTL_OK);
    return has_event;
}
