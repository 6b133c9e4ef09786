/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft bench ddt`: a layout sent into a layout, by every strategy, beside the same bytes
 * contiguous. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/ddt/ddt_layout.h"
#include "bench/ddt/ddt_member.h"
#include "bench/harness/bar.h"
#include "bench/harness/bench.h"
#include "bench/harness/bench_options.h"
#include "bench/harness/measure.h"
#include "bench/harness/plot.h"
#include "bench/harness/stored.h"
#include "weft/command.h"
#include "weft/json.h"
#include "weft/number.h"

#define MOST_PACKET ((size_t)1 << 20)
#define QUICK_SIZE 65536
#define FIRST_COUNT 3

struct options {
    struct ddt_shape shape;
    struct bench_layouts layouts;
    bool ways[DDT_WAYS];
    struct bench_turns turns;
};

struct cell {
    const struct bench_pair *pair;
    size_t bytes;
    bool is_possible[DDT_WAYS];
    double median[DDT_WAYS]; /* seconds */
    double ratio[DDT_WAYS];  /* to contiguous */
    struct ddt_facts facts[DDT_WAYS];
};

static const struct bench_pair usual[] = {{"vec8", "vec8"},     {"vec64", "vec64"},
                                          {"vec512", "vec512"}, {"vec4096", "vec4096"},
                                          {"ib8r", "ib8r"},     {"vec64", "vec8"}};
static const size_t usual_sizes[] = {65536, 1 << 20, 4 << 20};

/* ---- Options ------------------------------------------------------------------------------ */

static void print_help(FILE *out)
{
    fprintf(out,
            "usage: weft bench ddt [OPTION...]\n\n"
            "Sends a layout into a layout, one way, with freshly written data and the receive\n"
            "posted, by every strategy, beside the same bytes contiguous.\n\n"
            "  --layout LAYOUT   a name of `weft bench type --list`, or a type such as\n"
            "                    'vector(64, 1, 2, double)'; of both sides; may be repeated\n"
            "  --receive LAYOUT  another layout for the receiver of the last --layout\n"
            "  --size BYTES      of messages, such as 64K; may be repeated (64K, 1M, 4M)\n"
            "  --way WAY         only this one and contiguous; may be repeated:\n");
#define PRINT(name, text, what) fprintf(out, "                    %-12s %s\n", text, what);
    DDT_WAY_MAP(PRINT)
#undef PRINT
    fprintf(out, "  --world WORLD     shm, which is the default, or ofi\n"
                 "  --provider NAME   of libfabric; net if it is not given\n"
                 "  --packet BYTES    payload of the largest packet\n"
                 "  --hpus N          threads that run handlers (0: the one that receives)\n"
                 "  --rounds N        turns of each way, alternating (15)\n"
                 "  --quick           few and short turns, 64K only\n"
                 "  --check           compare with the bars; the exit code says if one is missed\n"
                 "  --plot FILE.svg   draw times relative to contiguous by blocks of\n"
                 "                    vectors, vecN (needs gnuplot)\n" BENCH_FROM_HELP
                 "  --json            one JSON object instead of the table\n"
                 "  --help            this text\n");
}

static bool add_way(const char *text, struct options *options)
{
    for (int way = 0; way < DDT_WAYS; way++)
        if (strcmp(text, ddt_way_names[way]) == 0)
            return options->ways[way] = true;
    return false;
}

static bool set_world(const char *text, struct options *options)
{
    options->shape.is_ofi = strcmp(text, "ofi") == 0;
    return options->shape.is_ofi || strcmp(text, "shm") == 0;
}

/* False if the value makes no sense. */
static bool take_option(int key, void *context)
{
    struct options *options = context;
    switch (key) {
    case 'l':
    case 'e':
    case 's':
        return bench_layouts_take(key, &options->layouts);
    case 'y':
        return add_way(optarg, options);
    case 'w':
        return set_world(optarg, options);
    case 'p':
        options->shape.provider = optarg;
        return true;
    case 'k':
        return number_parse(optarg, "KM", 0, MOST_PACKET, &options->shape.packet);
    case 'q':
        if (options->layouts.size_count == 0)
            options->layouts.sizes[options->layouts.size_count++] = QUICK_SIZE;
        return bench_turns_take(key, &options->turns);
    default:
        return bench_turns_take(key, &options->turns);
    }
}

static void complete(struct options *options)
{
    bool any = false;
    for (int way = 0; way < DDT_WAYS; way++)
        any |= options->ways[way];
    for (int way = 0; way < DDT_WAYS; way++)
        options->ways[way] |= !any;
    options->ways[DDT_CONTIGUOUS] = true;
    if (options->layouts.size_count == 0) {
        memcpy(options->layouts.sizes, usual_sizes, sizeof(usual_sizes));
        options->layouts.size_count = sizeof(usual_sizes) / sizeof(*usual_sizes);
    }
    options->shape.hpus = options->turns.hpus;
    if (options->layouts.pair_count == 0) {
        memcpy(options->layouts.pairs, usual, sizeof(usual));
        options->layouts.pair_count = sizeof(usual) / sizeof(*usual);
    }
    if (options->shape.is_ofi && !options->shape.provider)
        options->shape.provider = "net";
}

/* Both sides must have as many bytes, at every size. */
static bool is_pair(const struct bench_pair *pair, size_t bytes)
{
    struct ddt_layout send, receive;
    if (!ddt_layout_open(pair->send, bytes, &send))
        return false;
    if (!ddt_layout_open(pair->receive, bytes, &receive)) {
        ddt_layout_close(&send);
        return false;
    }
    bool fits = send.bytes == receive.bytes && send.bytes > 0;
    if (!fits)
        fprintf(stderr,
                "weft bench ddt: near %zu bytes '%s' has %zu and '%s' has %zu: both must have the "
                "same, and not 0\n",
                bytes, pair->send, send.bytes, pair->receive, receive.bytes);
    ddt_layout_close(&send);
    ddt_layout_close(&receive);
    return fits;
}

static bool are_pairs(const struct options *options)
{
    for (size_t p = 0; p < options->layouts.pair_count; p++)
        for (size_t s = 0; s < options->layouts.size_count; s++)
            if (!is_pair(&options->layouts.pairs[p], options->layouts.sizes[s]))
                return false;
    return true;
}

/* An exit code, or -1 to go on. */
static int parse(int argc, char **argv, struct options *options)
{
    static const struct option known[] = {BENCH_LAYOUTS_OPTIONS,
                                          {"way", required_argument, NULL, 'y'},
                                          {"world", required_argument, NULL, 'w'},
                                          {"provider", required_argument, NULL, 'p'},
                                          {"packet", required_argument, NULL, 'k'},
                                          BENCH_HPUS_OPTION,
                                          BENCH_TURNS_OPTIONS,
                                          {0}};
    *options =
        (struct options){.layouts = {.most_pairs = 32, .most_sizes = 16, .most_text = DDT_TEXT},
                         .turns = {.rounds = 15, .seconds = 0.02}};
    const struct bench_options bench = {"ddt", known, print_help, take_option, options};
    int code = bench_options_parse(&bench, argc, argv);
    if (code >= 0)
        return code;
    complete(options);
    return are_pairs(options) ? -1 : WEFT_EXIT_USAGE;
}

/* ---- Measuring ---------------------------------------------------------------------------- */

static void choose_count(struct ddt_job *job, struct cell *cell, double seconds)
{
    job->count = FIRST_COUNT;
    double one = ddt_run(job, &cell->facts[job->way]);
    cell->is_possible[job->way] = one > 0;
    if (one <= 0)
        return;
    double count = seconds / one;
    job->count = count < FIRST_COUNT ? FIRST_COUNT : count > 10000 ? 10000 : (size_t)count;
}

static void measure_cell(struct cell *cell, const struct options *options)
{
    static double rounds[DDT_WAYS][BENCH_MOST_ROUNDS];
    static struct ddt_job jobs[DDT_WAYS];
    double ratios[BENCH_MOST_ROUNDS];
    for (int way = 0; way < DDT_WAYS; way++) {
        jobs[way] = (struct ddt_job){.way = (enum ddt_way)way, .bytes = cell->bytes};
        snprintf(jobs[way].send, DDT_TEXT, "%s", cell->pair->send);
        snprintf(jobs[way].receive, DDT_TEXT, "%s", cell->pair->receive);
        if (options->ways[way])
            choose_count(&jobs[way], cell, options->turns.seconds);
    }
    for (size_t round = 0; round < options->turns.rounds; round++)
        for (int turn = 0; turn < DDT_WAYS; turn++) {
            int way = (turn + (int)round) % DDT_WAYS;
            if (cell->is_possible[way])
                rounds[way][round] = ddt_run(&jobs[way], NULL);
        }
    for (int way = 0; way < DDT_WAYS; way++) {
        if (!cell->is_possible[way])
            continue;
        for (size_t round = 0; round < options->turns.rounds; round++)
            ratios[round] = rounds[way][round] / rounds[DDT_CONTIGUOUS][round];
        cell->median[way] = measure_median(rounds[way], options->turns.rounds);
        cell->ratio[way] = measure_median(ratios, options->turns.rounds);
    }
}

/* ---- Reports ------------------------------------------------------------------------------ */

static void print_heading(const struct cell *cell, const struct options *options)
{
    printf("\n# %s into %s, %zu bytes, %s; medians of %zu alternating turns\n", cell->pair->send,
           cell->pair->receive, (size_t)cell->facts[DDT_CONTIGUOUS].bytes,
           options->shape.is_ofi ? options->shape.provider : "shm", options->turns.rounds);
    printf("# %-12s %12s %14s %12s %12s %10s %10s\n", "Way", "One way (us)", "/ contiguous",
           "Bandw. (MB/s)", "NIC mem (B)", "handlers", "writes");
}

static void print_cell(const struct cell *cell, const struct options *options)
{
    print_heading(cell, options);
    for (int way = 0; way < DDT_WAYS; way++) {
        const struct ddt_facts *facts = &cell->facts[way];
        if (!options->ways[way])
            continue;
        if (!cell->is_possible[way]) {
            printf("%-14s not possible: %s\n", ddt_way_names[way],
                   way == DDT_IOVEC ? "too many pieces"
                                    : weft_offload_fallback_name(facts->fallback));
            continue;
        }
        printf("%-14s %12.2f %14.2f %13.0f %12zu %10zu %10zu\n", ddt_way_names[way],
               cell->median[way] * 1e6, cell->ratio[way],
               (double)facts->bytes / cell->median[way] / 1e6, (size_t)facts->nic_memory,
               (size_t)facts->handlers, (size_t)facts->writes);
    }
    fflush(stdout);
}

static void print_json_cell(const struct cell *cell, const struct options *options)
{
    weft_json_open(NULL, '{');
    weft_json_string("send", cell->pair->send);
    weft_json_string("receive", cell->pair->receive);
    weft_json_integer("bytes", (int64_t)cell->facts[DDT_CONTIGUOUS].bytes);
    weft_json_open("ways", '[');
    for (int way = 0; way < DDT_WAYS; way++) {
        const struct ddt_facts *facts = &cell->facts[way];
        if (!options->ways[way] || !cell->is_possible[way])
            continue;
        weft_json_open(NULL, '{');
        weft_json_string("way", ddt_way_names[way]);
        weft_json_number("us", cell->median[way] * 1e6);
        weft_json_number("to_contiguous", cell->ratio[way]);
        weft_json_integer("nic_memory", (int64_t)facts->nic_memory);
        weft_json_integer("handlers", (int64_t)facts->handlers);
        weft_json_integer("writes", (int64_t)facts->writes);
        weft_json_close('}');
    }
    weft_json_close(']');
    weft_json_close('}');
}

/* ---- Bars --------------------------------------------------------------------------------- */

struct limit {
    const char *layout;
    size_t bytes;
    double limit;
};

static const struct limit shm_limits[] = {
    {"vec8", 65536, 1.2},    {"vec8", 1 << 20, 1.7},    {"vec8", 4 << 20, 1.7},
    {"vec64", 65536, 1.2},   {"vec64", 1 << 20, 1.7},   {"vec64", 4 << 20, 1.7},
    {"vec512", 65536, 1.2},  {"vec512", 1 << 20, 1.7},  {"vec512", 4 << 20, 1.7},
    {"vec4096", 65536, 1.2}, {"vec4096", 1 << 20, 1.2}, {"vec4096", 4 << 20, 1.2},
    {"ib8r", 65536, 2},      {"ib8r", 4 << 20, 6},
};
static const struct limit ofi_limits[] = {
    {"vec64", 65536, 1.5},    {"vec64", 1 << 20, 1.5},    {"vec64", 4 << 20, 1.5},
    {"vec512", 65536, 1.15},  {"vec512", 1 << 20, 1.15},  {"vec512", 4 << 20, 1.15},
    {"vec4096", 65536, 1.15}, {"vec4096", 1 << 20, 1.15}, {"vec4096", 4 << 20, 1.15},
};

#define PACK_BYTES ((size_t)1 << 20)
#define PACK_LIMIT 2.0
#define MOST_BARS 32
#define BAR_TEXT 96

static bool is_both(const struct cell *cell, const char *layout)
{
    return strcmp(cell->pair->send, layout) == 0 && strcmp(cell->pair->receive, layout) == 0;
}

static size_t add_bars(const struct cell *cell, const struct options *options, struct bar *bars,
                       char (*texts)[BAR_TEXT])
{
    bool is_ofi = options->shape.is_ofi;
    const struct limit *limits = is_ofi ? ofi_limits : shm_limits;
    size_t limit_count = is_ofi ? sizeof(ofi_limits) / sizeof(*ofi_limits)
                                : sizeof(shm_limits) / sizeof(*shm_limits);
    size_t count = 0;
    for (size_t i = 0; i < limit_count; i++) {
        if (!is_both(cell, limits[i].layout) || cell->bytes != limits[i].bytes)
            continue;
        snprintf(texts[count], BAR_TEXT, "%s, %zu KiB, seek / contiguous", limits[i].layout,
                 cell->bytes / 1024);
        bars[count] = (struct bar){
            .what = texts[count], .limit = limits[i].limit, .figure = cell->ratio[DDT_SEEK]};
        count++;
    }
    bool compares = !is_ofi && cell->bytes == PACK_BYTES && count > 0 &&
                    cell->is_possible[DDT_PACKED] && cell->is_possible[DDT_SEEK];
    if (compares) {
        snprintf(texts[count], BAR_TEXT, "%s, 1 MiB, pack and unpack / seek", cell->pair->send);
        bars[count] = (struct bar){.what = texts[count],
                                   .limit = PACK_LIMIT,
                                   .at_least = true,
                                   .figure = cell->ratio[DDT_PACKED] / cell->ratio[DDT_SEEK]};
        count++;
    }
    for (size_t i = 0; i < count; i++)
        bars[i].skipped = "not measured";
    return count;
}

static size_t report_bars(const struct cell *cells, size_t count, const struct options *options)
{
    static struct bar bars[MOST_BARS];
    static char texts[MOST_BARS][BAR_TEXT];
    size_t bar_count = 0;
    for (size_t i = 0; i < count && bar_count + 2 <= MOST_BARS; i++)
        bar_count += add_bars(&cells[i], options, bars + bar_count, texts + bar_count);
    return bar_report(bars, bar_count, options->turns.json);
}

/* ---- Pictures ----------------------------------------------------------------------------- */

static struct plot picture = {
    .title = "Layouts on their way: every strategy beside the same bytes contiguous",
    .note = "Lower is better. Vectors of blocks as far apart as they are long; a line for each "
            "size of messages.",
    .x_axis = "bytes of a block",
    .y_axis = "time / contiguous"};

static void add_to_picture(const char *send, const char *receive, size_t bytes, const char *way,
                           double ratio)
{
    char size[PLOT_TEXT];
    double block = plot_block(send);
    plot_name_bytes((double)bytes, size, sizeof(size));
    if (block > 0 && strcmp(send, receive) == 0 && strcmp(way, ddt_way_names[DDT_CONTIGUOUS]) != 0)
        plot_add_point(&picture, way, size, block, ratio);
}

static void add_cells(const struct cell *cells, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int way = 0; way < DDT_WAYS; way++)
            if (cells[i].is_possible[way])
                add_to_picture(cells[i].pair->send, cells[i].pair->receive, cells[i].bytes,
                               ddt_way_names[way], cells[i].ratio[way]);
}

struct stored_table {
    char send[PLOT_TEXT], receive[PLOT_TEXT];
    size_t bytes;
};

/* Of print_cell. */
static void take_line(const char *line, void *context)
{
    struct stored_table *table = context, found;
    char way[PLOT_TEXT];
    double ratio;
    if (sscanf(line, "# %63s into %63[^,], %zu bytes", found.send, found.receive, &found.bytes) ==
        3)
        *table = found;
    if (sscanf(line, "%63s %*f %lf", way, &ratio) != 2)
        return;
    for (int known = 0; known < DDT_WAYS; known++)
        if (strcmp(way, ddt_way_names[known]) == 0)
            add_to_picture(table->send, table->receive, table->bytes, way, ratio);
}

static int draw_stored(const struct bench_turns *turns)
{
    struct stored_table table = {.bytes = 0};
    bool is_drawn = stored_read(turns, take_line, &table) && plot_lines(turns->plot, &picture);
    return is_drawn ? WEFT_EXIT_OK : WEFT_EXIT_FAILED;
}

static bool draw(const struct bench_turns *turns, const struct cell *cells, size_t count)
{
    add_cells(cells, count);
    return plot_lines(turns->plot, &picture);
}

/* ---- Running ------------------------------------------------------------------------------ */

int weft_bench_ddt(int argc, char **argv)
{
    static struct options options;
    static struct cell cells[BENCH_MOST_PAIRS * BENCH_MOST_SIZES];
    size_t count = 0;
    int code = parse(argc, argv, &options);
    if (code >= 0)
        return code;
    if (bench_turns_are_stored(&options.turns))
        return draw_stored(&options.turns);
    ddt_start(&options.shape);
    size_t all = options.layouts.pair_count * options.layouts.size_count;
    for (size_t p = 0; p < options.layouts.pair_count; p++)
        for (size_t s = 0; s < options.layouts.size_count; s++) {
            struct cell *cell = &cells[count];
            *cell = (struct cell){.pair = &options.layouts.pairs[p],
                                  .bytes = options.layouts.sizes[s]};
            weft_progress_show(count++, all, cell->pair->send);
            measure_cell(cell, &options);
            weft_progress_clear();
            if (!options.turns.json)
                print_cell(cell, &options);
        }
    ddt_stop();
    if (options.turns.json) {
        weft_json_open(NULL, '{');
        weft_json_string("benchmark", "ddt");
        weft_json_string("world", options.shape.is_ofi ? options.shape.provider : "shm");
        weft_json_open("cells", '[');
        for (size_t i = 0; i < count; i++)
            print_json_cell(&cells[i], &options);
        weft_json_close(']');
    }
    size_t missed = options.turns.check ? report_bars(cells, count, &options) : 0;
    if (options.turns.json)
        weft_json_close('}');
    if (options.turns.plot && !draw(&options.turns, cells, count))
        return WEFT_EXIT_FAILED;
    return missed ? WEFT_EXIT_FAILED : WEFT_EXIT_OK;
}
