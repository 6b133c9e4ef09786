/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/message/choice.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/setting.h"
#include "mpi/guard.h"

/* ---- Kinds --------------------------------------------------------------------------------- */

/* So many messages back there was one in the other direction: then it is an exchange. */
#define RECENT 8u

static _Thread_local struct {
    unsigned messages, last[2]; /* received, sent */
} traffic;

static bool is_exchange(bool is_send)
{
    unsigned now = ++traffic.messages;
    traffic.last[is_send] = now;
    return traffic.last[!is_send] && now - traffic.last[!is_send] <= RECENT;
}

static unsigned class_of(size_t bytes)
{
    unsigned class = 63u - (unsigned)__builtin_clzll(bytes | 1);
    return class < WEFT_MPI_SIZE_CLASSES ? class : WEFT_MPI_SIZE_CLASSES - 1;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- Trials -------------------------------------------------------------------------------- */

/*
 * A trial is some turns, ours and MPI's alternating. The first messages of a turn settle what is
 * still on its way from the last; the others are timed. The least time of a way counts, because
 * what comes from elsewhere only adds to it.
 */
#define WARM_UP 8u
#define SETTLING 2u
#define TIMED 6u
#define TURNS 6u
/* Long messages are as well known after fewer: nanoseconds, and the fewest. */
#define LONG_ENOUGH 2000000u
#define FEWEST 2u
/* The slower way may be so much slower that fewer turns will do. */
#define CLEARLY 1.3
/* Ours stays unless MPI's is faster by more than what a trial can tell. */
#define WORTH_IT 0.98
/* Kinds of one program begin their trials apart, so that each is judged for itself. */
#define STARTS 4u
#define APART ((SETTLING + TIMED) * 2)
/* Until the next trial: so many messages, and more the more that one costs. What was found out
 * while the program began is looked at sooner. */
#define FIRST_PAUSE 128u
#define LEAST_PAUSE 1024u
#define MOST_PAUSE 65536u
#define MESSAGES_FOR_COST 200.0

enum step { STEP_NEW, STEP_SETTLED, STEP_TIMED, STEP_REST };

static void begin_turn(struct weft_mpi_choice *choice)
{
    choice->way = choice->turns % WEFT_MPI_WAYS;
    choice->left = SETTLING;
    choice->step = STEP_SETTLED;
}

static void begin_trial(struct weft_mpi_choice *choice)
{
    choice->turns = 0;
    choice->trials++;
    for (unsigned way = 0; way < WEFT_MPI_WAYS; way++)
        choice->least[way] = 0;
    begin_turn(choice);
}

/* How many times as long as the other way the slower one takes. */
static double gap_of(const struct weft_mpi_choice *choice)
{
    double ours = choice->least[WEFT_MPI_WAY_OURS], native = choice->least[WEFT_MPI_WAY_NATIVE];
    return ours > native ? ours / native : native / ours;
}

static bool is_decided(const struct weft_mpi_choice *choice)
{
    return choice->turns == TURNS ||
           (choice->turns % WEFT_MPI_WAYS == 0 && gap_of(choice) > CLEARLY);
}

static unsigned pause_after(const struct weft_mpi_choice *choice)
{
    if (choice->trials == 1)
        return FIRST_PAUSE;
    double wanted = (gap_of(choice) - 1) * (SETTLING + TIMED) * MESSAGES_FOR_COST;
    return wanted < LEAST_PAUSE ? LEAST_PAUSE : wanted > MOST_PAUSE ? MOST_PAUSE : (unsigned)wanted;
}

static void decide(struct weft_mpi_choice *choice)
{
    bool is_native = choice->least[WEFT_MPI_WAY_NATIVE] <
                     WORTH_IT * choice->least[WEFT_MPI_WAY_OURS];
    choice->way = is_native ? WEFT_MPI_WAY_NATIVE : WEFT_MPI_WAY_OURS;
    choice->left = pause_after(choice);
    choice->step = STEP_REST;
}

static void end_turn(struct weft_mpi_choice *choice, uint64_t now)
{
    double took = (double)(now - choice->since) / choice->timed;
    double *least = &choice->least[choice->way];
    if (*least == 0 || took < *least)
        *least = took;
    choice->turns++;
    if (is_decided(choice))
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
    uint64_t now = weft_clock_now();
    choice->timed++;
    choice->left = 1;
    if (choice->timed == TIMED ||
        (choice->timed >= FEWEST && now - choice->since >= LONG_ENOUGH))
        end_turn(choice, now);
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

static struct weft_mpi_choice *make(size_t bytes, size_t pieces)
{
    struct weft_mpi_choice *all = calloc(WEFT_MPI_PATTERNS, sizeof *all);
    unsigned start = (unsigned)(weft_hash_mix(bytes, pieces) % STARTS);
    for (unsigned i = 0; all && i < WEFT_MPI_PATTERNS; i++)
        all[i].left = WARM_UP + start * APART;
    return all;
}

static struct weft_mpi_choice *find(struct weft_mpi_choices *choices, size_t bytes, size_t pieces)
{
    _Atomic(struct weft_mpi_choice *) *place = &choices->of_size[class_of(bytes)];
    struct weft_mpi_choice *found = atomic_load_explicit(place, memory_order_acquire);
    if (found)
        return found;
    weft_mpi_lock(&lock);
    found = atomic_load_explicit(place, memory_order_relaxed);
    if (!found)
        atomic_store_explicit(place, found = make(bytes, pieces), memory_order_release);
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
                                  struct weft_mpi_pattern pattern)
{
    struct weft_mpi_choice *all = find(choices, bytes, pieces);
    unsigned which = (unsigned)pattern.is_send | (unsigned)pattern.is_near << 1 |
                     (unsigned)pattern.is_blocking << 2 |
                     (unsigned)is_exchange(pattern.is_send) << 3;
    return all ? next_way(&all[which]) : WEFT_MPI_WAY_OURS;
}
