/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/memory.h"

#include "nic/hpu.h"
#include "packet/packet.h"
#include "portals/process.h"

void *weft_offload_memory(ptl_handle_hpu_t hpu_memory)
{
    struct weft_portals_scope scope;
    if (weft_portals_enter(&scope, hpu_memory, WEFT_PORTALS_HANDLE_HPU) != PTL_OK)
        return NULL;
    void *bytes = ((const struct weft_nic_memory *)scope.object)->bytes;
    weft_portals_leave(&scope, PTL_OK);
    return bytes;
}

bool weft_offload_nic_of(ptl_handle_ni_t ni_handle, struct weft_offload_nic *nic)
{
    struct weft_portals_scope scope;
    if (weft_portals_enter(&scope, ni_handle, WEFT_PORTALS_HANDLE_NI) != PTL_OK)
        return false;
    const struct weft_nic_world *world = scope.ni->nic->world;
    *nic = weft_offload_nic_of_paper(scope.ni->handler_limits.max_payload_size);
    nic->first_packet = world->packet_size - weft_packet_headers(WEFT_PACKET_PUT);
    nic->hpus = weft_nic_hpu_count(scope.ni->nic);
    nic->memory = scope.ni->handler_limits.max_handler_mem;
    weft_portals_leave(&scope, PTL_OK);
    return true;
}
