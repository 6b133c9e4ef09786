/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft bench transfer`: messages of weft_net.h, by size, layout, way and setting. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/ddt/ddt_layout.h"
#include "bench/harness/bar.h"
#include "bench/harness/bench.h"
#include "bench/harness/plot.h"
#include "bench/harness/stored.h"
#include "bench/transfer/transfer_sheet.h"
#include "weft/command.h"
#include "weft/json.h"
#include "weft/number.h"

#define MOST_SHEETS 48
#define MOST_BARS 16
#define WHOLE BENCH_MOST_BYTES /* a chunk that nothing is longer than */
#define MANY_BYTES ((size_t)4 << 20)

enum part { SIZES, BANDWIDTH, CHUNKS, EAGER, PIECES, LAYOUTS, PARTS };
static const char *const part_names[PARTS] = {"sizes", "bandwidth", "chunks",
                                              "eager", "pieces",    "layouts"};

struct options {
    struct transfer_shape shape;
    struct bench_layouts layouts;
    bool parts[PARTS];
    bool is_quick;
    struct bench_turns turns;
};

static const struct bench_pair usual[] = {
    {"contiguous", "contiguous"}, {"vec8", "vec8"},          {"vec64", "vec64"},
    {"vec512", "vec512"},         {"vec4096", "vec4096"},    {"ib8r", "ib8r"},
    {"vec64", "contiguous"},      {"contiguous", "vec4096"},
};
static const size_t usual_sizes[] = {1,    4,     16,    64,     256,     1024,
                                     4096, 16384, 65536, 262144, 1 << 20, 4 << 20};

/* To read shorter pieces takes so long that it tells nothing. */
#define READ_PIECE 512

/* ---- Options ------------------------------------------------------------------------------ */

static void print_help(FILE *out)
{
    fprintf(
        out,
        "usage: weft bench transfer [OPTION...]\n\n"
        "Messages of weft_net.h between two processes: by size and layout, by chunks, in\n"
        "packets and read directly, with known and unknown types.\n\n"
        "  --part PART       only this one; may be repeated:\n"
        "                    sizes      time of one way by size, beside a put of Portals\n"
        "                    bandwidth  many messages at once\n"
        "                    chunks     4 MiB by chunks of all sizes, beside one get\n"
        "                    eager      how much is sent at once\n"
        "                    pieces     packets or read, by the length of pieces\n"
        "                    layouts    a new type of 4096 blocks, and one used before\n"
        "  --layout LAYOUT   a name of `weft bench type --list`, 'contiguous', or a type such\n"
        "                    as 'vector(64, 1, 2, double)'; of both sides; may be repeated\n"
        "  --receive LAYOUT  another layout for the receiver of the last --layout\n"
        "  --size BYTES      of messages, such as 64K; may be repeated\n"
        "  --world WORLD     shm, which is the default, or ofi\n"
        "  --provider NAME   of libfabric; net if it is not given\n"
        "  --rounds N        turns of each way, alternating (15)\n"
        "  --quick           few and short turns, one size and two layouts\n"
        "  --check           compare with the bars; the exit code says if one is missed\n"
        "  --plot FILE.svg   draw times of sizes relative to a put (needs "
        "gnuplot)\n" BENCH_FROM_HELP "  --json            one JSON object instead of the tables\n"
        "  --help            this text\n");
}

static bool add_part(const char *text, struct options *options)
{
    for (int part = 0; part < PARTS; part++)
        if (strcmp(text, part_names[part]) == 0)
            return options->parts[part] = true;
    return false;
}

static bool take_option(int key, void *context)
{
    struct options *options = context;
    switch (key) {
    case 'a':
        return add_part(optarg, options);
    case 'l':
    case 'e':
    case 's':
        return bench_layouts_take(key, &options->layouts);
    case 'w':
        options->shape.is_ofi = strcmp(optarg, "ofi") == 0;
        return options->shape.is_ofi || strcmp(optarg, "shm") == 0;
    case 'p':
        options->shape.provider = optarg;
        return true;
    case 'q':
        options->is_quick = true;
        return bench_turns_take(key, &options->turns);
    default:
        return bench_turns_take(key, &options->turns);
    }
}

static void complete(struct options *options)
{
    bool any = false;
    for (int part = 0; part < PARTS; part++)
        any |= options->parts[part];
    for (int part = 0; part < PARTS; part++)
        options->parts[part] |= !any;
    if (options->layouts.size_count == 0) {
        memcpy(options->layouts.sizes, usual_sizes, sizeof(usual_sizes));
        options->layouts.size_count = sizeof(usual_sizes) / sizeof(*usual_sizes);
        if (options->is_quick) {
            options->layouts.sizes[0] = 65536;
            options->layouts.size_count = 1;
        }
    }
    if (options->layouts.pair_count == 0) {
        memcpy(options->layouts.pairs, usual, sizeof(usual));
        options->layouts.pair_count = options->is_quick ? 2 : sizeof(usual) / sizeof(*usual);
    }
    if (options->shape.is_ofi && !options->shape.provider)
        options->shape.provider = "net";
}

static const char *text_of(const char *layout)
{
    return strcmp(layout, "contiguous") == 0 ? "byte" : layout;
}

static bool has_long_pieces(const struct ddt_layout *layout)
{
    struct weft_type_info info;
    weft_type_query(layout->type, &info, sizeof(info));
    return info.contiguous || info.size >= info.pieces * READ_PIECE;
}

/* Short messages cannot have long pieces: then the two sides have not the same bytes. */
static bool fits(const struct bench_pair *pair, size_t bytes, bool *can_be_read)
{
    struct ddt_layout send, receive;
    if (!ddt_layout_open(text_of(pair->send), bytes, &send))
        exit(WEFT_EXIT_USAGE);
    if (!ddt_layout_open(text_of(pair->receive), bytes, &receive))
        exit(WEFT_EXIT_USAGE);
    bool is_same = send.bytes == receive.bytes && send.bytes > 0 && send.bytes <= 2 * bytes;
    if (is_same && bytes >= READ_PIECE)
        *can_be_read = has_long_pieces(&send) && has_long_pieces(&receive);
    ddt_layout_close(&send);
    ddt_layout_close(&receive);
    return is_same;
}

/* An exit code, or -1 to go on. */
static int parse(int argc, char **argv, struct options *options)
{
    static const struct option known[] = {{"part", required_argument, NULL, 'a'},
                                          BENCH_LAYOUTS_OPTIONS,
                                          {"world", required_argument, NULL, 'w'},
                                          {"provider", required_argument, NULL, 'p'},
                                          BENCH_TURNS_OPTIONS,
                                          {0}};
    *options = (struct options){
        .layouts = {.most_pairs = 16, .most_sizes = 24, .most_text = TRANSFER_TEXT},
        .turns = {.rounds = 15, .seconds = 0.01}};
    const struct bench_options bench = {"transfer", known, print_help, take_option, options};
    int code = bench_options_parse(&bench, argc, argv);
    if (code >= 0)
        return code;
    complete(options);
    return -1;
}

/* ---- Jobs --------------------------------------------------------------------------------- */

static const struct transfer_settings as_it_is = TRANSFER_AS_IT_IS;

/* The ways that a message can take; the first column of tables is what others are related to. */
static struct transfer_settings packets(void)
{
    struct transfer_settings settings = as_it_is;
    settings.direct = 0;
    return settings;
}

static struct transfer_settings reading(void)
{
    struct transfer_settings settings = as_it_is;
    settings.direct = 1;
    settings.eager = 1024; /* so that something is left to be read */
    return settings;
}

static struct transfer_settings one_get(void)
{
    struct transfer_settings settings = packets();
    settings.chunk = WHOLE;
    return settings;
}

static struct transfer_job job(enum transfer_kind kind, const struct bench_pair *pair,
                               size_t bytes, struct transfer_settings settings)
{
    struct transfer_job made = {.kind = kind, .bytes = bytes, .settings = settings};
    snprintf(made.send, sizeof(made.send), "%s", text_of(pair->send));
    snprintf(made.receive, sizeof(made.receive), "%s", text_of(pair->receive));
    return made;
}

static struct transfer_job put_job(enum transfer_kind kind, const struct bench_pair *pair,
                                   size_t bytes)
{
    struct transfer_job made = job(kind, pair, bytes, as_it_is);
    made.is_put = true;
    return made;
}

/* ---- Tables ------------------------------------------------------------------------------- */

static struct sheet sheets[MOST_SHEETS];
static size_t sheet_count;

static struct sheet *new_sheet(const struct options *options, const char *what,
                               const char *heading)
{
    struct sheet *sheet = &sheets[sheet_count++];
    *sheet = (struct sheet){.heading = heading};
    snprintf(sheet->title, sizeof(sheet->title), "%s, %s; medians of %zu alternating turns", what,
             options->shape.is_ofi ? options->shape.provider : "shm", options->turns.rounds);
    return sheet;
}

static void add_column(struct sheet *sheet, const char *name)
{
    sheet->columns[sheet->column_count++] = name;
}

static void name_size(size_t bytes, char *name)
{
    snprintf(name, SHEET_NAME, "%zu", bytes);
}

static void plan_sizes(const struct options *options, const struct bench_pair *pair,
                       bool is_stream)
{
    char text[SHEET_NAME];
    bool can_be_read = false;
    enum transfer_kind kind = is_stream ? TRANSFER_STREAM : TRANSFER_PING;
    snprintf(text, sizeof(text), "%s, %.16s into %.16s", is_stream ? "bandwidth" : "one way",
             pair->send, pair->receive);
    struct sheet *sheet = new_sheet(options, text, "Size");
    sheet->has_bandwidth = is_stream;
    add_column(sheet, "put");
    add_column(sheet, "send");
    for (size_t s = 0; s < options->layouts.size_count; s++) {
        size_t bytes = options->layouts.sizes[s];
        if (!fits(pair, bytes, &can_be_read))
            continue;
        name_size(bytes, text);
        struct sheet_line *line = sheet_add(sheet, text, bytes);
        line->cells[0].job = put_job(kind, pair, bytes);
        line->cells[1].job = job(kind, pair, bytes, as_it_is);
        line->cells[2].job = job(kind, pair, bytes, packets());
        line->cells[3].job = job(kind, pair, bytes, reading());
    }
    if (can_be_read && !options->shape.is_ofi) {
        add_column(sheet, "packets");
        add_column(sheet, "read");
    }
}

static void plan_chunks(const struct options *options, const struct bench_pair *pair)
{
    static const size_t sizes[] = {65536, 131072, 262144, 524288, 1 << 20, 2 << 20};
    static const size_t counts[] = {1, 2, 4, 8};
    char text[SHEET_NAME];
    snprintf(text, sizeof(text), "4 MiB in packets by chunks, %.20s", pair->send);
    struct sheet *sheet = new_sheet(options, text, "Chunk");
    add_column(sheet, "one get");
    add_column(sheet, "c = 1");
    add_column(sheet, "c = 2");
    add_column(sheet, "c = 4");
    add_column(sheet, "c = 8");
    for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
        if (options->is_quick && s != 2)
            continue;
        name_size(sizes[s], text);
        struct sheet_line *line = sheet_add(sheet, text, sizes[s]);
        line->cells[0].job = job(TRANSFER_PING, pair, MANY_BYTES, one_get());
        for (size_t c = 0; c < 4; c++) {
            struct transfer_settings settings = packets();
            settings.chunk = sizes[s];
            settings.chunks = counts[c];
            line->cells[c + 1].job = job(TRANSFER_PING, pair, MANY_BYTES, settings);
        }
    }
    struct sheet_line *line = sheet_add(sheet, "as it is", MANY_BYTES);
    line->cells[0].job = job(TRANSFER_PING, pair, MANY_BYTES, one_get());
    for (size_t c = 1; c <= 4; c++)
        line->cells[c].job = job(TRANSFER_PING, pair, MANY_BYTES, packets());
}

static void plan_eager(const struct options *options, const struct bench_pair *pair)
{
    static const size_t sizes[] = {8192, 16384, 32768, 65536, 131072, 262144};
    static const size_t eager[] = {8192, 16384, 32768, 65536, 131072};
    char text[SHEET_NAME];
    snprintf(text, sizeof(text), "packets by what is sent at once, %.12s", pair->send);
    struct sheet *sheet = new_sheet(options, text, "Size");
    add_column(sheet, "put");
    add_column(sheet, "8K");
    add_column(sheet, "16K");
    add_column(sheet, "32K");
    add_column(sheet, "64K");
    add_column(sheet, "128K");
    for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
        if (options->is_quick && s != 3)
            continue;
        name_size(sizes[s], text);
        struct sheet_line *line = sheet_add(sheet, text, sizes[s]);
        line->cells[0].job = put_job(TRANSFER_PING, pair, sizes[s]);
        for (size_t e = 0; e < 5; e++) {
            struct transfer_settings settings = packets();
            settings.eager = eager[e];
            line->cells[e + 1].job = job(TRANSFER_PING, pair, sizes[s], settings);
        }
    }
}

/* Pieces of every length, half of the memory that they span. */
static void plan_pieces(const struct options *options, size_t bytes)
{
    static char texts[16][TRANSFER_TEXT];
    char text[SHEET_NAME];
    snprintf(text, sizeof(text), "packets or read, %zu KiB in pieces", bytes / 1024);
    struct sheet *sheet = new_sheet(options, text, "Piece");
    add_column(sheet, "packets");
    add_column(sheet, "read");
    for (size_t piece = 256, i = 0; piece <= 65536 && piece <= bytes; piece *= 2, i++) {
        if (options->is_quick && piece != 4096)
            continue;
        snprintf(texts[i], TRANSFER_TEXT, "resized(0, %zu, contiguous(%zu, byte))", 2 * piece,
                 piece);
        const struct bench_pair pair = {texts[i], texts[i]};
        name_size(piece, text);
        struct sheet_line *line = sheet_add(sheet, text, piece);
        line->cells[0].job = job(TRANSFER_PING, &pair, bytes, packets());
        line->cells[1].job = job(TRANSFER_PING, &pair, bytes, reading());
    }
}

static void plan_layouts(const struct options *options)
{
    static const struct bench_pair none = {"contiguous", "contiguous"};
    struct sheet *sheet = new_sheet(options, "1 KiB of an irregular type of 4096 blocks", "Type");
    sheet->has_layouts = true;
    add_column(sheet, "send");
    add_column(sheet, "read");
    static const char *const names[] = {"new", "built again", "used before"};
    for (unsigned i = 0; i < 3; i++) {
        struct sheet_line *line = sheet_add(sheet, names[i], 0);
        enum transfer_kind kind = (enum transfer_kind)(TRANSFER_COLD + i);
        line->cells[0].job = job(kind, &none, 1024, as_it_is);
        line->cells[1].job = job(kind, &none, 1024, reading());
    }
    if (options->shape.is_ofi)
        sheet->column_count = 1;
}

static void plan(const struct options *options)
{
    static const struct bench_pair plain = {"contiguous", "contiguous"},
                                   vec64 = {"vec64", "vec64"};
    for (size_t p = 0; options->parts[SIZES] && p < options->layouts.pair_count; p++)
        plan_sizes(options, &options->layouts.pairs[p], false);
    for (size_t p = 0; options->parts[BANDWIDTH] && p < options->layouts.pair_count; p++)
        plan_sizes(options, &options->layouts.pairs[p], true);
    if (options->parts[CHUNKS])
        plan_chunks(options, &plain);
    if (options->parts[CHUNKS] && !options->is_quick)
        plan_chunks(options, &vec64);
    if (options->parts[EAGER])
        plan_eager(options, &plain);
    if (options->parts[EAGER] && !options->is_quick)
        plan_eager(options, &vec64);
    if (options->parts[PIECES] && !options->shape.is_ofi)
        plan_pieces(options, 65536);
    if (options->parts[PIECES] && !options->shape.is_ofi && !options->is_quick) {
        plan_pieces(options, 1 << 20);
        plan_pieces(options, 4 << 20);
    }
    if (options->parts[LAYOUTS])
        plan_layouts(options);
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

static size_t add_bars(const struct sheet *sheet, struct bar *bars)
{
    const struct sheet_line *last = &sheet->lines[sheet->line_count - 1];
    if (is_part(sheet, "Chunk")) {
        double sum = 0; /* of four columns that are the same */
        for (size_t c = 1; c <= 4; c++)
            sum += last->cells[c].ratio;
        bars[0] = (struct bar){.what = "4 MiB, one get / chunks as they are",
                               .limit = 0.97,
                               .at_least = true,
                               .figure = 4 / sum};
        return 1;
    }
    if (!is_part(sheet, "Type"))
        return 0;
    for (size_t c = 0; c < sheet->column_count; c++)
        bars[c] =
            (struct bar){.what = c ? "type of 4096 blocks, new / used before, read"
                                   : "type of 4096 blocks, new / used before",
                         .limit = 2,
                         .at_least = true,
                         .figure = sheet->lines[0].cells[c].seconds / last->cells[c].seconds};
    return sheet->column_count;
}

static size_t report_bars(const struct options *options)
{
    static struct bar bars[MOST_BARS];
    size_t count = 0;
    for (size_t i = 0; i < sheet_count && count + 2 <= MOST_BARS; i++)
        count += add_bars(&sheets[i], bars + count);
    return bar_report(bars, count, options->turns.json);
}

/* ---- Pictures ----------------------------------------------------------------------------- */

static struct plot picture = {
    .title = "Messages from layout to layout beside a put of as many contiguous bytes",
    .note = "Lower is better; 1 is the put. A panel for each pair of layouts: vec64 has blocks of "
            "64 bytes, ib8r shuffled ones of 8.",
    .x_axis = "bytes of a message",
    .y_axis = "time / time of a put"};

#define SIZES_TITLE "one way, "

/* Titles and lines of plan_sizes, as they are printed. */
static void add_to_picture(const char *title, double bytes, double ratio)
{
    char send[PLOT_TEXT / 2], receive[PLOT_TEXT / 2], panel[PLOT_TEXT + 8];
    if (sscanf(title, SIZES_TITLE "%31s into %31[^,]", send, receive) != 2)
        return;
    if (strcmp(send, receive) == 0)
        snprintf(panel, sizeof(panel), "%s", send);
    else
        snprintf(panel, sizeof(panel), "%s to %s", send, receive);
    plot_add_point(&picture, panel, "", bytes, ratio);
}

static bool draw(const struct bench_turns *turns)
{
    for (size_t i = 0; i < sheet_count; i++)
        for (size_t j = 0; j < sheets[i].line_count; j++)
            add_to_picture(sheets[i].title, (double)sheets[i].lines[j].bytes,
                           sheets[i].lines[j].cells[1].ratio);
    return plot_lines(turns->plot, &picture);
}

struct stored_sheet {
    char title[PLOT_TEXT * 2];
    size_t columns;
};

static size_t count_columns(const char *heading)
{
    size_t count = 0;
    for (const char *at = heading; (at = strstr(at, "(us)")); at++)
        count++;
    return count;
}

/* Of sheet_print: a size, times, and ratios from that of the second time on. */
static void take_line(const char *line, void *context)
{
    struct stored_sheet *sheet = context;
    if (line[0] == '#' && strstr(line, "(us)")) {
        sheet->columns = count_columns(line);
    } else if (line[0] == '#') {
        snprintf(sheet->title, sizeof(sheet->title), "%s", line + 2);
    } else {
        char *at;
        double bytes = strtod(line, &at), ratio = 0;
        for (size_t i = 0; i <= sheet->columns; i++)
            ratio = strtod(at, &at);
        if (bytes > 0 && ratio > 0)
            add_to_picture(sheet->title, bytes, ratio);
    }
}

static int draw_stored(const struct bench_turns *turns)
{
    struct stored_sheet sheet = {.columns = 0};
    bool is_drawn = stored_read(turns, take_line, &sheet) && plot_lines(turns->plot, &picture);
    return is_drawn ? WEFT_EXIT_OK : WEFT_EXIT_FAILED;
}

/* ---- Running ------------------------------------------------------------------------------ */

static void print_json(const struct options *options)
{
    weft_json_open(NULL, '{');
    weft_json_string("benchmark", "transfer");
    weft_json_string("world", options->shape.is_ofi ? options->shape.provider : "shm");
    weft_json_open("tables", '[');
    for (size_t i = 0; i < sheet_count; i++)
        sheet_print_json(&sheets[i]);
    weft_json_close(']');
}

int weft_bench_transfer(int argc, char **argv)
{
    static struct options options;
    int code = parse(argc, argv, &options);
    if (code >= 0)
        return code;
    if (bench_turns_are_stored(&options.turns))
        return draw_stored(&options.turns);
    plan(&options);
    transfer_start(&options.shape);
    for (size_t i = 0; i < sheet_count; i++) {
        sheet_measure(&sheets[i], &options.turns);
        if (options.turns.json)
            continue;
        sheet_print(&sheets[i]);
        print_crossing(&sheets[i]);
    }
    transfer_stop();
    if (options.turns.json)
        print_json(&options);
    size_t missed = options.turns.check ? report_bars(&options) : 0;
    if (options.turns.json)
        weft_json_close('}');
    if (options.turns.plot && !draw(&options.turns))
        return WEFT_EXIT_FAILED;
    return missed ? WEFT_EXIT_FAILED : WEFT_EXIT_OK;
}
