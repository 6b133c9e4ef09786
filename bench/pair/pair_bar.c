/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/pair/pair_bar.h"

#include <stdint.h>
#include <string.h>

#include "bench/harness/bar.h"
#include "bench/pair/bare_ofi.h"

#define OF_ONE_SIZE(size) size, size

/* Each is about the worst row of a range of sizes. */
static const struct pair_bar {
    enum crew_net net;
    int where; /* the benchmarks that have it */
    const char *what;
    bool is_stream;
    size_t least, most; /* bytes */
    int other;
    double limit;
    const char *provider; /* that it is for; NULL: any */
} bars[] = {
    {CREW_SHM, PAIR_BENCH_PUT, "8 B put, half round trip, relative to UCX", false, OF_ONE_SIZE(8),
     PAIR_UCX, 1.6, NULL},
    {CREW_SHM, PAIR_BENCH_PUT, "64 KiB put, half round trip, relative to the bare ring", false,
     OF_ONE_SIZE(64 << 10), PAIR_BARE, 1.25, NULL},
    {CREW_SHM, PAIR_BENCH_PUT, "bandwidth of 1 MiB puts, relative to UCX", true,
     OF_ONE_SIZE(1 << 20), PAIR_UCX, 1.0, NULL},
    {CREW_SHM, PAIR_BENCH_PUT, "bandwidth of 1 MiB puts, relative to the bare ring", true,
     OF_ONE_SIZE(1 << 20), PAIR_BARE, 0.8, NULL},
    {CREW_OFI, PAIR_BENCH_PUT, "8 B put, half round trip, relative to plain libfabric", false,
     OF_ONE_SIZE(8), PAIR_BARE, 1.4, NULL},
    {CREW_OFI, PAIR_BENCH_PUT | PAIR_BENCH_RATE,
     "messages per second of 8 B puts, relative to plain libfabric", true, OF_ONE_SIZE(8),
     PAIR_BARE, 0.7, NULL},
    {CREW_OFI, PAIR_BENCH_PUT, "bandwidth of puts of 64 KiB and more, relative to plain libfabric",
     true, 64 << 10, SIZE_MAX, PAIR_BARE, 0.9, "net"},
    {CREW_TCP, PAIR_BENCH_PUT, "8 B put, half round trip, relative to UCX", false, OF_ONE_SIZE(8),
     PAIR_UCX, 1.15, NULL},
    {CREW_TCP, PAIR_BENCH_PUT, "1 MiB put, half round trip, relative to UCX", false,
     OF_ONE_SIZE(1 << 20), PAIR_UCX, 1.05, NULL},
    {CREW_TCP, PAIR_BENCH_PUT, "4 MiB put, half round trip, relative to UCX", false,
     OF_ONE_SIZE(4 << 20), PAIR_UCX, 1.05, NULL},
    {CREW_TCP, PAIR_BENCH_PUT, "bandwidth of puts of 64 KiB to 4 MiB, relative to UCX", true,
     64 << 10, 4 << 20, PAIR_UCX, 1.0, NULL},
    {CREW_TCP, PAIR_BENCH_PUT, "bandwidth of puts of 64 KiB to 4 MiB, relative to a bare socket",
     true, 64 << 10, 4 << 20, PAIR_BARE, 0.95, NULL},
};

#define BARS (sizeof(bars) / sizeof(bars[0]))

/* Streams are told by their bandwidth, all others by their time. */
static enum bar_side side_of(const struct pair_bar *bar)
{
    return bar->is_stream ? BAR_AT_LEAST : BAR_AT_MOST;
}

static bool is_here(const struct pair_bar *bar, const struct pair_result *result)
{
    return (int)bar->net == pair_options.world.net && bar->where & result->bench;
}

static bool is_for_provider(const struct pair_bar *bar)
{
    return !bar->provider || strcmp(bar->provider, pair_network()->provider) == 0;
}

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
    bool is_worse = bar->side == BAR_AT_LEAST ? ratio < bar->figure : ratio > bar->figure;
    bar->skipped = "the other was not measured: it is not installed, or failed, or was not wanted";
    if (ratio > 0 && (bar->figure <= 0 || is_worse))
        bar->figure = ratio;
}

static void look(const struct pair_bar *which, const struct pair_result *result,
                 struct bar_list *list)
{
    struct bar *bar = bar_add(list, side_of(which), which->limit, 0, "%s", which->what);
    bar->skipped = "this size was not measured";
    if (!is_for_provider(which)) {
        bar->skipped = "it is for the provider net";
        return;
    }
    for (size_t t = 0; t < result->table_count; t++) {
        const struct pair_table *table = &result->tables[t];
        for (size_t i = 0; i < table->row_count; i++)
            if (is_about(which, table, &table->rows[i]))
                look_at_row(table, &table->rows[i], which->other, bar);
    }
}

void pair_bars_look(const struct pair_result *result, struct bar_list *list)
{
    for (size_t i = 0; i < BARS; i++)
        if (is_here(&bars[i], result))
            look(&bars[i], result, list);
}

bool pair_bars_are_missed_by(const struct pair_result *result, const struct pair_table *table,
                             const struct pair_row *row)
{
    for (size_t i = 0; i < BARS; i++) {
        struct bar bar = {.side = side_of(&bars[i]), .limit = bars[i].limit};
        if (!is_here(&bars[i], result) || !is_for_provider(&bars[i]) ||
            !is_about(&bars[i], table, row))
            continue;
        look_at_row(table, row, bars[i].other, &bar);
        if (bar_is_missed(&bar))
            return true;
    }
    return false;
}
