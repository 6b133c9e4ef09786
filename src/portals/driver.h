/* SPDX-License-Identifier: BSD-3-Clause */
/* What a driver knows of its NIC and a program does not. libweft_handlers, which prepares memory
 * of the NIC before handlers use it, is such a driver, and libweft_collective, whose operations
 * are on timelines, and which looks for events where it expects none. */
#ifndef WEFT_PORTALS_DRIVER_H
#define WEFT_PORTALS_DRIVER_H

#include <stdbool.h>

#include <portals4_spin.h>

#include "base/private.h"

struct weft_portals_driver_nic {
    unsigned hpus;         /* at least 1 */
    uint64_t packet;       /* bytes of payload */
    uint64_t first_packet; /* the same of the first of a put, whose headers are longer */
    uint64_t memory;       /* of one allocation */
};

/* PTL_OK, or why there is no such interface. */
WEFT_PRIVATE int weft_portals_driver_nic(ptl_handle_ni_t ni_handle,
                                         struct weft_portals_driver_nic *nic);

/* The address of memory that PtlHPUAllocMem gave; NULL if the handle is not valid. */
WEFT_PRIVATE void *weft_portals_driver_memory(ptl_handle_hpu_t hpu_memory);

/* Whether the NIC of this interface writes a timeline, and a line for it: about a counter, or,
 * with PTL_CT_NONE, with a number. */
WEFT_PRIVATE bool weft_portals_driver_traces(ptl_handle_ni_t ni_handle);
WEFT_PRIVATE void weft_portals_driver_trace(ptl_handle_ni_t ni_handle, unsigned what, uint64_t a,
                                            uint64_t b, ptl_handle_ct_t ct, uint32_t number);

/* Whether an event is in the queue, of what was done so far: packets that wait are not looked at,
 * and nobody rests. */
WEFT_PRIVATE bool weft_portals_driver_has_event(ptl_handle_eq_t eq_handle);

#endif
