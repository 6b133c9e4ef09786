/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_sweep.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "sim_jobs.h"
#include "sim_transfers.h"

/* What a process leaves behind, in memory that it shares with its parent. */
struct outcome {
    struct weft_sim_finding finding;
    double seconds;
    bool is_good;
};

struct sweep {
    struct sim_point *points;
    size_t count, all;
    struct outcome *outcomes;
};

static struct sim_point *point_of(const struct sweep *sweep, size_t number, size_t *seed)
{
    struct sim_point *point = sweep->points;
    for (*seed = number; *seed >= point->seeds; point++)
        *seed -= point->seeds;
    return point;
}

/* The first with the same study: figures have points in common, such as those without slow nodes.
 */
static size_t original_of(const struct sweep *sweep, size_t number)
{
    size_t seed, first = 0;
    const struct sim_point *point = point_of(sweep, number, &seed);
    for (const struct sim_point *other = sweep->points;; first += other++->seeds)
        if (memcmp(&other->study, &point->study, sizeof point->study) == 0)
            return first + seed;
}

/* Each seed is another permutation, with other slow nodes. */
static void simulate(void *argument, size_t number)
{
    const struct sweep *sweep = argument;
    size_t seed;
    struct weft_sim_study study = point_of(sweep, number, &seed)->study;
    struct outcome *outcome = &sweep->outcomes[number];
    uint64_t begin = weft_clock_now();
    study.seed += seed;
    outcome->is_good = study.has_transfers ? sim_transfers_run(&study, &outcome->finding)
                                           : weft_sim_study_run(&study, &outcome->finding);
    outcome->seconds = (double)(weft_clock_now() - begin) / WEFT_CLOCK_SECOND;
}

static bool is_copy(void *argument, size_t number)
{
    return original_of(argument, number) < number;
}

static void name(void *argument, size_t number, char text[SIM_JOB_NAME])
{
    size_t seed;
    const struct sim_point *point = point_of(argument, number, &seed);
    snprintf(text, SIM_JOB_NAME, "%s %s %s", point->panel, point->series, point->x);
}

static bool collect(const struct sweep *sweep)
{
    for (size_t number = 0; number < sweep->all; number++) {
        size_t seed;
        struct sim_point *point = point_of(sweep, number, &seed);
        const struct outcome *outcome = &sweep->outcomes[original_of(sweep, number)];
        point->findings[seed] = outcome->finding;
        point->seconds[seed] = outcome->seconds;
        if (!outcome->is_good)
            return false;
    }
    return true;
}

bool sim_sweep_run(struct sim_point *points, size_t count, size_t jobs)
{
    struct sweep sweep = {.points = points, .count = count};
    for (size_t i = 0; i < count; i++)
        sweep.all += points[i].seeds;
    size_t bytes = sweep.all * sizeof *sweep.outcomes;
    sweep.outcomes = sim_jobs_memory(bytes);
    const struct sim_jobs work = {.count = sweep.all,
                                  .at_once = jobs,
                                  .argument = &sweep,
                                  .run = simulate,
                                  .is_copy = is_copy,
                                  .name = name};
    bool is_good = sweep.outcomes && sim_jobs_run(&work) && collect(&sweep);
    if (!is_good)
        fprintf(stderr, "weft sim: a simulation failed: is there memory for it, and does the "
                        "topology make sense?\n");
    sim_jobs_forget(sweep.outcomes, bytes);
    return is_good;
}

struct sim_spread sim_sweep_spread(const struct sim_point *point)
{
    struct sim_spread spread = {0, point->findings[0].throughput, point->findings[0].throughput};
    for (size_t seed = 0; seed < point->seeds; seed++) {
        double throughput = point->findings[seed].throughput;
        spread.mean += throughput / (double)point->seeds;
        spread.least = throughput < spread.least ? throughput : spread.least;
        spread.most = throughput > spread.most ? throughput : spread.most;
    }
    return spread;
}
