/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A two-grid solver ([DiG15], section IV-C): workers smooth their parts of a grid, and rank 0
 * gathers them, solves the coarse problem and scatters its correction and the values next to each
 * part. It runs twice. Together, all wait for each other in each iteration. Solo, rank 0 gathers
 * whatever the workers have when it comes round, and they take whatever it last found out: nobody
 * waits for a slow one. Both results are compared with a direct solution.
 *
 * With -t, workers pause for random times, up to 10 ms in each of 100 iterations, and the times of
 * both are told.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weft_versions.h>

#include "spin.h"

#define POINTS 64   /* of a worker */
#define COARSE 8    /* fine intervals of a coarse one */
#define SWEEPS 8    /* of a worker in an iteration */
#define SLOTS 8     /* versions that are posted */
#define TINY 1e-11  /* a residual that is small enough */
#define MANY 100000 /* iterations, in which it must have become so */
#define TIMED 100   /* iterations with pauses, */
#define PAUSE 10e6  /* each of up to so many nanoseconds */
#define PATIENCE 20000

/* What a worker gives, and what it gets. Rank 0 has such parts, too, and nothing in them. */
struct part {
    double corrections; /* that it has applied */
    double iterations;
    double values[POINTS];
};

struct answer {
    double corrections; /* found so far, of which `correction` is the last */
    double stop;
    double left, right; /* the values next to the part */
    double correction[POINTS];
};

enum { GATHER, SCATTER, EXCHANGES };

struct solver {
    struct spin spin;
    weft_engine *engine;
    bool is_solo, is_timed;
    uint16_t number; /* of the next schedule */
    weft_versions *versions[EXCHANGES];
    weft_schedule *together[EXCHANGES];
    /* Memory of the exchanges. */
    struct part given, *gathered;
    struct answer *scattered, gotten;
    /* Of a worker. */
    struct part part;
    struct answer answer;
    unsigned random;
    /* Of rank 0. */
    size_t points; /* of all workers */
    double corrections;
    double *values, *residual, *correction;
};

static void must(int error, const char *what)
{
    if (error == WEFT_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, weft_error_text(error));
    exit(1);
}
#define MUST(call) must((call), #call)

/* ---- The equation: -u'' = f, u = 0 at both ends -------------------------------------------- */

static double step(const struct solver *solver)
{
    return 1.0 / (double)(solver->points + 1);
}

static double right_side(const struct solver *solver, size_t i)
{
    double x = (double)(i + 1) * step(solver);
    return 1 + 50 * x * exp(-x);
}

/* Solves (d[i] u[i] - o[i-1] u[i-1] - o[i] u[i+1]) = r[i], where o couples neighbours; r becomes
 * u. */
static void solve_directly(size_t count, double *d, const double *o, double *r)
{
    for (size_t i = 1; i < count; i++) {
        d[i] -= o[i - 1] * o[i - 1] / d[i - 1];
        r[i] += o[i - 1] * r[i - 1] / d[i - 1];
    }
    for (size_t i = count; i-- > 0;)
        r[i] = (r[i] + (i + 1 < count ? o[i] * r[i + 1] : 0)) / d[i];
}

/* ---- Workers ------------------------------------------------------------------------------ */

static void apply(struct solver *solver)
{
    struct part *part = &solver->part;
    if (solver->answer.corrections == part->corrections)
        return;
    for (size_t i = 0; i < POINTS; i++)
        part->values[i] += solver->answer.correction[i];
    part->corrections = solver->answer.corrections;
}

static void smooth(struct solver *solver)
{
    double h = step(solver), *u = solver->part.values;
    size_t first = (solver->spin.rank - 1) * POINTS;
    for (unsigned sweep = 0; sweep < SWEEPS; sweep++)
        for (size_t i = 0; i < POINTS; i++) {
            double left = i ? u[i - 1] : solver->answer.left;
            double right = i + 1 < POINTS ? u[i + 1] : solver->answer.right;
            u[i] = (left + right + h * h * right_side(solver, first + i)) / 2;
        }
    solver->part.iterations++;
}

