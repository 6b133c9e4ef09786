/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft bench match`: what long lists cost. */
#include <stdio.h>

#include "bench/harness/bar.h"
#include "bench/harness/bench.h"
#include "bench/pair/pair_options.h"
#include "weft/command.h"
#include "weft/json.h"

#define AGAIN_FACTOR 3
#define BAR 2.0
#define SIZE 8
#define MOST_LENGTHS 3
#define MOST_WAYS 3

/* The same thing with lists of several lengths, in several ways. */
struct table {
    const char *name;
    const char *title;
    const char *length_name;
    size_t lengths[MOST_LENGTHS];
    size_t length_count;
    struct way {
        const char *name;
        const char *bar; /* NULL: it has none */
        enum pair_loop loop;
        enum pair_engine engine;
        double share;
    } ways[MOST_WAYS];
    size_t way_count;
};

static const struct table tables[] = {
    {"entries",
     "8-byte put to event, half round trip, by the entry that matches",
     "Posted",
     {10, 1000, 100000},
     3,
     {{"last", "100,000 posted entries, relative to 10", PAIR_PING_PONG, PAIR_MATCH_LAST, 0.5},
      {"any", "100,000 posted entries, one of them matches, relative to 10", PAIR_PING_PONG,
       PAIR_MATCH_ANY, 0.5},
      {"wild", "100,000 posted entries, wildcards behind, relative to 10", PAIR_PING_PONG,
       PAIR_MATCH_WILD, 0.5}},
     3},
    {"unexpected",
     "append of an entry that finds its message",
     "Waiting",
     {10, 1000, 10000},
     3,
     {{"append", NULL, PAIR_UNEXPECTED, PAIR_EVENTS, 1}},
     1},
};

#define TABLES (sizeof(tables) / sizeof(tables[0]))

static struct contestant contestants[TABLES][MOST_WAYS * MOST_LENGTHS];

static struct contestant *contestant_of(size_t table, size_t way, size_t length)
{
    return &contestants[table][way * tables[table].length_count + length];
}

static double growth(size_t table, size_t way, size_t length)
{
    return contest_ratio(contestant_of(table, way, length), contestant_of(table, way, 0));
}

/* ---- Measuring ---------------------------------------------------------------------------- */

static size_t look_at_bars(struct bar *bars)
{
    size_t count = 0;
    for (size_t t = 0; t < TABLES; t++)
        for (size_t w = 0; w < tables[t].way_count; w++)
            if (tables[t].ways[w].bar)
                bars[count++] = (struct bar){.what = tables[t].ways[w].bar,
                                             .limit = BAR,
                                             .figure = growth(t, w, tables[t].length_count - 1),
                                             .skipped = "it was not measured"};
    return count;
}

static bool misses(void)
{
    struct bar bars[TABLES * MOST_WAYS];
    size_t count = look_at_bars(bars), missed = 0;
    for (size_t i = 0; i < count; i++)
        missed += bar_is_missed(&bars[i]);
    return missed > 0;
}

static void measure_table(size_t t, const struct pair_options *options)
{
    const struct table *table = &tables[t];
    for (size_t w = 0; w < table->way_count; w++)
        for (size_t l = 0; l < table->length_count; l++)
            *contestant_of(t, w, l) = (struct contestant){.share = table->ways[w].share,
                                                          .job = {.loop = table->ways[w].loop,
                                                                  .engine = table->ways[w].engine,
                                                                  .there = SIZE,
                                                                  .back = SIZE,
                                                                  .posted = table->lengths[l]}};
    struct contest_options contest = options->contest;
    size_t count = table->way_count * table->length_count;
    contest_run(contestants[t], count, &contest);
    if (options->check && misses()) {
        contest.rounds *= AGAIN_FACTOR;
        contest_run(contestants[t], count, &contest);
    }
}

/* ---- Reports ------------------------------------------------------------------------------ */

static void print_table(size_t t)
{
    const struct table *table = &tables[t];
    printf("\n# %s; /%zu: times the time with %zu\n# %-10s", table->title, table->lengths[0],
           table->lengths[0], table->length_name);
    for (size_t w = 0; w < table->way_count; w++)
        printf(" %9s (us) %8s%zu", table->ways[w].name, "/", table->lengths[0]);
    printf("\n");
    for (size_t l = 0; l < table->length_count; l++) {
        printf("%-12zu", table->lengths[l]);
        for (size_t w = 0; w < table->way_count; w++)
            printf(" %14.3f %10.2f", contestant_of(t, w, l)->median * 1e6, growth(t, w, l));
        printf("\n");
    }
    fflush(stdout);
}

static void json_table(size_t t)
{
    const struct table *table = &tables[t];
    weft_json_open(table->name, '[');
    for (size_t w = 0; w < table->way_count; w++)
        for (size_t l = 0; l < table->length_count; l++) {
            weft_json_open(NULL, '{');
            weft_json_string("way", table->ways[w].name);
            weft_json_integer("length", (int64_t)table->lengths[l]);
            weft_json_number("us", contestant_of(t, w, l)->median * 1e6);
            weft_json_number("min_us", contestant_of(t, w, l)->minimum * 1e6);
            weft_json_number("ratio", growth(t, w, l));
            weft_json_close('}');
        }
    weft_json_close(']');
}

static size_t report_bars(bool json)
{
    struct bar bars[TABLES * MOST_WAYS];
    size_t count = look_at_bars(bars);
    return bar_report(bars, count, json);
}

int weft_bench_match(int argc, char **argv)
{
    struct pair_options options;
    int code = pair_options_parse(PAIR_BENCH_MATCH, argc, argv, &options);
    if (code >= 0)
        return code;
    pair_options_start(PAIR_BENCH_MATCH, &options);
    for (size_t t = 0; t < TABLES; t++) {
        weft_progress_show(t, TABLES, tables[t].title);
        measure_table(t, &options);
        weft_progress_clear();
        if (!options.json)
            print_table(t);
    }
    pair_stop();
    if (options.json) {
        pair_options_json(PAIR_BENCH_MATCH, &options);
        for (size_t t = 0; t < TABLES; t++)
            json_table(t);
    }
    size_t missed = options.check ? report_bars(options.json) : 0;
    if (options.json)
        weft_json_close('}');
    return missed ? WEFT_EXIT_FAILED : WEFT_EXIT_OK;
}
