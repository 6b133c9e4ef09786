/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/type/copy_cell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <weft.h>

#include "bench/harness/measure.h"
#include "bench/layouts/hand_copy.h"

struct copy_side {
    struct layout layout;
    struct hand_pieces pieces;
    made_type type;
    char *window;
};

struct copy_cell {
    struct copy_side to, from;
    char *packed;
    size_t bytes;
};

static void open_side(struct copy_side *side, const struct layout_entry *entry, size_t target)
{
    layout_build(entry, target, &side->layout);
    side->pieces = hand_pieces_of(&side->layout);
    side->type = layout_make(&side->layout, &maker_weft);
    side->window = measure_map(layout_window(&side->layout));
}

static void close_side(struct copy_side *side)
{
    munmap(side->window, layout_window(&side->layout));
    maker_weft.release(side->type);
    hand_pieces_free(&side->pieces);
    layout_clear(&side->layout);
}

static char *first_element(const struct copy_side *side)
{
    return side->window + side->layout.origin;
}

static const weft_type *type_of(const struct copy_side *side)
{
    return (const weft_type *)side->type;
}

/* ---- The contenders ----------------------------------------------------------------------- */

static void run_hand(void *context)
{
    const struct copy_cell *cell = context;
    hand_copy(first_element(&cell->to), &cell->to.pieces, first_element(&cell->from),
              &cell->from.pieces, cell->bytes);
}

static void run_packed(void *context)
{
    const struct copy_cell *cell = context;
    weft_pack(type_of(&cell->from), cell->from.layout.count, first_element(&cell->from), 0,
              cell->packed, cell->bytes);
    weft_unpack(type_of(&cell->to), cell->to.layout.count, first_element(&cell->to), 0,
                cell->packed, cell->bytes);
}

static void run_weft(void *context)
{
    const struct copy_cell *cell = context;
    weft_copy(type_of(&cell->to), cell->to.layout.count, first_element(&cell->to),
              type_of(&cell->from), cell->from.layout.count, first_element(&cell->from), 0,
              cell->bytes);
}

/* ---- Verifying and measuring -------------------------------------------------------------- */

static void verify(struct copy_cell *cell, void (*run)(void *), const char *name)
{
    size_t window = layout_window(&cell->to.layout);
    char *got = cell->to.window, *expected = measure_map(window);
    memset(got, 0x5A, window);
    memset(expected, 0x5A, window);
    run(cell);
    cell->to.window = expected;
    run_hand(cell);
    cell->to.window = got;
    if (memcmp(got, expected, window)) {
        fprintf(stderr, "weft bench copy: %s and the loop do not agree on the bytes\n", name);
        exit(1);
    }
    munmap(expected, window);
}

static void fill(char *window, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        window[i] = (char)(i * 31 + i / 251);
}

enum { HAND, PACKED, WEFT, CONTENDERS };

static struct copy_result race(struct copy_cell *cell, double seconds)
{
    const struct measured runs[CONTENDERS] = {
        [HAND] = {run_hand, cell}, [PACKED] = {run_packed, cell}, [WEFT] = {run_weft, cell}};
    struct contestant contestants[CONTENDERS];
    measure(runs, contestants, CONTENDERS, &(struct measure_options){.seconds = seconds});
    return (struct copy_result){
        .bytes = cell->bytes,
        .hand = contestants[HAND].median * 1e9,
        .packed = contestants[PACKED].median * 1e9,
        .weft = contestants[WEFT].median * 1e9,
        .weft_to_hand = contest_ratio(&contestants[WEFT], &contestants[HAND]),
        .weft_to_packed = contest_ratio(&contestants[WEFT], &contestants[PACKED])};
}

struct copy_result copy_cell_measure(const struct layout_entry *from,
                                     const struct layout_entry *to, size_t target, double seconds)
{
    struct copy_cell cell = {0};
    open_side(&cell.from, from, target);
    open_side(&cell.to, to, target);
    size_t from_bytes = layout_bytes(&cell.from.layout), to_bytes = layout_bytes(&cell.to.layout);
    cell.bytes = from_bytes < to_bytes ? from_bytes : to_bytes;
    cell.packed = measure_map(cell.bytes);
    fill(cell.from.window, layout_window(&cell.from.layout));
    verify(&cell, run_packed, "packing and unpacking");
    verify(&cell, run_weft, "weft_copy");
    struct copy_result result = race(&cell, seconds);
    munmap(cell.packed, cell.bytes);
    close_side(&cell.from);
    close_side(&cell.to);
    return result;
}
