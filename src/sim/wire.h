/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets pass a wire one after the other, at its rate. */
#ifndef WEFT_SIM_WIRE_H
#define WEFT_SIM_WIRE_H

#include <stdint.h>

/* Starts as zeros. */
struct weft_sim_wire {
    uint64_t free;  /* when the last one has passed */
    uint64_t carry; /* part of a nanosecond, in 1/rate of it */
};

/* When `size` bytes that come to the wire now have passed it; the rate is in bytes a microsecond,
 * and 0 has no end. */
static inline uint64_t weft_sim_wire_pass(struct weft_sim_wire *wire, uint64_t now, uint64_t rate,
                                          uint64_t size)
{
    if (wire->free < now)
        *wire = (struct weft_sim_wire){.free = now};
    if (rate) {
        uint64_t parts = size * 1000 + wire->carry;
        wire->free += parts / rate;
        wire->carry = parts % rate;
    }
    return wire->free;
}

#endif
