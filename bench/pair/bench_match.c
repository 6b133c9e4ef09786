/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft bench match`: what long lists cost. */
#include <stdio.h>

#include "bench/benchmarks.h"
#include "bench/pair/pair_options.h"
#include "bench/pair/pair_rival.h"
#include "weft/json.h"

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

static struct pair_rival rivals[TABLES][MOST_WAYS * MOST_LENGTHS];
static struct contestant contestants[TABLES][MOST_WAYS * MOST_LENGTHS];

static size_t place_of(size_t table, size_t way, size_t length)
{
    return way * tables[table].length_count + length;
}

static struct contestant *contestant_of(size_t table, size_t way, size_t length)
{
    return &contestants[table][place_of(table, way, length)];
}

static double growth(size_t table, size_t way, size_t length)
{
    return contest_ratio(contestant_of(table, way, length), contestant_of(table, way, 0));
}

/* ---- Bars --------------------------------------------------------------------------------- */

static void look_at_table(size_t t, struct bar_list *list)
{
    for (size_t w = 0; w < tables[t].way_count; w++) {
        const char *what = tables[t].ways[w].bar;
        if (what)
            bar_add(list, BAR_AT_MOST, BAR, growth(t, w, tables[t].length_count - 1), "%s", what)
                ->skipped = "it was not measured";
    }
}

static void look_at_bars(struct bar_list *list)
{
    for (size_t t = 0; t < TABLES; t++)
        look_at_table(t, list);
}

static bool is_table_missed(size_t t)
{
    struct bar_list list = {0};
    look_at_table(t, &list);
    size_t missed = bar_count_missed(&list);
    bar_list_clear(&list);
    return missed > 0;
}

/* ---- Measuring ---------------------------------------------------------------------------- */

static size_t open_pair(size_t group)
{
    (void)group;
    pair_options_start("match");
    return TABLES;
}

static void name_table(size_t t, char *text, size_t size)
{
    snprintf(text, size, "%s", tables[t].title);
}

static void measure_table(size_t t, unsigned times)
{
    const struct table *table = &tables[t];
    for (size_t w = 0; w < table->way_count; w++)
        for (size_t l = 0; l < table->length_count; l++) {
            struct pair_rival *rival = &rivals[t][place_of(t, w, l)];
            *rival = (struct pair_rival){.share = table->ways[w].share,
                                         .job = {.loop = table->ways[w].loop,
                                                 .engine = table->ways[w].engine,
                                                 .there = SIZE,
                                                 .back = SIZE,
                                                 .posted = table->lengths[l]}};
            *contestant_of(t, w, l) = pair_contestant(rival);
        }
    const struct contest contest =
        pair_contest(pair_settings.rounds * times, pair_settings.seconds);
    contest_run(contestants[t], table->way_count * table->length_count, &contest);
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

static void write_json(void)
{
    pair_options_json("match");
    for (size_t t = 0; t < TABLES; t++)
        json_table(t);
}

static const struct option_entry options[] = {
    PAIR_ROUNDS_OPTIONS, PAIR_CHECK_OPTION, PAIR_REPORT_OPTIONS, {0}};

const struct benchmark bench_match = {
    .summary = "what lists of up to 100,000 entries cost",
    .options = {"match",
                "What matching costs. First, 8-byte puts, from PtlPut to the event, to a list of\n"
                "10 to 100,000 exact entries: to the one behind all the others; to one of them\n"
                "chosen at random; and to the one behind the others, with entries that match\n"
                "anything behind it. Second, appends of an entry that finds its message among 10\n"
                "to 10,000 that wait in the overflow list.\n"
                "\n"
                "The bar of --check: 100,000 entries cost at most twice what 10 cost.\n",
                NULL, PAIR_WIDTH, .entries = options},
    .settings = &pair_settings,
    .prepare = pair_options_complete,
    .cases = {1, open_pair, crew_stop, name_table, measure_table, print_table},
    .again = {is_table_missed, PAIR_AGAIN},
    .report = {.write_json = write_json, .look_at_bars = look_at_bars},
};
