/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft bench`: which benchmark? */
#include "bench/benchmarks.h"

#include <stdio.h>
#include <string.h>

#include "weft/command.h"

static const struct benchmark *const benchmarks[] = {
    &bench_type, &bench_copy, &bench_seek,       &bench_commit, &bench_clock, &bench_put,
    &bench_get,  &bench_rate, &bench_chain,      &bench_match,  &bench_ddt,   &bench_transfer,
    &bench_spin, &bench_mpi,  &bench_collective, &bench_ways,
};

#define BENCHMARKS (sizeof(benchmarks) / sizeof(benchmarks[0]))

static void print_help(FILE *out)
{
    fprintf(out, "usage: weft bench BENCHMARK [OPTION...]\n\n");
    for (size_t i = 0; i < BENCHMARKS; i++)
        fprintf(out, "  %-10s %s\n", benchmarks[i]->options.name, benchmarks[i]->summary);
    fprintf(out, "\n`weft bench BENCHMARK --help` lists the options.\n");
}

int weft_command_bench(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < BENCHMARKS; i++)
        if (strcmp(argv[1], benchmarks[i]->options.name) == 0)
            return bench_run(benchmarks[i], argc - 1, argv + 1);
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_help(stdout);
        return WEFT_EXIT_OK;
    }
    if (argc > 1)
        fprintf(stderr, "weft bench: there is no benchmark '%s'\n\n", argv[1]);
    print_help(stderr);
    return WEFT_EXIT_USAGE;
}
