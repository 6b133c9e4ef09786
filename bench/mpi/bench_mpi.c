/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft bench mpi`: an ordinary MPI program natively, packed by hand, and under `weft run`. */
#include <stdlib.h>
#include <string.h>

#include "bench/harness/bench.h"
#include "bench/harness/bench_options.h"
#include "bench/harness/measure.h"
#include "bench/layouts/layouts.h"
#include "bench/mpi/mpi_picture.h"
#include "bench/mpi/mpi_report.h"
#include "weft/command.h"
#include "weft/json.h"
#include "weft/number.h"

#define MOST_BYTES ((size_t)1 << 30)
#define FIRST_MESSAGES 3
#define LEAST_MESSAGES 7

struct options {
    struct mpi_choice choice;
    bool kinds[MPI_KINDS];
    bool is_kind_chosen;
    enum mpi_network network;
    const char *hosts;
    bool verify, off, one_way, fastest;
    struct bench_turns turns;
};

/* ---- Options ------------------------------------------------------------------------------ */

static void print_help(FILE *out)
{
    fprintf(
        out,
        "usage: weft bench mpi [OPTION...]\n\n"
        "Sends layouts between two processes of an MPI: as derived datatypes, packed by hand,\n"
        "and as derived datatypes under `weft run`, in turns. One way, with freshly written\n"
        "data and the receive posted, and ping-pong. Every turn checks its data.\n\n"
        "  --mpi MPI         openmpi or mpich (all that are here)\n"
        "  --tcp             over TCP within this host instead of shared memory\n"
        "  --hosts ONE,TWO   between hosts, over TCP; mpirun must be able to start there\n"
        "  --part PART       only this one; may be repeated:\n");
#define PRINT(name, text, what) fprintf(out, "                    %-11s %s\n", text, what);
    MPI_PART_MAP(PRINT)
#undef PRINT
    fprintf(out,
            "  --layout LAYOUT   a name of `weft bench type --list` instead; may be repeated\n"
            "  --receive LAYOUT  another layout for the receiver of the last --layout\n"
            "  --size BYTES      of layouts, such as 64K; may be repeated\n"
            "  --one-way         no ping-pong\n"
            "  --fastest         of each turn the fastest message, not the median: for a\n"
            "                    machine that does other things, too\n"
            "  --off             the MPI in Weft's place, too: what differs is noise\n"
            "  --verify          only send each message once and look at all the memory\n"
            "  --rounds N        turns of each, alternating (15)\n"
            "  --quick           few and short turns, few layouts\n"
            "  --check           compare with the bars; the exit code says if one is missed\n"
            "  --plot FILE.svg   draw how many times as long messages take without Weft: of one\n"
            "                    MPI by blocks of vectors, of both the means (needs "
            "gnuplot)\n" BENCH_FROM_HELP
            "  --json            one JSON object instead of the tables\n"
            "  --help            this text\n");
}

static bool add_kind(const char *text, struct options *options)
{
    options->is_kind_chosen = true;
    for (int kind = 0; kind < MPI_KINDS; kind++)
        if (strcmp(text, mpi_kind_names[kind]) == 0)
            return options->kinds[kind] = true;
    return false;
}

static bool add_part(const char *text, struct mpi_choice *choice)
{
    for (int part = 0; part < MPI_PARTS; part++)
        if (strcmp(text, mpi_part_names[part]) == 0)
            return choice->parts[part] = true;
    return false;
}

static bool add_layout(const char *text, struct mpi_choice *choice)
{
    if (choice->layout_count == MPI_MOST_LAYOUTS || !layout_entry_find(text))
        return false;
    choice->layouts[choice->layout_count].send = text;
    choice->layouts[choice->layout_count++].receive = text;
    return true;
}

static bool add_receive(const char *text, struct mpi_choice *choice)
{
    if (choice->layout_count == 0 || !layout_entry_find(text))
        return false;
    choice->layouts[choice->layout_count - 1].receive = text;
    return true;
}

static bool set_hosts(const char *text, struct options *options)
{
    options->network = MPI_NETWORK_HOSTS;
    options->hosts = text;
    const char *comma = strchr(text, ',');
    return comma && comma > text && comma[1] && !strchr(comma + 1, ',');
}

/* False if the value makes no sense. */
static bool take_option(int key, void *context)
{
    struct options *options = context;
    struct mpi_choice *choice = &options->choice;
    switch (key) {
    case 'm':
        return add_kind(optarg, options);
    case 't':
        options->network = MPI_NETWORK_TCP;
        return true;
    case 'H':
        return set_hosts(optarg, options);
    case 'p':
        return add_part(optarg, choice);
    case 'l':
        return add_layout(optarg, choice);
    case 'e':
        return add_receive(optarg, choice);
    case 's':
        return choice->size_count < MPI_MOST_SIZES &&
               number_parse(optarg, "KMG", 1, MOST_BYTES, &choice->sizes[choice->size_count++]);
    case '1':
        return options->one_way = true;
    case 'b':
        return options->fastest = true;
    case 'f':
        return options->off = true;
    case 'v':
        return options->verify = true;
    case 'q':
        choice->quick = true;
        return bench_turns_take(key, &options->turns);
    default:
        return bench_turns_take(key, &options->turns);
    }
}

/* False if there is nothing to measure. */
static bool complete(struct options *options)
{
    bool any = false, any_kind = false;
    for (int part = 0; part < MPI_PARTS; part++)
        any |= options->choice.parts[part];
    for (int part = 0; part < MPI_PARTS; part++)
        options->choice.parts[part] |= !any;
    for (int kind = 0; kind < MPI_KINDS; kind++) {
        bool is_here = mpi_kind_is_here((enum mpi_kind)kind);
        if (options->kinds[kind] && !is_here)
            fprintf(stderr, "weft bench mpi: Weft was built without %s\n", mpi_kind_titles[kind]);
        options->kinds[kind] = is_here && (options->kinds[kind] || !options->is_kind_chosen);
        any_kind |= options->kinds[kind];
    }
    if (!any_kind && !options->is_kind_chosen)
        fprintf(stderr, "weft bench mpi: Weft was built without any MPI\n");
    return any_kind;
}

/* An exit code, or -1 to go on. */
static int parse(int argc, char **argv, struct options *options)
{
    static const struct option known[] = {{"mpi", required_argument, NULL, 'm'},
                                          {"tcp", no_argument, NULL, 't'},
                                          {"hosts", required_argument, NULL, 'H'},
                                          {"part", required_argument, NULL, 'p'},
                                          {"layout", required_argument, NULL, 'l'},
                                          {"receive", required_argument, NULL, 'e'},
                                          {"size", required_argument, NULL, 's'},
                                          {"one-way", no_argument, NULL, '1'},
                                          {"fastest", no_argument, NULL, 'b'},
                                          {"off", no_argument, NULL, 'f'},
                                          {"verify", no_argument, NULL, 'v'},
                                          BENCH_TURNS_OPTIONS,
                                          {0}};
    *options = (struct options){.turns = {.rounds = 15, .seconds = 0.02}};
    const struct bench_options bench = {"mpi", known, print_help, take_option, options};
    int code = bench_options_parse(&bench, argc, argv);
    if (code >= 0)
        return code;
    if (bench_turns_are_stored(&options->turns))
        return mpi_picture_read(&options->turns) && mpi_picture_draw(options->turns.plot)
                   ? WEFT_EXIT_OK
                   : WEFT_EXIT_FAILED;
    return complete(options) ? -1 : WEFT_EXIT_FAILED;
}

/* ---- Measuring ---------------------------------------------------------------------------- */

struct jobs {
    struct mpi_job natively, under_weft;
};

static const struct mpi_job *job_of(const struct jobs *jobs, enum mpi_sender sender)
{
    return sender == MPI_BY_WEFT ? &jobs->under_weft : &jobs->natively;
}

static double rounds[MPI_COURSES][MPI_SENDERS][MPI_TIMES][BENCH_MOST_ROUNDS];

static void choose_messages(const struct jobs *jobs, struct mpi_cell *cell, enum mpi_sender sender,
                            double seconds, struct mpi_turn *turn)
{
    struct mpi_answer answer;
    turn->messages = FIRST_MESSAGES;
    mpi_job_turn(job_of(jobs, sender), turn, &answer);
    /* The fastest: one that another program has interrupted would make the turns too short. */
    double count = seconds * 1e6 / answer.times[MPI_TIME_least];
    turn->messages = count < LEAST_MESSAGES      ? LEAST_MESSAGES
                     : count > MPI_MOST_MESSAGES ? MPI_MOST_MESSAGES
                                                 : (size_t)count;
    cell->is_measured[sender] = true;
    cell->bytes = answer.bytes;
    cell->block = answer.block;
}

static void take_turn(const struct jobs *jobs, const struct mpi_turn *turn, enum mpi_sender sender,
                      size_t round)
{
    struct mpi_answer answer;
    mpi_job_turn(job_of(jobs, sender), turn, &answer);
    for (size_t i = 0; i < MPI_TIMES; i++)
        rounds[turn->course][sender][i][round] = answer.times[i];
}

static void conclude(struct mpi_cell *cell, enum mpi_course course, const struct options *options)
{
    double ratios[BENCH_MOST_ROUNDS];
    size_t count = options->turns.rounds;
    enum mpi_time time = options->fastest ? MPI_TIME_least : MPI_TIME_message;
    const double *weft = rounds[course][MPI_BY_WEFT][time];
    for (int sender = 0; sender < MPI_SENDERS; sender++) {
        if (!cell->is_measured[sender])
            continue;
        for (size_t i = 0; i < MPI_TIMES; i++)
            cell->times[course][sender][i] = measure_median(rounds[course][sender][i], count);
        for (size_t round = 0; round < count; round++)
            ratios[round] = rounds[course][sender][time][round] / weft[round];
        cell->times[course][sender][MPI_TIME_message] = cell->times[course][sender][time];
        cell->to_weft[course][sender] = measure_median(ratios, count);
    }
}

static void measure_cell(const struct jobs *jobs, struct mpi_cell *cell,
                         const struct options *options)
{
    struct mpi_turn turns[MPI_SENDERS];
    int courses = options->one_way ? 1 : MPI_COURSES;
    for (int sender = 0; sender < MPI_SENDERS; sender++) {
        turns[sender] = mpi_cell_turn(cell, (enum mpi_sender)sender, MPI_ONE_WAY);
        if (mpi_cell_has(cell, (enum mpi_sender)sender))
            choose_messages(jobs, cell, (enum mpi_sender)sender, options->turns.seconds,
                            &turns[sender]);
    }
    for (size_t round = 0; round < options->turns.rounds; round++)
        for (int course = 0; course < courses; course++)
            for (int i = 0; i < MPI_SENDERS; i++) {
                int sender = (i + (int)round) % MPI_SENDERS;
                turns[sender].course = (enum mpi_course)course;
                if (cell->is_measured[sender])
                    take_turn(jobs, &turns[sender], (enum mpi_sender)sender, round);
            }
    for (int course = 0; course < courses; course++)
        conclude(cell, (enum mpi_course)course, options);
}

/* Returns how many messages were wrong. */
static size_t verify_cell(const struct jobs *jobs, const struct mpi_cell *cell)
{
    size_t wrong = 0;
    for (int sender = 0; sender < MPI_SENDERS; sender++) {
        struct mpi_turn turn = mpi_cell_turn(cell, (enum mpi_sender)sender, MPI_ONE_WAY);
        turn.messages = 1;
        if (mpi_cell_has(cell, (enum mpi_sender)sender) &&
            !mpi_job_verify(job_of(jobs, (enum mpi_sender)sender), &turn))
            wrong++;
    }
    return wrong;
}

/* ---- Running ------------------------------------------------------------------------------ */

/* All cells with one MPI. Returns how many messages were wrong. */
static size_t run_cells(const struct mpi_plan *plan, struct mpi_cell *cells, size_t count,
                        const struct options *options)
{
    struct jobs jobs;
    size_t wrong = 0;
    mpi_job_start(&jobs.natively, plan, false);
    mpi_job_start(&jobs.under_weft, plan, !options->off);
    for (size_t i = 0; i < count; i++) {
        weft_progress_show(i, count, cells[i].send);
        if (options->verify)
            wrong += verify_cell(&jobs, &cells[i]);
        else
            measure_cell(&jobs, &cells[i], options);
        weft_progress_clear();
        if (!options->verify && !options->turns.json)
            mpi_report_cell(plan, &cells[i], i > 0 ? &cells[i - 1] : NULL);
    }
    mpi_job_stop(&jobs.natively);
    mpi_job_stop(&jobs.under_weft);
    return wrong;
}

static void report(const struct mpi_plan *plan, const struct mpi_cell *cells, size_t count,
                   size_t wrong, const struct options *options)
{
    if (options->verify && !options->turns.json) {
        printf("%s: %zu pairs of layouts, %zu messages were wrong\n", mpi_kind_titles[plan->kind],
               count, wrong);
    } else if (options->turns.json) {
        mpi_report_json(plan, cells, count);
    } else {
        mpi_report_means(cells, count);
        mpi_report_phases(cells, count);
    }
}

int weft_bench_mpi(int argc, char **argv)
{
    static struct options options;
    static struct mpi_cell cells[MPI_MOST_CELLS];
    static struct bar bars[MPI_KINDS * MPI_MOST_BARS];
    size_t bar_count = 0, failures = 0;
    int code = parse(argc, argv, &options);
    if (code >= 0)
        return code;
    if (options.turns.json) {
        weft_json_open(NULL, '{');
        weft_json_string("benchmark", "mpi");
        weft_json_open("mpis", '[');
    }
    for (int kind = 0; kind < MPI_KINDS; kind++) {
        if (!options.kinds[kind])
            continue;
        struct mpi_plan plan = {(enum mpi_kind)kind, options.network, options.hosts};
        size_t count = mpi_cells_choose(&options.choice, cells);
        size_t wrong = run_cells(&plan, cells, count, &options);
        failures += wrong;
        report(&plan, cells, count, wrong, &options);
        bar_count += mpi_report_bars(&plan, cells, count, bars + bar_count);
        mpi_picture_add(&plan, cells, count);
    }
    if (options.turns.json) {
        weft_json_close(']');
        weft_json_integer("failures", (int64_t)failures);
    }
    if (options.turns.check)
        failures += bar_report(bars, bar_count, options.turns.json);
    if (options.turns.json)
        weft_json_close('}');
    if (options.turns.plot && !mpi_picture_draw(options.turns.plot))
        failures++;
    return failures ? WEFT_EXIT_FAILED : WEFT_EXIT_OK;
}
