/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/harness/picture.h"

#include <inttypes.h>
#include <stdio.h>

#define ROWS 4
#define ROW_CELLS 64
#define TICK_CELLS 16
#define LABEL_WIDTH 12

/* The window is chosen to hold at least so many of the first pieces, or else all there are. */
#define PIECES_AT_LEAST 3
#define PIECES_AT_BEST 12

struct window {
    int64_t low;
    uint64_t scale; /* bytes in a cell, a power of two */
    uint64_t cells;
    uint64_t row_cells;
    int label_width;
};

/* Displacements of one type may be nearly 2^63 apart, so differences are unsigned. */
static uint64_t distance(int64_t from, int64_t to)
{
    return to > from ? (uint64_t)to - (uint64_t)from : 0;
}

static int64_t end_of(struct weft_span piece)
{
    return piece.at + (int64_t)piece.length;
}

static int64_t row_start(const struct window *window, uint64_t cell)
{
    return (int64_t)((uint64_t)window->low + cell * window->scale);
}

/* ---- What to show ------------------------------------------------------------------------- */

/* The smallest scale at which the first `count` pieces fit into `cells` cells. */
static struct window window_of(const struct weft_span *pieces, size_t count, uint64_t cells)
{
    int64_t low = pieces[0].at, high = end_of(pieces[0]);
    for (size_t i = 1; i < count; i++) {
        low = pieces[i].at < low ? pieces[i].at : low;
        high = end_of(pieces[i]) > high ? end_of(pieces[i]) : high;
    }
    for (uint64_t scale = 1;; scale *= 2) {
        int64_t start = low & -(int64_t)scale; /* rounds down, also below zero */
        uint64_t needed = (distance(start, high) - 1) / scale + 1;
        if (needed <= cells)
            return (struct window){.low = start, .scale = scale, .cells = needed};
    }
}

static bool all_pieces_visible(const struct weft_span *pieces, size_t count, uint64_t scale)
{
    for (size_t i = 0; i < count; i++)
        if (pieces[i].length < scale)
            return false;
    return true;
}

/* Shows as many pieces as can be told apart from the gaps between them. */
static struct window choose_window(const struct weft_span *pieces, size_t count)
{
    size_t shown = count < PIECES_AT_BEST ? count : PIECES_AT_BEST;
    int width = LABEL_WIDTH;
    for (size_t i = 0; i < shown; i++) {
        int needed = snprintf(NULL, 0, "%" PRId64, pieces[i].at);
        width = needed > width ? needed : width;
    }
    uint64_t row_cells = width > LABEL_WIDTH ? ROW_CELLS - TICK_CELLS : ROW_CELLS;
    uint64_t cells = count > 1 ? ROWS * row_cells : row_cells;
    struct window window = window_of(pieces, shown, cells);
    while (shown > PIECES_AT_LEAST && !all_pieces_visible(pieces, shown, window.scale))
        window = window_of(pieces, --shown, cells);
    window.row_cells = row_cells;
    window.label_width = width;
    return window;
}

/* ---- Drawing ------------------------------------------------------------------------------ */

/* Bytes of the piece that lie in the cell. */
static uint64_t bytes_inside(const struct window *window, struct weft_span piece, uint64_t cell)
{
    uint64_t cell_low = cell * window->scale, cell_high = cell_low + window->scale;
    uint64_t low = distance(window->low, piece.at), high = distance(window->low, end_of(piece));
    low = low > cell_low ? low : cell_low;
    high = high < cell_high ? high : cell_high;
    return high > low ? high - low : 0;
}

static char draw_cell(const struct window *window, const struct weft_span *pieces, size_t count,
                      uint64_t cell)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count && bytes < window->scale; i++)
        bytes += bytes_inside(window, pieces[i], cell);
    return bytes == 0 ? '.' : bytes < window->scale ? '+' : '#';
}

/* In the largest unit that gives a whole number. */
static void format_bytes(uint64_t bytes, char *text, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    unsigned unit = 0;
    for (; bytes && bytes % 1024 == 0; bytes /= 1024)
        unit++;
    snprintf(text, size, "%" PRIu64 " %s", bytes, units[unit]);
}

static void print_legend(const struct window *window)
{
    char scale[32];
    format_bytes(window->scale, scale, sizeof(scale));
    printf("  in memory, %s a character: # is of the type, %s. is not\n", scale,
           window->scale == 1 ? "" : "+ is in part, ");
}

static void print_ruler(const struct window *window)
{
    int margin = window->label_width + 2;
    uint64_t cells = window->cells < window->row_cells ? window->cells : window->row_cells;
    printf("%*s", margin, "");
    for (uint64_t i = 0; i < cells; i += TICK_CELLS) {
        char label[32];
        format_bytes(i * window->scale, label, sizeof(label));
        printf("+%-*s", i + TICK_CELLS < cells ? TICK_CELLS - 1 : 0, label);
    }
    printf("\n%*s", margin, "");
    for (uint64_t i = 0; i < cells; i += TICK_CELLS)
        printf("%-*s", i + TICK_CELLS < cells ? TICK_CELLS : 0, "|");
    putchar('\n');
}

static bool goes_on(const struct window *window, const struct weft_span *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pieces[i].at < window->low ||
            distance(window->low, end_of(pieces[i])) > window->cells * window->scale)
            return true;
    return false;
}

void weft_picture_print(const struct weft_span *pieces, size_t count, bool more)
{
    struct window window = choose_window(pieces, count);
    print_legend(&window);
    print_ruler(&window);
    for (uint64_t cell = 0; cell < window.cells; cell++) {
        if (cell % window.row_cells == 0)
            printf("%*" PRId64 "  ", window.label_width, row_start(&window, cell));
        putchar(draw_cell(&window, pieces, count, cell));
        if ((cell + 1) % window.row_cells == 0 || cell + 1 == window.cells)
            putchar('\n');
    }
    if (more || goes_on(&window, pieces, count))
        printf("%*s...\n", window.label_width + 2, "");
}
