/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft bench mpi`: an ordinary MPI program natively, packed by hand, and under `weft run`. */
#include <stdio.h>
#include <string.h>

#include "bench/benchmarks.h"
#include "bench/layouts/layouts.h"
#include "bench/mpi/mpi_bar.h"
#include "bench/mpi/mpi_picture.h"
#include "bench/mpi/mpi_report.h"
#include "weft/command.h"
#include "weft/json.h"

/* ---- Options ------------------------------------------------------------------------------ */

static bool is_layout(const char *text)
{
    return layout_entry_find(text);
}

#define MOST_RANKS 64

static struct bench_settings settings = {.rounds = 15, .seconds = 0.02};
static struct mpi_choice choice = {.layouts.is_layout = is_layout};
static struct mpi_plan plan;
static bool is_chosen[MPI_KINDS], is_over_tcp;
static size_t ranks = 2;
static bool verify, off, one_way, fastest, each_way;

static const struct option_words kinds = {
    .names = mpi_kind_names, .count = MPI_KINDS, .chosen = is_chosen};
static const struct option_words parts = {mpi_part_names, mpi_part_help, MPI_PARTS, choice.parts,
                                          NULL};

static bool take_hosts(const char *text, void *context)
{
    const char *comma = strchr(text, ',');
    (void)context;
    plan.network = MPI_NETWORK_HOSTS;
    plan.hosts = text;
    return comma && comma > text && comma[1] && !strchr(comma + 1, ',');
}

static const struct option_entry options[] = {
    {"mpi", "MPI", "openmpi or mpich (all that are here)", .words = &kinds},
    {"tcp", NULL, "over TCP within this host instead of shared memory", .flag = &is_over_tcp},
    {"hosts", "ONE,TWO", "between hosts, over TCP; mpirun must be able to start there",
     .take = take_hosts},
    {"part", "PART", "only this one; may be repeated:", .words = &parts},
    BENCH_LAYOUTS_OPTIONS(choice.layouts,
                          "a name of `weft bench type --list` instead; may be repeated",
                          "of layouts, such as 64K; may be repeated"),
    {"one-way", NULL, "no ping-pong, and exchanges only by Isend and Irecv", .flag = &one_way},
    {"exchange", NULL, "the same as --part exchange", .flag = &choice.parts[MPI_PART_EXCHANGE]},
    {"ranks", "N", "exchange in a ring of N processes (2)",
     .number = OPTION_NUMBER(&ranks, 2, MOST_RANKS)},
    {"fastest", NULL,
     "of each turn the fastest message, not the median: for a\n"
     "machine that does other things, too",
     .flag = &fastest},
    {"shared-heap", NULL, "with `weft run --shared-heap`", .flag = &plan.has_heap},
    {"ways", NULL,
     "Weft with each way forced (WEFT_WAY), too, instead of\n"
     "packed by hand; their times are only in --json",
     .flag = &each_way},
    {"off", NULL, "the MPI in Weft's place, too: what differs is noise", .flag = &off},
    {"verify", NULL, "only send each message once and look at all the memory", .flag = &verify},
    BENCH_TURNS_OPTIONS(settings, "each", "few and short turns, few layouts",
                        "draw how many times as long messages take without Weft: of one\n"
                        "MPI by blocks of vectors, of both the means (needs gnuplot)",
                        "tables"),
    {0},
};

/* Those that are wanted, or all, if they are here. False, having said why, if there are none. */
static bool choose_kinds(void)
{
    bool is_wanted[MPI_KINDS], any_wanted = false, any = false;
    memcpy(is_wanted, is_chosen, sizeof(is_wanted));
    option_words_complete(&kinds);
    for (int kind = 0; kind < MPI_KINDS; kind++) {
        is_chosen[kind] = is_chosen[kind] && mpi_kind_is_here((enum mpi_kind)kind);
        if (is_wanted[kind] && !is_chosen[kind])
            fprintf(stderr, "weft bench mpi: Weft was built without %s\n", mpi_kind_titles[kind]);
        any_wanted |= is_wanted[kind];
        any |= is_chosen[kind];
    }
    if (!any && !any_wanted)
        fprintf(stderr, "weft bench mpi: Weft was built without any MPI\n");
    return any;
}

/* The bars of exchanges are of processes that have a core each. */
static bool only_exchanges(void)
{
    for (int part = 0; part < MPI_PARTS; part++)
        if (choice.parts[part] != (part == MPI_PART_EXCHANGE))
            return false;
    return choice.layouts.pair_count == 0 && !verify && !settings.check;
}

static int prepare(void)
{
    if (is_over_tcp && plan.network == MPI_NETWORK_SHM)
        plan.network = MPI_NETWORK_TCP;
    plan.processes = (unsigned)ranks;
    if (ranks > 2 && !only_exchanges()) {
        fprintf(stderr, "weft bench mpi: more --ranks than two are for --exchange alone, without "
                        "--layout, --verify and --check\n");
        return WEFT_EXIT_USAGE;
    }
    choice.quick = settings.is_quick;
    option_words_complete(&parts);
    return choose_kinds() ? -1 : WEFT_EXIT_FAILED;
}

/* ---- Measuring ---------------------------------------------------------------------------- */

/* What was measured with an MPI. */
static struct result {
    struct mpi_cell cells[MPI_MOST_CELLS];
    size_t count;
    size_t wrong; /* messages */
} results[MPI_KINDS];

static struct mpi_job natively, natively_again, under_weft, by_way[MPI_FORCED_WAYS];

static size_t forced_ways(void)
{
    return !each_way ? 0 : plan.has_heap ? MPI_FORCED_WAYS : MPI_FORCED_WAYS - 1;
}

static size_t open_kind(size_t kind)
{
    struct result *result = &results[kind];
    if (!is_chosen[kind])
        return 0;
    plan.kind = (enum mpi_kind)kind;
    result->count = mpi_cells_choose(&choice, result->cells);
    mpi_job_start(&natively, &plan, false);
    mpi_job_start(&natively_again, &plan, false);
    mpi_job_start(&under_weft, &plan, !off);
    for (size_t way = 0; way < forced_ways(); way++)
        mpi_job_start_forced(&by_way[way], &plan, mpi_forced_ways[way]);
    return result->count;
}

static void close_kind(size_t kind)
{
    const struct result *result = &results[kind];
    mpi_job_stop(&natively);
    mpi_job_stop(&natively_again);
    mpi_job_stop(&under_weft);
    for (size_t way = 0; way < forced_ways(); way++)
        mpi_job_stop(&by_way[way]);
    if (settings.json)
        return;
    if (verify) {
        printf("%s: %zu pairs of layouts, %zu messages were wrong\n", mpi_kind_titles[kind],
               result->count, result->wrong);
    } else {
        mpi_report_means(result->cells, result->count);
        mpi_report_phases(result->cells, result->count);
    }
}

static void name_cell(size_t i, char *text, size_t size)
{
    snprintf(text, size, "%s", results[plan.kind].cells[i].send);
}

/* Turns of a sender, and all that they took. */
struct sending {
    struct mpi_turn turn;
    const struct mpi_job *job;
    struct mpi_answer answer; /* the last one */
    double times[MPI_TIMES][BENCH_MOST_ROUNDS];
    size_t turns;
};

static double run_turn(void *context, size_t count)
{
    struct sending *sending = context;
    sending->turn.messages = count;
    mpi_job_turn(sending->job, &sending->turn, &sending->answer);
    for (size_t i = 0; i < MPI_TIMES; i++)
        sending->times[i][sending->turns] = sending->answer.times[i];
    sending->turns++;
    return sending->answer.times[fastest ? MPI_TIME_least : MPI_TIME_message] * 1e-6;
}

/* The fastest: one that another program has interrupted would make the turns too short. */
static double try_turn(void *context, size_t count)
{
    struct sending *sending = context;
    run_turn(context, count);
    sending->turns = 0;
    return sending->answer.times[MPI_TIME_least] * 1e-6;
}

static void conclude(struct mpi_cell *cell, enum mpi_course course, enum mpi_sender sender,
                     const struct sending *sending, const struct contestant *contestants)
{
    const struct contestant *contestant = &contestants[sender];
    double *times = cell->times[course][sender];
    if (contestant->is_absent)
        return;
    cell->is_measured[sender] = true;
    cell->bytes = sending->answer.bytes;
    cell->block = sending->answer.block;
    for (size_t i = 0; i < MPI_TIMES; i++)
        times[i] = median_of(sending->times[i], sending->turns);
    times[MPI_TIME_message] = contestant->median * 1e6;
    cell->to_weft[course][sender] = contest_ratio(contestant, &contestants[MPI_BY_WEFT]);
}

static const struct mpi_job *job_of(int sender)
{
    if (sender >= MPI_BY_WAY)
        return &by_way[sender - MPI_BY_WAY];
    return sender == MPI_BY_WEFT ? &under_weft : sender == MPI_AGAIN ? &natively_again : &natively;
}

static bool is_sent_by(const struct mpi_cell *cell, int sender)
{
    if (sender >= MPI_BY_WAY)
        return (size_t)(sender - MPI_BY_WAY) < forced_ways();
    bool is_instead = each_way && (sender == MPI_BY_HAND || sender == MPI_AS_BYTES);
    return !is_instead && mpi_cell_has(cell, (enum mpi_sender)sender);
}

/* Forced ways are held against what Weft has chosen, not against its trials: these are over after
 * so many messages. Between hosts all is MPI's until then, and of the longest messages a cell has
 * hardly more. */
#define MESSAGES_UNTIL_CHOSEN 160

static void let_choose(struct sending *sending)
{
    sending->turn.messages = MESSAGES_UNTIL_CHOSEN;
    mpi_job_turn(sending->job, &sending->turn, &sending->answer);
}

static void measure_cell(struct mpi_cell *cell, size_t rounds)
{
    static struct sending sendings[MPI_COURSES][MPI_SENDERS];
    static struct contestant contestants[MPI_COURSES][MPI_SENDERS];
    int first = mpi_part_first_course(cell->part);
    int end = one_way ? first + 1 : (int)mpi_part_end_of_courses(cell->part);
    for (int course = first; course < end; course++)
        for (int sender = 0; sender < MPI_SENDERS; sender++) {
            struct sending *sending = &sendings[course][sender];
            sending->turn = mpi_cell_turn(cell, (enum mpi_sender)sender, (enum mpi_course)course);
            sending->job = job_of(sender);
            contestants[course][sender] =
                (struct contestant){.run = run_turn,
                                    .try = try_turn,
                                    .context = sending,
                                    .is_absent = !is_sent_by(cell, sender)};
            if ((each_way || plan.hosts) && sender == MPI_BY_WEFT)
                let_choose(sending);
        }
    const struct contest contest = {rounds, settings.seconds, {1, 3, 7, MPI_MOST_MESSAGES}};
    contest_run(contestants[first], (size_t)(end - first) * MPI_SENDERS, &contest);
    for (int course = first; course < end; course++)
        for (int sender = 0; sender < MPI_SENDERS; sender++)
            conclude(cell, (enum mpi_course)course, (enum mpi_sender)sender,
                     &sendings[course][sender], contestants[course]);
}

/* Returns how many messages were wrong. */
static size_t verify_cell(const struct mpi_cell *cell)
{
    size_t wrong = 0;
    for (int sender = 0; sender < MPI_SENDERS; sender++) {
        struct mpi_turn turn = mpi_cell_turn(cell, (enum mpi_sender)sender, MPI_ONE_WAY);
        turn.messages = 1;
        if (is_sent_by(cell, sender) && !mpi_job_verify(job_of(sender), &turn))
            wrong++;
    }
    return wrong;
}

static void measure_case(size_t i, unsigned times)
{
    struct result *result = &results[plan.kind];
    if (verify)
        result->wrong += verify_cell(&result->cells[i]);
    else
        measure_cell(&result->cells[i], settings.rounds * times);
}

/* ---- Reports ------------------------------------------------------------------------------ */

static void print_case(size_t i)
{
    const struct mpi_cell *cell = &results[plan.kind].cells[i];
    if (!verify)
        mpi_report_cell(&plan, cell, i > 0 ? cell - 1 : NULL);
}

static size_t count_failures(void)
{
    size_t wrong = 0;
    for (int kind = 0; kind < MPI_KINDS; kind++)
        wrong += results[kind].wrong;
    return wrong;
}

static void write_json(void)
{
    weft_json_string("benchmark", "mpi");
    weft_json_open("mpis", '[');
    for (int kind = 0; kind < MPI_KINDS; kind++) {
        plan.kind = (enum mpi_kind)kind;
        if (is_chosen[kind])
            mpi_report_json(&plan, results[kind].cells, results[kind].count);
    }
    weft_json_close(']');
    weft_json_integer("failures", (int64_t)count_failures());
}

static void look_at_bars(struct bar_list *list)
{
    for (int kind = 0; kind < MPI_KINDS; kind++) {
        plan.kind = (enum mpi_kind)kind;
        if (is_chosen[kind])
            mpi_bars_look(&plan, results[kind].cells, results[kind].count, list);
    }
}

static bool draw(const char *file)
{
    for (int kind = 0; kind < MPI_KINDS; kind++) {
        plan.kind = (enum mpi_kind)kind;
        mpi_picture_add(&plan, results[kind].cells, results[kind].count);
    }
    return mpi_picture_draw(file);
}

const struct benchmark bench_mpi = {
    .summary = "messages of MPI programs natively, packed by hand, and under `weft run`",
    .options =
        {"mpi",
         "Sends layouts between two processes of an MPI: as derived datatypes, packed by "
         "hand,\nand as derived datatypes under `weft run`, in turns. One way, with freshly "
         "written\ndata and the receive posted, and ping-pong; and both ways at once. Every turn "
         "checks\nits data.\n",
         NULL, 17, .entries = options},
    .settings = &settings,
    .prepare = prepare,
    .cases = {MPI_KINDS, open_kind, close_kind, name_cell, measure_case, print_case},
    .report = {write_json, look_at_bars, .count_failures = count_failures},
    .picture = {draw, mpi_picture_take_line},
};
