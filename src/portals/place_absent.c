/* SPDX-License-Identifier: BSD-3-Clause */
/* Without hwloc, the operating system places threads. */
#include "portals/place.h"

void weft_portals_place_thread(uint32_t number)
{
    (void)number;
}
