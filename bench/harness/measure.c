/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/harness/measure.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define MAX_ROUNDS 1000
#define BATCH_SECONDS 30e-6
#define MAX_BATCH 100000
#define MAX_TRIES 5

double measure_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double measure_median(const double *values, size_t count)
{
    double sorted[MAX_ROUNDS];
    memcpy(sorted, values, count * sizeof(*values));
    qsort(sorted, count, sizeof(*sorted), compare);
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static long preemptions(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) ? 0 : usage.ru_nivcsw;
}

/* Tries again if another process had the processor in between, but not for ever. */
static double time_batch(struct contender *contender, const struct measure_options *options)
{
    double seconds = 0;
    for (int try = 0; try < MAX_TRIES; try++) {
        if (options->before_each)
            options->before_each(options->context);
        else
            contender->run(contender->context);
        long before = preemptions();
        double start = measure_now();
        for (size_t i = 0; i < contender->batch; i++)
            contender->run(contender->context);
        seconds = measure_now() - start;
        if (preemptions() == before)
            break;
    }
    return seconds / (double)contender->batch;
}

static void choose_batch(struct contender *contender, const struct measure_options *options)
{
    contender->batch = 1;
    if (options->before_each)
        return;
    for (;;) {
        double once = time_batch(contender, options);
        double all = once * (double)contender->batch;
        if (all >= BATCH_SECONDS || contender->batch >= MAX_BATCH)
            return;
        contender->batch *= all < BATCH_SECONDS / 4 ? 4 : 2;
    }
}

size_t measure(struct contender *contenders, size_t count, const struct measure_options *options)
{
    for (size_t i = 0; i < count; i++) {
        contenders[i].rounds = malloc(MAX_ROUNDS * sizeof(double));
        if (!contenders[i].rounds) {
            fprintf(stderr, "weft bench: out of memory\n");
            exit(1);
        }
        choose_batch(&contenders[i], options);
    }
    double end = measure_now() + options->seconds;
    size_t round = 0;
    while (round < MAX_ROUNDS && (round < MEASURE_MIN_ROUNDS || measure_now() < end)) {
        for (size_t i = 0; i < count; i++) {
            struct contender *contender = &contenders[(i + round) % count];
            contender->rounds[round] = time_batch(contender, options);
        }
        round++;
    }
    for (size_t i = 0; i < count; i++) {
        contenders[i].median = measure_median(contenders[i].rounds, round);
        contenders[i].minimum = contenders[i].rounds[0];
        for (size_t r = 1; r < round; r++)
            if (contenders[i].rounds[r] < contenders[i].minimum)
                contenders[i].minimum = contenders[i].rounds[r];
    }
    return round;
}

double measure_ratio(const struct contender *one, const struct contender *other, size_t rounds)
{
    double ratios[MAX_ROUNDS];
    for (size_t r = 0; r < rounds; r++)
        ratios[r] = one->rounds[r] / other->rounds[r];
    return measure_median(ratios, rounds);
}

void measure_clear(struct contender *contenders, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(contenders[i].rounds);
}

void measure_stay_here(void)
{
    int here = sched_getcpu();
    cpu_set_t set;
    CPU_ZERO(&set);
    if (here >= 0)
        CPU_SET(here, &set);
    if (here < 0 || sched_setaffinity(0, sizeof(set), &set))
        fprintf(stderr, "weft bench: cannot stay on one processor; times will vary more\n");
}

#if defined(__x86_64__)

void measure_flush(const void *memory, size_t bytes)
{
    const char *line = (const char *)((size_t)memory & ~(size_t)63);
    for (; line < (const char *)memory + bytes; line += 64)
#if defined(__CLFLUSHOPT__)
        _mm_clflushopt((void *)line);
#else
        _mm_clflush(line);
#endif
}

void measure_flush_end(void)
{
    _mm_mfence();
}

#else

/* Large enough for most second-level caches. */
#define WALKED_BYTES ((size_t)64 << 20)

void measure_flush(const void *memory, size_t bytes)
{
    (void)memory;
    (void)bytes;
}

void measure_flush_end(void)
{
    static volatile char *walked;
    if (!walked)
        walked = calloc(WALKED_BYTES, 1);
    for (size_t i = 0; walked && i < WALKED_BYTES; i += 64)
        walked[i]++;
}

#endif
