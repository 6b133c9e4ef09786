/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of normalisation, seen through weft_type_describe and weft_type_query. */
#include <stdlib.h>
#include <string.h>

#include "support/notation.h"
#include "support/tap.h"

static void check_form(const char *text, const char *expected)
{
    char description[1000];
    weft_type *type = type_from(text);
    tap_note("%s", text);
    check_int(weft_type_describe(type, description, sizeof(description)), strlen(expected));
    check_string(description, expected);
    weft_type_free(type);
}

/* Different descriptions of the same layout are the same type. */
static void check_same(const char *one, const char *other)
{
    tap_note("%s = %s", one, other);
    check_uint(info_from(one).hash, info_from(other).hash);
}

static void check_differ(const char *one, const char *other)
{
    tap_note("%s != %s", one, other);
    check(info_from(one).hash != info_from(other).hash);
}

static void contiguous_levels_fold(void)
{
    check_form("contiguous(10, contiguous(3, int))", "block of 120 B\n");
    check_form("vector(4, 2, 2, int)", "block of 32 B\n");
    check_form("subarray([4, 5], [2, 5], [0, 0], C, int)", "block of 40 B\n");
    check_form("contiguous(0, int)", "nothing\n");
    check(info_from("contiguous(10, contiguous(3, int))").contiguous);
    check(!info_from("resized(0, 8, int)").contiguous);
}

static void loops_flatten(void)
{
    check_form("vector(64, 3, 100, double)", "loop of 64, 800 apart\n  block of 24 B\n");
    check_form("hvector(4, 1, 400, vector(4, 1, 25, int))",
               "loop of 16, 100 apart\n  block of 4 B\n");
    check_form("hvector(4, 1, 500, vector(4, 1, 25, int))",
               "loop of 4, 500 apart\n  loop of 4, 100 apart\n    block of 4 B\n");
    check_form("vector(3, 1, -2, int)", "loop of 3, -8 apart\n  block of 4 B\n");
}

static void single_levels_keep_their_offset(void)
{
    check_form("vector(1, 3, 100, int)", "block of 12 B\n");
    check_form("indexed_block(1, [5], int)", "at 20:\n  block of 4 B\n");
    check_form("subarray([10], [1], [7], C, int)", "at 28:\n  block of 4 B\n");
    check_form("struct(1 indexed_block(1, [2], int) @ 3)", "at 11:\n  block of 4 B\n");
}

static void adjacent_blocks_merge(void)
{
    check_form("indexed([2, 3], [0, 2], int)", "block of 20 B\n");
    check_form("struct(2 int @ 0, 1 double @ 8)", "block of 16 B\n");
    check_form("indexed([1, 0, 1], [0, 9, 1], int)", "block of 8 B\n");
}

static void arithmetic_lists_are_loops(void)
{
    check_form("indexed_block(1, [0, 2, 4, 6], int)", "loop of 4, 8 apart\n  block of 4 B\n");
    check_form("indexed([2, 2, 2], [9, 6, 3], int)",
               "at 36:\n  loop of 3, -12 apart\n    block of 8 B\n");
}

static void order_is_kept(void)
{
    check_form("indexed_block(1, [1, 0], int)", "at 4:\n  loop of 2, -4 apart\n    block of 4 B\n");
    check_differ("indexed_block(1, [1, 0], int)", "contiguous(2, int)");
    check_differ("struct(1 byte @ 0, 1 byte @ 5)", "struct(1 byte @ 5, 1 byte @ 0)");
}

static void structs_of_blocks_are_lists(void)
{
    check_form("struct(1 int @ 0, 1 double @ 8, 1 byte @ 20)",
               "list of 3 at 0+4, 8+8, 20+1\n");
    check_same("struct(1 int @ 0, 1 int @ 12, 1 int @ 16)", "indexed([1, 2], [0, 3], int)");
}

/* Two stretches of a constant step with a few others between them. */
static void runs_in_lists_cost_nothing(void)
{
    struct weft_type_info info =
        info_from("indexed_block(1, [0..4000:2, 5003, 5001, 5010, 7000..9000:2], int)");
    check_uint(info.size, 4 * (2001 + 3 + 1001));
    check(info.memory < 2000);
}

static void periodic_lists_are_loops(void)
{
    size_t lengths[3000];
    ptrdiff_t places[3000];
    weft_type *type;
    char description[200];
    for (size_t i = 0; i < 3000; i++) {
        size_t within[] = {0, 3, 4};
        places[i] = (ptrdiff_t)(i / 3 * 13 + 2 * within[i % 3]);
        lengths[i] = i % 3 + 1;
    }
    if (weft_type_indexed(3000, lengths, places, weft_basic(WEFT_SHORT), &type))
        abort();
    check(weft_type_describe(type, description, sizeof(description)) > 0);
    check(strncmp(description, "loop of 1000, 26 apart\n  list", 29) == 0);
    check(type_info(type).memory < 1000);
    weft_type_free(type);
}

static void equal_types_share_a_hash(void)
{
    check_same("vector(4, 2, 2, int)", "contiguous(8, int)");
    check_same("contiguous(8, int)", "contiguous(4, double)");
    check_same("dup(vector(4, 1, 2, int))", "hvector(4, 1, 8, float)");
    check_same("subarray([4, 5], [2, 2], [1, 3], C, int)",
               "subarray([5, 4], [2, 2], [3, 1], F, int)");
    check_differ("contiguous(8, int)", "contiguous(9, int)");
    check_differ("resized(0, 8, int)", "int");
    check_differ("indexed_block(1, [5], int)", "indexed_block(1, [6], int)");
}

static void overlap_is_seen(void)
{
    check(info_from("hvector(4, 1, 0, int)").may_overlap);
    check(info_from("hvector(4, 1, 3, int)").may_overlap);
    check(info_from("indexed([2, 2], [0, 1], int)").may_overlap);
    check(info_from("struct(1 int @ 0, 1 byte @ 3)").may_overlap);
    check(!info_from("hvector(4, 1, 4, int)").may_overlap);
    check(!info_from("vector(4, 1, -1, int)").may_overlap);
    check(!info_from("contiguous(8, resized(0, 8, vector(8, 1, 8, double)))").may_overlap);
    check(!info_from("struct(1 vector(4, 1, 2, int) @ 0, 1 vector(4, 1, 2, int) @ 4)")
               .may_overlap);
}

/* As snprintf: a text that is cut ends in NUL, and the length is that of the whole. */
static void texts_are_cut(void)
{
    char text[10];
    memset(text, 'x', sizeof(text));
    weft_type *type = type_from("vector(64, 3, 100, double)");
    ptrdiff_t whole = weft_type_print(type, NULL, 0);
    check(whole > 10);
    check_int(weft_type_print(type, text, 5), whole);
    check_uint(strlen(text), 4);
    check_int(text[5], 'x');
    check(weft_type_describe(type, text, 1) > 10);
    check_string(text, "");
    weft_type_free(type);
}

int main(void)
{
    contiguous_levels_fold();
    loops_flatten();
    single_levels_keep_their_offset();
    adjacent_blocks_merge();
    arithmetic_lists_are_loops();
    order_is_kept();
    structs_of_blocks_are_lists();
    runs_in_lists_cost_nothing();
    periodic_lists_are_loops();
    equal_types_share_a_hash();
    overlap_is_seen();
    texts_are_cut();
    return tap_done();
}
