/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Giving others the processor while one waits. How long it was away tells who they are. If it was
 * back at once, there is nobody. If it was back soon, others have run that wait as we do: one of
 * them may be to send what we wait for, and the next time is to have the processor as soon as we
 * have seen that it is not there. Somebody who computes keeps it for as long as he may: to him it
 * is given only after some time in which nothing came.
 */
#ifndef WEFT_BASE_COURTESY_H
#define WEFT_BASE_COURTESY_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/clock.h"

/* Nanoseconds: a call of the kernel that finds nobody else takes less, */
#define WEFT_COURTESY_ALONE UINT64_C(2000)
/* and so do looks of a few others, but no slice of a scheduler. */
#define WEFT_COURTESY_SOON UINT64_C(500000)

/* Of a process; alone at first. Its threads may overwrite what others have found. */
struct weft_courtesy {
    atomic_bool is_in_company;
};

static inline bool weft_courtesy_is_in_company(const struct weft_courtesy *courtesy)
{
    return atomic_load_explicit(&courtesy->is_in_company, memory_order_relaxed);
}

static inline void weft_courtesy_yield(struct weft_courtesy *courtesy)
{
    uint64_t begin = weft_clock_now();
    sched_yield();
    uint64_t away = weft_clock_now() - begin;
    atomic_store_explicit(&courtesy->is_in_company,
                          away >= WEFT_COURTESY_ALONE && away < WEFT_COURTESY_SOON,
                          memory_order_relaxed);
}

#endif
