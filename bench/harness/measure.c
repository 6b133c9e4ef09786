/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/harness/measure.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#define BATCH_SECONDS 30e-6
#define MOST_IN_BATCH 100000
#define MOST_TRIES 5
#define MOST_MEASURED 16

double measure_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static long preemptions(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) ? 0 : usage.ru_nivcsw;
}

struct batch {
    const struct measured *measured;
    const struct measure_options *options;
};

static void prepare_run(const struct batch *batch)
{
    if (batch->options->before_each)
        batch->options->before_each(batch->options->context);
    else
        batch->measured->run(batch->measured->context);
}

/* Tries again if another process had the processor in between, but not for ever. */
static double time_batch(void *context, size_t count)
{
    const struct batch *batch = context;
    double seconds = 0;
    for (int try = 0; try < MOST_TRIES; try++) {
        prepare_run(batch);
        long before = preemptions();
        double start = measure_now();
        for (size_t i = 0; i < count; i++)
            batch->measured->run(batch->measured->context);
        seconds = measure_now() - start;
        if (preemptions() == before)
            break;
    }
    return seconds / (double)count;
}

static size_t choose_count(struct batch *batch)
{
    size_t count = 1;
    while (!batch->options->before_each && count < MOST_IN_BATCH) {
        double all = time_batch(batch, count) * (double)count;
        if (all >= BATCH_SECONDS)
            break;
        count *= all < BATCH_SECONDS / 4 ? 4 : 2;
    }
    return count;
}

void measure(const struct measured *measured, struct contestant *contestants, size_t count,
             const struct measure_options *options)
{
    struct batch batches[MOST_MEASURED];
    for (size_t i = 0; i < count; i++) {
        batches[i] = (struct batch){&measured[i], options};
        contestants[i] = (struct contestant){
            .run = time_batch, .context = &batches[i], .count = choose_count(&batches[i])};
    }
    contest_take_turns(contestants, count, options->seconds, MEASURE_LEAST_ROUNDS);
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

char *measure_map(size_t bytes)
{
    char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        fprintf(stderr, "weft bench: out of memory: cannot map %zu bytes\n", bytes);
        exit(1);
    }
    return pages;
}

#if defined(__x86_64__)

static bool has_clflushopt(void)
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & bit_CLFLUSHOPT);
}

__attribute__((target("clflushopt"))) static void flush_lines(const char *line, const char *end)
{
    for (; line < end; line += 64)
        _mm_clflushopt((void *)line);
}

static void flush_lines_in_order(const char *line, const char *end)
{
    for (; line < end; line += 64)
        _mm_clflush(line);
}

void measure_flush(const void *memory, size_t bytes)
{
    static void (*flush)(const char *line, const char *end);
    const char *line = (const char *)((size_t)memory & ~(size_t)63);
    if (!flush)
        flush = has_clflushopt() ? flush_lines : flush_lines_in_order;
    flush(line, (const char *)memory + bytes);
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
