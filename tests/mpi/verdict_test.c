/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How processes decide together who does their exchanges, in simulated time: what the others say
 * is scripted, and a call takes as long here as it is said to take.
 */
#include "mpi/collective/verdict.h"

#include <string.h>

#include "mpi/collective/shadow.h"
#include "mpi/message/route.h"
#include "mpi/told_time.h"
#include "support/tap.h"

struct weft_mpi_state weft_mpi;
struct weft_mpi_calls mpi;
#ifdef OPEN_MPI
struct weft_mpi_objects weft_mpi_objects;
#endif

enum { BY_MPI, BY_US, BY_US_OTHERWISE, WAYS };

/* ---- The others ---------------------------------------------------------------------------- */

static struct {
    int wants, must, lack; /* what the others say when all are asked */
    uint64_t took[WAYS];   /* and how long a call takes them */
    bool has_shadow;
    unsigned votes, decisions;
} others;

MPI_Comm weft_mpi_shadow(MPI_Comm comm)
{
    return others.has_shadow ? comm : MPI_COMM_NULL;
}

bool weft_mpi_route_is_forced_to_us(void)
{
    return false;
}

bool weft_mpi_route_is_forced_to_pack(void)
{
    return false;
}

/* Of a turn one call counts. */
static int reduce(const void *own, void *all, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    const int said[] = {others.wants, others.must, others.lack};
    (void)type;
    (void)comm;
    if (op == MPI_MAX)
        others.votes++;
    else
        others.decisions++;
    for (int i = 0; i < count; i++)
        if (op == MPI_MAX)
            ((int *)all)[i] = ((const int *)own)[i] > said[i] ? ((const int *)own)[i] : said[i];
        else
            ((uint64_t *)all)[i] = ((const uint64_t *)own)[i] + others.took[i];
    return MPI_SUCCESS;
}

/* ---- This process -------------------------------------------------------------------------- */

/* Not NULL. */
static MPI_Comm some_comm(void)
{
    MPI_Comm comm;
    memset(&comm, 1, sizeof comm);
    return comm;
}

/* How many of so many calls we do, which take so long by MPI, or by us. */
static unsigned ours_of(struct weft_mpi_verdict *verdict, unsigned calls, uint64_t by_mpi,
                        uint64_t by_us)
{
    unsigned ours = 0;
    for (unsigned i = 0; i < calls; i++) {
        bool is_ours = weft_mpi_verdict_is_ours(verdict, some_comm());
        uint64_t since = weft_mpi_verdict_clock(verdict);
        nanoseconds += is_ours ? by_us : by_mpi;
        weft_mpi_verdict_note(verdict, since);
        ours += is_ours;
    }
    return ours;
}

/* The same of calls that do not wait: what counts is the time from one to the next. */
static unsigned ours_at_once_of(struct weft_mpi_verdict *verdict, unsigned calls, uint64_t by_mpi,
                                uint64_t by_us)
{
    static uint64_t since;
    unsigned ours = 0;
    for (unsigned i = 0; i < calls; i++) {
        weft_mpi_verdict_note(verdict, since);
        bool is_ours = weft_mpi_verdict_is_ours_at_once(verdict);
        since = weft_mpi_verdict_clock(verdict);
        nanoseconds += is_ours ? by_us : by_mpi;
        ours += is_ours;
    }
    return ours;
}

static struct weft_mpi_verdict begin(bool others_want, uint64_t by_mpi, uint64_t by_us)
{
    struct weft_mpi_verdict verdict;
    memset(&others, 0, sizeof others);
    others.wants = others_want;
    others.took[BY_MPI] = by_mpi;
    others.took[BY_US] = by_us;
    others.has_shadow = true;
    weft_mpi_verdict_begin(&verdict);
    return verdict;
}

/* ---- Tests --------------------------------------------------------------------------------- */

enum { WARM_UP = 8, TRIAL = 30, OURS_OF_TRIAL = 15 };

static void test_nobody_wants(void)
{
    struct weft_mpi_verdict verdict = begin(false, 100, 10);
    check(ours_of(&verdict, WARM_UP, 100, 10) == 0);
    check(others.votes == 0);
    check(ours_of(&verdict, 1, 100, 10) == 0);
    check(others.votes == 1);
    check(ours_of(&verdict, 10000, 100, 10) == 0);
    check(others.votes == 4); /* after 64, 512 and 4,096 more */
    check(others.decisions == 0);
}

static void test_one_wants(bool is_here)
{
    struct weft_mpi_verdict verdict = begin(!is_here, 100, 10);
    verdict.is_wanted = is_here;
    check(ours_of(&verdict, WARM_UP, 100, 10) == 0);
    check(ours_of(&verdict, TRIAL, 100, 10) == OURS_OF_TRIAL);
    check(others.decisions == 0);
    check(ours_of(&verdict, 100, 100, 10) == 100);
    check(others.votes == 1 && others.decisions == 1);
}

