/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/pair/pair_bar.h"

#include <stdint.h>
#include <string.h>

#include "bench/harness/bar.h"

#define OF_ONE_SIZE(size) size, size

/* Each is about the worst row of a range of sizes. */
static const struct pair_bar {
    enum pair_world world;
    int where; /* the benchmarks that have it */
    const char *what;
    bool is_stream;
    size_t least, most; /* bytes */
    int other;
    double limit;
    const char *provider; /* that it is for; NULL: any */
} bars[] = {
    {PAIR_SHM, PAIR_BENCH_PUT, "8 B put, half round trip, relative to UCX", false, OF_ONE_SIZE(8),
     PAIR_UCX, 1.6, NULL},
    {PAIR_SHM, PAIR_BENCH_PUT, "64 KiB put, half round trip, relative to the bare ring", false,
     OF_ONE_SIZE(64 << 10), PAIR_BARE, 1.25, NULL},
    {PAIR_SHM, PAIR_BENCH_PUT, "bandwidth of 1 MiB puts, relative to UCX", true,
     OF_ONE_SIZE(1 << 20), PAIR_UCX, 1.0, NULL},
    {PAIR_SHM, PAIR_BENCH_PUT, "bandwidth of 1 MiB puts, relative to the bare ring", true,
     OF_ONE_SIZE(1 << 20), PAIR_BARE, 0.8, NULL},
    {PAIR_OFI, PAIR_BENCH_PUT, "8 B put, half round trip, relative to plain libfabric", false,
     OF_ONE_SIZE(8), PAIR_BARE, 1.4, NULL},
    {PAIR_OFI, PAIR_BENCH_PUT | PAIR_BENCH_RATE,
     "messages per second of 8 B puts, relative to plain libfabric", true, OF_ONE_SIZE(8),
     PAIR_BARE, 0.7, NULL},
    {PAIR_OFI, PAIR_BENCH_PUT, "bandwidth of puts of 64 KiB and more, relative to plain libfabric",
     true, 64 << 10, SIZE_MAX, PAIR_BARE, 0.9, "net"},
};

#define BARS (sizeof(bars) / sizeof(bars[0]))

static bool is_about(const struct pair_bar *bar, const struct pair_table *table,
                     const struct pair_row *row)
{
    return table->is_stream == bar->is_stream && row->size >= bar->least &&
           row->size <= bar->most && row->of[PAIR_WEFT].round_count > 0;
}

static void look_at_row(const struct pair_table *table, const struct pair_row *row, int other,
                        struct bar *bar)
{
    double ratio = pair_row_ratio(table, row, other);
    bool is_worse = bar->at_least ? ratio < bar->figure : ratio > bar->figure;
    bar->skipped = "the other was not measured: it is not installed, or failed, or was not wanted";
    if (ratio > 0 && (bar->figure <= 0 || is_worse))
        bar->figure = ratio;
}

static struct bar look(const struct pair_bar *which, const struct pair_result *result)
{
    struct bar bar = {.what = which->what,
                      .limit = which->limit,
                      .at_least = which->is_stream,
                      .skipped = "this size was not measured"};
    if (which->provider && strcmp(which->provider, result->provider) != 0) {
        bar.skipped = "it is for the provider net";
        return bar;
    }
    for (size_t t = 0; t < result->table_count; t++) {
        const struct pair_table *table = &result->tables[t];
        for (size_t i = 0; i < table->row_count; i++)
            if (is_about(which, table, &table->rows[i]))
                look_at_row(table, &table->rows[i], which->other, &bar);
    }
    return bar;
}

/* Those of the benchmark, in order. */
static size_t look_at_all(const struct pair_result *result, struct bar found[BARS])
{
    size_t count = 0;
    for (size_t i = 0; i < BARS; i++)
        if (bars[i].world == result->world && bars[i].where & result->bench)
            found[count++] = look(&bars[i], result);
    return count;
}

size_t pair_bars_missed(const struct pair_result *result)
{
    struct bar found[BARS];
    size_t missed = 0, count = look_at_all(result, found);
    for (size_t i = 0; i < count; i++)
        missed += bar_is_missed(&found[i]);
    return missed;
}

size_t pair_bars_report(const struct pair_result *result, bool json)
{
    struct bar found[BARS];
    size_t count = look_at_all(result, found);
    return bar_report(found, count, json);
}
