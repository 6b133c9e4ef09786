/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A benchmark describes itself: its options, its cases, how one is measured and told, and its
 * bars. The harness does the rest: it parses the command line, goes through the cases, measures
 * again what misses a bar, and reports to people or programs.
 */
#ifndef WEFT_BENCH_HARNESS_BENCH_H
#define WEFT_BENCH_HARNESS_BENCH_H

#include "bench/harness/bar.h"
#include "bench/harness/contest.h"
#include "bench/harness/option.h"

#define BENCH_MOST_FROM 4

/* What benchmarks can be told alike. */
struct bench_settings {
    size_t rounds;
    double seconds; /* of a turn, or of a case */
    bool is_quick, json, check;
    const char *plot;                      /* a file, or NULL */
    const char *from[BENCH_MOST_FROM + 1]; /* files to draw instead of measuring, then NULL */
};

/* Cases come in groups, which are measured one after the other. */
struct bench_cases {
    size_t groups;
    /* Starts what the group needs; how many cases it has. If there are none, it is not closed. */
    size_t (*open)(size_t group);
    void (*close)(size_t group);
    void (*name)(size_t i, char *text, size_t size);
    void (*measure)(size_t i, unsigned times); /* for so many times as long as usual */
    void (*print)(size_t i);
};

/* With --check, a case that misses a bar is measured again, so many times as long. */
struct bench_again {
    bool (*is_missed)(size_t i);
    unsigned times;
};

struct bench_picture {
    bool (*draw)(const char *file);
    void (*take_line)(const char *line); /* of the files of --from */
};

struct bench_report {
    void (*write_json)(void); /* members of an object that is open */
    void (*look_at_bars)(struct bar_list *list);
    bool has_sentences;             /* the list tells only of bars that are missed */
    size_t (*count_failures)(void); /* others than bars */
};

/* What is NULL or 0 there is not. */
struct benchmark {
    const char *summary; /* in the list of benchmarks */
    struct option_table options;
    struct bench_settings *settings; /* set by some of the options */
    int (*prepare)(void); /* when the options have been read: an exit code, or -1 to go on */
    struct bench_cases cases;
    struct bench_again again;
    struct bench_report report;
    struct bench_picture picture;
};

int bench_run(const struct benchmark *benchmark, int argc, char **argv);

/* ---- Options that many have --------------------------------------------------------------- */

#define BENCH_MOST_ROUNDS 100

/* --rounds and so on of benchmarks whose ways take turns and that draw pictures. */
#define BENCH_TURNS_OPTIONS(settings, turns_of, quick_does, plot_draws, instead_of)               \
    {"rounds", "N", "turns of " turns_of ", alternating (15)",                                    \
     .number = OPTION_NUMBER(&(settings).rounds, 1, BENCH_MOST_ROUNDS)},                          \
        {"quick", NULL, quick_does, .take = bench_take_quick, .context = &(settings)},            \
        {"check", NULL, "compare with the bars; the exit code says if one is missed",             \
         .flag = &(settings).check},                                                              \
        {"plot", "FILE.svg", plot_draws, .text = &(settings).plot},                               \
        {"from", "FILE",                                                                          \
         "draw what an earlier run printed into this file, and measure\n"                         \
         "nothing; may be repeated, needs --plot",                                                \
         .take = bench_take_from, .context = &(settings)},                                        \
        {"json", NULL, "one JSON object instead of the " instead_of, .flag = &(settings).json},   \
    {                                                                                             \
        "help", NULL, "this text", .flag = NULL                                                   \
    }

bool bench_take_quick(const char *value, void *settings);
bool bench_take_from(const char *value, void *settings);

/* From which layouts into which, and messages of which sizes. */
struct bench_pair {
    const char *send, *receive;
};

#define BENCH_MOST_PAIRS 32
#define BENCH_MOST_SIZES 64
#define BENCH_MOST_BYTES ((size_t)1 << 30)

struct bench_layouts {
    struct bench_pair pairs[BENCH_MOST_PAIRS];
    size_t pair_count;
    size_t sizes[BENCH_MOST_SIZES];
    size_t size_count;
    bool (*is_layout)(const char *text);
};

#define BENCH_LAYOUTS_OPTIONS(layouts, layout_is, size_is)                                        \
    {"layout", "LAYOUT", layout_is, .take = bench_take_layout, .context = &(layouts)},            \
        {"receive", "LAYOUT", "another layout for the receiver of the last --layout",             \
         .take = bench_take_receive, .context = &(layouts)},                                      \
    {                                                                                             \
        "size", "BYTES", size_is, .number = {                                                     \
            (layouts).sizes,                                                                      \
            1,                                                                                    \
            BENCH_MOST_BYTES,                                                                     \
            "KMG",                                                                                \
            &(layouts).size_count,                                                                \
            BENCH_MOST_SIZES                                                                      \
        }                                                                                         \
    }

bool bench_take_layout(const char *value, void *layouts);
bool bench_take_receive(const char *value, void *layouts);

/* What is measured unless other layouts or sizes are asked for. */
void bench_layouts_complete(struct bench_layouts *layouts, const struct bench_pair *pairs,
                            size_t pair_count, const size_t *sizes, size_t size_count);

#endif
