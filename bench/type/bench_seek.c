/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `weft bench seek`: what does it cost to start in the middle? Ranges of 2 KiB are scattered at
 * random positions of types of 10^3 to 10^7 blocks; and, as the floor, by a plain loop over a
 * list of all pieces that knows beforehand where in the list to start. The floor makes the same
 * copies with the same kernel and misses the caches for the same data, but searches nothing.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benchmarks.h"
#include "bench/harness/measure.h"
#include "bench/harness/random.h"
#include "bench/layouts/find_piece.h"
#include "bench/type/seek_case.h"
#include "type/kernel.h"
#include "weft/command.h"
#include "weft/json.h"

#define SMALLEST 1000
#define LARGEST 10000000
#define FEW 32    /* positions that stay in the cache */
#define MANY 4096 /* positions that do not, if the type is large */
#define IN_A_RUN 256
#define TIMES_SMALLER_CASE 10
#define MOST_LENGTHS 5 /* from the smallest to the largest */

#define AGAIN_FACTOR 4

#define BAR_GROWTH 3
#define BAR_END 1.1
#define BAR_STEPS(blocks) (4 * log2((double)(blocks)) + 16)

/* Ranges at positions of a case. */
struct seek_job {
    const struct seek_case *seek;
    char *window;
    char *packet;
    const size_t *offsets;
    const size_t *first; /* for the floor: the piece that each range starts in */
    size_t count;
    size_t in_a_run; /* runs go round the positions, so many at a time */
    size_t next;
};

struct seek_result {
    size_t blocks;
    double few_weft, few_floor;   /* nanoseconds for a range, positions in the cache */
    double many_weft, many_floor; /* positions all over the message */
    double few_ratio, many_ratio; /* Weft / floor */
    double end_ratio;             /* the last range / the first */
    double mean_steps;
    unsigned most_steps;
    size_t memory;
};

/* The position that a run ends at, having started at *first. */
static size_t next_run(struct seek_job *job, size_t *first)
{
    *first = job->next;
    job->next = (job->next + job->in_a_run) % job->count;
    return *first + job->in_a_run;
}

static void run_weft(void *context)
{
    struct seek_job *job = context;
    size_t i, end = next_run(job, &i);
    for (; i < end; i++)
        weft_unpack(job->seek->type, 1, job->window, job->offsets[i], job->packet, SEEK_RANGE);
}

static void run_floor(void *context)
{
    struct seek_job *job = context;
    const struct seek_case *seek = job->seek;
    void (*copy)(char *, weft_type_address, uint64_t) =
        weft_type_kernels(WEFT_TYPE_SCATTER)->piece;
    size_t i, last = next_run(job, &i);
    for (; i < last; i++) {
        size_t offset = job->offsets[i], end = offset + SEEK_RANGE;
        char *packed = job->packet;
        for (size_t piece = job->first[i]; offset < end; piece++) {
            size_t skip = offset - seek->start[piece];
            size_t length = seek->start[piece + 1] - offset;
            if (length > end - offset)
                length = end - offset;
            copy(packed, (weft_type_address)job->window + (size_t)seek->where[piece] + skip,
                 length);
            packed += length;
            offset += length;
        }
    }
}

/* The floor is also the oracle. */
static void verify(const struct seek_job *job, size_t extent)
{
    struct seek_job expected = *job;
    expected.count = expected.in_a_run = FEW;
    expected.window = seek_allocate(extent);
    struct seek_job got = expected;
    memset(job->window, 0, extent);
    memset(expected.window, 0, extent);
    got.window = job->window;
    run_floor(&expected);
    run_weft(&got);
    if (memcmp(expected.window, got.window, extent)) {
        fprintf(stderr,
                "weft bench seek: Weft unpacks wrong bytes from %s of %zu blocks: this is "
                "a bug, please report it\n",
                seek_shape_names[job->seek->shape], job->seek->blocks);
        exit(WEFT_EXIT_FAILED);
    }
    free(expected.window);
}

static void count_steps(const struct seek_job *job, struct seek_result *result)
{
    double sum = 0;
    for (size_t i = 0; i < job->count; i++) {
        struct weft_place place = {0};
        weft_locate(job->seek->type, 1, job->offsets[i], &place);
        sum += place.steps;
        if (place.steps > result->most_steps)
            result->most_steps = place.steps;
    }
    result->mean_steps = sum / (double)job->count;
}

/* Weft and the floor, nanoseconds for a range. */
static void race(struct seek_job *job, double seconds, double *weft, double *floor, double *ratio)
{
    struct seek_job other = *job;
    /* Far from what the other has just touched. */
    other.next = job->count == job->in_a_run ? 0 : job->count / 2;
    const struct measured runs[2] = {{run_weft, job}, {run_floor, &other}};
    struct contestant contestants[2];
    measure(runs, contestants, 2, &(struct measure_options){.seconds = seconds});
    *weft = contestants[0].median * 1e9 / (double)job->in_a_run;
    *floor = contestants[1].median * 1e9 / (double)job->in_a_run;
    *ratio = contest_ratio(&contestants[0], &contestants[1]);
}

