/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/harness/contest.h"

#include "bench/harness/measure.h"
#include "bench/harness/perftest.h"

#define FIRST_COUNT 16
#define LEAST_COUNT 8
#define MOST_COUNT 2000000

static double ask_ucx(const struct pair_job *job)
{
    const char *test = job->loop == PAIR_STREAM ? "ucp_am_bw" : "ucp_am_lat";
    pair_hold(true);
    double there = perftest_seconds(test, job->there, job->count);
    double back = 0;
    if (job->loop != PAIR_STREAM && there > 0)
        back = job->back == job->there ? there : perftest_seconds(test, job->back, job->count);
    pair_hold(false);
    return there > 0 && (back > 0 || job->loop == PAIR_STREAM) ? there + back : 0;
}

static double ask(const struct contestant *contestant)
{
    const struct pair_job *job = &contestant->job;
    return contestant->share * (contestant->is_ucx ? ask_ucx(job) : pair_run(job));
}

static size_t count_for(double seconds, double one)
{
    double count = one > 0 ? seconds / one : 0;
    if (count < LEAST_COUNT)
        return LEAST_COUNT;
    return count > MOST_COUNT ? MOST_COUNT : (size_t)count;
}

/* Twice, because the first messages are slow. UCX takes the number of the first contestant: its
 * processes would have to be started for this. */
static void choose_count(struct contestant *contestant, const struct contestant *first,
                         const struct contest_options *options)
{
    struct pair_job *job = &contestant->job;
    if (contestant->is_ucx) {
        job->count = first->job.count;
        return;
    }
    job->count = FIRST_COUNT;
    for (int i = 0; i < 2 && !contestant->absent; i++) {
        double one = pair_run(job);
        contestant->absent = one <= 0;
        job->count = count_for(options->seconds, one);
    }
}

static void take_turn(struct contestant *contestant)
{
    double seconds = ask(contestant);
    if (seconds <= 0)
        contestant->absent = true;
    else
        contestant->rounds[contestant->round_count++] = seconds;
}

static void sum_up(struct contestant *contestant)
{
    contestant->median = contestant->minimum = 0;
    if (contestant->absent)
        return;
    contestant->median = measure_median(contestant->rounds, contestant->round_count);
    contestant->minimum = contestant->rounds[0];
    for (size_t i = 1; i < contestant->round_count; i++)
        if (contestant->rounds[i] < contestant->minimum)
            contestant->minimum = contestant->rounds[i];
}

void contest_run(struct contestant *contestants, size_t count,
                 const struct contest_options *options)
{
    for (size_t i = 0; i < count; i++) {
        contestants[i].round_count = 0;
        if (!contestants[i].absent)
            choose_count(&contestants[i], &contestants[0], options);
    }
    for (size_t round = 0; round < options->rounds && round < CONTEST_MAX_ROUNDS; round++)
        for (size_t i = 0; i < count; i++) {
            struct contestant *contestant = &contestants[(i + round) % count];
            if (!contestant->absent)
                take_turn(contestant);
        }
    for (size_t i = 0; i < count; i++)
        sum_up(&contestants[i]);
}

double contest_ratio(const struct contestant *one, const struct contestant *other)
{
    double ratios[CONTEST_MAX_ROUNDS];
    if (one->absent || other->absent || one->round_count != other->round_count ||
        one->round_count == 0)
        return 0;
    for (size_t i = 0; i < one->round_count; i++)
        ratios[i] = one->rounds[i] / other->rounds[i];
    return measure_median(ratios, one->round_count);
}