/* It is slower here, but all together gain; and the other way round. */
static void test_all_count(void)
{
    struct weft_mpi_verdict verdict = begin(true, 1000, 500);
    ours_of(&verdict, WARM_UP + TRIAL, 100, 200);
    check(ours_of(&verdict, 100, 100, 200) == 100);
    verdict = begin(true, 500, 1000);
    ours_of(&verdict, WARM_UP + TRIAL, 200, 100);
    check(ours_of(&verdict, 100, 200, 100) == 0);
}

static void test_little_gain_is_left_to_mpi(void)
{
    struct weft_mpi_verdict verdict = begin(true, 1000, 970);
    ours_of(&verdict, WARM_UP + TRIAL, 1000, 970);
    check(ours_of(&verdict, 100, 1000, 970) == 0);
}

static void test_change_is_seen_later(void)
{
    struct weft_mpi_verdict verdict = begin(true, 1000, 500);
    ours_of(&verdict, WARM_UP + TRIAL + 256, 1000, 500);
    others.took[BY_US] = 5000;
    check(ours_of(&verdict, TRIAL, 1000, 5000) == OURS_OF_TRIAL);
    check(ours_of(&verdict, 400, 1000, 5000) == 0);
}

/* One pause in a turn, of either way, does not decide. */
static void test_one_long_call_does_not_count(void)
{
    struct weft_mpi_verdict verdict = begin(true, 100, 50);
    ours_of(&verdict, WARM_UP, 100, 50);
    for (unsigned turn = 0; turn < 6; turn++) {
        ours_of(&verdict, 4, 100, 50);
        ours_of(&verdict, 1, 100, 1000000);
    }
    check(ours_of(&verdict, 100, 100, 50) == 100);
}

/* Whoever waits longer for one call waits less for the next: ours, which take longer, are not to
 * look faster by that. */
static void test_one_short_call_does_not_count(void)
{
    struct weft_mpi_verdict verdict = begin(true, 1000, 1010);
    ours_of(&verdict, WARM_UP, 1000, 1010);
    for (unsigned turn = 0; turn < 6; turn++) {
        ours_of(&verdict, 3, 1000, 1010);
        ours_of(&verdict, 1, 1000, 1910);
        ours_of(&verdict, 1, 1000, 110);
    }
    check(ours_of(&verdict, 100, 1000, 1010) == 0);
}

static void test_others_may_refuse_or_insist(void)
{
    struct weft_mpi_verdict verdict = begin(true, 1000, 10);
    others.has_shadow = false;
    check(ours_of(&verdict, 10000, 1000, 10) == 0);
    check(others.votes == 1);
    verdict = begin(true, 10, 1000);
    others.must = 1;
    check(ours_of(&verdict, 1000, 10, 1000) == 1000 - WARM_UP);
    check(others.votes == 1 && others.decisions == 0);
}

/* Which way each of so many calls goes; they take this process as long as the others. */
static void count_ways(struct weft_mpi_verdict *verdict, unsigned calls, unsigned counts[WAYS])
{
    for (unsigned i = 0; i < calls; i++) {
        bool is_ours = weft_mpi_verdict_is_ours(verdict, some_comm());
        uint64_t since = weft_mpi_verdict_clock(verdict);
        check(is_ours == (verdict->way != BY_MPI));
        nanoseconds += others.took[verdict->way];
        weft_mpi_verdict_note(verdict, since);
        counts[verdict->way]++;
    }
}

static void test_three_ways(unsigned best)
{
    struct weft_mpi_verdict verdict = begin(true, 100, 100);
    verdict.has_other = true;
    others.took[BY_US_OTHERWISE] = 100;
    others.took[best] = 50;
    unsigned of_trial[WAYS] = {0}, of_rest[WAYS] = {0};
    ours_of(&verdict, WARM_UP, 100, 100);
    count_ways(&verdict, TRIAL / 2 * WAYS, of_trial);
    check(of_trial[BY_MPI] == TRIAL / 2 && of_trial[BY_US] == TRIAL / 2);
    check(others.decisions == 0);
    count_ways(&verdict, 100, of_rest);
    check(of_rest[best] == 100 && others.decisions == 1);
}

/* Whether by want of memory or by its host: if one process lacks a way, nobody goes it. */
static void test_one_lacks_a_way(bool is_here)
{
    struct weft_mpi_verdict verdict = begin(true, 100, 100);
    verdict.has_other = !is_here;
    others.lack = !is_here;
    unsigned counts[WAYS] = {0};
    ours_of(&verdict, WARM_UP, 100, 100);
    count_ways(&verdict, TRIAL + 100, counts);
    check(counts[BY_US_OTHERWISE] == 0);
}

static void test_others_insist_on_a_way(void)
{
    for (int must = BY_US; must < WAYS; must++) {
        struct weft_mpi_verdict verdict = begin(true, 10, 1000);
        verdict.has_other = true;
        others.must = must;
        unsigned counts[WAYS] = {0};
        ours_of(&verdict, WARM_UP, 10, 1000);
        count_ways(&verdict, 1000, counts);
        check(counts[must] == 1000);
    }
}

