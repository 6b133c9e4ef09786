/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `weft bench ways`: the ways of collectives of schedules against each other. What it prints is
 * src/collective/table.c, the rules of WEFT_COLLECTIVE_AUTO.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/benchmarks.h"
#include "bench/collective/collective_member.h"
#include "bench/harness/crew.h"
#include "weft/command.h"
#include "weft/json.h"
#include "weft/sim_offload.h"

#define MOST_WAYS 3
#define MOST_ROWS 256
/* Memory of simulated processes together. */
#define MOST_MEMORY ((size_t)64 << 20)
/* Another way is preferred if it is faster by this, or figures that differ by chance would. */
#define GAIN 1.05
#define LEAST_BLOCK sizeof(double)

/* A late process of a stream delays all others, so that is for those who ask for it. */
static const struct family {
    enum collective_kind kind;
    const char *name;
    bool has_blocks;
    size_t count, chosen; /* ways, of which the first so many are chosen from */
    struct {
        enum weft_collective_way way;
        const char *name, *code;
    } ways[MOST_WAYS];
} families[] = {
#define WAY(name, word)                                                                           \
    {                                                                                             \
        WEFT_COLLECTIVE_##name, word, #name                                                       \
    }
    {COLLECTIVE_BCAST,
     "BCAST",
     false,
     3,
     2,
     {WAY(BINOMIAL, "binomial"), WAY(PIPELINE, "pipeline"), WAY(STREAM, "stream")}},
    {COLLECTIVE_REDUCE,
     "REDUCE",
     false,
     2,
     2,
     {WAY(BINOMIAL, "binomial"), WAY(PIPELINE, "pipeline")}},
    {COLLECTIVE_ALLREDUCE,
     "ALLREDUCE",
     false,
     3,
     3,
     {WAY(DOUBLING, "doubling"), WAY(RING, "ring"), WAY(BINOMIAL, "binomial")}},
    {COLLECTIVE_ALLGATHER, "ALLGATHER", true, 2, 2, {WAY(BRUCK, "Bruck"), WAY(RING, "ring")}},
    {COLLECTIVE_ALLTOALL, "ALLTOALL", true, 2, 2, {WAY(LINEAR, "linear"), WAY(BRUCK, "Bruck")}},
#undef WAY
};

#define FAMILIES (sizeof(families) / sizeof(families[0]))

struct row {
    const struct family *family;
    unsigned processes;
    size_t bytes;
    bool is_first; /* of its collective and number of processes */
    double seconds[MOST_WAYS];
    size_t best;
};

static struct row rows[MOST_ROWS];
static size_t row_count, first_row;

/* ---- Options ------------------------------------------------------------------------------ */

static struct bench_settings settings = {.rounds = 15, .seconds = 0.02};

static const struct option_entry options[] = {
    {"rounds", "N", "turns of each way, alternating (15)",
     .number = OPTION_NUMBER(&settings.rounds, 1, BENCH_MOST_ROUNDS)},
    {"quick", NULL, "few and short turns, few sizes, few processes", .take = bench_take_quick,
     .context = &settings},
    {"json", NULL, "one JSON object instead of the rules", .flag = &settings.json},
    {"help", NULL, "this text", .flag = NULL},
    {0},
};

/* ---- Cases -------------------------------------------------------------------------------- */

static const struct group {
    unsigned processes;
    bool is_virtual;
} groups[] = {{2, false}, {4, false}, {8, false}, {16, true}, {64, true}};

#define GROUPS (sizeof(groups) / sizeof(groups[0]))
#define QUICK_GROUPS 4

static const struct group *group_now;

static bool is_wanted(const struct family *family, size_t bytes)
{
    size_t block = family->has_blocks ? bytes / group_now->processes : bytes;
    return block >= LEAST_BLOCK &&
           (!group_now->is_virtual || bytes * group_now->processes <= MOST_MEMORY);
}

static size_t choose_rows(void)
{
    static const size_t all[] = {8, 64, 512, 4096, 32768, 262144, 1048576};
    first_row = row_count;
    for (size_t i = 0; i < FAMILIES; i++) {
        bool is_first = true;
        for (size_t j = settings.is_quick ? 2 : 0; j < sizeof(all) / sizeof(*all);
             j += settings.is_quick ? 3 : 1) {
            if (!is_wanted(&families[i], all[j]))
                continue;
            rows[row_count++] = (struct row){.family = &families[i],
                                             .processes = group_now->processes,
                                             .bytes = all[j],
                                             .is_first = is_first};
            is_first = false;
        }
    }
    return row_count - first_row;
}

static size_t open_group(size_t group)
{
    group_now = &groups[group];
    if (settings.is_quick && (group == 1 || group == 2 || group >= QUICK_GROUPS))
        return 0;
    if (!group_now->is_virtual)
        collective_crew_start(group_now->processes, 0);
    else if (!settings.json)
        printf("    /* In virtual time: 3 us for a message, and 0.4 ns for each byte. */\n");
    return choose_rows();
}

