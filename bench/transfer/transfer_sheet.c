/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/transfer/transfer_sheet.h"

#include <stdio.h>
#include <string.h>

#include "bench/harness/contest.h"
#include "weft/json.h"

struct sheet_line *sheet_add(struct sheet *sheet, const char *name, size_t bytes)
{
    struct sheet_line *line = &sheet->lines[sheet->line_count++];
    *line = (struct sheet_line){.bytes = bytes};
    snprintf(line->name, sizeof(line->name), "%s", name);
    return line;
}

/* ---- Measuring ------------------------------------------------------------------------------ */

static size_t window_of(const struct transfer_job *job)
{
    return job->kind == TRANSFER_STREAM ? TRANSFER_WINDOW : 1;
}

static double run_cell(void *context, size_t count)
{
    struct sheet_cell *cell = context;
    cell->job.count = count / window_of(&cell->job);
    return transfer_run(&cell->job, &cell->facts);
}

static void share_facts(struct sheet_cell *cell)
{
    size_t transfers = cell->job.count * window_of(&cell->job);
    cell->facts.direct /= transfers;
    cell->facts.layout_bytes /= transfers;
}

void sheet_measure(struct sheet *sheet, size_t line, size_t rounds, double seconds)
{
    static struct contestant contestants[SHEET_COLUMNS];
    struct sheet_cell *cells = sheet->lines[line].cells;
    size_t window = window_of(&cells[0].job);
    const struct contest contest = {rounds, seconds, {1, 3 * window, 3 * window, 10000 * window}};
    for (size_t c = 0; c < sheet->column_count; c++)
        contestants[c] = (struct contestant){.run = run_cell, .context = &cells[c]};
    contest_run(contestants, sheet->column_count, &contest);
    for (size_t c = 0; c < sheet->column_count; c++) {
        cells[c].seconds = contestants[c].median;
        cells[c].ratio = contest_ratio(&contestants[c], &contestants[0]);
        share_facts(&cells[c]);
    }
}

/* ---- Reports -------------------------------------------------------------------------------- */

void sheet_print_heading(const struct sheet *sheet)
{
    printf("\n# %s\n# %-22s", sheet->title, sheet->heading);
    for (size_t c = 0; c < sheet->column_count; c++)
        printf(" %7.7s %s", sheet->columns[c], sheet->has_bandwidth ? "MB/s" : "(us)");
    for (size_t c = 1; c < sheet->column_count; c++)
        printf(" %7.7s/%.7s", sheet->columns[c], sheet->columns[0]);
    for (size_t c = 0; sheet->has_layouts && c < sheet->column_count; c++)
        printf(" %6.6s bytes", sheet->columns[c]);
    printf("\n");
}

void sheet_print_line(const struct sheet *sheet, size_t which)
{
    const struct sheet_line *line = &sheet->lines[which];
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
