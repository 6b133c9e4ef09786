/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft bench copy`: every layout of a list into every other, straight. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/benchmarks.h"
#include "bench/type/type_programs.h"
#include "weft/command.h"
#include "weft/json.h"

/* Every shape: blocks tiny to large, strided, listed, of varied length, transposed. */
static const char *const layouts[] = {"contiguous", "vec4",      "vec8",    "vec16",
                                      "vec64",      "vec256",    "vec1024", "ib8r",
                                      "ib64r",      "hidx8-256", "fft2d",   "face_x_128"};

#define LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))
#define AGAIN 4
#define BAR 1.1

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

/* ---- Options ------------------------------------------------------------------------------ */

static struct bench_settings settings = {.seconds = 0.1};
static const char *from_pattern = "*", *to_pattern = "*";
static size_t bytes = 65536;

static const struct option_entry options[] = {
    {"from", "PATTERN", "only from layouts that match, for example 'vec*'", .text = &from_pattern},
    {"to", "PATTERN", "only into layouts that match", .text = &to_pattern},
    {"size", "BYTES", "about so many bytes, with K or M; 64K unless given",
     .number = {.value = &bytes, .least = 1024, .most = (size_t)64 << 20, .units = "KM"}},
    {"seconds-per-cell", "S", "0.1 unless given",
     .real = {&settings.seconds, .least = 1e-6, .most = 1e4}},
    {"quick", NULL, "the same as --seconds-per-cell 0.02",
     .real = {&settings.seconds, .preset = 0.02}},
    {"check", NULL,
     "exit with 1 where Weft takes more than " TEXT(
         BAR) " times as long as the\n"
              "better of the loop and packing and unpacking, and say where;\n"
              "such rows are measured again, " TEXT(AGAIN) " times as long",
     .flag = &settings.check},
    {"json", NULL, "for programs; times are in nanoseconds", .flag = &settings.json},
    {0},
};

/* ---- Measuring ---------------------------------------------------------------------------- */

struct pair_row {
    const char *from, *to;
    size_t bytes;
    double hand, packed, weft, to_hand, to_packed;
};

static struct pair_row rows[LAYOUTS * LAYOUTS];
static size_t row_count;

static int prepare(void)
{
    for (size_t i = 0; i < LAYOUTS; i++)
        for (size_t j = 0; j < LAYOUTS; j++)
            if (fnmatch(from_pattern, layouts[i], 0) == 0 &&
                fnmatch(to_pattern, layouts[j], 0) == 0)
                rows[row_count++] = (struct pair_row){.from = layouts[i], .to = layouts[j]};
    if (!row_count) {
        fprintf(stderr, "weft bench copy: no layout matches\n");
        return WEFT_EXIT_USAGE;
    }
    if (!type_program_open(TYPE_NO_MPI)) {
        fprintf(stderr, "weft bench copy: weft-bench-type-none is not in %s\n", WEFT_LIBEXEC);
        return WEFT_EXIT_FAILED;
    }
    atexit(type_programs_close);
    return -1;
}

static size_t count_rows(size_t group)
{
    (void)group;
    return row_count;
}

static void end_rows(size_t group)
{
    (void)group;
}

static void name_row(size_t i, char *text, size_t size)
{
    snprintf(text, size, "%s to %s", rows[i].from, rows[i].to);
}

static void measure_row(size_t i, unsigned times)
{
    struct pair_row *row = &rows[i];
    char line[256];
    snprintf(line, sizeof(line), "copy %s %s %zu %g", row->from, row->to, bytes,
             settings.seconds * times);
    type_program_ask(TYPE_NO_MPI, line);
    type_program_answer(TYPE_NO_MPI, line, sizeof(line));
    if (sscanf(line, "copy bytes=%zu hand=%lf packed=%lf weft=%lf to_hand=%lf to_packed=%lf",
               &row->bytes, &row->hand, &row->packed, &row->weft, &row->to_hand,
               &row->to_packed) != 6) {
        fprintf(stderr, "weft bench copy: cannot understand the answer: %s", line);
        exit(WEFT_EXIT_FAILED);
    }
}

static double to_best(const struct pair_row *row)
{
    return row->to_hand > row->to_packed ? row->to_hand : row->to_packed;
}

static bool is_row_missed(size_t i)
{
    return to_best(&rows[i]) > BAR;
}

/* ---- Reports ------------------------------------------------------------------------------ */

static void print_row(size_t i)
{
    const struct pair_row *row = &rows[i];
    if (i == 0)
        printf("From a layout into another, in us, and the time Weft takes relative to the "
               "others\n\n%-12s %-12s %9s %10s %10s %10s %7s %9s %7s\n",
               "from", "to", "bytes", "loop", "pack+unp.", "weft_copy", "/loop", "/packing",
               "/best");
    printf("%-12s %-12s %9zu %10.2f %10.2f %10.2f %7.2f %9.2f %7.2f%s\n", row->from, row->to,
           row->bytes, row->hand / 1e3, row->packed / 1e3, row->weft / 1e3, row->to_hand,
           row->to_packed, to_best(row), is_row_missed(i) ? " *" : "");
}

static void write_json(void)
{
    weft_json_open("pairs", '[');
    for (size_t i = 0; i < row_count; i++) {
        weft_json_open(NULL, '{');
        weft_json_string("from", rows[i].from);
        weft_json_string("to", rows[i].to);
        weft_json_integer("bytes", (int64_t)rows[i].bytes);
        weft_json_number("hand", rows[i].hand);
        weft_json_number("packed", rows[i].packed);
        weft_json_number("weft", rows[i].weft);
        weft_json_number("to_hand", rows[i].to_hand);
        weft_json_number("to_packed", rows[i].to_packed);
        weft_json_close('}');
    }
    weft_json_close(']');
}

static void look_at_bars(struct bar_list *missed)
{
    for (size_t i = 0; i < row_count; i++)
        if (is_row_missed(i))
            bar_sentence(missed, "%s to %s: %.2f times as long as the best; the bar is %.2f",
                         rows[i].from, rows[i].to, to_best(&rows[i]), BAR);
}

const struct benchmark bench_copy = {
    .summary = "copy from layout to layout: a hand-written loop, packing and unpacking, Weft",
    .options =
        {"copy",
         "Copies every layout of a list into every other: a loop written for the two, weft_pack\n"
         "and weft_unpack with a buffer between, and weft_copy. Caches are warm, and ratios are\n"
         "taken in one process, between runs that alternate.\n",
         "A row marked * takes more than " TEXT(BAR) " times as long as the best.\n", 23,
         .entries = options},
    .settings = &settings,
    .prepare = prepare,
    .cases = {1, count_rows, end_rows, name_row, measure_row, print_row},
    .again = {is_row_missed, AGAIN},
    .report = {write_json, look_at_bars, .has_sentences = true},
};