/* As long on every run. */
static void pause_at_random(struct solver *solver)
{
    solver->random = solver->random * 1664525 + 1013904223;
    nanosleep(&(struct timespec){.tv_nsec = (long)(PAUSE * (solver->random >> 8) / 0x1p24)}, NULL);
}

/* ---- Rank 0 ------------------------------------------------------------------------------- */

/* The share of a fine point in the coarse one to its left, counted from the end of the grid; the
 * rest is that of the one to its right. */
static size_t coarse_left(const struct solver *solver, size_t i, double *share)
{
    size_t before = (i + 1) / COARSE, intervals = (solver->points + 1) / COARSE;
    size_t length = COARSE;
    if (before >= intervals) {
        before = intervals;
        length = solver->points + 1 - intervals * COARSE;
    }
    *share = 1 - (double)(i + 1 - before * COARSE) / (double)length;
    return before;
}

static double find_residual(struct solver *solver)
{
    double h = step(solver), largest = 0, *u = solver->values;
    for (size_t i = 0; i < solver->points; i++) {
        double left = i ? u[i - 1] : 0, right = i + 1 < solver->points ? u[i + 1] : 0;
        solver->residual[i] = h * right_side(solver, i) - (2 * u[i] - left - right) / h;
        largest = fmax(largest, fabs(solver->residual[i]));
    }
    return largest;
}

/* With linear elements the coarse matrix is that of the coarse grid itself. Its points are counted
 * from 1; 0 and the last are the ends. */
static void correct(struct solver *solver)
{
    size_t coarse = (solver->points + 1) / COARSE, rest = (solver->points + 1) % COARSE;
    double h = step(solver), share;
    double *r = spin_memory((coarse + 2) * sizeof *r), *d = spin_memory(coarse * sizeof *d);
    double *o = spin_memory(coarse * sizeof *o);
    size_t count = rest ? coarse : coarse - 1; /* unknowns */
    for (size_t i = 0; i < solver->points; i++) {
        size_t left = coarse_left(solver, i, &share);
        r[left] += share * solver->residual[i];
        r[left + 1] += (1 - share) * solver->residual[i];
    }
    for (size_t i = 0; i < count; i++) {
        bool is_last = i + 1 == count;
        o[i] = 1 / (h * (double)(is_last && rest ? rest : COARSE));
        d[i] = o[i] + 1 / (h * COARSE);
    }
    solve_directly(count, d, o, r + 1);
    r[0] = r[count + 1] = 0;
    for (size_t i = 0; i < solver->points; i++) {
        size_t left = coarse_left(solver, i, &share);
        solver->correction[i] = share * r[left] + (1 - share) * r[left + 1];
    }
    free(r);
    free(d);
    free(o);
}

/* Puts the parts together. A correction is for values to which the last one was applied. */
static bool assemble(struct solver *solver)
{
    bool is_corrected = true;
    for (ptl_rank_t rank = 1; rank < solver->spin.size; rank++) {
        const struct part *part = &solver->gathered[rank];
        memcpy(&solver->values[(rank - 1) * POINTS], part->values, sizeof part->values);
        is_corrected = is_corrected && part->corrections == solver->corrections;
    }
    return is_corrected;
}

static bool have_all_come_to(const struct solver *solver, double iterations)
{
    for (ptl_rank_t rank = 1; rank < solver->spin.size; rank++)
        if (solver->gathered[rank].iterations < iterations)
            return false;
    return true;
}

/* Returns whether it was the last time. */
static bool look_at_parts(struct solver *solver)
{
    bool is_last = have_all_come_to(solver, solver->is_timed ? TIMED : MANY);
    if (assemble(solver) && !is_last) {
        is_last = find_residual(solver) < TINY && !solver->is_timed;
        correct(solver);
        solver->corrections++;
    }
    return is_last;
}

/* The value at a point as its worker will have it when it gets this answer. */
static double corrected(const struct solver *solver, size_t i)
{
    bool is_due = solver->gathered[i / POINTS + 1].corrections < solver->corrections;
    return solver->values[i] + (is_due ? solver->correction[i] : 0);
}

