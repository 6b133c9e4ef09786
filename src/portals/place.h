/* SPDX-License-Identifier: BSD-3-Clause */
/* Where threads of the library run. */
#ifndef WEFT_PORTALS_PLACE_H
#define WEFT_PORTALS_PLACE_H

#include <stdint.h>

/* Binds the calling thread to one of the cores that the process may use, the last core for 0, the
 * one before it for 1, and so on around. Does nothing if there is only one. */
void weft_portals_place_thread(uint32_t number);

#endif