static void test_occasions_decide(void)
{
    struct weft_mpi_verdict verdict = begin(false, 1000, 500);
    check(ours_at_once_of(&verdict, WARM_UP + TRIAL, 1000, 500) == OURS_OF_TRIAL);
    check(!weft_mpi_verdict_is_awaited(&verdict));
    weft_mpi_verdict_settle(&verdict, some_comm());
    check(ours_at_once_of(&verdict, 1000, 1000, 500) == 0);
    check(weft_mpi_verdict_is_awaited(&verdict));
    check(others.votes == 0 && others.decisions == 0);
    weft_mpi_verdict_settle(&verdict, some_comm());
    weft_mpi_verdict_settle(&verdict, some_comm());
    check(others.votes == 0 && others.decisions == 1);
    check(ours_at_once_of(&verdict, 256, 1000, 500) == 256);
    check(ours_at_once_of(&verdict, TRIAL, 1000, 500) == OURS_OF_TRIAL);
}

/* Only if somebody wants it is there a trial, and no question is asked but on an occasion. */
static void test_occasions_ask(bool others_want)
{
    struct weft_mpi_verdict verdict = begin(others_want, 1000, 500);
    unsigned ours = 0;
    for (unsigned i = 0; i < WARM_UP + 10; i++)
        ours += weft_mpi_verdict_is_ours_once_asked(&verdict);
    check(ours == 0 && others.votes == 0);
    check(weft_mpi_verdict_is_awaited(&verdict));
    weft_mpi_verdict_settle(&verdict, some_comm());
    check(others.votes == 1 && !weft_mpi_verdict_is_awaited(&verdict));
    for (unsigned i = 0; i < TRIAL; i++)
        ours += weft_mpi_verdict_is_ours_once_asked(&verdict);
    check(ours == (others_want ? OURS_OF_TRIAL : 0));
    check(!weft_mpi_verdict_is_awaited(&verdict));
    check(!weft_mpi_verdict_is_ours_once_asked(&verdict));
    check(weft_mpi_verdict_is_awaited(&verdict) == others_want);
    weft_mpi_verdict_settle(&verdict, some_comm());
    check(others.decisions == (others_want ? 1u : 0u));
}

/* Our call is short, but what comes after it takes longer than after one of MPI. */
static void test_time_to_the_next_call_counts(void)
{
    struct weft_mpi_verdict verdict = begin(false, 500, 1000);
    ours_at_once_of(&verdict, WARM_UP + TRIAL + 1, 500, 1000);
    weft_mpi_verdict_settle(&verdict, some_comm());
    check(ours_at_once_of(&verdict, 256, 500, 1000) == 0);
}

/* What all have said before the first call is not asked again; without the other way, whoever
 * insists on it gets ours. */
static void test_all_were_asked(int told, bool has_other, unsigned way)
{
    struct weft_mpi_verdict verdict = begin(false, 500, 1000);
    weft_mpi_verdict_begin_asked(&verdict, told, has_other);
    check(ours_at_once_of(&verdict, 1000, 500, 1000) == 1000);
    check(verdict.way == way && others.votes == 0);
}

static void test_all_were_asked_and_nobody_insists(bool has_other)
{
    struct weft_mpi_verdict verdict = begin(false, 500, 1000);
    weft_mpi_verdict_begin_asked(&verdict, BY_MPI, has_other);
    check(verdict.ways == (has_other ? WAYS : WAYS - 1));
    check(ours_at_once_of(&verdict, WARM_UP, 500, 1000) == 0);
    check(ours_at_once_of(&verdict, TRIAL / 2 * verdict.ways, 500, 1000) ==
          OURS_OF_TRIAL * (verdict.ways - 1u));
}

int main(void)
{
    mpi.Allreduce = reduce;
#ifdef OPEN_MPI
    static char max, sum, null;
    weft_mpi_objects.ompi_mpi_op_max = &max;
    weft_mpi_objects.ompi_mpi_op_sum = &sum;
    weft_mpi_objects.ompi_mpi_comm_null = &null;
#endif
    test_nobody_wants();
    test_occasions_ask(true);
    test_occasions_ask(false);
    test_one_wants(true);
    test_one_wants(false);
    test_all_count();
    test_little_gain_is_left_to_mpi();
    test_change_is_seen_later();
    test_one_long_call_does_not_count();
    test_one_short_call_does_not_count();
    test_others_may_refuse_or_insist();
    for (unsigned best = 0; best < WAYS; best++)
        test_three_ways(best);
    test_one_lacks_a_way(true);
    test_one_lacks_a_way(false);
    test_others_insist_on_a_way();
    test_occasions_decide();
    test_time_to_the_next_call_counts();
    test_all_were_asked(BY_US, true, BY_US);
    test_all_were_asked(BY_US_OTHERWISE, true, BY_US_OTHERWISE);
    test_all_were_asked(BY_US_OTHERWISE, false, BY_US);
    test_all_were_asked_and_nobody_insists(true);
    test_all_were_asked_and_nobody_insists(false);
    return tap_done();
}