static void answer_all(struct solver *solver, bool stop)
{
    for (ptl_rank_t rank = 1; rank < solver->spin.size; rank++) {
        size_t first = (rank - 1) * POINTS, behind = first + POINTS;
        struct answer *answer = &solver->scattered[rank];
        answer->corrections = solver->corrections;
        answer->stop = stop;
        answer->left = first ? corrected(solver, first - 1) : 0;
        answer->right = behind < solver->points ? corrected(solver, behind) : 0;
        memcpy(answer->correction, &solver->correction[first], sizeof answer->correction);
    }
}

/* ---- Exchanges ---------------------------------------------------------------------------- */

static int add_gather(weft_schedule *schedule, unsigned slot, void *argument)
{
    struct solver *solver = argument;
    struct weft_schedule_memory from = {.base = &solver->given, .length = sizeof solver->given};
    struct weft_schedule_memory to = {.base = solver->gathered,
                                      .length = solver->spin.size * sizeof *solver->gathered};
    (void)slot;
    return weft_collective_gather(schedule, &from, &to, 0, 1);
}

static int add_scatter(weft_schedule *schedule, unsigned slot, void *argument)
{
    struct solver *solver = argument;
    struct weft_schedule_memory from = {.base = solver->scattered,
                                        .length = solver->spin.size * sizeof *solver->scattered};
    struct weft_schedule_memory to = {.base = &solver->gotten, .length = sizeof solver->gotten};
    (void)slot;
    return weft_collective_scatter(schedule, &from, &to, 0, 1);
}

/* Numbers of schedules are used once. */
static void open_exchanges(struct solver *solver)
{
    weft_versions_build *const build[EXCHANGES] = {add_gather, add_scatter};
    for (int i = 0; i < EXCHANGES; i++, solver->number += SLOTS)
        if (solver->is_solo) {
            MUST(weft_versions_open(solver->engine, solver->number, SLOTS, 0, build[i], solver,
                                    &solver->versions[i]));
        } else {
            MUST(weft_schedule_create(solver->engine, solver->number, &solver->together[i]));
            MUST(build[i](solver->together[i], 0, solver));
        }
}

static void close_exchanges(struct solver *solver)
{
    spin_barrier(&solver->spin);
    for (int i = 0; i < EXCHANGES; i++) {
        weft_versions_close(solver->versions[i]);
        weft_schedule_free(solver->together[i]);
        solver->versions[i] = NULL;
        solver->together[i] = NULL;
    }
    spin_barrier(&solver->spin);
}

static void meet(struct solver *solver, int exchange)
{
    MUST(weft_schedule_post(solver->together[exchange]));
    MUST(weft_schedule_start(solver->together[exchange]));
    MUST(weft_schedule_wait(solver->together[exchange], PATIENCE));
}

static void own(struct solver *solver, int exchange)
{
    if (solver->is_solo)
        MUST(weft_versions_own(solver->versions[exchange], PATIENCE, NULL));
}

static void disown(struct solver *solver, int exchange)
{
    if (solver->is_solo)
        MUST(weft_versions_disown(solver->versions[exchange]));
}

/* Rank 0 starts a version, and waits only for what it needs of others. */
static void run(struct solver *solver, int exchange)
{
    uint64_t version;
    if (!solver->is_solo) {
        meet(solver, exchange);
        return;
    }
    MUST(weft_versions_start(solver->versions[exchange], &version));
    MUST(weft_versions_wait(solver->versions[exchange], version, PATIENCE));
}

/* ---- Both sides --------------------------------------------------------------------------- */

/* Solo, a worker leaves its part where it may be fetched, and looks what was brought. */
static void work(struct solver *solver)
{
    while (!solver->answer.stop) {
        if (solver->is_timed)
            pause_at_random(solver);
        smooth(solver);
        own(solver, GATHER);
        solver->given = solver->part;
        disown(solver, GATHER);
        if (!solver->is_solo) {
            meet(solver, GATHER);
            meet(solver, SCATTER);
        }
        own(solver, SCATTER);
        solver->answer = solver->gotten;
        disown(solver, SCATTER);
        apply(solver);
    }
}

static double iterations_of_all(const struct solver *solver)
{
    double sum = 0;
    for (ptl_rank_t rank = 1; rank < solver->spin.size; rank++)
        sum += solver->gathered[rank].iterations;
    return sum;
}