static void close_group(size_t group)
{
    if (!groups[group].is_virtual)
        crew_stop(group);
    bool is_last = group + 1 == (settings.is_quick ? QUICK_GROUPS : GROUPS);
    if (is_last && !settings.json)
        printf(
            "    /* Not measured: of more, short blocks travel together, for the sake of memory. "
            "*/\n"
            "    {WEFT_COLLECTIVE_ALLTOALL, 128, 0, WEFT_COLLECTIVE_BRUCK},\n"
            "    {WEFT_COLLECTIVE_ALLTOALL, 128, 32768, WEFT_COLLECTIVE_LINEAR},\n"
            "    {WEFT_COLLECTIVE_NAMES, 0, 0, WEFT_COLLECTIVE_AUTO},\n};\n");
}

/* ---- Measuring ---------------------------------------------------------------------------- */

static double run_turn(void *context, size_t count)
{
    struct collective_turn *turn = context;
    turn->count = count;
    return collective_crew_run(turn).one;
}

static void measure_here(struct row *row, unsigned times)
{
    static struct contestant contestants[MOST_WAYS];
    struct collective_turn turns[MOST_WAYS];
    for (size_t i = 0; i < row->family->count; i++) {
        turns[i] = (struct collective_turn){.kind = row->family->kind,
                                            .way = row->family->ways[i].way,
                                            .course = COLLECTIVE_BLOCKING,
                                            .bytes = row->bytes};
        contestants[i] = (struct contestant){.run = run_turn, .context = &turns[i]};
    }
    const struct contest contest = {settings.rounds * times, settings.seconds, {2, 4, 2, 100000}};
    contest_run(contestants, row->family->count, &contest);
    for (size_t i = 0; i < row->family->count; i++)
        row->seconds[i] = contestants[i].median;
}

static int build(weft_schedule *schedule, const struct collective_turn *turn, void *from, void *to)
{
    return collective_add(schedule, turn, 0, from, to);
}

static void measure_virtually(struct row *row)
{
    static const struct sim_offload_network network = {2700, 300, 0.4};
    for (size_t i = 0; i < row->family->count; i++) {
        const struct collective_turn turn = {
            .kind = row->family->kind, .way = row->family->ways[i].way, .bytes = row->bytes};
        const struct sim_offload offload = {.kind = SIM_OFFLOAD_TURN,
                                            .processes = row->processes,
                                            .bytes = row->bytes,
                                            .network = network,
                                            .build = build,
                                            .turn = &turn};
        uint64_t nanoseconds = sim_offload_run(&offload);
        if (nanoseconds == 0)
            exit(WEFT_EXIT_FAILED);
        row->seconds[i] = (double)nanoseconds * 1e-9;
    }
}

static void measure_row(size_t i, unsigned times)
{
    struct row *row = &rows[first_row + i];
    if (group_now->is_virtual)
        measure_virtually(row);
    else
        measure_here(row, times);
    row->best = row->is_first ? 0 : row[-1].best;
    for (size_t way = 0; way < row->family->chosen; way++)
        if (row->seconds[way] * GAIN < row->seconds[row->best])
            row->best = way;
}

/* ---- Reports ------------------------------------------------------------------------------ */

static int prepare(void)
{
    if (!settings.json)
        printf("/* SPDX-License-Identifier: BSD-3-Clause */\n"
               "/* Written by `weft bench ways`, between processes of one host and, where it says "
               "so, in virtual\n"
               " * time. Behind each number of bytes, microseconds. */\n"
               "#include \"collective/table.h\"\n\n"
               "const struct weft_collective_rule weft_collective_rules[] = {\n");
    return -1;
}

static void name_row(size_t i, char *text, size_t size)
{
    const struct row *row = &rows[first_row + i];
    snprintf(text, size, "%s of %zu bytes, %u processes", row->family->name, row->bytes,
             row->processes);
}

static void print_row(size_t i)
{
    const struct row *row = &rows[first_row + i];
    const struct family *family = row->family;
    if (row->is_first || row->best != row[-1].best)
        printf("    {WEFT_COLLECTIVE_%s, %u, %zu, WEFT_COLLECTIVE_%s},\n", family->name,
               row->processes, row->is_first ? 0 : row->bytes, family->ways[row->best].code);
    printf("    /* %7zu:", row->bytes);
    for (size_t way = 0; way < family->count; way++)
        printf(" %s %.2f%s", family->ways[way].name, row->seconds[way] * 1e6,
               way + 1 < family->count ? "," : " */\n");
}

static void write_json(void)
{
    weft_json_string("benchmark", "ways");
    weft_json_open("rows", '[');
    for (size_t i = 0; i < row_count; i++) {
        const struct family *family = rows[i].family;
        weft_json_open(NULL, '{');
        weft_json_string("collective", collective_kind_names[family->kind]);
        weft_json_integer("processes", rows[i].processes);
        weft_json_integer("bytes", (int64_t)rows[i].bytes);
        weft_json_string("best", family->ways[rows[i].best].name);
        for (size_t way = 0; way < family->count; way++)
            weft_json_number(family->ways[way].name, rows[i].seconds[way] * 1e6);
        weft_json_close('}');
    }
    weft_json_close(']');
}

const struct benchmark bench_ways = {
    .summary = "ways of collectives, and the table that chooses among them",
    .options = {"ways",
                "Lets 2, 4 and 8 processes of this host do collectives of schedules in every way\n"
                "that there is, in turns, and simulated NICs those of more processes. Prints the\n"
                "rules by which Weft chooses, as C.\n",
                NULL, 12, .entries = options},
    .settings = &settings,
    .prepare = prepare,
    .cases = {GROUPS, open_group, close_group, name_row, measure_row, print_row},
    .report = {.write_json = write_json},
};