#define COMPARISONS 9

/* The median of several comparisons: a busy neighbour on the host lasts longer than one. */
static double compare_ends(const struct seek_job *job, double seconds)
{
    const size_t start_offset = 0, end_offset = job->seek->last_range;
    struct seek_job start = *job, end = *job;
    start.offsets = &start_offset;
    end.offsets = &end_offset;
    start.count = end.count = start.in_a_run = end.in_a_run = 1;
    const struct measured runs[2] = {{run_weft, &end}, {run_weft, &start}};
    struct contestant contestants[2];
    double ratios[COMPARISONS];
    for (size_t i = 0; i < COMPARISONS; i++) {
        measure(runs, contestants, 2, &(struct measure_options){.seconds = seconds / 2});
        ratios[i] = contest_ratio(&contestants[0], &contestants[1]);
    }
    return median_of(ratios, COMPARISONS);
}

static void choose_positions(const struct seek_case *seek, struct random *random, size_t *offsets,
                             size_t *first)
{
    for (size_t i = 0; i < MANY; i++) {
        offsets[i] = random_below(random, seek->start[seek->blocks] - SEEK_RANGE + 1);
        first[i] = find_piece(seek->start, seek->blocks, offsets[i]);
    }
}

static struct seek_result measure_type(const struct seek_case *seek, double seconds)
{
    struct seek_result result = {.blocks = seek->blocks};
    static size_t offsets[MANY], first[MANY];
    static char packet[SEEK_RANGE];
    struct random random = {seek->blocks};
    for (size_t i = 0; i < SEEK_RANGE; i++)
        packet[i] = (char)random_next(&random);
    choose_positions(seek, &random, offsets, first);
    struct seek_job job = {.seek = seek,
                           .window = seek_allocate(seek->extent),
                           .packet = packet,
                           .offsets = offsets,
                           .first = first,
                           .count = MANY,
                           .in_a_run = IN_A_RUN};
    verify(&job, seek->extent);
    count_steps(&job, &result);
    race(&job, seconds, &result.many_weft, &result.many_floor, &result.many_ratio);
    job.count = job.in_a_run = FEW;
    job.next = 0;
    race(&job, seconds, &result.few_weft, &result.few_floor, &result.few_ratio);
    result.end_ratio = compare_ends(&job, seconds);
    if (result.end_ratio > BAR_END)
        result.end_ratio = compare_ends(&job, seconds * AGAIN_FACTOR);
    struct weft_type_info info;
    weft_type_query(seek->type, &info, sizeof(info));
    result.memory = info.memory;
    free(job.window);
    return result;
}

/* ---- Options ------------------------------------------------------------------------------ */

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define GROWTH TEXT(BAR_GROWTH)
#define END TEXT(BAR_END)

static struct bench_settings settings = {.seconds = 0.3};
static size_t max_blocks = LARGEST;

static bool take_quick(const char *value, void *context)
{
    (void)value;
    (void)context;
    settings.seconds = 0.05;
    max_blocks = 1000000;
    return true;
}

static const struct option_entry options[] = {
    {"max-blocks", "N", "only types of up to N blocks",
     .number = OPTION_NUMBER(&max_blocks, SMALLEST, LARGEST)},
    {"seconds", "S", "for each measurement, 0.3 unless given",
     .real = {&settings.seconds, .least = 0.001, .most = 1000}},
    {"quick", NULL, "the same as --seconds 0.05 --max-blocks 1000000", .take = take_quick},
    {"check", NULL,
     "exit with 1 where a bar is missed, and say which: from the\n"
     "smallest to the largest type, Weft's time relative to that of\n"
     "the plain loop, and its time for positions in the cache, grow\n"
     "at most " GROWTH " times; steps stay below 4 log2(blocks) + 16; the\n"
     "last range takes at most " END " times as long as the first",
     .flag = &settings.check},
    {"json", NULL, "for programs; times are in nanoseconds", .flag = &settings.json},
    {0},
};

/* ---- Cases: shapes at lengths ------------------------------------------------------------- */

static struct seek_result results[SEEK_SHAPES * MOST_LENGTHS];
static size_t length_count;

static enum seek_shape shape_of(size_t i)
{
    return (enum seek_shape)(i / length_count);
}

static size_t blocks_of(size_t i)
{
    size_t blocks = SMALLEST;
    for (i %= length_count; i > 0; i--)
        blocks *= TIMES_SMALLER_CASE;
    return blocks;
}

static size_t open_shapes(size_t group)
{
    (void)group;
    measure_stay_here();
    for (size_t n = SMALLEST; n <= max_blocks; n *= TIMES_SMALLER_CASE)
        length_count++;
    return SEEK_SHAPES * length_count;
}

