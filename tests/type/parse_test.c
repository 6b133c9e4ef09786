/* SPDX-License-Identifier: BSD-3-Clause */
/* The text notation: what it accepts, and where it says a text is wrong. */
#include <string.h>

#include "support/notation.h"
#include "support/tap.h"

static void check_equal(const char *text, const char *same)
{
    tap_note("%s", same);
    check_uint(info_from(text).hash, info_from(same).hash);
}

static void check_wrong(const char *text, size_t at, const char *message)
{
    weft_type *type = NULL;
    struct weft_syntax_error error = {.at = 999};
    tap_note("%s", text);
    check_int(weft_type_parse(text, &type, &error), WEFT_ERR_SYNTAX);
    check_uint(error.at, at);
    check(strstr(error.message, message) != NULL);
    check(type == NULL);
}

static void basics(void)
{
#define CHECK_BASIC(name, ctype, text) check_uint(info_from(text).size, sizeof(ctype));
    WEFT_BASIC_MAP(CHECK_BASIC)
#undef CHECK_BASIC
}

static void every_constructor(void)
{
    check_equal("bytes(12)", "contiguous(3, int)");
    check_equal("contiguous(3, int)", "contiguous(3, int32)");
    check_equal("vector(3, 2, 4, int)", "hvector(3, 2, 16, int)");
    check_equal("indexed([2, 1], [0, 5], int)", "hindexed([2, 1], [0, 20], int)");
    check_equal("indexed_block(2, [0, 5, 9], int)", "indexed([2, 2, 2], [0, 5, 9], int)");
    check_equal("hindexed_block(2, [0, 20, 36], int)", "indexed_block(2, [0, 5, 9], int)");
    check_equal("struct(3 double @ 0, 1 int @ 24)", "bytes(28)");
    check_equal("subarray([4, 4], [2, 4], [1, 0], C, int)",
                "resized(0, 64, indexed([8], [4], int))");
    check_equal("subarray([4, 4], [4, 2], [0, 1], F, int)",
                "resized(0, 64, indexed([8], [4], int))");
    check_equal("darray(2, 1, [8], [block(5)], [2], C, int)",
                "resized(0, 32, indexed([3], [5], int))");
    check_equal("darray(2, 0, [8], [cyclic], [2], F, int)",
                "resized(0, 32, vector(4, 1, 2, int))");
    check_equal("darray(2, 0, [8, 2], [cyclic(2), none], [2, 1], F, int)",
                "resized(0, 64, vector(4, 2, 4, int))");
    check_equal("resized(-4, 20, int)", "resized(-4, 20, float)");
    check_equal("dup(int)", "int");
    check_equal("struct()", "contiguous(0, int)");
}

static void white_space_and_ranges(void)
{
    check_equal(" vector ( 3 ,2, 4\t,\n int ) ", "vector(3, 2, 4, int)");
    check_equal("indexed_block(1, [0..3, 10..16:3, 9..5:-2], int)",
                "indexed_block(1, [0, 1, 2, 3, 10, 13, 16, 9, 7, 5], int)");
    check_equal("indexed_block(1, [-2..2:2], int)", "indexed_block(1, [-2, 0, 2], int)");
    check_equal("indexed_block(1, [5..4, 7], int)", "indexed_block(1, [7], int)");
}

static void wrong_texts(void)
{
    check_wrong("", 0, "");
    check_wrong("integer", 0, "");
    check_wrong("vector(3, 2, 4, int", 19, "')'");
    check_wrong("vector(3, 2, int)", 13, "number");
    check_wrong("vector(-3, 2, 4, int)", 7, "negative");
    check_wrong("contiguous 3, int)", 11, "'('");
    check_wrong("int int", 4, "");
    check_wrong("indexed([1, 2], [0], int)", 25, "length");
    check_wrong("indexed_block(1, [0..9:0], int)", 24, "step");
    check_wrong("subarray([4], [2], [1], D, int)", 24, "C or F");
    check_wrong("darray(2, 1, [8], [blocks], [2], C, int)", 19, "distribution");
    check_wrong("struct(1 int)", 12, "@");
    check_wrong("contiguous(99999999999999999999, int)", 29, "too large");
}

/* Deeper than any sensible text, so that a hostile one cannot exhaust the stack. */
static void nesting(void)
{
    char text[5 * 1000 + 10] = "";
    weft_type *type = NULL;
    for (int i = 0; i < 1000; i++)
        memcpy(text + 4 * i, "dup(", 4);
    memcpy(text + 4000, "int", 3);
    memset(text + 4003, ')', 1000);
    check_int(weft_type_parse(text, &type, NULL), WEFT_ERR_SYNTAX);
}

/* Arguments that a constructor refuses are not a matter of syntax, but have a place too. */
static void refused_arguments(void)
{
    weft_type *type = NULL;
    struct weft_syntax_error error = {0};
    check_int(weft_type_parse("subarray([4], [5], [0], C, int)", &type, &error),
              WEFT_ERR_ARGUMENT);
    check(strlen(error.message) > 10);
    check_int(weft_type_parse("contiguous(4000000000000000000, int)", &type, &error),
              WEFT_ERR_OVERFLOW);
    check(strstr(error.message, "63 bits") != NULL);
    check(type == NULL);
}

int main(void)
{
    basics();
    every_constructor();
    white_space_and_ranges();
    wrong_texts();
    nesting();
    refused_arguments();
    return tap_done();
}
