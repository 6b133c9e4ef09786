/* SPDX-License-Identifier: BSD-3-Clause */
/* Into how few runs a walk puts what it finds. */
#include "support/notation.h"
#include "support/tap.h"
#include "type/range.h"

struct counter {
    struct weft_type_sink sink;
    uint64_t runs, pieces;
};

static bool count_piece(struct weft_type_sink *sink, weft_type_address mem, uint64_t length)
{
    (void)mem;
    (void)length;
    ((struct counter *)sink)->pieces++;
    return true;
}

static bool count_run(struct weft_type_sink *sink, const struct weft_type_run *run)
{
    struct counter *counter = (struct counter *)sink;
    counter->runs++;
    counter->pieces += run->rows * run->count;
    return true;
}

static void check_runs(const char *text, size_t count, uint64_t runs, uint64_t pieces)
{
    struct counter counter = {.sink = {count_piece, count_run}};
    weft_type *type = type_from(text);
    weft_type_range_walk(type, count, NULL, 0, count * type->size, &counter.sink);
    tap_note("%zu of %s", count, text);
    check_uint(counter.runs, runs);
    check_uint(counter.pieces, pieces);
    weft_type_free(type);
}

int main(void)
{
    /* Three variables of a grid, and elements that follow one another as the variables do. */
    check_runs("resized(0, 3000, hvector(3, 1, 1000, hvector(9, 8, 100, byte)))", 5, 1, 135);
    /* Elements with a gap between them are a run each. */
    check_runs("resized(0, 4000, hvector(3, 1, 1000, hvector(9, 8, 100, byte)))", 5, 5, 135);
    /* The same within a type. */
    check_runs("hvector(5, 1, 9000, hvector(3, 1, 3000, hvector(3, 1, 1000, "
               "hvector(9, 8, 100, byte))))",
               1, 1, 405);
    return tap_done();
}
