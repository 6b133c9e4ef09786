/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft bench`: which benchmark? */
#include "bench.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

static void print_help(FILE *out)
{
    fprintf(out,
            "usage: weft bench type [OPTION...]\n"
            "       weft bench seek [OPTION...]\n"
            "\n"
            "  type   pack and unpack the layouts of real programs: memcpy, hand-written loops,\n"
            "         Weft, Open MPI and MPICH\n"
            "  seek   start in the middle of irregular types of up to ten million blocks\n"
            "\n"
            "`weft bench type --help` and `weft bench seek --help` list the options.\n");
}

int weft_command_bench(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "type") == 0)
        return weft_bench_type(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "seek") == 0)
        return weft_bench_seek(argc - 1, argv + 1);
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
