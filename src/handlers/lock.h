/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks in the memory of the NIC, for handlers that read host memory, change it and write it back:
 * they keep out other handlers of the same entry, and nobody else. */
#ifndef WEFT_HANDLERS_LOCK_H
#define WEFT_HANDLERS_LOCK_H

#include "handlers/handler.h"

/* No more than this is changed at once. */
#define WEFT_HANDLER_PIECE 8192u
#define WEFT_HANDLER_LOCKS 64u

/* Zeroes: nobody holds any. */
struct weft_handler_locks {
    uint64_t held[WEFT_HANDLER_LOCKS];
};

/* Waits for the `length` bytes at `place`, at most a piece. A handler has one piece at a time. */
void weft_handler_lock(struct weft_handler_locks *locks, ptl_size_t place, ptl_size_t length);
void weft_handler_unlock(struct weft_handler_locks *locks, ptl_size_t place, ptl_size_t length);

static inline ptl_size_t weft_handler_piece(ptl_size_t rest)
{
    return rest < WEFT_HANDLER_PIECE ? rest : WEFT_HANDLER_PIECE;
}

#endif
