/* SPDX-License-Identifier: BSD-3-Clause */
/* Weft beside a bare engine and UCX: a row for each size, for people and for programs. */
#ifndef WEFT_BENCH_PAIR_PAIR_TABLE_H
#define WEFT_BENCH_PAIR_PAIR_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/pair/pair_options.h"
#include "bench/pair/pair_rival.h"

enum { PAIR_WEFT, PAIR_BARE, PAIR_UCX, PAIR_TAGGED, PAIR_CONTESTANTS };

struct pair_row {
    size_t size;
    const char *label; /* instead of the size, or NULL */
    struct pair_rival rivals[PAIR_CONTESTANTS];
    struct contestant of[PAIR_CONTESTANTS];
    bool again; /* measured a second time, for longer */
};

struct pair_table {
    const char *name; /* for programs */
    const char *title;
    bool is_stream;
    struct pair_row rows[BENCH_MOST_SIZES];
    size_t row_count;
};

/* Of streams, how many times the bandwidth of the other Weft has; else how many times its time.
 * 0 if the other was not measured. */
double pair_row_ratio(const struct pair_table *table, const struct pair_row *row, int other);

void pair_table_print_heading(const struct pair_table *table);
void pair_row_print(const struct pair_table *table, const struct pair_row *row);
void pair_table_json(const struct pair_table *table);

#endif
