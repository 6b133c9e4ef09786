/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/collective/verdict.h"

#include <limits.h>

#include "base/clock.h"
#include "base/median.h"
#include "mpi/collective/shadow.h"
#include "mpi/message/route.h"

/* Calls before the first vote; if that is in vain, so many times as many before the next. */
#define WARM_UP 8u
#define PATIENCE 8u
#define MOST_VAIN 3u
/* Of a turn the first call settles what is still on its way from the last, and is not timed. Of
 * the others the median counts, as in trials of messages, and for the same reason. */
#define TURN_CALLS (1u + WEFT_MPI_VERDICT_TIMED)
#define ROUNDS 3u
enum {
    BY_MPI = WEFT_MPI_VERDICT_MPI,
    BY_US = WEFT_MPI_VERDICT_OURS,
    BY_US_OTHERWISE = WEFT_MPI_VERDICT_OTHER,
    WAYS = WEFT_MPI_VERDICT_WAYS
};
/* MPI's own way stays unless ours is faster by more than what a trial can tell. */
#define WORTH_IT 0.95
/* Calls until the next trial; the pauses double so often. */
#define PAUSE 256u
#define MOST_DOUBLINGS 6u

void weft_mpi_verdict_begin(struct weft_mpi_verdict *verdict)
{
    *verdict = (struct weft_mpi_verdict){.left = WARM_UP, .ways = BY_US + 1};
}

static void rest(struct weft_mpi_verdict *verdict, unsigned way, unsigned calls)
{
    verdict->is_trial = false;
    verdict->is_wanted = false;
    verdict->way = (uint8_t)way;
    verdict->left = calls;
}

static unsigned ways_of(bool has_other)
{
    return has_other ? WAYS : WAYS - 1;
}

static void obey(struct weft_mpi_verdict *verdict, int told)
{
    rest(verdict, told < verdict->ways ? (unsigned)told : BY_US, UINT_MAX);
}

void weft_mpi_verdict_begin_asked(struct weft_mpi_verdict *verdict, int told, bool has_other)
{
    weft_mpi_verdict_begin(verdict);
    verdict->ways = (uint8_t)ways_of(has_other);
    if (told != BY_MPI)
        obey(verdict, told);
}

/* ---- Trials -------------------------------------------------------------------------------- */

static void begin_turn(struct weft_mpi_verdict *verdict)
{
    verdict->way = verdict->turn % verdict->ways;
    verdict->left = TURN_CALLS;
    verdict->timed = 0;
}

static void begin_trial(struct weft_mpi_verdict *verdict)
{
    verdict->is_trial = true;
    verdict->turn = 0;
    verdict->trials++;
    for (unsigned way = 0; way < WAYS; way++)
        verdict->least[way] = 0;
    begin_turn(verdict);
}

/* A program whose processes wait for each other waits as long as all of them do. */
void weft_mpi_verdict_decide(struct weft_mpi_verdict *verdict, const uint64_t all[WAYS])
{
    unsigned doublings = verdict->trials - 1, best = BY_US;
    for (unsigned way = best + 1; way < verdict->ways; way++)
        best = all[way] < all[best] ? way : best;
    bool is_worth_it = (double)all[best] < WORTH_IT * (double)all[BY_MPI];
    rest(verdict, is_worth_it ? best : BY_MPI,
         PAUSE << (doublings < MOST_DOUBLINGS ? doublings : MOST_DOUBLINGS));
}

static void decide(struct weft_mpi_verdict *verdict, MPI_Comm comm)
{
    uint64_t all[WAYS] = {0};
    mpi.Allreduce(verdict->least, all, WAYS, MPI_UINT64_T, MPI_SUM, comm);
    weft_mpi_verdict_decide(verdict, all);
}

static bool is_last_turn_over(const struct weft_mpi_verdict *verdict)
{
    return verdict->turn == verdict->ways * ROUNDS;
}

static void end_turn(struct weft_mpi_verdict *verdict)
{
    uint64_t *least = &verdict->least[verdict->turn % verdict->ways];
    if (verdict->timed > 0) {
        uint32_t took = weft_median(verdict->took, verdict->timed);
        if (*least == 0 || took < *least)
            *least = took;
    }
    verdict->turn++;
    if (!is_last_turn_over(verdict))
        begin_turn(verdict);
}

