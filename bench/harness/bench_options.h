/* SPDX-License-Identifier: BSD-3-Clause */
/* The command lines of benchmarks whose ways take turns. */
#ifndef WEFT_BENCH_HARNESS_BENCH_OPTIONS_H
#define WEFT_BENCH_HARNESS_BENCH_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define BENCH_MOST_FROM 4

struct bench_turns {
    size_t rounds;
    double seconds; /* of a turn */
    unsigned hpus;  /* threads that run handlers */
    bool json, check;
    const char *plot;                      /* a file, or NULL */
    const char *from[BENCH_MOST_FROM + 1]; /* files to draw instead of measuring, then NULL */
};

/* What all of them have, and those with handlers; false if the key is none of these or optarg
 * makes no sense. */
#define BENCH_TURNS_OPTIONS                                                                       \
    {"rounds", required_argument, NULL, 'r'}, {"quick", no_argument, NULL, 'q'},                  \
        {"check", no_argument, NULL, 'c'}, {"plot", required_argument, NULL, 'o'},                \
        {"from", required_argument, NULL, 'F'}, {"json", no_argument, NULL, 'j'},                 \
    {                                                                                             \
        "help", no_argument, NULL, 'h'                                                            \
    }
#define BENCH_HPUS_OPTION                                                                         \
    {                                                                                             \
        "hpus", required_argument, NULL, 'n'                                                      \
    }
#define BENCH_FROM_HELP                                                                           \
    "  --from FILE       draw what an earlier run printed into this file, and measure\n"          \
    "                    nothing; may be repeated, needs --plot\n"
#define BENCH_MOST_ROUNDS 100
bool bench_turns_take(int key, struct bench_turns *turns);
bool bench_turns_are_stored(const struct bench_turns *turns);

/* From which layout into which, and how much of it. */
struct bench_pair {
    const char *send, *receive;
};

#define BENCH_MOST_PAIRS 32
#define BENCH_MOST_SIZES 24
#define BENCH_MOST_BYTES ((size_t)1 << 30)

struct bench_layouts {
    struct bench_pair pairs[BENCH_MOST_PAIRS];
    size_t pair_count;
    size_t sizes[BENCH_MOST_SIZES];
    size_t size_count;
    size_t most_pairs, most_sizes; /* up to those above */
    size_t most_text;              /* characters of a layout, with the final 0 */
};

#define BENCH_LAYOUTS_OPTIONS                                                                     \
    {"layout", required_argument, NULL, 'l'}, {"receive", required_argument, NULL, 'e'},          \
    {                                                                                             \
        "size", required_argument, NULL, 's'                                                      \
    }
/* As bench_turns_take. */
bool bench_layouts_take(int key, struct bench_layouts *layouts);

struct bench_options {
    const char *name;
    const struct option *known; /* the key of --help is 'h' */
    void (*print_help)(FILE *out);
    bool (*take)(int key, void *options); /* false if optarg makes no sense */
    void *options;
};

/* An exit code, or -1 to go on. */
int bench_options_parse(const struct bench_options *bench, int argc, char **argv);

#endif
