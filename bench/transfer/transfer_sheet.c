/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/transfer/transfer_sheet.h"

#include <stdio.h>
#include <string.h>

#include "bench/harness/bench.h"
#include "bench/harness/measure.h"
#include "weft/json.h"

#define FIRST_COUNT 3
#define MOST_COUNT 10000

struct sheet_line *sheet_add(struct sheet *sheet, const char *name, size_t bytes)
{
    struct sheet_line *line = &sheet->lines[sheet->line_count++];
    *line = (struct sheet_line){.bytes = bytes};
    snprintf(line->name, sizeof(line->name), "%s", name);
    return line;
}

/* ---- Measuring ------------------------------------------------------------------------------ */

static void choose_count(struct transfer_job *job, double seconds)
{
    job->count = FIRST_COUNT;
    double one = transfer_run(job, NULL);
    double count = seconds / one;
    if (job->kind == TRANSFER_STREAM)
        count /= TRANSFER_WINDOW;
    if (count < FIRST_COUNT)
        count = FIRST_COUNT;
    job->count = count > MOST_COUNT ? MOST_COUNT : (size_t)count;
}

static void note_facts(struct sheet_cell *cell)
{
    size_t transfers =
        cell->job.kind == TRANSFER_STREAM ? cell->job.count * TRANSFER_WINDOW : cell->job.count;
    cell->facts.direct /= transfers;
    cell->facts.layout_bytes /= transfers;
}

static void measure_line(struct sheet_line *line, size_t columns, const struct bench_turns *turns)
{
    static double rounds[SHEET_COLUMNS][BENCH_MOST_ROUNDS];
    double ratios[BENCH_MOST_ROUNDS];
    for (size_t c = 0; c < columns; c++)
        choose_count(&line->cells[c].job, turns->seconds);
    for (size_t round = 0; round < turns->rounds; round++)
        for (size_t turn = 0; turn < columns; turn++) {
            size_t c = (turn + round) % columns;
            struct sheet_cell *cell = &line->cells[c];
            rounds[c][round] = transfer_run(&cell->job, &cell->facts);
        }
    for (size_t c = 0; c < columns; c++) {
        for (size_t round = 0; round < turns->rounds; round++)
            ratios[round] = rounds[c][round] / rounds[0][round];
        line->cells[c].ratio = measure_median(ratios, turns->rounds);
        note_facts(&line->cells[c]);
    }
    for (size_t c = 0; c < columns; c++)
        line->cells[c].seconds = measure_median(rounds[c], turns->rounds);
}

void sheet_measure(struct sheet *sheet, const struct bench_turns *turns)
{
    for (size_t i = 0; i < sheet->line_count; i++) {
        weft_progress_show(i, sheet->line_count, sheet->title);
        measure_line(&sheet->lines[i], sheet->column_count, turns);
    }
    weft_progress_clear();
}

/* ---- Reports -------------------------------------------------------------------------------- */

static void print_line(const struct sheet *sheet, const struct sheet_line *line)
{
    printf("%-24s", line->name);
    for (size_t c = 0; c < sheet->column_count; c++) {
        const struct sheet_cell *cell = &line->cells[c];
        printf(" %12.2f", sheet->has_bandwidth ? (double)line->bytes / cell->seconds / 1e6
                                               : cell->seconds * 1e6);
    }
    for (size_t c = 1; c < sheet->column_count; c++) {
        double ratio = line->cells[c].ratio;
        printf(" %*.2f", 8 + (int)strnlen(sheet->columns[0], 7),
               sheet->has_bandwidth ? 1 / ratio : ratio);
    }
    for (size_t c = 0; sheet->has_layouts && c < sheet->column_count; c++)
        printf(" %12zu", (size_t)line->cells[c].facts.layout_bytes);
    printf("\n");
}

void sheet_print(const struct sheet *sheet)
{
    printf("\n# %s\n# %-22s", sheet->title, sheet->heading);
    for (size_t c = 0; c < sheet->column_count; c++)
        printf(" %7.7s %s", sheet->columns[c], sheet->has_bandwidth ? "MB/s" : "(us)");
    for (size_t c = 1; c < sheet->column_count; c++)
        printf(" %7.7s/%.7s", sheet->columns[c], sheet->columns[0]);
    for (size_t c = 0; sheet->has_layouts && c < sheet->column_count; c++)
        printf(" %6.6s bytes", sheet->columns[c]);
    printf("\n");
    for (size_t i = 0; i < sheet->line_count; i++)
        print_line(sheet, &sheet->lines[i]);
    fflush(stdout);
}

static void print_json_line(const struct sheet *sheet, const struct sheet_line *line)
{
    weft_json_open(NULL, '{');
    weft_json_string("name", line->name);
    weft_json_integer("bytes", (int64_t)line->bytes);
    weft_json_open("cells", '[');
    for (size_t c = 0; c < sheet->column_count; c++) {
        const struct sheet_cell *cell = &line->cells[c];
        weft_json_open(NULL, '{');
        weft_json_string("way", sheet->columns[c]);
        weft_json_number("us", cell->seconds * 1e6);
        weft_json_number("to_first", cell->ratio);
        weft_json_integer("direct", (int64_t)cell->facts.direct);
        weft_json_integer("layout_bytes", (int64_t)cell->facts.layout_bytes);
        weft_json_close('}');
    }
    weft_json_close(']');
    weft_json_close('}');
}

void sheet_print_json(const struct sheet *sheet)
{
    weft_json_open(NULL, '{');
    weft_json_string("title", sheet->title);
    weft_json_open("lines", '[');
    for (size_t i = 0; i < sheet->line_count; i++)
        print_json_line(sheet, &sheet->lines[i]);
    weft_json_close(']');
    weft_json_close('}');
}
