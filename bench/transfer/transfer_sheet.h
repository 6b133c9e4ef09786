/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of `weft bench transfer`: what stands in one line is measured in turns. */
#ifndef WEFT_BENCH_TRANSFER_TRANSFER_SHEET_H
#define WEFT_BENCH_TRANSFER_TRANSFER_SHEET_H

#include "bench/transfer/transfer_member.h"

#define SHEET_COLUMNS 6
#define SHEET_LINES 64
#define SHEET_NAME 64

struct sheet_cell {
    struct transfer_job job;
    struct transfer_facts facts; /* of one transfer */
    double seconds;              /* median */
    double ratio;                /* to the first column: the median of those of each round */
};

struct sheet_line {
    char name[SHEET_NAME];
    size_t bytes; /* 0: the line has no size */
    struct sheet_cell cells[SHEET_COLUMNS];
};

struct sheet {
    char title[160];
    const char *heading; /* of the names of lines */
    const char *columns[SHEET_COLUMNS];
    size_t column_count, line_count;
    bool has_bandwidth, has_layouts;
    struct sheet_line lines[SHEET_LINES];
};

/* The next line, named and empty. */
struct sheet_line *sheet_add(struct sheet *sheet, const char *name, size_t bytes);

void sheet_measure(struct sheet *sheet, size_t line, size_t rounds, double seconds);
void sheet_print_heading(const struct sheet *sheet);
void sheet_print_line(const struct sheet *sheet, size_t line);
void sheet_print_json(const struct sheet *sheet);

#endif
