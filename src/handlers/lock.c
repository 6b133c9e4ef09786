/* SPDX-License-Identifier: BSD-3-Clause */
#include "handlers/lock.h"

/* A piece lies in two stripes of memory at most. */
struct stripes {
    uint64_t *first, *second;
};

static struct stripes stripes_of(struct weft_handler_locks *locks, ptl_size_t place,
                                 ptl_size_t length)
{
    ptl_size_t first = place / WEFT_HANDLER_PIECE % WEFT_HANDLER_LOCKS;
    ptl_size_t second = (place + length - 1) / WEFT_HANDLER_PIECE % WEFT_HANDLER_LOCKS;
    /* Always in the same order, or two handlers could wait for each other. */
    return first <= second ? (struct stripes){&locks->held[first], &locks->held[second]}
                           : (struct stripes){&locks->held[second], &locks->held[first]};
}

static void take(uint64_t *held)
{
    while (!PtlHandlerCAS(held, 0, 1))
        PtlHandlerYield();
}

void weft_handler_lock(struct weft_handler_locks *locks, ptl_size_t place, ptl_size_t length)
{
    struct stripes stripes = stripes_of(locks, place, length);
    take(stripes.first);
    if (stripes.second != stripes.first)
        take(stripes.second);
}

void weft_handler_unlock(struct weft_handler_locks *locks, ptl_size_t place, ptl_size_t length)
{
    struct stripes stripes = stripes_of(locks, place, length);
    PtlHandlerCAS(stripes.first, 1, 0);
    if (stripes.second != stripes.first)
        PtlHandlerCAS(stripes.second, 1, 0);
}