/* While nobody has got any further, the processors are left to the workers. */
static void coordinate(struct solver *solver)
{
    bool is_last = false;
    double before = 0, now = 0;
    while (!is_last) {
        if (now > 0 && now == before)
            nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
        before = now;
        run(solver, GATHER);
        own(solver, GATHER);
        is_last = look_at_parts(solver);
        now = iterations_of_all(solver);
        own(solver, SCATTER);
        answer_all(solver, is_last);
        disown(solver, GATHER);
        disown(solver, SCATTER);
        run(solver, SCATTER);
    }
}

static void reset(struct solver *solver)
{
    solver->part = solver->given = (struct part){.corrections = 0};
    solver->answer = solver->gotten = (struct answer){.corrections = 0};
    solver->corrections = 0;
    solver->random = solver->spin.rank;
}

/* Returns the milliseconds that it took. */
static double solve(struct solver *solver, bool is_solo)
{
    struct timespec begin, end;
    solver->is_solo = is_solo;
    reset(solver);
    open_exchanges(solver);
    spin_barrier(&solver->spin);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    if (solver->spin.rank == 0)
        coordinate(solver);
    else
        work(solver);
    clock_gettime(CLOCK_MONOTONIC, &end);
    close_exchanges(solver);
    return 1e3 * (double)(end.tv_sec - begin.tv_sec) +
           1e-6 * (double)(end.tv_nsec - begin.tv_nsec);
}

/* ---- The whole ---------------------------------------------------------------------------- */

/* Whether rank 0 has gathered what a direct solution gives. */
static bool is_right(const struct solver *solver)
{
    double h = step(solver), largest = 0, worst = 0;
    double *d = spin_memory(solver->points * sizeof *d),
           *o = spin_memory(solver->points * sizeof *o);
    double *u = spin_memory(solver->points * sizeof *u);
    for (size_t i = 0; i < solver->points; i++) {
        d[i] = 2 / h;
        o[i] = 1 / h;
        u[i] = h * right_side(solver, i);
    }
    solve_directly(solver->points, d, o, u);
    for (size_t i = 0; i < solver->points; i++) {
        largest = fmax(largest, fabs(u[i]));
        worst = fmax(worst, fabs(u[i] - solver->values[i]));
    }
    free(d);
    free(o);
    free(u);
    return worst < 1e-6 * largest;
}

static void tell_times(struct solver *solver)
{
    solver->is_timed = true;
    double together = solve(solver, false), solo = solve(solver, true);
    if (solver->spin.rank == 0)
        printf("twogrid: %d iterations with pauses of up to %.0f ms: together %.0f ms, solo "
               "%.0f ms, %.2f times as fast\n",
               TIMED, PAUSE / 1e6, together, solo, together / solo);
}

static void open_solver(struct solver *solver)
{
    spin_open(&solver->spin, 2);
    solver->points = (solver->spin.size - 1) * POINTS;
    solver->gathered = spin_memory(solver->spin.size * sizeof *solver->gathered);
    solver->scattered = spin_memory(solver->spin.size * sizeof *solver->scattered);
    solver->values = spin_memory(solver->points * sizeof *solver->values);
    solver->residual = spin_memory(solver->points * sizeof *solver->residual);
    solver->correction = spin_memory(solver->points * sizeof *solver->correction);
    MUST(weft_engine_open(solver->spin.ni, solver->spin.rank, solver->spin.size, NULL,
                          &solver->engine));
    spin_barrier(&solver->spin);
}

int main(int argc, char **argv)
{
    static struct solver solver;
    open_solver(&solver);
    if (argc > 1 && strcmp(argv[1], "-t") == 0)
        tell_times(&solver);
    solver.is_timed = false;
    solve(&solver, false);
    bool is_together_right = is_right(&solver);
    solve(&solver, true);
    if (solver.spin.rank == 0)
        spin_say(is_together_right && is_right(&solver),
                 "twogrid: %zu points, together and solo, agree with a direct solution",
                 solver.points);
    weft_engine_close(solver.engine);
    spin_close(&solver.spin);
    return 0;
}
