/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/harness/contest.h"

#include "bench/harness/measure.h"

static size_t count_for(const struct contest *contest, double one)
{
    double count = one > 0 ? contest->seconds / one : 0;
    if (count < (double)contest->counts.least)
        return contest->counts.least;
    return count > (double)contest->counts.most ? contest->counts.most : (size_t)count;
}

static void choose_count(struct contestant *contestant, const struct contest *contest)
{
    double (*try)(void *, size_t) = contestant->try ? contestant->
    try : contestant
        ->run;
    if (contestant->like) {
        contestant->count = contestant->like->count;
        return;
    }
    contestant->count = contest->counts.first;
    for (size_t i = 0; i < contest->counts.tries && !contestant->is_absent; i++) {
        double one = try(contestant->context, contestant->count);
        contestant->is_absent = one <= 0;
        contestant->count = count_for(contest, one);
    }
}

static void take_turn(struct contestant *contestant)
{
    double seconds = contestant->run(contestant->context, contestant->count);
    if (seconds <= 0)
        contestant->is_absent = true;
    else
        contestant->rounds[contestant->round_count++] = seconds;
}

static void sum_up(struct contestant *contestant)
{
    contestant->median = contestant->minimum = 0;
    if (contestant->is_absent)
        return;
    contestant->median = median_of(contestant->rounds, contestant->round_count);
    contestant->minimum = contestant->rounds[0];
    for (size_t i = 1; i < contestant->round_count; i++)
        if (contestant->rounds[i] < contestant->minimum)
            contestant->minimum = contestant->rounds[i];
}

void contest_take_turns(struct contestant *contestants, size_t count, double seconds,
                        size_t least_rounds)
{
    double end = measure_now() + seconds;
    for (size_t i = 0; i < count; i++)
        contestants[i].round_count = 0;
    for (size_t round = 0; round < CONTEST_MOST_ROUNDS; round++) {
        if (round >= least_rounds && measure_now() >= end)
            break;
        for (size_t i = 0; i < count; i++) {
            struct contestant *contestant = &contestants[(i + round) % count];
            if (!contestant->is_absent)
                take_turn(contestant);
        }
    }
    for (size_t i = 0; i < count; i++)
        sum_up(&contestants[i]);
}

void contest_run(struct contestant *contestants, size_t count, const struct contest *contest)
{
    for (size_t i = 0; i < count; i++)
        if (!contestants[i].is_absent)
            choose_count(&contestants[i], contest);
    contest_take_turns(contestants, count, 0, contest->rounds);
}

double contest_ratio(const struct contestant *one, const struct contestant *other)
{
    double ratios[CONTEST_MOST_ROUNDS];
    if (one->is_absent || other->is_absent || one->round_count != other->round_count ||
        one->round_count == 0)
        return 0;
    for (size_t i = 0; i < one->round_count; i++)
        ratios[i] = one->rounds[i] / other->rounds[i];
    return median_of(ratios, one->round_count);
}