static void go_on(struct weft_mpi_verdict *verdict, MPI_Comm comm)
{
    end_turn(verdict);
    if (is_last_turn_over(verdict))
        decide(verdict, comm);
}

/* ---- Votes --------------------------------------------------------------------------------- */

/* Packed or, whichever else of ours, in messages of our own. */
int weft_mpi_verdict_told(void)
{
    if (!weft_mpi_route_is_forced_to_us())
        return BY_MPI;
    return weft_mpi_route_is_forced_to_pack() ? BY_US : BY_US_OTHERWISE;
}

/* Without a communicator of ours there is nothing to ask ever again. */
static void vote(struct weft_mpi_verdict *verdict, MPI_Comm comm)
{
    enum { WANTS, MUST, LACKS, QUESTIONS };
    int own[] = {verdict->is_wanted, weft_mpi_verdict_told(), !verdict->has_other},
        any[QUESTIONS] = {0};
    mpi.Allreduce(own, any, QUESTIONS, MPI_INT, MPI_MAX, comm);
    verdict->ways = (uint8_t)ways_of(!any[LACKS]);
    if (!any[WANTS]) {
        unsigned pause = WARM_UP;
        for (unsigned i = 0; i <= verdict->votes; i++)
            pause *= PATIENCE;
        verdict->votes += verdict->votes < MOST_VAIN;
        rest(verdict, BY_MPI, pause);
    } else if (weft_mpi_shadow(comm) == MPI_COMM_NULL) {
        rest(verdict, BY_MPI, UINT_MAX);
    } else if (any[MUST]) {
        obey(verdict, any[MUST]);
    } else {
        begin_trial(verdict);
    }
}

bool weft_mpi_verdict_is_ours(struct weft_mpi_verdict *verdict, MPI_Comm comm)
{
    if (verdict->left == 0 && verdict->is_trial)
        go_on(verdict, comm);
    else if (verdict->left == 0)
        vote(verdict, comm);
    verdict->left--;
    return verdict->way != BY_MPI;
}

/* ---- On occasions -------------------------------------------------------------------------- */

static bool is_trial_over(const struct weft_mpi_verdict *verdict)
{
    return verdict->is_trial && is_last_turn_over(verdict);
}

bool weft_mpi_verdict_is_awaited(const struct weft_mpi_verdict *verdict)
{
    return verdict->is_asking || is_trial_over(verdict);
}

static bool is_ours_next(struct weft_mpi_verdict *verdict)
{
    if (verdict->left == 0 && !is_last_turn_over(verdict))
        end_turn(verdict);
    if (is_trial_over(verdict))
        return false;
    verdict->left--;
    return verdict->way != BY_MPI;
}

bool weft_mpi_verdict_is_ours_at_once(struct weft_mpi_verdict *verdict)
{
    if (verdict->left == 0 && !verdict->is_trial)
        begin_trial(verdict);
    return is_ours_next(verdict);
}

bool weft_mpi_verdict_is_ours_once_asked(struct weft_mpi_verdict *verdict)
{
    if (verdict->left == 0 && !verdict->is_trial)
        verdict->is_asking = true;
    return verdict->is_asking ? verdict->way != BY_MPI : is_ours_next(verdict);
}

void weft_mpi_verdict_settle(struct weft_mpi_verdict *verdict, MPI_Comm comm)
{
    if (verdict->is_asking) {
        verdict->is_asking = false;
        vote(verdict, comm);
    } else if (is_trial_over(verdict)) {
        decide(verdict, comm);
    }
}

/* ---- Time ---------------------------------------------------------------------------------- */

uint64_t weft_mpi_verdict_clock(const struct weft_mpi_verdict *verdict)
{
    bool is_timed = verdict && verdict->is_trial && verdict->left < TURN_CALLS - 1;
    return is_timed ? weft_clock_now() : 0;
}

void weft_mpi_verdict_note(struct weft_mpi_verdict *verdict, uint64_t since)
{
    if (!since || verdict->timed == WEFT_MPI_VERDICT_TIMED)
        return;
    uint64_t took = weft_clock_now() - since;
    verdict->took[verdict->timed++] = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
}
