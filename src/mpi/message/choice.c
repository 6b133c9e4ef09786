/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/message/choice.h"

#include <stdlib.h>

#include "base/setting.h"
#include "mpi/guard.h"
#include "mpi/message/under_way.h"

/* ---- Kinds --------------------------------------------------------------------------------- */

_Thread_local struct weft_mpi_traffic weft_mpi_traffic;
atomic_uint weft_mpi_waits;

enum { IS_SEND = 1, IS_NEAR = 2, IS_BLOCKING = 4, IS_EXCHANGE = WEFT_MPI_EXCHANGE };

static inline unsigned number_of_call(struct weft_mpi_pattern pattern)
{
    return (pattern.is_send ? IS_SEND : 0u) | (pattern.is_near ? IS_NEAR : 0u) |
           (pattern.is_blocking ? IS_BLOCKING : 0u);
}

static inline unsigned number_of(struct weft_mpi_pattern pattern)
{
    return number_of_call(pattern) |
           (weft_mpi_traffic_is_exchange(pattern.is_send) ? IS_EXCHANGE : 0u);
}

static unsigned class_of(size_t bytes)
{
    unsigned class = 63u - (unsigned)__builtin_clzll(bytes | 1);
    return class < WEFT_MPI_SIZE_CLASSES ? class : WEFT_MPI_SIZE_CLASSES - 1;
}

static bool is_too_short(size_t bytes, bool is_near)
{
    return !weft_mpi.net || bytes <= weft_mpi.least_pulled ||
           (!is_near && bytes <= weft_setting(WEFT_SETTING_FAR_TICKET));
}

/* Sizes of one slot are of one class, and of one answer whether they are too short for a ticket:
 * at each border of either kind the number grows by one. */
static unsigned slot_of(size_t bytes)
{
    return class_of(bytes) + (bytes > weft_mpi.least_pulled) +
           (bytes > weft_setting(WEFT_SETTING_FAR_TICKET));
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- Choosing ------------------------------------------------------------------------------ */

static struct weft_mpi_choice *make(size_t bytes, size_t pieces, bool is_local)
{
    struct weft_mpi_choice *all = calloc(WEFT_MPI_PATTERNS, sizeof *all);
    for (unsigned i = 0; all && i < WEFT_MPI_PATTERNS; i++) {
        all[i].is_local = is_local;
        all[i].is_near = i & IS_NEAR;
        all[i].is_batched = !is_local && !(i & IS_BLOCKING);
        all[i].is_too_short = is_too_short(bytes, all[i].is_near);
        weft_mpi_trial_prepare(&all[i], bytes, pieces);
    }
    return all;
}

struct weft_mpi_choice *weft_mpi_choices_of(struct weft_mpi_choices *choices, size_t bytes,
                                            size_t pieces)
{
    _Atomic(struct weft_mpi_choice *) *place = &choices->of_size[slot_of(bytes)];
    struct weft_mpi_choice *found = atomic_load_explicit(place, memory_order_acquire);
    if (found)
        return found;
    weft_mpi_lock(&lock);
    found = atomic_load_explicit(place, memory_order_relaxed);
    if (!found)
        atomic_store_explicit(place, found = make(bytes, pieces, choices->is_local),
                              memory_order_release);
    weft_mpi_unlock(&lock);
    return found;
}

static enum weft_mpi_way next_way(struct weft_mpi_choice *choice)
{
    if (weft_mpi_add(&choice->left, -1) == 1) {
        weft_mpi_lock(&lock);
        weft_mpi_trial_step(choice, atomic_load_explicit(&weft_mpi_waits, memory_order_relaxed));
        weft_mpi_unlock(&lock);
    }
    return (enum weft_mpi_way)atomic_load_explicit(&choice->way, memory_order_relaxed);
}

enum weft_mpi_way weft_mpi_choose(struct weft_mpi_choices *choices, size_t bytes, size_t pieces,
                                  struct weft_mpi_pattern pattern,
                                  struct weft_mpi_choice **awaited)
{
    struct weft_mpi_choice *all = weft_mpi_choices_of(choices, bytes, pieces);
    unsigned which = number_of(pattern);
    weft_mpi_traffic_note(pattern.is_send);
    if (!all)
        return WEFT_MPI_WAY_PULLED;
    enum weft_mpi_way way = next_way(&all[which]);
    if (awaited && (way == WEFT_MPI_WAY_PULLED || way == WEFT_MPI_WAY_TOGETHER))
        *awaited = &all[which];
    return way;
}

bool weft_mpi_choose_ours(struct weft_mpi_choices *choices, size_t bytes, size_t pieces,
                          struct weft_mpi_pattern pattern)
{
    struct weft_mpi_choice *all = weft_mpi_choices_of(choices, bytes, pieces);
    return !all || next_way(&all[number_of_call(pattern)]) != WEFT_MPI_WAY_NATIVE;
}

/* One message may have been on its way since the trial. */
#define MOST_MISSES 2u

/* Where no ticket came in the trial, either, there are reasons that will not go away, and what was
 * found the fastest is. */
static void miss_ticket(struct weft_mpi_choice *awaited)
{
    weft_mpi_lock(&lock);
    if (weft_mpi_trial_is_over(awaited) && awaited->has_tickets &&
        ++awaited->misses >= MOST_MISSES)
        weft_mpi_trial_without_tickets(awaited);
    weft_mpi_unlock(&lock);
}

void weft_mpi_choice_came(struct weft_mpi_choice *awaited, bool by_ticket)
{
    if (!by_ticket) {
        miss_ticket(awaited);
        return;
    }
    atomic_store_explicit(&awaited->has_tickets, true, memory_order_relaxed);
    atomic_store_explicit(&awaited->misses, 0, memory_order_relaxed);
}

struct weft_mpi_choice *weft_mpi_choice_of_call(struct weft_mpi_choice *all,
                                                struct weft_mpi_pattern pattern)
{
    return &all[number_of_call(pattern)];
}

/* ---- What came of it ----------------------------------------------------------------------- */

static const struct weft_mpi_choice *more_tried(const struct weft_mpi_choice *most,
                                                const struct weft_mpi_choice *all)
{
    for (unsigned i = 0; all && i < WEFT_MPI_PATTERNS; i++)
        if ((i & IS_SEND) && weft_mpi_trial_is_over(&all[i]) &&
            all[i].trials > (most ? most->trials : 0))
            most = &all[i];
    return most;
}

const struct weft_mpi_choice *weft_mpi_choice_most_tried(struct weft_mpi_choices *choices)
{
    const struct weft_mpi_choice *most = NULL;
    for (unsigned i = 0; i < WEFT_MPI_SIZES; i++)
        most = more_tried(most, atomic_load_explicit(&choices->of_size[i], memory_order_acquire));
    return most;
}
