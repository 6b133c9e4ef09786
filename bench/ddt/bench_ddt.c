/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft bench ddt`: a layout sent into a layout, by every strategy, beside the same bytes
 * contiguous. */
#include <portals4_spin.h>
#include <stdio.h>
#include <string.h>

#include "bench/benchmarks.h"
#include "bench/ddt/ddt_layout.h"
#include "bench/ddt/ddt_member.h"
#include "bench/harness/plot.h"
#include "weft/command.h"
#include "weft/json.h"

#define MOST_PACKET ((size_t)1 << 20)

struct cell {
    const struct bench_pair *pair;
    size_t bytes;
    bool is_possible[DDT_WAYS];
    double median[DDT_WAYS]; /* seconds */
    double ratio[DDT_WAYS];  /* to contiguous */
    struct ddt_facts facts[DDT_WAYS];
};

static struct cell cells[BENCH_MOST_PAIRS * BENCH_MOST_SIZES];
static size_t cell_count;

/* ---- Options ------------------------------------------------------------------------------ */

static bool is_short_enough(const char *text)
{
    return strlen(text) < DDT_TEXT;
}

static struct bench_settings settings = {.rounds = 15, .seconds = 0.02};
static struct ddt_shape shape = {.world.provider = "net"};
static struct bench_layouts layouts = {.is_layout = is_short_enough};
static bool is_chosen[DDT_WAYS];

static const struct option_words ways = {ddt_way_names, ddt_way_help, DDT_WAYS, is_chosen, NULL};
static const struct option_words worlds = {
    .names = crew_net_names, .count = CREW_NETS, .choice = &shape.world.net};

static const struct option_entry options[] = {
    BENCH_LAYOUTS_OPTIONS(layouts,
                          "a name of `weft bench type --list`, or a type such as\n"
                          "'vector(64, 1, 2, double)'; of both sides; may be repeated",
                          "of messages, such as 64K; may be repeated (64K, 1M, 4M)"),
    {"way", "WAY", "only this one and contiguous; may be repeated:", .words = &ways},
    {"world", "WORLD", "shm, which is the default, ofi or tcp", .words = &worlds},
    {"provider", "NAME", "of libfabric; net if it is not given", .text = &shape.world.provider},
    {"packet", "BYTES", "payload of the largest packet",
     .number = {.value = &shape.packet, .most = MOST_PACKET, .units = "KM"}},
    {"hpus", "N", "threads that run handlers (0: the one that receives)",
     .number = OPTION_NUMBER(&shape.hpus, 0, PTL_MAX_HPUS)},
    BENCH_TURNS_OPTIONS(settings, "each way", "few and short turns, 64K only",
                        "draw times relative to contiguous by blocks of\n"
                        "vectors, vecN (needs gnuplot)",
                        "table"),
    {0},
};

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

static int prepare(void)
{
    static const struct bench_pair usual[] = {{"vec8", "vec8"},     {"vec64", "vec64"},
                                              {"vec512", "vec512"}, {"vec4096", "vec4096"},
                                              {"ib8r", "ib8r"},     {"vec64", "vec8"}};
    static const size_t sizes[] = {65536, 1 << 20, 4 << 20};
    bench_layouts_complete(&layouts, usual, sizeof(usual) / sizeof(*usual), sizes,
                           settings.is_quick ? 1 : sizeof(sizes) / sizeof(*sizes));
    option_words_complete(&ways);
    is_chosen[DDT_CONTIGUOUS] = true;
    for (size_t p = 0; p < layouts.pair_count; p++)
        for (size_t s = 0; s < layouts.size_count; s++) {
            if (!is_pair(&layouts.pairs[p], layouts.sizes[s]))
                return WEFT_EXIT_USAGE;
            cells[cell_count++] =
                (struct cell){.pair = &layouts.pairs[p], .bytes = layouts.sizes[s]};
        }
    return -1;
}

/* ---- Measuring ---------------------------------------------------------------------------- */

static size_t open_crew(size_t group)
{
    (void)group;
    ddt_start(&shape);
    return cell_count;
}

static void name_cell(size_t i, char *text, size_t size)
{
    snprintf(text, size, "%s", cells[i].pair->send);
}

struct attempt {
    struct ddt_job job;
    struct ddt_facts facts;
};

static double run_job(void *context, size_t count)
{
    struct attempt *attempt = context;
    attempt->job.count = count;
    return ddt_run(&attempt->job, &attempt->facts);
}

static void measure_cell(size_t i, unsigned times)
{
    static struct attempt attempts[DDT_WAYS];
    static struct contestant contestants[DDT_WAYS];
    struct cell *cell = &cells[i];
    for (int way = 0; way < DDT_WAYS; way++) {
        struct ddt_job *job = &attempts[way].job;
        *job = (struct ddt_job){.way = (enum ddt_way)way, .bytes = cell->bytes};
        snprintf(job->send, DDT_TEXT, "%s", cell->pair->send);
        snprintf(job->receive, DDT_TEXT, "%s", cell->pair->receive);
        contestants[way] = (struct contestant){
            .run = run_job, .context = &attempts[way], .is_absent = !is_chosen[way]};
    }
    const struct contest contest = {settings.rounds * times, settings.seconds, {1, 3, 3, 10000}};
    contest_run(contestants, DDT_WAYS, &contest);
    for (int way = 0; way < DDT_WAYS; way++) {
        cell->is_possible[way] = !contestants[way].is_absent;
        cell->facts[way] = attempts[way].facts;
        cell->median[way] = contestants[way].median;
        cell->ratio[way] = contest_ratio(&contestants[way], &contestants[DDT_CONTIGUOUS]);
    }
}

/* ---- Reports ------------------------------------------------------------------------------ */

static void print_heading(const struct cell *cell)
{
    printf("\n# %s into %s, %zu bytes, %s; medians of %zu alternating turns\n", cell->pair->send,
           cell->pair->receive, (size_t)cell->facts[DDT_CONTIGUOUS].bytes,
           crew_world_name(&shape.world), settings.rounds);
    printf("# %-12s %12s %14s %12s %12s %10s %10s\n", "Way", "One way (us)", "/ contiguous",
           "Bandw. (MB/s)", "NIC mem (B)", "handlers", "writes");
}

static void print_way(const struct cell *cell, enum ddt_way way)
{
    const struct ddt_facts *facts = &cell->facts[way];
    if (!cell->is_possible[way])
        printf("%-14s not possible: %s\n", ddt_way_names[way],
               way == DDT_IOVEC ? "too many pieces" : weft_offload_fallback_text(facts->fallback));
    else
        printf("%-14s %12.2f %14.2f %13.0f %12zu %10zu %10zu\n", ddt_way_names[way],
               cell->median[way] * 1e6, cell->ratio[way],
               (double)facts->bytes / cell->median[way] / 1e6, (size_t)facts->nic_memory,
               (size_t)facts->handlers, (size_t)facts->writes);
}

static void print_cell(size_t i)
{
    print_heading(&cells[i]);
    for (int way = 0; way < DDT_WAYS; way++)
        if (is_chosen[way])
            print_way(&cells[i], (enum ddt_way)way);
}

static void json_way(const struct cell *cell, enum ddt_way way)
{
    const struct ddt_facts *facts = &cell->facts[way];
    weft_json_open(NULL, '{');
    weft_json_string("way", ddt_way_names[way]);
    weft_json_number("us", cell->median[way] * 1e6);
    weft_json_number("to_contiguous", cell->ratio[way]);
    weft_json_integer("nic_memory", (int64_t)facts->nic_memory);
    weft_json_integer("handlers", (int64_t)facts->handlers);
    weft_json_integer("writes", (int64_t)facts->writes);
    weft_json_close('}');
}

static void json_cell(const struct cell *cell)
{
    weft_json_open(NULL, '{');
    weft_json_string("send", cell->pair->send);
    weft_json_string("receive", cell->pair->receive);
    weft_json_integer("bytes", (int64_t)cell->facts[DDT_CONTIGUOUS].bytes);
    weft_json_open("ways", '[');
    for (int way = 0; way < DDT_WAYS; way++)
        if (cell->is_possible[way])
            json_way(cell, (enum ddt_way)way);
    weft_json_close(']');
    weft_json_close('}');
}

static void write_json(void)
{
    weft_json_string("benchmark", "ddt");
    weft_json_string("world", crew_world_name(&shape.world));
    weft_json_open("cells", '[');
    for (size_t i = 0; i < cell_count; i++)
        json_cell(&cells[i]);
    weft_json_close(']');
}

/* ---- Bars --------------------------------------------------------------------------------- */

static const struct limit {
    enum crew_net net;
    const char *layout;
    size_t bytes;
    double limit;
} limits[] = {
    {CREW_SHM, "vec8", 65536, 1.2},       {CREW_SHM, "vec8", 1 << 20, 1.7},
    {CREW_SHM, "vec8", 4 << 20, 1.7},     {CREW_SHM, "vec64", 65536, 1.2},
    {CREW_SHM, "vec64", 1 << 20, 1.7},    {CREW_SHM, "vec64", 4 << 20, 1.7},
    {CREW_SHM, "vec512", 65536, 1.2},     {CREW_SHM, "vec512", 1 << 20, 1.7},
    {CREW_SHM, "vec512", 4 << 20, 1.7},   {CREW_SHM, "vec4096", 65536, 1.2},
    {CREW_SHM, "vec4096", 1 << 20, 1.2},  {CREW_SHM, "vec4096", 4 << 20, 1.2},
    {CREW_SHM, "ib8r", 65536, 2},         {CREW_SHM, "ib8r", 4 << 20, 6},
    {CREW_OFI, "vec64", 65536, 1.5},      {CREW_OFI, "vec64", 1 << 20, 1.5},
    {CREW_OFI, "vec64", 4 << 20, 1.5},    {CREW_OFI, "vec512", 65536, 1.15},
    {CREW_OFI, "vec512", 1 << 20, 1.15},  {CREW_OFI, "vec512", 4 << 20, 1.15},
    {CREW_OFI, "vec4096", 65536, 1.15},   {CREW_OFI, "vec4096", 1 << 20, 1.15},
    {CREW_OFI, "vec4096", 4 << 20, 1.15}, {CREW_TCP, "vec64", 65536, 1.3},
    {CREW_TCP, "vec64", 1 << 20, 1.3},    {CREW_TCP, "vec64", 4 << 20, 1.3},
    {CREW_TCP, "vec512", 65536, 1.05},    {CREW_TCP, "vec512", 1 << 20, 1.05},
    {CREW_TCP, "vec512", 4 << 20, 1.05},  {CREW_TCP, "vec4096", 65536, 1.05},
    {CREW_TCP, "vec4096", 1 << 20, 1.05}, {CREW_TCP, "vec4096", 4 << 20, 1.05},
};

#define PACK_BYTES ((size_t)1 << 20)
#define PACK_LIMIT 2.0

static bool is_both(const struct cell *cell, const char *layout)
{
    return strcmp(cell->pair->send, layout) == 0 && strcmp(cell->pair->receive, layout) == 0;
}

static bool has_limit(const struct limit *limit, const struct cell *cell)
{
    return (int)limit->net == shape.world.net && is_both(cell, limit->layout) &&
           cell->bytes == limit->bytes;
}

/* Of layouts that have limits, at one size. */
static bool is_beside_packing(const struct cell *cell)
{
    return shape.world.net == CREW_SHM && cell->bytes == PACK_BYTES &&
           cell->is_possible[DDT_PACKED] && cell->is_possible[DDT_SEEK];
}

static void add_bars(const struct cell *cell, struct bar_list *list)
{
    size_t before = list->count;
    for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
        if (has_limit(&limits[i], cell))
            bar_add(list, BAR_AT_MOST, limits[i].limit, cell->ratio[DDT_SEEK],
                    "%s, %zu KiB, seek / contiguous", limits[i].layout, cell->bytes / 1024);
    if (list->count > before && is_beside_packing(cell))
        bar_add(list, BAR_AT_LEAST, PACK_LIMIT, cell->ratio[DDT_PACKED] / cell->ratio[DDT_SEEK],
                "%s, 1 MiB, pack and unpack / seek", cell->pair->send);
}

static void look_at_bars(struct bar_list *list)
{
    for (size_t i = 0; i < cell_count; i++)
        add_bars(&cells[i], list);
}

/* ---- Pictures ----------------------------------------------------------------------------- */

static struct plot picture = {
    .title = "A layout sent into a layout: each strategy beside the same bytes contiguous",
    .note = "Lower is better. host: the receiver unpacks; iovec: lists of pieces; pack: packed, "
            "sent and unpacked.",
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

/* Of print_cell. */
static void take_line(const char *line)
{
    static struct heading {
        char send[PLOT_TEXT], receive[PLOT_TEXT];
        size_t bytes;
    } heading;
    struct heading found;
    char way[PLOT_TEXT];
    double ratio;
    if (sscanf(line, "# %63s into %63[^,], %zu bytes", found.send, found.receive, &found.bytes) ==
        3)
        heading = found;
    if (sscanf(line, "%63s %*f %lf", way, &ratio) != 2)
        return;
    for (int known = 0; known < DDT_WAYS; known++)
        if (strcmp(way, ddt_way_names[known]) == 0)
            add_to_picture(heading.send, heading.receive, heading.bytes, way, ratio);
}

static bool draw(const char *file)
{
    for (size_t i = 0; i < cell_count; i++)
        for (int way = 0; way < DDT_WAYS; way++)
            if (cells[i].is_possible[way])
                add_to_picture(cells[i].pair->send, cells[i].pair->receive, cells[i].bytes,
                               ddt_way_names[way], cells[i].ratio[way]);
    return plot_lines(file, &picture);
}

const struct benchmark bench_ddt = {
    .summary = "a layout sent into a layout by every strategy, beside the same bytes contiguous",
    .options =
        {"ddt",
         "Sends a layout into a layout, one way, with freshly written data and the receive\n"
         "posted, by every strategy, beside the same bytes contiguous.\n",
         NULL, 17, .entries = options},
    .settings = &settings,
    .prepare = prepare,
    .cases = {1, open_crew, crew_stop, name_cell, measure_cell, print_cell},
    .report = {.write_json = write_json, .look_at_bars = look_at_bars},
    .picture = {draw, take_line},
};
