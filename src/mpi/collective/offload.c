/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of one collective whose data have the same size, up to a factor of two, are of one kind.
 * All processes of a communicator make them in the same order, so all try MPI and schedules for
 * the same calls (verdict.h). What counts is the time from one call of the kind to the next: that
 * is shorter only if the program computes meanwhile, and MPI does not go on.
 */
#include "mpi/collective/offload.h"

#include <stdlib.h>

#include "base/setting.h"
#include "mpi/collective/occasion.h"
#include "mpi/collective/shadow.h"
#include "mpi/collective/verdict.h"
#include "mpi/message/operation.h"
#include "mpi/message/route.h"
#include "mpi/start/attribute.h"
#include "mpi/start/ranks.h"

#ifdef WEFT_MPI_JUMP

/* Numbers of schedules that a communicator has, and so the most calls that are under way at a
 * time; and how many communicators can have some. */
enum { NUMBERS = 4096, MOST = 15 };
/* The logarithm of the most bytes. */
enum { HIGHEST_CLASS = 20 };

struct kind {
    struct weft_mpi_verdict verdict;
    uint64_t since; /* the last call began; 0: that is of no interest */
};

/* What is kept with a communicator of the program's; nothing at first. */
struct agreement {
    bool has_number, is_dropped; /* the communicator has been freed */
    unsigned first;              /* number of its schedules */
    unsigned calls;              /* by schedules */
    bool is_forced;              /* WEFT_WAY wants schedules, in some process */
    bool is_asking;              /* some kind waits for an occasion */
    struct kind kinds[WEFT_MPI_OFFLOADS][HIGHEST_CLASS + 1];
    bool is_under_way[NUMBERS];
};

/* These need no memory: a call wants an agreement, and there is none. */
static struct agreement wanted, refused;

/* By the number of their communicators. */
static struct agreement *holders[MOST];

static bool is_open;

static bool is_any_under_way(const struct agreement *agreement)
{
    for (unsigned i = 0; i < NUMBERS; i++)
        if (agreement->is_under_way[i])
            return true;
    return false;
}

/* Calls that end later than their communicator keep its number. */
static void drop_agreement(void *value)
{
    struct agreement *agreement = value;
    agreement->is_dropped = true;
    if (agreement != &wanted && agreement != &refused && !agreement->has_number)
        free(agreement);
}

/* A bit for each number that this process has not given back: its communicator lives, or calls of
 * it are under way. */
static unsigned numbers_in_use(void)
{
    unsigned numbers = 0;
    for (unsigned i = 0; i < MOST; i++) {
        if (holders[i] && holders[i]->is_dropped && !is_any_under_way(holders[i])) {
            free(holders[i]);
            holders[i] = NULL;
        }
        if (holders[i])
            numbers |= 1u << i;
    }
    return numbers;
}

static struct weft_mpi_attribute attribute = {MPI_KEYVAL_INVALID, drop_agreement};

/* NULL if there is nothing. */
static struct agreement *find(MPI_Comm comm)
{
    struct agreement *agreement = NULL;
    int is_there = 0;
    mpi.Comm_get_attr(comm, attribute.key, &agreement, &is_there);
    return is_there ? agreement : NULL;
}

/* ---- Agreeing ------------------------------------------------------------------------------ */

/* Ranks are those of the job: schedules know no others. All find the same. */
static bool is_of_job(MPI_Comm comm)
{
    int size = 0;
    mpi.Comm_size(comm, &size);
    bool is_same = size == weft_mpi.size;
    for (int i = 0; is_same && i < size; i++)
        is_same = weft_mpi_peer(comm, i) == i;
    return is_same;
}

/* What to remember the agreement by, or NULL. */
static struct agreement *prepare(MPI_Comm comm)
{
    struct agreement *agreement = calloc(1, sizeof *agreement);
    if (agreement && mpi.Comm_set_attr(comm, attribute.key, agreement) != MPI_SUCCESS) {
        free(agreement);
        agreement = NULL;
    }
    return agreement;
}

static void fill(struct agreement *agreement, unsigned number, bool is_forced)
{
    holders[number] = agreement;
    agreement->has_number = true;
    agreement->first = number * NUMBERS;
    agreement->is_forced = is_forced;
    for (int i = 0; i < WEFT_MPI_OFFLOADS; i++)
        for (int j = 0; j <= HIGHEST_CLASS; j++)
            weft_mpi_verdict_begin(&agreement->kinds[i][j].verdict);
}

/* What one process alone may lack is asked for before the vote. The number of the communicator is
 * the first that none of them has: all processes of the job vote, so no message with that number
 * is on its way any more. */
