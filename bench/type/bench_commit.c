/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `weft bench commit`: what does it cost to make a type of a long list? The list as a program has
 * it becomes a type (create), and that its program (commit). Programs that exchange particles do
 * so for every message.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <weft.h>

#include "bench/benchmarks.h"
#include "bench/harness/measure.h"
#include "bench/harness/random.h"
#include "weft/command.h"
#include "weft/json.h"

#define BLOCK 8 /* bytes, and as many between two that lie next to each other */
#define MOST_ENTRIES ((size_t)524288)
#define FEWEST_RUNS 9
#define BAR_MS 10

enum shape { IN_ORDER, SHUFFLED, OF_TWO_LENGTHS, SHAPES };

static const char *const shape_names[SHAPES] = {"in order", "shuffled", "shuffled, two lengths"};
static const size_t counts[] = {1024, 32768, MOST_ENTRIES};
enum { COUNTS = sizeof(counts) / sizeof(counts[0]), CASES = SHAPES * COUNTS };

static struct bench_settings settings = {.seconds = 0.5};

static struct commit_result {
    double create, commit; /* milliseconds */
    size_t memory;
} results[CASES];

/* ---- Lists -------------------------------------------------------------------------------- */

struct list {
    size_t count;
    int32_t *order;
    size_t *lengths;
    ptrdiff_t *places;
};

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory) {
        fprintf(stderr, "weft bench commit: out of memory\n");
        exit(WEFT_EXIT_FAILED);
    }
    return memory;
}

static struct list make_list(size_t count)
{
    struct list list = {count, allocate(count * sizeof(*list.order)),
                        allocate(count * sizeof(*list.lengths)),
                        allocate(count * sizeof(*list.places))};
    for (size_t i = 0; i < count; i++)
        list.order[i] = (int32_t)i;
    return list;
}

/* Another order each time: Weft would know the last list again. */
static void arrange(struct list *list, enum shape shape, struct random *random)
{
    if (shape != IN_ORDER)
        random_shuffle(random, list->order, list->count);
    for (size_t i = 0; i < list->count; i++) {
        list->lengths[i] = shape == OF_TWO_LENGTHS && i % 3 == 0 ? BLOCK / 2 : BLOCK;
        list->places[i] = (ptrdiff_t)list->order[i] * 2 * BLOCK;
    }
}

static void free_list(struct list *list)
{
    free(list->order);
    free(list->lengths);
    free(list->places);
}

/* ---- Measuring ---------------------------------------------------------------------------- */

static void fail(int error)
{
    fprintf(stderr, "weft bench commit: %s\n", weft_error_text(error));
    exit(WEFT_EXIT_FAILED);
}

/* Of this processor: what other programs do counts little. */
static double milliseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static weft_type *make_once(const struct list *list, double *create, double *commit)
{
    weft_type *type;
    double start = milliseconds();
    int error =
        weft_type_hindexed(list->count, list->lengths, list->places, weft_basic(WEFT_BYTE), &type);
    double between = milliseconds();
    if (!error)
        error = weft_type_commit(type);
    *commit = milliseconds() - between;
    *create = between - start;
    if (error)
        fail(error);
    return type;
}

static void measure_case(size_t i, unsigned times)
{
    struct list list = make_list(counts[i % COUNTS]);
    struct random random = {list.count};
    double create[MEDIAN_MOST], commit[MEDIAN_MOST];
    double end = measure_now() + settings.seconds * times;
    size_t runs = 0;
    while (runs < MEDIAN_MOST && (runs < FEWEST_RUNS || measure_now() < end)) {
        arrange(&list, (enum shape)(i / COUNTS), &random);
        weft_type *type = make_once(&list, &create[runs], &commit[runs]);
        struct weft_type_info info;
        weft_type_query(type, &info, sizeof(info));
        results[i].memory = info.memory;
        weft_type_free(type);
        runs++;
    }
    results[i].create = median_of(create, runs);
    results[i].commit = median_of(commit, runs);
    free_list(&list);
}

/* ---- Telling ------------------------------------------------------------------------------ */

static size_t open_cases(size_t group)
{
    (void)group;
    measure_stay_here();
    return CASES;
}

static void close_cases(size_t group)
{
    (void)group;
}

static void name_case(size_t i, char *text, size_t size)
{
    snprintf(text, size, "%zu entries, %s", counts[i % COUNTS], shape_names[i / COUNTS]);
}

static void print_case(size_t i)
{
    const struct commit_result *result = &results[i];
    size_t entries = counts[i % COUNTS];
    if (i == 0)
        printf("Types of lists of blocks of 8 bytes (and of 4), medians, in ms of a "
               "processor\n\n%-22s %8s %9s "
               "%9s %8s\n",
               "list", "entries", "create", "commit", "B/entry");
    printf("%-22s %8zu %9.3f %9.3f %8.1f\n", shape_names[i / COUNTS], entries, result->create,
           result->commit, (double)result->memory / (double)entries);
}

static void write_json(void)
{
    weft_json_open("cases", '[');
    for (size_t i = 0; i < CASES; i++) {
        weft_json_open(NULL, '{');
        weft_json_string("list", shape_names[i / COUNTS]);
        weft_json_integer("entries", (int64_t)counts[i % COUNTS]);
        weft_json_number("create_ms", results[i].create);
        weft_json_number("commit_ms", results[i].commit);
        weft_json_integer("memory", (int64_t)results[i].memory);
        weft_json_close('}');
    }
    weft_json_close(']');
}

static void look_at_bars(struct bar_list *list)
{
    for (size_t i = 0; i < CASES; i++)
        if (counts[i % COUNTS] == MOST_ENTRIES)
            bar_add(list, BAR_AT_MOST, BAR_MS, results[i].create + results[i].commit,
                    "milliseconds to make and commit %zu entries, %s", MOST_ENTRIES,
                    shape_names[i / COUNTS]);
}

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define BAR TEXT(BAR_MS)

static const struct option_entry options[] = {
    {"seconds", "S", "for each list, 0.5 unless given",
     .real = {&settings.seconds, .least = 0.001, .most = 1000}},
    {"quick", NULL, "the same as --seconds 0.01", .real = {&settings.seconds, .preset = 0.01}},
    {"check", NULL,
     "exit with 1 where the bar is missed: 524,288 entries are a\n"
     "type, and committed, in at most " BAR " ms",
     .flag = &settings.check},
    {"json", NULL, "for programs; times are in milliseconds", .flag = &settings.json},
    {0},
};

const struct benchmark bench_commit = {
    .summary = "make types of lists of up to 524,288 blocks",
    .options = {"commit",
                "Makes and commits types of lists of 1,024 to 524,288 blocks, in order and "
                "shuffled.\n",
                NULL, 14, .entries = options},
    .settings = &settings,
    .cases = {1, open_cases, close_cases, name_case, measure_case, print_case},
    .report = {.write_json = write_json, .look_at_bars = look_at_bars},
};
