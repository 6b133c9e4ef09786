/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `weft bench clock`: what does packing cost the program that goes on computing? Some processors
 * lower their clock for wide registers, and leave it low for a while. A computation that needs
 * neither memory nor vectors is timed, without packing and with, by each set of instructions.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <weft.h>

#include "bench/benchmarks.h"
#include "bench/harness/measure.h"
#include "type/kernel.h"
#include "weft/command.h"
#include "weft/json.h"

#define ROWS 64
#define BLOCK_DOUBLES 16 /* of 64 in a row */
#define PACKED_BYTES (ROWS * BLOCK_DOUBLES * sizeof(double))
#define SETTLING 0.002 /* seconds, in which the last contestant's clock may still hold */
#define IN_A_TURN 0.01 /* seconds, that follow */
#define MOST_LOSS 1.02

/* Seconds of the computation between two times that the program packs. */
static const double pauses[] = {0.0001, 0.001};
enum { PAUSES = sizeof(pauses) / sizeof(pauses[0]) };

static const enum weft_setting_simd sets[] = {WEFT_SETTING_SIMD_OFF, WEFT_SETTING_SIMD_AVX2,
                                              WEFT_SETTING_SIMD_AVX512VL,
                                              WEFT_SETTING_SIMD_AVX512};
enum { SETS = sizeof(sets) / sizeof(sets[0]), RIVALS = SETS + 1 }; /* the first packs nothing */

static struct bench_settings settings = {.seconds = 3};

static double slower[PAUSES][SETS]; /* so many times as long; 0: the processor lacks it */

/* ---- Measuring ---------------------------------------------------------------------------- */

static struct {
    weft_type *column;
    double steps_per_second;
    const struct weft_type_kernels *chosen;
} work;

static double matrix[ROWS * 64];
static char packed[PACKED_BYTES];

/* Each step waits for the last. */
static double compute(unsigned long steps)
{
    static unsigned long number = 1;
    unsigned long next = number;
    double start = measure_now();
    for (unsigned long i = 0; i < steps; i++) {
        next = next * 3 + 1;
        __asm__ volatile("" : "+r"(next));
    }
    number = next;
    return measure_now() - start;
}

struct rival {
    const struct weft_type_kernels *kernels; /* NULL: packs nothing */
    double pause;
};

/* The time between two times that it packs. */
static double run(void *context, size_t count)
{
    const struct rival *rival = context;
    unsigned long steps = (unsigned long)(rival->pause * work.steps_per_second);
    double took = 0, settled = measure_now() + SETTLING;
    for (size_t done = 0; done < count;) {
        if (rival->kernels) {
            atomic_store_explicit(&weft_type_kernels_chosen, rival->kernels, memory_order_relaxed);
            weft_pack(work.column, 1, matrix, 0, packed, PACKED_BYTES);
        }
        bool counts = measure_now() >= settled;
        double one = compute(steps);
        took += counts ? one : 0;
        done += counts;
    }
    return took / (double)count;
}

static void measure_case(size_t i, unsigned times)
{
    struct rival rivals[RIVALS] = {{NULL, pauses[i]}};
    struct contestant contestants[RIVALS] = {{.run = run, .context = &rivals[0]}};
    size_t count = (size_t)(IN_A_TURN / pauses[i]);
    contestants[0].count = count;
    for (size_t k = 0; k < SETS; k++) {
        rivals[k + 1] = (struct rival){weft_type_kernels_of(sets[k]), pauses[i]};
        contestants[k + 1] = (struct contestant){.run = run,
                                                 .context = &rivals[k + 1],
                                                 .count = count,
                                                 .is_absent = !rivals[k + 1].kernels};
    }
    contest_take_turns(contestants, RIVALS, settings.seconds * times, MEASURE_LEAST_ROUNDS);
    for (size_t k = 0; k < SETS; k++)
        slower[i][k] = contest_ratio(&contestants[k + 1], &contestants[0]);
}