static void agree(MPI_Comm comm)
{
    struct agreement *agreement = prepare(comm);
    enum { NUMBERS_IN_USE, HAS_NO_MEMORY, IS_FORCED, QUESTIONS };
    unsigned own[] = {numbers_in_use(), agreement == NULL, weft_mpi_route_is_forced_to_us()};
    unsigned all[QUESTIONS] = {(1u << MOST) - 1};
    mpi.Allreduce(own, all, QUESTIONS, MPI_UNSIGNED, MPI_BOR, comm);
    unsigned number = (unsigned)__builtin_ctz(~all[NUMBERS_IN_USE]);
    if (all[HAS_NO_MEMORY] || number >= MOST) {
        mpi.Comm_set_attr(comm, attribute.key, &refused);
        return;
    }
    fill(agreement, number, all[IS_FORCED]);
}

void weft_mpi_offload_settle(MPI_Comm comm)
{
    struct agreement *agreement = is_open && weft_mpi_shadow_is_possible(comm) ? find(comm) : NULL;
    if (agreement == &wanted)
        agree(comm);
    if (!agreement || !agreement->is_asking)
        return;
    agreement->is_asking = false;
    for (int i = 0; i < WEFT_MPI_OFFLOADS; i++)
        for (int j = 0; j <= HIGHEST_CLASS; j++)
            weft_mpi_verdict_settle(&agreement->kinds[i][j].verdict, comm);
}

/* NULL if there is none, or not yet: then it is reached on the next occasion. */
static struct agreement *agreement_of(MPI_Comm comm)
{
    if (!weft_mpi_shadow_is_possible(comm))
        return NULL;
    struct agreement *agreement = find(comm);
    if (!agreement) {
        agreement = is_of_job(comm) ? &wanted : &refused;
        mpi.Comm_set_attr(comm, attribute.key, agreement);
        if (agreement == &wanted)
            weft_mpi_occasion_await();
    }
    return agreement == &wanted || agreement == &refused ? NULL : agreement;
}

/* ---- Deciding ------------------------------------------------------------------------------ */

static bool is_ours(struct agreement *agreement, const struct weft_mpi_offload *offload)
{
    int class = offload->bytes ? 63 - __builtin_clzll(offload->bytes) : 0;
    struct kind *kind = &agreement->kinds[offload->collective][class];
    if (agreement->is_forced)
        return true;
    weft_mpi_verdict_note(&kind->verdict, kind->since);
    bool is_ours = weft_mpi_verdict_is_ours_at_once(&kind->verdict);
    kind->since = weft_mpi_verdict_clock(&kind->verdict);
    agreement->is_asking |= weft_mpi_verdict_is_awaited(&kind->verdict);
    return is_ours;
}

/* Only after thousands of calls of which the first has not ended is one in the way. */
static unsigned next_number(struct agreement *agreement)
{
    unsigned number = agreement->calls++ % NUMBERS, looks = 0;
    while (agreement->is_under_way[number])
        weft_mpi_idle(&looks);
    weft_mpi_go_on(looks);
    return number;
}

bool weft_mpi_offload_give_away(const struct weft_mpi_offload *offload, MPI_Request *request,
                                int *result)
{
    if (offload->bytes > (size_t)1 << HIGHEST_CLASS)
        return false;
    struct agreement *agreement = agreement_of(offload->comm);
    if (!agreement || !is_ours(agreement, offload))
        return false;
    unsigned number = next_number(agreement);
    *result = weft_mpi_schedule_begin(offload, (uint16_t)(agreement->first + number),
                                      &agreement->is_under_way[number], request);
    return true;
}

/* ---- Beginning and end --------------------------------------------------------------------- */

/* Threads of the program would have to agree, too. */
static bool is_willing(void)
{
    return weft_setting(WEFT_SETTING_HPUS) > 0 && !weft_mpi.is_threaded &&
           !weft_mpi_route_is_forced_to_mpi();
}

void weft_mpi_offload_begin(void)
{
    int own = is_willing(), all = 0;
    if (!weft_mpi.net)
        return;
    mpi.Allreduce(&own, &all, 1, MPI_INT, MPI_LAND, weft_mpi.comm);
    if (!all || !weft_mpi_schedule_open())
        return;
    wanted.is_asking = refused.is_asking = false;
    weft_mpi_attribute_begin(&attribute, NULL);
    is_open = true;
    weft_mpi_offload_step_in();
}

void weft_mpi_offload_end(void)
{
    if (!is_open)
        return;
    is_open = false;
    weft_mpi_attribute_end(&attribute);
    numbers_in_use();
    weft_mpi_schedule_close();
}

#else

void weft_mpi_offload_begin(void)
{
}

void weft_mpi_offload_end(void)
{
}

void weft_mpi_offload_settle(MPI_Comm comm)
{
    (void)comm;
}

#endif
