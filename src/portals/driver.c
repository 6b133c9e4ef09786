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
