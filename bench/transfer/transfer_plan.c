/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/transfer/transfer_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/ddt/ddt_layout.h"
#include "weft/command.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define WHOLE BENCH_MOST_BYTES /* a chunk that nothing is longer than */
#define MANY_BYTES ((size_t)4 << 20)

/* To read shorter pieces takes so long that it tells nothing. */
#define READ_PIECE 512

const char *const transfer_part_names[TRANSFER_PARTS] = {"sizes", "bandwidth", "chunks",
                                                         "eager", "pieces",    "layouts"};

const char *const transfer_part_help[TRANSFER_PARTS] = {
    "time of one way by size, beside a put of Portals",
    "many messages at once",
    "4 MiB by chunks of all sizes, beside one get",
    "how much is sent at once",
    "packets or read, by the length of pieces",
    "a new type of 4096 blocks, and one used before",
};

/* ---- Layouts ------------------------------------------------------------------------------ */

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

static struct transfer_job together_job(enum transfer_kind kind, const struct bench_pair *pair,
                                        size_t bytes)
{
    struct transfer_job made = job(kind, pair, bytes, as_it_is);
    made.is_shared = true;
    return made;
}

/* ---- Tables ------------------------------------------------------------------------------- */

struct plan {
    const struct transfer_choice *choice;
    struct sheet *sheets;
    size_t count;
};

static struct sheet *add_sheet(struct plan *plan, const char *heading, const char *const *columns,
                               const char *what)
{
    struct sheet *sheet = &plan->sheets[plan->count++];
    *sheet = (struct sheet){.heading = heading};
    snprintf(sheet->title, sizeof(sheet->title), "%s, %s; medians of %zu alternating turns", what,
             crew_world_name(&plan->choice->world), plan->choice->rounds);
    for (; *columns; columns++)
        sheet->columns[sheet->column_count++] = *columns;
    return sheet;
}

#define COLUMNS(...) ((const char *const[]){__VA_ARGS__, NULL})

static bool is_ofi(const struct plan *plan)
{
    return plan->choice->world.net == CREW_OFI;
}

static struct sheet_line *add_size(struct sheet *sheet, size_t bytes)
{
    char text[SHEET_NAME];
    snprintf(text, sizeof(text), "%zu", bytes);
    return sheet_add(sheet, text, bytes);
}

static void plan_sizes(struct plan *plan, const struct bench_pair *pair, bool is_stream)
{
    char text[SHEET_NAME];
    bool can_be_read = false;
    enum transfer_kind kind = is_stream ? TRANSFER_STREAM : TRANSFER_PING;
    const struct bench_layouts *layouts = &plan->choice->layouts;
    snprintf(text, sizeof(text), "%s, %.16s into %.16s", is_stream ? "bandwidth" : "one way",
             pair->send, pair->receive);
    struct sheet *sheet =
        add_sheet(plan, "Size", COLUMNS("put", "send", "shared", "packets", "read"), text);
    sheet->has_bandwidth = is_stream;
    for (size_t s = 0; s < layouts->size_count; s++) {
        size_t bytes = layouts->sizes[s];
        if (!fits(pair, bytes, &can_be_read))
            continue;
        struct sheet_line *line = add_size(sheet, bytes);
        line->cells[0].job = put_job(kind, pair, bytes);
        line->cells[1].job = job(kind, pair, bytes, as_it_is);
        line->cells[2].job = together_job(kind, pair, bytes);
        line->cells[3].job = job(kind, pair, bytes, packets());
        line->cells[4].job = job(kind, pair, bytes, reading());
    }
    if (is_ofi(plan))
        sheet->column_count = 2;
    else if (!can_be_read)
        sheet->column_count = 3;
}

static void fill_chunks(struct sheet_line *line, const struct bench_pair *pair, size_t size)
{
    static const size_t counts[] = {1, 2, 4, 8};
    line->cells[0].job = job(TRANSFER_PING, pair, MANY_BYTES, one_get());
    for (size_t c = 0; c < COUNT(counts); c++) {
        struct transfer_settings settings = packets();
        settings.chunk = size;
        settings.chunks = counts[c];
        line->cells[c + 1].job = job(TRANSFER_PING, pair, MANY_BYTES, settings);
    }
}

static void fill_eager(struct sheet_line *line, const struct bench_pair *pair, size_t size)
{
    static const size_t eager[] = {8192, 16384, 32768, 65536, 131072};
    line->cells[0].job = put_job(TRANSFER_PING, pair, size);
    for (size_t e = 0; e < COUNT(eager); e++) {
        struct transfer_settings settings = packets();
        settings.eager = eager[e];
        line->cells[e + 1].job = job(TRANSFER_PING, pair, size, settings);
    }
}

#define LINES 6

