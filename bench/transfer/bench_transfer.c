/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft bench transfer`: messages of weft_net.h, by size, layout, way and setting. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benchmarks.h"
#include "bench/harness/plot.h"
#include "bench/transfer/transfer_plan.h"
#include "weft/json.h"

/* ---- Options ------------------------------------------------------------------------------ */

static bool is_short_enough(const char *text)
{
    return strlen(text) < TRANSFER_TEXT;
}

static struct bench_settings settings = {.rounds = 15, .seconds = 0.01};
static struct transfer_choice choice = {.world.provider = "net",
                                        .layouts.is_layout = is_short_enough};

static const struct option_words parts = {transfer_part_names, transfer_part_help, TRANSFER_PARTS,
                                          choice.parts, NULL};
static const struct option_words worlds = {
    .names = crew_net_names, .count = CREW_COMMON, .choice = &choice.world.net};

static const struct option_entry options[] = {
    {"part", "PART", "only this one; may be repeated:", .words = &parts},
    BENCH_LAYOUTS_OPTIONS(choice.layouts,
                          "a name of `weft bench type --list`, 'contiguous', or a type such\n"
                          "as 'vector(64, 1, 2, double)'; of both sides; may be repeated",
                          "of messages, such as 64K; may be repeated"),
    {"world", "WORLD", "shm, which is the default, or ofi", .words = &worlds},
    {"provider", "NAME", "of libfabric; net if it is not given", .text = &choice.world.provider},
    BENCH_TURNS_OPTIONS(settings, "each way", "few and short turns, one size and two layouts",
                        "draw times of sizes relative to a put (needs gnuplot)", "tables"),
    {0},
};

static struct sheet sheets[TRANSFER_MOST_SHEETS];
static size_t sheet_count;

static int prepare(void)
{
    static const struct bench_pair usual[] = {
        {"contiguous", "contiguous"}, {"vec8", "vec8"},          {"vec64", "vec64"},
        {"vec512", "vec512"},         {"vec4096", "vec4096"},    {"ib8r", "ib8r"},
        {"vec64", "contiguous"},      {"contiguous", "vec4096"},
    };
    static const size_t sizes[] = {1,    4,     16,    64,     256,     1024,
                                   4096, 16384, 65536, 262144, 1 << 20, 4 << 20};
    static const size_t quick_size = 65536;
    if (settings.is_quick)
        bench_layouts_complete(&choice.layouts, usual, 2, &quick_size, 1);
    else
        bench_layouts_complete(&choice.layouts, usual, sizeof(usual) / sizeof(*usual), sizes,
                               sizeof(sizes) / sizeof(*sizes));
    option_words_complete(&parts);
    choice.is_quick = settings.is_quick;
    choice.rounds = settings.rounds;
    sheet_count = transfer_plan(&choice, sheets);
    return -1;
}

/* ---- Cases: the lines of all tables ------------------------------------------------------- */

static size_t open_crew(size_t group)
{
    size_t lines = 0;
    (void)group;
    for (size_t i = 0; i < sheet_count; i++)
        lines += sheets[i].line_count;
    if (lines > 0)
        transfer_start(&choice.world);
    return lines;
}

/* The table of a line, and which of its lines that is. */
static struct sheet *sheet_of(size_t i, size_t *line)
{
    struct sheet *sheet = sheets;
    for (; i >= sheet->line_count; sheet++)
        i -= sheet->line_count;
    *line = i;
    return sheet;
}

static void name_line(size_t i, char *text, size_t size)
{
    size_t line;
    snprintf(text, size, "%s", sheet_of(i, &line)->title);
}

static void measure_line(size_t i, unsigned times)
{
    size_t line;
    struct sheet *sheet = sheet_of(i, &line);
    sheet_measure(sheet, line, settings.rounds * times, settings.seconds);
}

/* ---- Reports ------------------------------------------------------------------------------ */

/* The least piece from which on reading is not slower than packets; 0: none. */
static size_t crossing(const struct sheet *sheet)
{
    size_t least = 0;
    for (size_t i = sheet->line_count; i-- > 0 && sheet->lines[i].cells[1].ratio <= 1;)
        least = sheet->lines[i].bytes;
    return least;
}

static bool is_part(const struct sheet *sheet, const char *heading)
{
    return strcmp(sheet->heading, heading) == 0;
}

static void print_crossing(const struct sheet *sheet)
{
    if (is_part(sheet, "Piece"))
        printf("# Reading wins for pieces of %zu bytes and more (0: never).\n", crossing(sheet));
}

static void print_line(size_t i)
{
    size_t line;
    const struct sheet *sheet = sheet_of(i, &line);
    if (line == 0)
        sheet_print_heading(sheet);
    sheet_print_line(sheet, line);
    if (line + 1 == sheet->line_count)
        print_crossing(sheet);
}

static void write_json(void)
{
    weft_json_string("benchmark", "transfer");
    weft_json_string("world", crew_world_name(&choice.world));
    weft_json_open("tables", '[');
    for (size_t i = 0; i < sheet_count; i++)
        sheet_print_json(&sheets[i]);
    weft_json_close(']');
}

static void add_chunks_bar(const struct sheet *sheet, struct bar_list *list)
{
    const struct sheet_line *as_it_is = &sheet->lines[sheet->line_count - 1];
    double sum = 0; /* of columns that are the same */
    for (size_t c = 1; c < sheet->column_count; c++)
        sum += as_it_is->cells[c].ratio;
    bar_add(list, BAR_AT_LEAST, 0.97, (double)(sheet->column_count - 1) / sum,
            "4 MiB, one get / chunks as they are");
}

static void add_type_bars(const struct sheet *sheet, struct bar_list *list)
{
    const struct sheet_line *new = &sheet->lines[0];
    const struct sheet_line *used_before = &sheet->lines[sheet->line_count - 1];
    for (size_t c = 0; c < sheet->column_count; c++)
        bar_add(list, BAR_AT_LEAST, 2, new->cells[c].seconds / used_before->cells[c].seconds,
                "type of 4096 blocks, new / used before%s", c ? ", read" : "");
}

static void look_at_bars(struct bar_list *list)
{
    for (size_t i = 0; i < sheet_count; i++) {
        if (is_part(&sheets[i], "Chunk"))
            add_chunks_bar(&sheets[i], list);
        if (is_part(&sheets[i], "Type"))
            add_type_bars(&sheets[i], list);
    }
}

/* ---- Pictures ----------------------------------------------------------------------------- */

static struct plot picture = {
    .title = "Messages from layout to layout beside a put of as many contiguous bytes",
    .note =
        "Lower is better; 1 is the put. A panel for each layout, or for that of the sender and "
        "that of the receiver.",
    .x_axis = "bytes of a message",
    .y_axis = "time / time of a put"};

#define SIZES_TITLE "one way, "

/* What a reader of the picture need not look up. */
static const char *words_for(const char *layout)
{
    static const struct {
        const char *layout, *words;
    } known[] = {{"vec8", "blocks of 8 B"},
                 {"vec64", "blocks of 64 B"},
                 {"vec512", "blocks of 512 B"},
                 {"vec4096", "blocks of 4 KiB"},
                 {"ib8r", "shuffled 8 B"}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(layout, known[i].layout) == 0)
            return known[i].words;
    return layout;
}

/* Titles and lines of plan_sizes, as they are printed. */
static void add_to_picture(const char *title, double bytes, double ratio)
{
    char send[PLOT_TEXT / 2], receive[PLOT_TEXT / 2], panel[PLOT_TEXT + 8];
    if (sscanf(title, SIZES_TITLE "%31s into %31[^,]", send, receive) != 2)
        return;
    const char *sent = words_for(send);
    if (strcmp(send, receive) == 0)
        snprintf(panel, sizeof(panel), "%s", sent);
    else
        snprintf(panel, sizeof(panel), "%s to %s", sent, words_for(receive));
    plot_add_point(&picture, panel, "", bytes, ratio);
}

static bool draw(const char *file)
{
    for (size_t i = 0; i < sheet_count; i++)
        for (size_t j = 0; j < sheets[i].line_count; j++)
            add_to_picture(sheets[i].title, (double)sheets[i].lines[j].bytes,
                           sheets[i].lines[j].cells[1].ratio);
    return plot_lines(file, &picture);
}

static size_t count_columns(const char *heading)
{
    size_t count = 0;
    for (const char *at = heading; (at = strstr(at, "(us)")); at++)
        count++;
    return count;
}

/* Of sheets: a size, times, and ratios from that of the second time on. */
static void take_line(const char *line)
{
    static char title[PLOT_TEXT * 2];
    static size_t columns;
    if (line[0] == '#' && strstr(line, "(us)")) {
        columns = count_columns(line);
    } else if (line[0] == '#') {
        snprintf(title, sizeof(title), "%s", line + 2);
    } else {
        char *at;
        double bytes = strtod(line, &at), ratio = 0;
        for (size_t i = 0; i <= columns; i++)
            ratio = strtod(at, &at);
        if (bytes > 0 && ratio > 0)
            add_to_picture(title, bytes, ratio);
    }
}

const struct benchmark bench_transfer = {
    .summary = "messages from a layout into a layout, in packets or read directly, by size",
    .options = {"transfer",
                "Messages of weft_net.h between two processes: by size and layout, by chunks, in\n"
                "packets and read directly, with known and unknown types.\n",
                NULL, 17, .entries = options},
    .settings = &settings,
    .prepare = prepare,
    .cases = {1, open_crew, crew_stop, name_line, measure_line, print_line},
    .report = {.write_json = write_json, .look_at_bars = look_at_bars},
    .picture = {draw, take_line},
};
