/* SPDX-License-Identifier: BSD-3-Clause */
/* How handlers that change host memory keep out each other, piece by piece. */
#ifndef WEFT_HANDLERS_LOCK_H
#define WEFT_HANDLERS_LOCK_H

#include <weft_handlers.h>

/* No more than this is changed at once. */
#define WEFT_HANDLER_PIECE 8192u

/* Waits for the `length` bytes at `place`, at most a piece. A handler has one piece at a time. */
void weft_handler_lock(struct weft_handler_locks *locks, ptl_size_t place, ptl_size_t length);
void weft_handler_unlock(struct weft_handler_locks *locks, ptl_size_t place, ptl_size_t length);

static inline ptl_size_t weft_handler_piece(ptl_size_t rest)
{
    return rest < WEFT_HANDLER_PIECE ? rest : WEFT_HANDLER_PIECE;
}

#endif
