/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/message/choice.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/setting.h"
#include "mpi/guard.h"

/* ---- Kinds --------------------------------------------------------------------------------- */

_Thread_local struct weft_mpi_traffic weft_mpi_traffic;

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

unsigned weft_mpi_ways(void)
{
    return weft_mpi.has_heaps ? WEFT_MPI_WAYS : WEFT_MPI_WAY_TOGETHER;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- Trials -------------------------------------------------------------------------------- */

/*
 * A trial is some rounds of turns, one for each way. The first messages of a turn settle what is
 * still on its way from the last; the others are timed. Of the times of a turn the median counts,
 * as a program pauses now and then, and whoever waits for it has less to wait for the next; of the
 * turns of a way the fastest, because what comes from elsewhere only adds to it.
 *
 * When a trial begins and how many messages it has follows from their number and size alone, never
 * from what was measured. So both ends of a stream, and both directions of an exchange, try the
 * same way at the same time: otherwise each would judge its own ways by what the other is doing.
 */
struct trial_plan {
    unsigned rounds, settling, timed;
};

static const struct trial_plan plan_of_short = {3, 1, WEFT_MPI_MOST_TIMED},
                               plan_of_long = {2, 1, 2};
#define LONG_CLASS 20u /* 1 MiB and more: well known after fewer messages */

/* Until the first trial MPI carries the messages: who has fewer of a kind, as programs have that
 * make a type for each message, must not pay for what was never proved. Longer ones are pulled at
 * once: few cost much there. */
#define WORTH_IT_AT_ONCE_CLASS 16u /* 64 KiB and more */
#define WARM_UP 8u
/* Kinds of one program begin their trials apart, so that each is judged for itself. */
#define STARTS 3u
/* A way that took so many times as long as the best gives it its turn: in the last round, and in
 * those before. */
#define HOPELESS 1.5
#define HOPELESS_EARLY 3.0
/* MPI's own way stays unless another is faster by more than what a trial can tell: who is in the
 * way of other people's programs needs a reason. Of short messages it can tell less. */
#define WORTH_IT 0.985
#define WORTH_IT_IF_SHORT 0.95
#define SHORT_CLASS 13u /* less than 16 KiB */
/* To a receiver, packed messages look like MPI's own, so it goes its own way only if its sender
 * has surely found the same. And what is packed for a call that is no message may cost where that
 * is not seen. */
#define WORTH_IT_IF_UNSEEN 0.9
/* One message may have been on its way since the trial. */
#define MOST_MISSES 2u
/* Messages until the next trial. What was found out while the program began is looked at again
 * soon; then pauses double. */
#define FIRST_PAUSE 128u
#define LEAST_PAUSE 1024u
#define MOST_DOUBLINGS 4u

enum step { STEP_REST, STEP_SETTLED, STEP_TIMED };

static const struct trial_plan *plan_of(const struct weft_mpi_choice *choice)
{
    return choice->is_long ? &plan_of_long : &plan_of_short;
}

/* Between processes of one host, a long message that is packed crosses memory twice more than one
 * that is pulled: it is not tried, as trials take a good part of a program's few long messages. */
static const enum weft_mpi_way all_ways[] = {WEFT_MPI_WAY_PULLED, WEFT_MPI_WAY_PACKED,
                                             WEFT_MPI_WAY_NATIVE, WEFT_MPI_WAY_TOGETHER},
                               ways_of_long_near[] = {WEFT_MPI_WAY_PULLED, WEFT_MPI_WAY_NATIVE,
                                                      WEFT_MPI_WAY_TOGETHER},
                               ways_without_ticket[] = {WEFT_MPI_WAY_PACKED, WEFT_MPI_WAY_NATIVE};

static const enum weft_mpi_way *ways_of(const struct weft_mpi_choice *choice)
{
    if (choice->is_local || choice->is_too_short)
        return ways_without_ticket;
    return choice->is_long && choice->is_near ? ways_of_long_near : all_ways;
}

static unsigned number_of_ways(const struct weft_mpi_choice *choice)
{
    if (ways_of(choice) == ways_without_ticket)
        return sizeof ways_without_ticket / sizeof *ways_without_ticket;
    bool is_never_packed = ways_of(choice) == ways_of_long_near;
    return weft_mpi_ways() - (is_never_packed ? 1 : 0);
}

static unsigned turns_of(const struct weft_mpi_choice *choice)
{
    return plan_of(choice)->rounds * number_of_ways(choice);
}

static unsigned length_of(const struct weft_mpi_choice *choice)
{
    return turns_of(choice) * (plan_of(choice)->settling + plan_of(choice)->timed);
}

static enum weft_mpi_way best_of(const struct weft_mpi_choice *choice)
{
    const enum weft_mpi_way *ways = ways_of(choice);
    enum weft_mpi_way best = ways[0];
    for (unsigned i = 1; i < number_of_ways(choice); i++)
        if (choice->least[ways[i]] < choice->least[best])
            best = ways[i];
    return best;
}

static void begin_turn(struct weft_mpi_choice *choice)
{
    unsigned ways = number_of_ways(choice);
    enum weft_mpi_way way = ways_of(choice)[choice->turns % ways], best = best_of(choice);
    bool is_first = choice->turns < ways;
    bool is_last = choice->turns >= turns_of(choice) - ways;
    bool is_hopeless = !is_first && choice->least[way] > (is_last ? HOPELESS : HOPELESS_EARLY) *
                                                             choice->least[best];
    choice->way = is_hopeless ? best : way;
    choice->left = plan_of(choice)->settling;
    choice->step = STEP_SETTLED;
}

static void begin_trial(struct weft_mpi_choice *choice)
{
    choice->turns = 0;
    choice->trials++;
    choice->is_settled = false;
    for (unsigned way = 0; way < WEFT_MPI_WAYS; way++)
        choice->least[way] = 0;
    choice->has_tickets = false;
    choice->misses = 0;
    begin_turn(choice);
}

static unsigned pause_after(unsigned trials)
{
    if (trials == 1)
        return FIRST_PAUSE;
    unsigned doublings = trials - 2;
    return LEAST_PAUSE << (doublings < MOST_DOUBLINGS ? doublings : MOST_DOUBLINGS);
}

static double worth_it(const struct weft_mpi_choice *choice, enum weft_mpi_way way)
{
    if (way == WEFT_MPI_WAY_PACKED && (!choice->is_send || choice->is_local))
        return WORTH_IT_IF_UNSEEN;
    return choice->is_short ? WORTH_IT_IF_SHORT : WORTH_IT;
}

static void decide(struct weft_mpi_choice *choice)
{
    enum weft_mpi_way best = best_of(choice);
    bool is_worth_it =
        choice->least[best] < worth_it(choice, best) * choice->least[WEFT_MPI_WAY_NATIVE];
    choice->chosen = is_worth_it ? best : WEFT_MPI_WAY_NATIVE;
    choice->way = choice->chosen;
    choice->is_settled = !is_worth_it;
    choice->left = pause_after(choice->trials);
    choice->step = STEP_REST;
}

/* The lower one if there are two. */
static uint32_t median_of(uint32_t took[], unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        for (unsigned at = i; at > 0 && took[at] < took[at - 1]; at--) {
            uint32_t shorter = took[at];
            took[at] = took[at - 1];
            took[at - 1] = shorter;
        }
    return took[(count - 1) / 2];
}

static void end_turn(struct weft_mpi_choice *choice)
{
    double took = median_of(choice->took, plan_of(choice)->timed);
    double *least = &choice->least[choice->way];
    if (*least == 0 || took < *least)
        *least = took;
    if (++choice->turns == turns_of(choice))
        decide(choice);
    else
        begin_turn(choice);
}

static void begin_timing(struct weft_mpi_choice *choice)
{
    choice->since = weft_clock_now();
    choice->timed = 0;
    choice->left = 1;
    choice->step = STEP_TIMED;
}

static void go_on_timing(struct weft_mpi_choice *choice)
{
    uint64_t now = weft_clock_now(), took = now - choice->since;
    choice->since = now;
    choice->took[choice->timed] = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
    choice->left = 1;
    if (++choice->timed == plan_of(choice)->timed)
        end_turn(choice);
}

static void take_step(struct weft_mpi_choice *choice)
{
    switch ((enum step)choice->step) {
    case STEP_SETTLED:
        begin_timing(choice);
        return;
    case STEP_TIMED:
        go_on_timing(choice);
        return;
    default:
        begin_trial(choice);
    }
}

/* ---- Choosing ------------------------------------------------------------------------------ */

/* All messages of the size class. */
static bool is_too_short(size_t bytes, bool is_near)
{
    size_t longest = ((size_t)2 << class_of(bytes)) - 1;
    return longest <= weft_mpi.least_pulled ||
           (!is_near && longest <= weft_setting(WEFT_SETTING_FAR_TICKET));
}

static struct weft_mpi_choice *make(size_t bytes, size_t pieces, bool is_local)
{
    struct weft_mpi_choice *all = calloc(WEFT_MPI_PATTERNS, sizeof *all);
    unsigned start = (unsigned)(weft_hash_mix(bytes, pieces) % STARTS);
    for (unsigned i = 0; all && i < WEFT_MPI_PATTERNS; i++) {
        all[i].is_short = class_of(bytes) <= SHORT_CLASS;
        all[i].is_long = class_of(bytes) >= LONG_CLASS;
        all[i].is_near = i & IS_NEAR;
        all[i].is_send = i & IS_SEND;
        all[i].is_local = is_local;
        all[i].is_too_short = is_too_short(bytes, all[i].is_near);
        all[i].is_settled = class_of(bytes) < WORTH_IT_AT_ONCE_CLASS;
        all[i].way = all[i].is_settled ? WEFT_MPI_WAY_NATIVE : WEFT_MPI_WAY_PULLED;
        all[i].left = WARM_UP + start * length_of(&all[i]);
    }
    return all;
}

struct weft_mpi_choice *weft_mpi_choices_of(struct weft_mpi_choices *choices, size_t bytes,
                                            size_t pieces)
{
    _Atomic(struct weft_mpi_choice *) *place = &choices->of_size[class_of(bytes)];
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
        take_step(choice);
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

bool weft_mpi_choose_packed(struct weft_mpi_choices *choices, size_t bytes, size_t pieces,
                            struct weft_mpi_pattern pattern)
{
    struct weft_mpi_choice *all = weft_mpi_choices_of(choices, bytes, pieces);
    return !all || next_way(&all[number_of_call(pattern)]) != WEFT_MPI_WAY_NATIVE;
}

static void settle_natively(struct weft_mpi_choice *choice)
{
    choice->way = choice->chosen = WEFT_MPI_WAY_NATIVE;
    choice->is_settled = true;
}

/* Where no ticket came in the trial, either, there are reasons that will not go away, and what was
 * found the fastest is. */
static void miss_ticket(struct weft_mpi_choice *awaited)
{
    weft_mpi_lock(&lock);
    if (awaited->step == STEP_REST && awaited->has_tickets && ++awaited->misses >= MOST_MISSES)
        settle_natively(awaited);
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
        if ((i & IS_SEND) && all[i].step == STEP_REST && all[i].trials > (most ? most->trials : 0))
            most = &all[i];
    return most;
}

const struct weft_mpi_choice *weft_mpi_choice_most_tried(struct weft_mpi_choices *choices)
{
    const struct weft_mpi_choice *most = NULL;
    for (unsigned i = 0; i < WEFT_MPI_SIZE_CLASSES; i++)
        most = more_tried(most, atomic_load_explicit(&choices->of_size[i], memory_order_acquire));
    return most;
}