/* A line for each size; a quick run has only one. */
static void add_lines(const struct plan *plan, struct sheet *sheet, const struct bench_pair *pair,
                      const size_t sizes[LINES], size_t quick,
                      void (*fill)(struct sheet_line *, const struct bench_pair *, size_t))
{
    for (size_t i = 0; i < LINES; i++)
        if (!plan->choice->is_quick || sizes[i] == quick)
            fill(add_size(sheet, sizes[i]), pair, sizes[i]);
}

static void plan_chunks(struct plan *plan, const struct bench_pair *pair)
{
    static const size_t sizes[LINES] = {65536, 131072, 262144, 524288, 1 << 20, 2 << 20};
    char text[SHEET_NAME];
    snprintf(text, sizeof(text), "4 MiB in packets by chunks, %.20s", pair->send);
    struct sheet *sheet =
        add_sheet(plan, "Chunk", COLUMNS("one get", "c = 1", "c = 2", "c = 4", "c = 8"), text);
    add_lines(plan, sheet, pair, sizes, 262144, fill_chunks);
    struct sheet_line *line = sheet_add(sheet, "as it is", MANY_BYTES);
    line->cells[0].job = job(TRANSFER_PING, pair, MANY_BYTES, one_get());
    for (size_t c = 1; c < sheet->column_count; c++)
        line->cells[c].job = job(TRANSFER_PING, pair, MANY_BYTES, packets());
}

static void plan_eager(struct plan *plan, const struct bench_pair *pair)
{
    static const size_t sizes[LINES] = {8192, 16384, 32768, 65536, 131072, 262144};
    char text[SHEET_NAME];
    snprintf(text, sizeof(text), "packets by what is sent at once, %.12s", pair->send);
    struct sheet *sheet =
        add_sheet(plan, "Size", COLUMNS("put", "8K", "16K", "32K", "64K", "128K"), text);
    add_lines(plan, sheet, pair, sizes, 65536, fill_eager);
}

/* Pieces of every length, half of the memory that they span. */
static void plan_pieces(struct plan *plan, size_t bytes)
{
    char text[TRANSFER_TEXT];
    snprintf(text, sizeof(text), "packets or read, %zu KiB in pieces", bytes / 1024);
    struct sheet *sheet = add_sheet(plan, "Piece", COLUMNS("packets", "read"), text);
    for (size_t piece = 256; piece <= 65536 && piece <= bytes; piece *= 2) {
        if (plan->choice->is_quick && piece != 4096)
            continue;
        snprintf(text, sizeof(text), "resized(0, %zu, contiguous(%zu, byte))", 2 * piece, piece);
        const struct bench_pair pair = {text, text};
        struct sheet_line *line = add_size(sheet, piece);
        line->cells[0].job = job(TRANSFER_PING, &pair, bytes, packets());
        line->cells[1].job = job(TRANSFER_PING, &pair, bytes, reading());
    }
}

static void plan_layouts(struct plan *plan)
{
    static const struct bench_pair none = {"contiguous", "contiguous"};
    static const char *const names[] = {"new", "built again", "used before"};
    struct sheet *sheet = add_sheet(plan, "Type", COLUMNS("send", "read"),
                                    "1 KiB of an irregular type of 4096 blocks");
    sheet->has_layouts = true;
    for (unsigned i = 0; i < COUNT(names); i++) {
        struct sheet_line *line = sheet_add(sheet, names[i], 0);
        enum transfer_kind kind = (enum transfer_kind)(TRANSFER_COLD + i);
        line->cells[0].job = job(kind, &none, 1024, as_it_is);
        line->cells[1].job = job(kind, &none, 1024, reading());
    }
    if (is_ofi(plan))
        sheet->column_count = 1;
}

size_t transfer_plan(const struct transfer_choice *choice, struct sheet *sheets)
{
    static const struct bench_pair two[] = {{"contiguous", "contiguous"}, {"vec64", "vec64"}};
    static const size_t messages[] = {65536, 1 << 20, 4 << 20};
    struct plan plan = {choice, sheets, 0};
    size_t pairs = choice->layouts.pair_count;
    for (size_t p = 0; choice->parts[TRANSFER_SIZES] && p < pairs; p++)
        plan_sizes(&plan, &choice->layouts.pairs[p], false);
    for (size_t p = 0; choice->parts[TRANSFER_BANDWIDTH] && p < pairs; p++)
        plan_sizes(&plan, &choice->layouts.pairs[p], true);
    for (size_t p = 0; choice->parts[TRANSFER_CHUNKS] && p < (choice->is_quick ? 1 : 2); p++)
        plan_chunks(&plan, &two[p]);
    for (size_t p = 0; choice->parts[TRANSFER_EAGER] && p < (choice->is_quick ? 1 : 2); p++)
        plan_eager(&plan, &two[p]);
    bool has_pieces = choice->parts[TRANSFER_PIECES] && !is_ofi(&plan);
    for (size_t i = 0; has_pieces && i < (choice->is_quick ? 1 : COUNT(messages)); i++)
        plan_pieces(&plan, messages[i]);
    if (choice->parts[TRANSFER_LAYOUTS])
        plan_layouts(&plan);
    return plan.count;
}
