/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft bench`: which benchmark? */
#include "bench/harness/bench.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "weft/command.h"

static const struct benchmark {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} benchmarks[] = {
    {"type", weft_bench_type,
     "pack and unpack the layouts of real programs: memcpy, hand-written loops,\n"
     "           Weft, Open MPI and MPICH"},
    {"seek", weft_bench_seek,
     "start in the middle of irregular types of up to ten million blocks"},
    {"put", weft_bench_put,
     "puts between two processes, latency and bandwidth by size, beside a bare\n"
     "           shared ring and UCX"},
    {"get", weft_bench_get, "gets between two processes, latency by size"},
    {"rate", weft_bench_rate, "messages per second, with events and with counters"},
    {"match", weft_bench_match, "what lists of up to 100,000 entries cost"},
    {"ddt", weft_bench_ddt,
     "a layout sent into a layout by every strategy, beside the same bytes contiguous"},
    {"transfer", weft_bench_transfer,
     "messages from a layout into a layout, in packets and read, by size"},
    {"spin", weft_bench_spin,
     "handlers at work while messages arrive, beside the program when they have"},
    {"mpi", weft_bench_mpi,
     "messages of MPI programs natively, packed by hand, and under `weft run`"},
};

#define BENCHMARKS (sizeof(benchmarks) / sizeof(benchmarks[0]))

static void print_help(FILE *out)
{
    fprintf(out, "usage: weft bench BENCHMARK [OPTION...]\n\n");
    for (size_t i = 0; i < BENCHMARKS; i++)
        fprintf(out, "  %-8s %s\n", benchmarks[i].name, benchmarks[i].help);
    fprintf(out, "\n`weft bench BENCHMARK --help` lists the options.\n");
}

int weft_command_bench(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < BENCHMARKS; i++)
        if (strcmp(argv[1], benchmarks[i].name) == 0)
            return benchmarks[i].run(argc - 1, argv + 1);
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_help(stdout);
        return WEFT_EXIT_OK;
    }
    if (argc > 1)
        fprintf(stderr, "weft bench: there is no benchmark '%s'\n\n", argv[1]);
    print_help(stderr);
    return WEFT_EXIT_USAGE;
}

/* ---- Progress ----------------------------------------------------------------------------- */

#define SECONDS_BETWEEN_LINES 0.1

static bool progress_is_shown;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void weft_progress_show(size_t done, size_t all, const char *what)
{
    static double first, last;
    double time = now();
    if (first == 0)
        first = time;
    if (!isatty(STDERR_FILENO) || time - last < SECONDS_BETWEEN_LINES)
        return;
    last = time;
    fprintf(stderr, "\r\033[K%zu of %zu: %s", done, all, what);
    if (done > 0)
        fprintf(stderr, ", %.0f s left", (time - first) / (double)done * (double)(all - done));
    fflush(stderr);
    progress_is_shown = true;
}

void weft_progress_clear(void)
{
    if (!progress_is_shown)
        return;
    fprintf(stderr, "\r\033[K");
    fflush(stderr);
    progress_is_shown = false;
}