/* ---- Telling ------------------------------------------------------------------------------ */

static bool is_chosen(size_t set)
{
    return weft_type_kernels_of(sets[set]) == work.chosen;
}

static size_t open_cases(size_t group)
{
    (void)group;
    measure_stay_here();
    int error = weft_type_vector(ROWS, BLOCK_DOUBLES, 64, weft_basic(WEFT_DOUBLE), &work.column);
    if (!error)
        error = weft_type_commit(work.column);
    if (error) {
        fprintf(stderr, "weft bench clock: %s\n", weft_error_text(error));
        exit(WEFT_EXIT_FAILED);
    }
    work.chosen = weft_type_kernels_choose();
    const unsigned long steps = 10000000;
    compute(steps);
    work.steps_per_second = (double)steps / compute(steps);
    return PAUSES;
}

static void close_cases(size_t group)
{
    (void)group;
    weft_type_free(work.column);
    weft_type_kernels_choose();
}

static void name_case(size_t i, char *text, size_t size)
{
    snprintf(text, size, "packing each %g ms", pauses[i] * 1e3);
}

static void print_case(size_t i)
{
    if (i == 0) {
        printf("A computation, beside packing 8 KiB: how many times as long it takes by the\n"
               "instructions that pack (* chosen: WEFT_SIMD)\n\n%-14s",
               "packed each");
        for (size_t k = 0; k < SETS; k++)
            printf(" %11s%s", weft_type_kernels_name_of(sets[k]), is_chosen(k) ? "*" : " ");
        printf("\n");
    }
    printf("%8g ms   ", pauses[i] * 1e3);
    for (size_t k = 0; k < SETS; k++)
        if (slower[i][k] > 0)
            printf(" %11.3f ", slower[i][k]);
        else
            printf(" %11s ", "-");
    printf("\n");
}

static void write_json(void)
{
    weft_json_open("cases", '[');
    for (size_t i = 0; i < PAUSES; i++)
        for (size_t k = 0; k < SETS; k++) {
            if (!(slower[i][k] > 0))
                continue;
            weft_json_open(NULL, '{');
            weft_json_number("packed_each_ms", pauses[i] * 1e3);
            weft_json_string("instructions", weft_type_kernels_name_of(sets[k]));
            weft_json_bool("is_chosen", is_chosen(k));
            weft_json_number("times_as_long", slower[i][k]);
            weft_json_close('}');
        }
    weft_json_close(']');
}

static void look_at_bars(struct bar_list *list)
{
    for (size_t i = 0; i < PAUSES; i++)
        for (size_t k = 0; k < SETS; k++)
            if (slower[i][k] > 0 && is_chosen(k))
                bar_add(list, BAR_AT_MOST, MOST_LOSS, slower[i][k],
                        "times as long for a computation beside packing by %s each %g ms",
                        weft_type_kernels_name_of(sets[k]), pauses[i] * 1e3);
}

static const struct option_entry options[] = {
    {"seconds", "S", "for each line, 3 unless given",
     .real = {&settings.seconds, .least = 0.001, .most = 1000}},
    {"quick", NULL, "the same as --seconds 0.1", .real = {&settings.seconds, .preset = 0.1}},
    {"check", NULL,
     "exit with 1 where the bar is missed: the instructions chosen\n"
     "make a computation take at most 1.02 times as long",
     .flag = &settings.check},
    {"json", NULL, "for programs", .flag = &settings.json},
    {0},
};

const struct benchmark bench_clock = {
    .summary = "what packing costs the program that goes on computing",
    .options = {"clock",
                "Times a computation without memory and vectors, alone and beside packing by each "
                "set of\ninstructions: some processors lower their clock for wide registers.\n",
                NULL, 14, .entries = options},
    .settings = &settings,
    .cases = {1, open_cases, close_cases, name_case, measure_case, print_case},
    .report = {.write_json = write_json, .look_at_bars = look_at_bars},
};
