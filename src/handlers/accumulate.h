/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Combines arrays that arrive with the array in the memory of the entry, packet by packet
 * ([sPIN17], section 4.4.2). Messages from many sources may come at once. Offsets and lengths are
 * multiples of an element, and the memory is not read by others meanwhile; a message that begins
 * elsewhere fails with PTL_NI_HANDLER.
 */
#ifndef WEFT_HANDLERS_ACCUMULATE_H
#define WEFT_HANDLERS_ACCUMULATE_H

#include "handlers/lock.h"

/* Zeroes to begin with. */
struct weft_handler_accumulate {
    struct weft_handler_locks locks;
};

/* Elements are doubles: memory + data. */
int weft_handler_sum(ptl_handle_ni_t ni, const struct weft_handler_accumulate *accumulate,
                     ptl_handlers_t *handlers);

/* Elements are complex, two doubles each: memory * data. */
int weft_handler_product(ptl_handle_ni_t ni, const struct weft_handler_accumulate *accumulate,
                         ptl_handlers_t *handlers);

#endif
