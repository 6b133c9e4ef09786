/* SPDX-License-Identifier: BSD-3-Clause */
/* What the benchmarks between two processes can be told. */
#ifndef WEFT_BENCH_PAIR_PAIR_OPTIONS_H
#define WEFT_BENCH_PAIR_PAIR_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/harness/bench.h"
#include "bench/pair/pair.h"

struct pair_options {
    size_t sizes[BENCH_MOST_SIZES];
    size_t size_count;
    size_t window;
    bool has_window; /* the benchmark streams messages */
    struct crew_world world;
    bool no_ucx;
};

extern struct bench_settings pair_settings;
extern struct pair_options pair_options;
extern const struct option_words pair_worlds;

/* What misses is measured again, so many times as long. */
#define PAIR_AGAIN 3

/* ---- Entries of their tables, in the order of the help ------------------------------------ */

#define PAIR_WIDTH 16

#define PAIR_SIZE_OPTION                                                                          \
    {                                                                                             \
        "size", "BYTES",                                                                          \
            "one size, such as 64K, instead of 8 bytes to 4 MiB by\n"                             \
            "powers of two; may be repeated",                                                     \
            .number = {                                                                           \
                pair_options.sizes,                                                               \
                1,                                                                                \
                BENCH_MOST_BYTES,                                                                 \
                "KM",                                                                             \
                &pair_options.size_count,                                                         \
                BENCH_MOST_SIZES                                                                  \
            }                                                                                     \
    }
#define PAIR_WORLD_OPTIONS                                                                        \
    {"world", "WORLD",                                                                            \
     "shm, which is the default; ofi: through libfabric, beside\n"                                \
     "plain libfabric on the same provider; or tcp: through\n"                                    \
     "sockets, beside a bare one",                                                                \
     .words = &pair_worlds},                                                                      \
    {                                                                                             \
        "provider", "NAME",                                                                       \
            "of libfabric, such as net or 'tcp;ofi_rxm', instead of\n"                            \
            "what the settings say; needs --world ofi",                                           \
            .text = &pair_options.world.provider                                                  \
    }
#define PAIR_WINDOW_OPTION                                                                        \
    {                                                                                             \
        "window", "N", "messages of a stream before the receiver answers;\n64 unless given",      \
            .number = OPTION_NUMBER(&pair_options.window, 1, 65536)                               \
    }
#define PAIR_ROUNDS_OPTIONS                                                                       \
    {"rounds", "N", "rounds to take the medians of; 7 unless given, at most 33",                  \
     .number = OPTION_NUMBER(&pair_settings.rounds, 1, 33)},                                      \
    {                                                                                             \
        "quick", NULL, "3 short rounds, and fewer sizes: a first impression",                     \
            .take = bench_take_quick, .context = &pair_settings                                   \
    }
#define PAIR_UCX_OPTION                                                                           \
    {                                                                                             \
        "no-ucx", NULL, "no comparison with UCX", .flag = &pair_options.no_ucx                    \
    }
#define PAIR_CHECK_OPTION                                                                         \
    {                                                                                             \
        "check", NULL,                                                                            \
            "exit with 1 unless the bars hold, and say which do; what\n"                          \
            "misses is measured again, three times as long",                                      \
            .flag = &pair_settings.check                                                          \
    }
#define PAIR_REPORT_OPTIONS                                                                       \
    {"json", NULL, "for programs; times are in microseconds", .flag = &pair_settings.json},       \
    {                                                                                             \
        "help", NULL, "this text", .flag = NULL                                                   \
    }

/* ---- What they do ------------------------------------------------------------------------- */

/* Those of benchmarks that go through sizes, if none were asked for. */
void pair_options_choose_sizes(void);

/* When the options have been read. An exit code, or -1 to go on. */
int pair_options_complete(void);

/* Starts the pair for these options, and says on what it runs. */
void pair_options_start(const char *name);

/* The members that all reports have. */
void pair_options_json(const char *name);

#endif
