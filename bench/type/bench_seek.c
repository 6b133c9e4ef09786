/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `weft bench seek`: what does it cost to start in the middle? Ranges of 2 KiB are scattered at
 * random positions of types of 10^3 to 10^7 blocks; and, as the floor, by a plain loop over a
 * list of all pieces that knows beforehand where in the list to start. The floor makes the same
 * copies with the same kernel and misses the caches for the same data, but searches nothing.
 */
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/bench.h"
#include "bench/harness/measure.h"
#include "bench/harness/random.h"
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

#define AGAIN_FACTOR 4

#define BAR_GROWTH 3.0
#define BAR_END 1.1
#define BAR_STEPS(blocks) (4 * log2((double)(blocks)) + 16)

struct seek_options {
    size_t max_blocks;
    double seconds;
    bool json, check;
};

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

static size_t find_piece(const struct seek_case *seek, size_t offset)
{
    size_t low = 0, high = seek->blocks;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (seek->start[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
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
    struct contender contenders[2] = {{.run = run_weft, .context = job},
                                      {.run = run_floor, .context = &other}};
    struct measure_options options = {.seconds = seconds};
    size_t rounds = measure(contenders, 2, &options);
    *weft = contenders[0].median * 1e9 / (double)job->in_a_run;
    *floor = contenders[1].median * 1e9 / (double)job->in_a_run;
    *ratio = measure_ratio(&contenders[0], &contenders[1], rounds);
    measure_clear(contenders, 2);
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
    struct contender contenders[2] = {{.run = run_weft, .context = &end},
                                      {.run = run_weft, .context = &start}};
    struct measure_options options = {.seconds = seconds / 2};
    double ratios[COMPARISONS];
    for (size_t i = 0; i < COMPARISONS; i++) {
        size_t rounds = measure(contenders, 2, &options);
        ratios[i] = measure_ratio(&contenders[0], &contenders[1], rounds);
        measure_clear(contenders, 2);
    }
    return measure_median(ratios, COMPARISONS);
}

static struct seek_result measure_case(const struct seek_case *seek, double seconds)
{
    struct seek_result result = {0};
    static size_t offsets[MANY], first[MANY];
    static char packet[SEEK_RANGE];
    struct random random = {seek->blocks};
    for (size_t i = 0; i < SEEK_RANGE; i++)
        packet[i] = (char)random_next(&random);
    for (size_t i = 0; i < MANY; i++) {
        offsets[i] = random_below(&random, seek->start[seek->blocks] - SEEK_RANGE + 1);
        first[i] = find_piece(seek, offsets[i]);
    }
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

static void print_result(const struct seek_case *seek, const struct seek_result *r)
{
    printf("%-8s %9zu %7.2f %6.1f %5u  | %7.1f %7.1f %9.2f | %7.1f %7.1f %6.1f %8.2f | %.2f\n",
           seek_shape_names[seek->shape], seek->blocks, (double)r->memory / (double)seek->blocks,
           r->mean_steps, r->most_steps, r->few_weft, r->few_floor, r->few_ratio, r->many_weft,
           r->many_floor, r->many_weft - r->many_floor, r->many_ratio, r->end_ratio);
    fflush(stdout);
}

static void json_result(const struct seek_case *seek, const struct seek_result *r)
{
    weft_json_open(NULL, '{');
    weft_json_string("type", seek_shape_names[seek->shape]);
    weft_json_integer("blocks", (int64_t)seek->blocks);
    weft_json_integer("memory", (int64_t)r->memory);
    weft_json_number("mean_steps", r->mean_steps);
    weft_json_integer("most_steps", r->most_steps);
    weft_json_number("cached_weft", r->few_weft);
    weft_json_number("cached_floor", r->few_floor);
    weft_json_number("cached_ratio", r->few_ratio);
    weft_json_number("spread_weft", r->many_weft);
    weft_json_number("spread_floor", r->many_floor);
    weft_json_number("spread_ratio", r->many_ratio);
    weft_json_number("end_to_start", r->end_ratio);
    weft_json_close('}');
}

/* ---- The bars ----------------------------------------------------------------------------- */

#define MAX_MISSED 64

struct missed {
    char text[MAX_MISSED][160];
    size_t count;
};

__attribute__((format(printf, 4, 5))) static void
miss_if(bool missed, struct missed *all, const struct seek_case *seek, const char *format, ...)
{
    if (!missed || all->count == MAX_MISSED)
        return;
    char *text = all->text[all->count++];
    int used = snprintf(text, sizeof(all->text[0]),
                        "%s of %zu blocks: ", seek_shape_names[seek->shape], seek->blocks);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, sizeof(all->text[0]) - (size_t)used, format, arguments);
    va_end(arguments);
}

/* `smallest` is the result for the smallest type of the same shape. */
static void check_result(const struct seek_case *seek, const struct seek_result *r,
                         const struct seek_result *smallest, struct missed *all)
{
    double growth = r->many_ratio / smallest->many_ratio;
    miss_if(growth > BAR_GROWTH, all, seek,
            "time over the floor's grows by %.2f from the smallest; the bar is %.1f", growth,
            BAR_GROWTH);
    growth = r->few_weft / smallest->few_weft;
    miss_if(growth > BAR_GROWTH, all, seek,
            "time in the cache grows by %.2f from the smallest; the bar is %.1f", growth,
            BAR_GROWTH);
    miss_if(r->most_steps > BAR_STEPS(seek->blocks), all, seek,
            "%u steps to find a place; the bar is %.0f", r->most_steps, BAR_STEPS(seek->blocks));
    miss_if(r->end_ratio > BAR_END, all, seek,
            "the last range takes %.2f times as long as the first; the bar is %.1f", r->end_ratio,
            BAR_END);
}

static void report_missed(const struct missed *all, bool json)
{
    if (json)
        weft_json_open("missed", '[');
    else
        printf("\n");
    for (size_t i = 0; i < all->count; i++)
        if (json)
            weft_json_string(NULL, all->text[i]);
        else
            printf("missed: %s\n", all->text[i]);
    if (json)
        weft_json_close(']');
    else
        printf("%zu bars missed\n", all->count);
}

/* ---- The command -------------------------------------------------------------------------- */

static void print_help(void)
{
    printf("usage: weft bench seek [OPTION...]\n"
           "\n"
           "Unpacks 2 KiB at random positions of irregular types of 10^3 to 10^7 blocks, beside\n"
           "a plain loop that makes the same copies and knows where to start.\n"
           "\n"
           "  --max-blocks N     only types of up to N blocks\n"
           "  --seconds S        for each measurement, 0.3 unless given\n"
           "  --quick            the same as --seconds 0.05 --max-blocks 1000000\n"
           "  --check            exit with 1 where a bar is missed, and say which: from the\n"
           "                     smallest to the largest type, Weft's time relative to that of\n"
           "                     the plain loop, and its time for positions in the cache, grow\n"
           "                     at most %.0f times; steps stay below 4 log2(blocks) + 16; the\n"
           "                     last range takes at most %.1f times as long as the first\n"
           "  --json             for programs; times are in nanoseconds\n",
           BAR_GROWTH, BAR_END);
}

static bool take_number(const char *option, double low, double high, double *number)
{
    char *end;
    *number = strtod(optarg, &end);
    if (*end == '\0' && *number >= low && *number <= high)
        return true;
    fprintf(stderr, "weft bench seek: --%s '%s' is not a number from %g to %g\n", option, optarg,
            low, high);
    return false;
}

/* Returns an exit code, or -1 to go on. */
static int parse_options(int argc, char **argv, struct seek_options *options)
{
    static const struct option known[] = {
        {"max-blocks", required_argument, NULL, 'm'},
        {"seconds", required_argument, NULL, 's'},
        {"quick", no_argument, NULL, 'q'},
        {"check", no_argument, NULL, 'c'},
        {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    *options = (struct seek_options){.max_blocks = LARGEST, .seconds = 0.3};
    double number = 0;
    int option;
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (option == 'h') {
            print_help();
            return WEFT_EXIT_OK;
        }
        bool good = true;
        if (option == 'm' && (good = take_number("max-blocks", SMALLEST, LARGEST, &number)))
            options->max_blocks = (size_t)number;
        else if (option == 's')
            good = take_number("seconds", 0.001, 1000, &options->seconds);
        else if (option == 'q')
            *options = (struct seek_options){1000000, 0.05, options->json, options->check};
        options->check |= option == 'c';
        options->json |= option == 'j';
        if (!good || option == '?')
            return WEFT_EXIT_USAGE;
    }
    if (optind == argc)
        return -1;
    fprintf(stderr, "weft bench seek: '%s' is not an option; see --help\n", argv[optind]);
    return WEFT_EXIT_USAGE;
}

static void measure_shape(enum seek_shape shape, const struct seek_options *options,
                          struct missed *missed)
{
    struct seek_result smallest = {0};
    for (size_t n = SMALLEST; n <= options->max_blocks; n *= TIMES_SMALLER_CASE) {
        struct seek_case seek = seek_case_make(shape, n);
        struct seek_result result = measure_case(&seek, options->seconds);
        if (n == SMALLEST)
            smallest = result;
        if (options->json)
            json_result(&seek, &result);
        else
            print_result(&seek, &result);
        check_result(&seek, &result, &smallest, missed);
        seek_case_free(&seek);
    }
}

int weft_bench_seek(int argc, char **argv)
{
    struct seek_options options;
    int code = parse_options(argc, argv, &options);
    if (code >= 0)
        return code;
    measure_stay_here();
    static struct missed missed;
    if (options.json) {
        weft_json_open(NULL, '{');
        weft_json_open("cases", '[');
    } else {
        print_heading();
    }
    for (unsigned shape = 0; shape < SEEK_SHAPES; shape++)
        measure_shape((enum seek_shape)shape, &options, &missed);
    if (options.json)
        weft_json_close(']');
    if (options.check)
        report_missed(&missed, options.json);
    if (options.json)
        weft_json_close('}');
    return options.check && missed.count ? WEFT_EXIT_FAILED : WEFT_EXIT_OK;
}
