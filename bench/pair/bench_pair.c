/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft bench put`, `get` and `rate`: messages by size, beside a bare engine and UCX. */
#include <stdio.h>
#include <string.h>

#include "bench/harness/bench.h"
#include "bench/harness/perftest.h"
#include "bench/pair/bare_ofi.h"
#include "bench/pair/pair_bar.h"
#include "bench/pair/pair_options.h"
#include "bench/pair/pair_table.h"
#include "weft/command.h"
#include "weft/json.h"

#define AGAIN_FACTOR 3
#define REQUEST 8 /* bytes that ask for data, where there is no get */

struct bench {
    enum pair_bench kind;
    struct pair_options options;
    bool has_ucx;
    char provider[BARE_OFI_TEXT]; /* if the world is libfabric's */
    struct pair_table tables[2];
    size_t table_count;
};

/* ---- What is measured --------------------------------------------------------------------- */

/* The same message by the engine that has nothing but it. */
static struct pair_job bare_job(const struct bench *bench, struct pair_job job)
{
    job.engine = bench->options.world == PAIR_OFI ? PAIR_LIBFABRIC : PAIR_RING;
    return job;
}

static struct pair_row *add_row(const struct bench *bench, struct pair_table *table,
                                struct pair_job job, struct pair_job bare, double share)
{
    struct pair_row *row = &table->rows[table->row_count++];
    row->size = job.back > job.there ? job.back : job.there;
    row->of[PAIR_WEFT] = (struct contestant){.job = job, .share = share};
    row->of[PAIR_BARE] = (struct contestant){.job = bare, .share = share};
    row->of[PAIR_UCX] =
        (struct contestant){.job = job, .share = share, .is_ucx = true, .absent = !bench->has_ucx};
    return row;
}

static void add_round_trips(struct bench *bench)
{
    struct pair_table *table = &bench->tables[bench->table_count++];
    table->name = "latency";
    table->title = "put to event, half round trip";
    for (size_t i = 0; i < bench->options.size_count; i++) {
        size_t size = bench->options.sizes[i];
        struct pair_job job = {PAIR_PING_PONG, PAIR_EVENTS, .there = size, .back = size};
        add_row(bench, table, job, bare_job(bench, job), 0.5);
    }
}

static void add_gets(struct bench *bench)
{
    struct pair_table *table = &bench->tables[bench->table_count++];
    table->name = "latency";
    table->title = "get to reply";
    for (size_t i = 0; i < bench->options.size_count; i++) {
        struct pair_job job = {PAIR_GET, PAIR_EVENTS, .there = REQUEST,
                               .back = bench->options.sizes[i]};
        struct pair_job bare = bare_job(bench, job);
        if (bare.engine == PAIR_RING)
            bare.loop = PAIR_PING_PONG;
        add_row(bench, table, job, bare, 1)->size = job.back;
    }
}

static struct pair_row *add_stream(struct bench *bench, struct pair_table *table,
                                   enum pair_engine engine, size_t size)
{
    struct pair_job job = {PAIR_STREAM, engine, .there = size};
    table->name = "stream";
    table->is_stream = true;
    return add_row(bench, table, job, bare_job(bench, job), 1);
}

static void add_streams(struct bench *bench)
{
    struct pair_table *table = &bench->tables[bench->table_count++];
    table->title = "stream of puts";
    for (size_t i = 0; i < bench->options.size_count; i++)
        add_stream(bench, table, PAIR_EVENTS, bench->options.sizes[i]);
}

static void add_rates(struct bench *bench)
{
    struct pair_table *table = &bench->tables[bench->table_count++];
    table->title = "stream of puts of 8 bytes";
    add_stream(bench, table, PAIR_EVENTS, bench->options.sizes[0])->label = "events";
    add_stream(bench, table, PAIR_COUNTERS, bench->options.sizes[0])->label = "counters";
}

static void plan(struct bench *bench)
{
    switch (bench->kind) {
    case PAIR_BENCH_PUT:
        if (bench->options.latency)
            add_round_trips(bench);
        if (bench->options.stream)
            add_streams(bench);
        break;
    case PAIR_BENCH_GET:
        add_gets(bench);
        break;
    default:
        add_rates(bench);
    }
}

/* ---- Running ------------------------------------------------------------------------------ */

static struct pair_result result_of(const struct bench *bench)
{
    return (struct pair_result){.bench = bench->kind,
                                .world = bench->options.world,
                                .provider = bench->provider,
                                .tables = bench->tables,
                                .table_count = bench->table_count};
}

static size_t missed_bars(const struct bench *bench)
{
    struct pair_result result = result_of(bench);
    return pair_bars_missed(&result);
}

static size_t report_bars(const struct bench *bench)
{
    struct pair_result result = result_of(bench);
    return pair_bars_report(&result, bench->options.json);
}

static void measure_row(struct bench *bench, struct pair_row *row)
{
    struct contest_options contest = bench->options.contest;
    size_t missed = missed_bars(bench);
    contest_run(row->of, PAIR_CONTESTANTS, &contest);
    if (!bench->options.check || missed_bars(bench) <= missed)
        return;
    contest.rounds *= AGAIN_FACTOR;
    contest_run(row->of, PAIR_CONTESTANTS, &contest);
    row->again = true;
}

static void measure_all(struct bench *bench)
{
    size_t done = 0, all = 0;
    for (size_t t = 0; t < bench->table_count; t++)
        all += bench->tables[t].row_count;
    for (size_t t = 0; t < bench->table_count; t++) {
        struct pair_table *table = &bench->tables[t];
        if (!bench->options.json)
            pair_table_print_heading(table);
        for (size_t i = 0; i < table->row_count; i++) {
            char what[64];
            snprintf(what, sizeof(what), "%s, %zu bytes", table->title, table->rows[i].size);
            weft_progress_show(done++, all, what);
            measure_row(bench, &table->rows[i]);
            weft_progress_clear();
            if (!bench->options.json)
                pair_row_print(table, &table->rows[i]);
        }
    }
}

static void look_for_ucx(struct bench *bench)
{
    perftest_over(bench->options.world == PAIR_OFI ? "tcp,self" : "posix,self");
    bench->has_ucx = !bench->options.no_ucx && perftest_is_here();
    if (!bench->has_ucx && !bench->options.no_ucx)
        fprintf(stderr, "weft bench: ucx_perftest is not here, so there is no comparison with "
                        "UCX: install the package ucx-utils\n");
}

static int run(struct bench *bench)
{
    look_for_ucx(bench);
    plan(bench);
    pair_options_start(bench->kind, &bench->options);
    snprintf(bench->provider, sizeof(bench->provider), "%s", pair_network()->provider);
    measure_all(bench);
    if (bench->options.json) {
        pair_options_json(bench->kind, &bench->options);
        for (size_t t = 0; t < bench->table_count; t++)
            pair_table_json(&bench->tables[t]);
    }
    pair_stop();
    size_t missed = bench->options.check ? report_bars(bench) : 0;
    if (bench->options.json)
        weft_json_close('}');
    return missed ? WEFT_EXIT_FAILED : WEFT_EXIT_OK;
}

static int run_kind(enum pair_bench kind, int argc, char **argv)
{
    static struct bench bench; /* too large for a stack */
    bench.kind = kind;
    int code = pair_options_parse(kind, argc, argv, &bench.options);
    return code >= 0 ? code : run(&bench);
}

int weft_bench_put(int argc, char **argv)
{
    return run_kind(PAIR_BENCH_PUT, argc, argv);
}

int weft_bench_get(int argc, char **argv)
{
    return run_kind(PAIR_BENCH_GET, argc, argv);
}

int weft_bench_rate(int argc, char **argv)
{
    return run_kind(PAIR_BENCH_RATE, argc, argv);
}
