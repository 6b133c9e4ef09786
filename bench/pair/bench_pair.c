/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft bench put`, `get`, `rate` and `chain`: messages by size, beside a bare engine and UCX. */
#include <stdio.h>
#include <string.h>

#include "bench/benchmarks.h"
#include "bench/harness/perftest.h"
#include "bench/pair/pair_bar.h"
#include "weft/command.h"

#define REQUEST 8 /* bytes that ask for data, where there is no get */

static struct pair_result result; /* of the one that runs */
static bool has_ucx;

/* ---- Options ------------------------------------------------------------------------------ */

static bool latency, stream; /* which tables of `put` */

static const struct option_entry put_options[] = {
    PAIR_SIZE_OPTION,
    PAIR_WORLD_OPTIONS,
    {"latency", NULL, "only half round trips", .flag = &latency},
    {"stream", NULL, "only streams", .flag = &stream},
    PAIR_WINDOW_OPTION,
    PAIR_ROUNDS_OPTIONS,
    PAIR_UCX_OPTION,
    PAIR_CHECK_OPTION,
    PAIR_REPORT_OPTIONS,
    {0},
};

static const struct option_entry get_options[] = {
    PAIR_SIZE_OPTION, PAIR_WORLD_OPTIONS,  PAIR_ROUNDS_OPTIONS,
    PAIR_UCX_OPTION,  PAIR_REPORT_OPTIONS, {0},
};

static const struct option_entry chain_options[] = {
    PAIR_SIZE_OPTION, PAIR_WORLD_OPTIONS, PAIR_ROUNDS_OPTIONS, PAIR_REPORT_OPTIONS, {0},
};

static const struct option_entry rate_options[] = {
    PAIR_WORLD_OPTIONS,
    PAIR_WINDOW_OPTION,
    PAIR_ROUNDS_OPTIONS,
    PAIR_UCX_OPTION,
    PAIR_CHECK_OPTION,
    PAIR_REPORT_OPTIONS,
    {0},
};

static void look_for_ucx(void)
{
    perftest_over(pair_options.world.net == CREW_SHM ? "posix,self" : "tcp,self");
    has_ucx = !pair_options.no_ucx && perftest_is_here();
    if (!has_ucx && !pair_options.no_ucx)
        fprintf(stderr, "weft bench: ucx_perftest is not here, so there is no comparison with "
                        "UCX: install the package ucx-utils\n");
}

/* ---- Rivals ------------------------------------------------------------------------------- */

/* The same message by the engine that has nothing but it. */
static struct pair_job bare_job(struct pair_job job)
{
    job.engine = pair_bare_engine(&pair_options.world);
    return job;
}

static struct pair_row *add_row(struct pair_table *table, struct pair_job job,
                                struct pair_job bare, double share)
{
    struct pair_row *row = &table->rows[table->row_count++];
    row->size = job.back > job.there ? job.back : job.there;
    row->rivals[PAIR_WEFT] = (struct pair_rival){job, share, NULL};
    row->rivals[PAIR_BARE] = (struct pair_rival){bare, share, NULL};
    row->rivals[PAIR_UCX] = (struct pair_rival){job, share, &pair_ucx_active};
    row->rivals[PAIR_TAGGED] = (struct pair_rival){job, share, &pair_ucx_tagged};
    row->of[PAIR_WEFT] = pair_contestant(&row->rivals[PAIR_WEFT]);
    row->of[PAIR_BARE] = pair_contestant(&row->rivals[PAIR_BARE]);
    for (int which = PAIR_UCX; which <= PAIR_TAGGED; which++) {
        row->of[which] = pair_ucx_contestant(&row->rivals[which], &row->of[PAIR_WEFT]);
        row->of[which].is_absent = !has_ucx;
    }
    return row;
}

static struct pair_table *add_table(const char *name, const char *title)
{
    struct pair_table *table = &result.tables[result.table_count++];
    table->name = name;
    table->title = title;
    table->is_stream = strcmp(name, "stream") == 0;
    return table;
}

static void add_round_trips(void)
{
    struct pair_table *table = add_table("latency", "put to event, half round trip");
    for (size_t i = 0; i < pair_options.size_count; i++) {
        size_t size = pair_options.sizes[i];
        struct pair_job job = {PAIR_PING_PONG, PAIR_EVENTS, .there = size, .back = size};
        add_row(table, job, bare_job(job), 0.5);
    }
}

static void add_gets(void)
{
    struct pair_table *table = add_table("latency", "get to reply");
    for (size_t i = 0; i < pair_options.size_count; i++) {
        struct pair_job job = {PAIR_GET, PAIR_EVENTS, .there = REQUEST,
                               .back = pair_options.sizes[i]};
        struct pair_job bare = bare_job(job);
        if (bare.engine != PAIR_LIBFABRIC) /* nothing else can read */
            bare.loop = PAIR_PING_PONG;
        add_row(table, job, bare, 1)->size = job.back;
    }
}

static struct pair_row *add_stream(struct pair_table *table, enum pair_engine engine, size_t size)
{
    struct pair_job job = {PAIR_STREAM, engine, .there = size};
    return add_row(table, job, bare_job(job), 1);
}

static void add_streams(void)
{
    struct pair_table *table = add_table("stream", "stream of puts");
    for (size_t i = 0; i < pair_options.size_count; i++)
        add_stream(table, PAIR_EVENTS, pair_options.sizes[i]);
}

static void add_rates(void)
{
    struct pair_table *table = add_table("stream", "stream of puts of 8 bytes");
    add_stream(table, PAIR_EVENTS, pair_options.sizes[0])->label = "events";
    add_stream(table, PAIR_COUNTERS, pair_options.sizes[0])->label = "counters";
}

static void add_chains(void)
{
    struct pair_table *table = add_table("chain", "chain of triggered puts, each of them");
    for (size_t i = 0; i < pair_options.size_count; i++) {
        size_t size = pair_options.sizes[i];
        struct pair_job job = {PAIR_CHAIN, PAIR_COUNTERS, .there = size, .back = size};
        struct pair_job bare = bare_job(job);
        bare.loop = PAIR_PING_PONG;
        add_row(table, job, bare, 0.5);
    }
}

/* ---- Preparing: an exit code, or -1 to go on ---------------------------------------------- */

static int prepare(enum pair_bench bench)
{
    result.bench = bench;
    pair_options.has_window = bench & (PAIR_BENCH_PUT | PAIR_BENCH_RATE);
    if (bench != PAIR_BENCH_RATE)
        pair_options_choose_sizes();
    int code = pair_options_complete();
    if (code < 0)
        look_for_ucx();
    return code;
}

static int prepare_put(void)
{
    int code = prepare(PAIR_BENCH_PUT);
    if (latency || !stream)
        add_round_trips();
    if (stream || !latency)
        add_streams();
    return code;
}

static int prepare_get(void)
{
    int code = prepare(PAIR_BENCH_GET);
    add_gets();
    return code;
}

static int prepare_rate(void)
{
    if (pair_settings.check && pair_options.world.net != CREW_OFI) {
        fprintf(stderr, "weft bench: rate has bars, for --check, only with --world ofi\n");
        return WEFT_EXIT_USAGE;
    }
    int code = prepare(PAIR_BENCH_RATE);
    add_rates();
    return code;
}

/* There is nothing of the kind in UCX. */
static int prepare_chain(void)
{
    pair_options.no_ucx = true;
    int code = prepare(PAIR_BENCH_CHAIN);
    add_chains();
    return code;
}

/* ---- Cases: the rows of all tables -------------------------------------------------------- */

static const char *name_of(enum pair_bench bench)
{
    switch (bench) {
    case PAIR_BENCH_PUT:
        return "put";
    case PAIR_BENCH_GET:
        return "get";
    case PAIR_BENCH_RATE:
        return "rate";
    default:
        return "chain";
    }
}

static size_t open_pair(size_t group)
{
    size_t rows = 0;
    (void)group;
    for (size_t t = 0; t < result.table_count; t++)
        rows += result.tables[t].row_count;
    pair_options_start(name_of(result.bench));
    return rows;
}

static struct pair_row *row_of(size_t i, const struct pair_table **table)
{
    size_t t = i >= result.tables[0].row_count;
    *table = &result.tables[t];
    return &result.tables[t].rows[t ? i - result.tables[0].row_count : i];
}

static void name_row(size_t i, char *text, size_t size)
{
    const struct pair_table *table;
    const struct pair_row *row = row_of(i, &table);
    snprintf(text, size, "%s, %zu bytes", table->title, row->size);
}

static void measure_row(size_t i, unsigned times)
{
    const struct pair_table *table;
    struct pair_row *row = row_of(i, &table);
    const struct contest contest =
        pair_contest(pair_settings.rounds * times, pair_settings.seconds);
    contest_run(row->of, PAIR_CONTESTANTS, &contest);
    row->again = times > 1;
}

static bool is_row_missed(size_t i)
{
    const struct pair_table *table;
    const struct pair_row *row = row_of(i, &table);
    return pair_bars_are_missed_by(&result, table, row);
}

/* ---- Reports ------------------------------------------------------------------------------ */

static void print_row(size_t i)
{
    const struct pair_table *table;
    const struct pair_row *row = row_of(i, &table);
    if (row == table->rows)
        pair_table_print_heading(table);
    pair_row_print(table, row);
}

static void write_json(void)
{
    pair_options_json(name_of(result.bench));
    for (size_t t = 0; t < result.table_count; t++)
        pair_table_json(&result.tables[t]);
}

static void look_at_bars(struct bar_list *list)
{
    pair_bars_look(&result, list);
}

#define OF_TWO_PROCESSES                                                                          \
    .settings = &pair_settings,                                                                   \
    .cases = {1, open_pair, crew_stop, name_row, measure_row, print_row},                         \
    .again = {is_row_missed, PAIR_AGAIN},                                                         \
    .report = {.write_json = write_json, .look_at_bars = look_at_bars}

const struct benchmark bench_put = {
    OF_TWO_PROCESSES,
    .summary = "puts between two processes, latency and bandwidth by size, beside a bare\n"
               "             shared ring and UCX",
    .options =
        {"put",
         "Puts between two processes of this host, each on a core of its own: half round\n"
         "trips, from PtlPut to the event at the target, and streams. Beside them, in\n"
         "alternating rounds of the same run, a bare shared ring with memcpy at both ends,\n"
         "and by ucx_perftest with UCX_TLS=posix,self (tcp,self with --world ofi or tcp)\n"
         "UCX's active messages, whose receiver does not look at the bytes, and its tagged\n"
         "ones, which are put into place.\n"
         "\n"
         "The bars of --check: 8 bytes take at most 1.6 times as long as with UCX; 64 KiB\n"
         "at most 1.25 times as long as with the bare ring; streams of 1 MiB reach 1.0\n"
         "times the bandwidth of UCX and 0.8 times that of the bare ring. With --world ofi:\n"
         "8 bytes take at most 1.4 times as long as with plain libfabric, streams of 8\n"
         "bytes reach 0.7 times its messages per second and, on the provider net, those of\n"
         "64 KiB and more 0.9 times its bandwidth. With --world tcp: 8 bytes take at most\n"
         "1.15 times as long as with UCX, 1 and 4 MiB at most 1.05 times; streams of 64 KiB\n"
         "to 4 MiB reach 1.0 times the bandwidth of UCX and 0.95 times that of a bare\n"
         "socket.\n",
         NULL, PAIR_WIDTH, .entries = put_options},
    .prepare = prepare_put,
};

const struct benchmark bench_get = {
    OF_TWO_PROCESSES,
    .summary = "gets between two processes, latency by size",
    .options = {"get",
                "Gets between two processes of this host, each on a core of its own: from PtlGet\n"
                "to the REPLY event. The target does nothing but look after its NIC. Beside them\n"
                "a bare shared ring and UCX's active messages: 8 bytes there, the data back.\n",
                NULL, PAIR_WIDTH, .entries = get_options},
    .prepare = prepare_get,
};

const struct benchmark bench_rate = {
    OF_TWO_PROCESSES,
    .summary = "messages per second, with events and with counters",
    .options =
        {"rate",
         "Streams of 8-byte puts between two processes of this host, each on a core of its\n"
         "own: with a full event for each message, and with a counter only. Beside them a\n"
         "bare shared ring and UCX's active messages.\n"
         "\n"
         "The bar of --check, with --world ofi: 0.7 times the messages per second of plain\n"
         "libfabric.\n",
         NULL, PAIR_WIDTH, .entries = rate_options},
    .prepare = prepare_rate,
};

const struct benchmark bench_chain = {
    OF_TWO_PROCESSES,
    .summary = "puts that trigger each other between two processes, latency by size",
    .options = {"chain",
                "Puts between two processes of this host, each on a core of its own, there and\n"
                "back: each is triggered by the one before it, and the programs only look on.\n"
                "Beside them half round trips of a bare shared ring.\n",
                NULL, PAIR_WIDTH, .entries = chain_options},
    .prepare = prepare_chain,
};
