/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/pair/pair_table.h"

#include <stdio.h>

#include "bench/harness/table.h"
#include "weft/json.h"

static const char *const names[PAIR_CONTESTANTS] = {"weft", "bare", "ucx", "tagged"};

double pair_row_ratio(const struct pair_table *table, const struct pair_row *row, int other)
{
    if (table->is_stream)
        return contest_ratio(&row->of[other], &row->of[PAIR_WEFT]);
    return contest_ratio(&row->of[PAIR_WEFT], &row->of[other]);
}

/* ---- For people --------------------------------------------------------------------------- */

void pair_table_print_heading(const struct pair_table *table)
{
    printf("\n# %s; /bare, /ucx, /tagged: %s of the others\n", table->title,
           table->is_stream ? "times the bandwidth" : "times the time");
    printf("# %-10s", table->rows[0].label ? "Told by" : "Size");
    if (table->is_stream)
        printf(" %16s %12s %12s %12s %13s", "Bandwidth (MB/s)", "Messages/s", "bare (MB/s)",
               "ucx (MB/s)", "tagged (MB/s)");
    else
        printf(" %16s %12s %12s %13s", "Latency (us)", "bare (us)", "ucx (us)", "tagged (us)");
    printf(" %8s %8s %8s\n", "/bare", "/ucx", "/tagged");
}

/* Microseconds, or MB/s. */
static double shown(const struct pair_table *table, const struct pair_row *row, int which)
{
    double seconds = row->of[which].median;
    if (seconds <= 0)
        return 0;
    return table->is_stream ? (double)row->size / seconds * 1e-6 : seconds * 1e6;
}

void pair_row_print(const struct pair_table *table, const struct pair_row *row)
{
    if (row->label)
        printf("%-12s", row->label);
    else
        printf("%-12zu", row->size);
    table_print(16, 2, shown(table, row, PAIR_WEFT));
    if (table->is_stream)
        table_print(12, 0, 1 / row->of[PAIR_WEFT].median);
    table_print(12, 2, shown(table, row, PAIR_BARE));
    table_print(12, 2, shown(table, row, PAIR_UCX));
    table_print(13, 2, shown(table, row, PAIR_TAGGED));
    for (int other = PAIR_BARE; other < PAIR_CONTESTANTS; other++)
        table_print(8, 2, pair_row_ratio(table, row, other));
    printf("\n");
}

/* ---- For programs ------------------------------------------------------------------------- */

static void json_contestant(const struct pair_table *table, const struct pair_row *row, int which)
{
    const struct contestant *contestant = &row->of[which];
    if (contestant->is_absent)
        return;
    weft_json_open(names[which], '{');
    weft_json_number("us", contestant->median * 1e6);
    weft_json_number("min_us", contestant->minimum * 1e6);
    if (table->is_stream) {
        weft_json_number("mb_per_s", shown(table, row, which));
        weft_json_number("messages_per_s", 1 / contestant->median);
    }
    if (which != PAIR_WEFT)
        weft_json_number("ratio", pair_row_ratio(table, row, which));
    weft_json_close('}');
}

void pair_table_json(const struct pair_table *table)
{
    weft_json_open(table->name, '[');
    for (size_t i = 0; i < table->row_count; i++) {
        const struct pair_row *row = &table->rows[i];
        weft_json_open(NULL, '{');
        weft_json_integer("size", (int64_t)row->size);
        if (row->label)
            weft_json_string("told_by", row->label);
        weft_json_bool("again", row->again);
        for (int which = 0; which < PAIR_CONTESTANTS; which++)
            json_contestant(table, row, which);
        weft_json_close('}');
    }
    weft_json_close(']');
}
