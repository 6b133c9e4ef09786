/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A handle is 3 bits of kind, 2 bits of interface and a pool id; of an interface, how often it was
 * opened. The ids of PTL_EQ_NONE, PTL_CT_NONE, PTL_HPU_NONE and PTL_INVALID_HANDLE have all bits
 * set, which no pool gives out.
 */
#ifndef WEFT_PORTALS_HANDLE_H
#define WEFT_PORTALS_HANDLE_H

#include <portals4.h>

#include "base/pool.h"

enum weft_portals_handle_kind {
    WEFT_PORTALS_HANDLE_STREAM,
    WEFT_PORTALS_HANDLE_EQ = 1, /* so that PTL_EQ_NONE is of this kind */
    WEFT_PORTALS_HANDLE_CT = 2, /* and PTL_CT_NONE of this */
    WEFT_PORTALS_HANDLE_MD,
    WEFT_PORTALS_HANDLE_ENTRY,
    WEFT_PORTALS_HANDLE_NI,
    WEFT_PORTALS_HANDLE_HPU = 6, /* and PTL_HPU_NONE of this */
    WEFT_PORTALS_HANDLE_IMAGE
};

#define WEFT_PORTALS_HANDLE_ID_MASK ((1u << WEFT_POOL_ID_BITS) - 1)

static inline ptl_handle_any_t weft_portals_handle(enum weft_portals_handle_kind kind, unsigned ni,
                                                   uint32_t id)
{
    return (uint32_t)kind << 29 | ni << WEFT_POOL_ID_BITS | id;
}

static inline enum weft_portals_handle_kind weft_portals_handle_kind(ptl_handle_any_t handle)
{
    return (enum weft_portals_handle_kind)(handle >> 29);
}

static inline unsigned weft_portals_handle_ni(ptl_handle_any_t handle)
{
    return handle >> WEFT_POOL_ID_BITS & 3;
}

static inline uint32_t weft_portals_handle_id(ptl_handle_any_t handle)
{
    return handle & WEFT_PORTALS_HANDLE_ID_MASK;
}

#endif