static void close_shapes(size_t group)
{
    (void)group;
}

static void name_case(size_t i, char *text, size_t size)
{
    snprintf(text, size, "%s of %zu blocks", seek_shape_names[shape_of(i)], blocks_of(i));
}

static void measure_case(size_t i, unsigned times)
{
    struct seek_case seek = seek_case_make(shape_of(i), blocks_of(i));
    results[i] = measure_type(&seek, settings.seconds * times);
    seek_case_free(&seek);
}

/* ---- Reports ------------------------------------------------------------------------------ */

static void print_heading(void)
{
    printf("One range of 2 KiB at a random position, in ns; the floor makes the same copies but "
           "knows\nwhere to start. Steps: levels entered and comparisons made.\n\n");
    printf("%-8s %9s %7s %6s %5s  | %-25s | %-31s | %s\n", "type", "blocks", "B/block", "steps",
           "most", "in the cache", "all over the message", "end/");
    printf("%-8s %9s %7s %6s %5s  | %7s %7s %9s | %7s %7s %6s %8s | %s\n", "", "", "", "", "",
           "Weft", "floor", "ratio", "Weft", "floor", "more", "ratio", "start");
}

static void print_case(size_t i)
{
    const struct seek_result *r = &results[i];
    if (i == 0)
        print_heading();
    printf("%-8s %9zu %7.2f %6.1f %5u  | %7.1f %7.1f %9.2f | %7.1f %7.1f %6.1f %8.2f | %.2f\n",
           seek_shape_names[shape_of(i)], r->blocks, (double)r->memory / (double)r->blocks,
           r->mean_steps, r->most_steps, r->few_weft, r->few_floor, r->few_ratio, r->many_weft,
           r->many_floor, r->many_weft - r->many_floor, r->many_ratio, r->end_ratio);
}

#define AT(member) offsetof(struct seek_result, member)

static const struct weft_json_member numbers[] = {
    {"mean_steps", AT(mean_steps)},
    {"cached_weft", AT(few_weft)},
    {"cached_floor", AT(few_floor)},
    {"cached_ratio", AT(few_ratio)},
    {"spread_weft", AT(many_weft)},
    {"spread_floor", AT(many_floor)},
    {"spread_ratio", AT(many_ratio)},
    {"end_to_start", AT(end_ratio)},
    {0},
};

static void json_case(size_t i)
{
    const struct seek_result *r = &results[i];
    weft_json_open(NULL, '{');
    weft_json_string("type", seek_shape_names[shape_of(i)]);
    weft_json_integer("blocks", (int64_t)r->blocks);
    weft_json_integer("memory", (int64_t)r->memory);
    weft_json_integer("most_steps", r->most_steps);
    weft_json_numbers(numbers, r);
    weft_json_close('}');
}

static void write_json(void)
{
    weft_json_open("cases", '[');
    for (size_t i = 0; i < SEEK_SHAPES * length_count; i++)
        json_case(i);
    weft_json_close(']');
}

/* ---- The bars ----------------------------------------------------------------------------- */

static void look_at_growth(const char *name, const char *what, double growth,
                           struct bar_list *missed)
{
    if (growth > BAR_GROWTH)
        bar_sentence(missed, "%s: time %s grows by %.2f from the smallest; the bar is %.1f", name,
                     what, growth, (double)BAR_GROWTH);
}

static void look_at_case(size_t i, struct bar_list *missed)
{
    const struct seek_result *r = &results[i], *smallest = r - i % length_count;
    char name[64];
    name_case(i, name, sizeof(name));
    look_at_growth(name, "over the floor's", r->many_ratio / smallest->many_ratio, missed);
    look_at_growth(name, "in the cache", r->few_weft / smallest->few_weft, missed);
    if (r->most_steps > BAR_STEPS(r->blocks))
        bar_sentence(missed, "%s: %u steps to find a place; the bar is %.0f", name, r->most_steps,
                     BAR_STEPS(r->blocks));
    if (r->end_ratio > BAR_END)
        bar_sentence(missed,
                     "%s: the last range takes %.2f times as long as the first; the bar is %.1f",
                     name, r->end_ratio, BAR_END);
}

static void look_at_bars(struct bar_list *missed)
{
    for (size_t i = 0; i < SEEK_SHAPES * length_count; i++)
        look_at_case(i, missed);
}

const struct benchmark bench_seek = {
    .summary = "start in the middle of irregular types of up to ten million blocks",
    .options =
        {"seek",
         "Unpacks 2 KiB at random positions of irregular types of 10^3 to 10^7 blocks, beside\n"
         "a plain loop that makes the same copies and knows where to start.\n",
         NULL, 18, .entries = options},
    .settings = &settings,
    .cases = {1, open_shapes, close_shapes, name_case, measure_case, print_case},
    .report = {write_json, look_at_bars, .has_sentences = true},
};
