/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_sweep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/harness/progress.h"

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
static void simulate(const struct sweep *sweep, size_t number)
{
    size_t seed;
    struct weft_sim_study study = point_of(sweep, number, &seed)->study;
    struct outcome *outcome = &sweep->outcomes[number];
    uint64_t begin = weft_clock_now();
    study.seed += seed;
    outcome->is_good = weft_sim_study_run(&study, &outcome->finding);
    outcome->seconds = (double)(weft_clock_now() - begin) / WEFT_CLOCK_SECOND;
}

static bool start(const struct sweep *sweep, size_t number)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        simulate(sweep, number);
        _exit(0);
    }
    return child > 0;
}

static void show(const struct sweep *sweep, size_t done)
{
    char text[3 * SIM_LABEL];
    size_t seed;
    if (done == sweep->all)
        return;
    const struct sim_point *point = point_of(sweep, done, &seed);
    snprintf(text, sizeof text, "%s %s %s", point->panel, point->series, point->x);
    progress_show(done, sweep->all, text);
}

/* Waits for as many as it takes until fewer than `most` are running. */
static bool settle(size_t *running, size_t most, size_t *done)
{
    while (*running >= most && *running > 0) {
        int status;
        if (wait(&status) < 0 && errno == EINTR)
            continue;
        (*running)--;
        (*done)++;
        if (!WIFEXITED(status))
            return false;
    }
    return true;
}

static bool run_all(const struct sweep *sweep, size_t jobs)
{
    size_t running = 0, done = 0;
    bool is_good = true;
    for (size_t next = 0; is_good && next < sweep->all; next++) {
        if (original_of(sweep, next) < next) {
            done++;
            continue;
        }
        show(sweep, done);
        is_good = settle(&running, jobs, &done) && start(sweep, next);
        running += is_good;
    }
    while (is_good && running > 0) {
        show(sweep, done);
        is_good = settle(&running, running, &done);
    }
    progress_clear();
    return is_good;
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
    sweep.outcomes = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool is_good = sweep.outcomes != MAP_FAILED && run_all(&sweep, jobs) && collect(&sweep);
    if (!is_good)
        fprintf(stderr, "weft sim: a simulation failed: is there memory for it, and does the "
                        "topology make sense?\n");
    if (sweep.outcomes != MAP_FAILED)
        munmap(sweep.outcomes, bytes);
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
