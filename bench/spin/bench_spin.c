/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft bench spin`: work done by handlers while a message arrives, beside the same work done by
 * the program when it has been delivered. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/bar.h"
#include "bench/harness/bench.h"
#include "bench/harness/bench_options.h"
#include "bench/harness/measure.h"
#include "bench/harness/plot.h"
#include "bench/harness/stored.h"
#include "bench/spin/spin_crew.h"
#include "weft/command.h"
#include "weft/json.h"

#define FIRST_COUNT 4
#define PUT_BAR 1.24 /* [DiG19], figure 2 */

struct options {
    const char *provider;
    bool shm, ofi;
    struct bench_turns turns;
};

#define WORLD_TEXT 32

enum way { HANDLERS, PROGRAM, WAYS };

struct row {
    char world[WORLD_TEXT];
    const struct spin_case_info *info;
    double median[WAYS]; /* seconds */
    double gain;         /* the program's time / the handlers' time */
};

#define MOST_ROWS (2 * SPIN_CASES)

struct bench {
    struct options options;
    struct row rows[MOST_ROWS];
    size_t row_count;
};

/* ---- Options ------------------------------------------------------------------------------ */

static void print_help(FILE *out)
{
    fprintf(out,
            "usage: weft bench spin [OPTION...]\n\n"
            "Lets handlers work on messages while they arrive, beside the program doing the same\n"
            "when they have been delivered.\n\n"
            "  --world WORLD     shm or ofi; both if it is not given\n"
            "  --provider NAME   of libfabric; net if it is not given\n"
            "  --hpus N          threads that run handlers; 0, which is the default: the thread\n"
            "                    that receives\n"
            "  --rounds N        turns of each way, alternating (15)\n"
            "  --quick           few and short turns\n"
            "  --check           compare with the bars; the exit code says if one is missed\n"
            "  --plot FILE.svg   draw the gains (needs gnuplot)\n" BENCH_FROM_HELP
            "  --json            one JSON object instead of the table\n"
            "  --help            this text\n");
}

static bool parse_world(const char *text, struct options *options)
{
    options->shm = strcmp(text, "shm") == 0;
    options->ofi = strcmp(text, "ofi") == 0;
    return options->shm || options->ofi;
}

/* False if the value makes no sense. */
static bool take_option(int key, void *context)
{
    struct options *options = context;
    switch (key) {
    case 'w':
        return parse_world(optarg, options);
    case 'p':
        options->provider = optarg;
        return true;
    default:
        return bench_turns_take(key, &options->turns);
    }
}

/* An exit code, or -1 to go on. */
static int parse(int argc, char **argv, struct options *options)
{
    static const struct option known[] = {{"world", required_argument, NULL, 'w'},
                                          {"provider", required_argument, NULL, 'p'},
                                          BENCH_HPUS_OPTION,
                                          BENCH_TURNS_OPTIONS,
                                          {0}};
    *options = (struct options){
        .provider = "net", .shm = true, .ofi = true, .turns = {.rounds = 15, .seconds = 0.03}};
    const struct bench_options bench = {"spin", known, print_help, take_option, options};
    return bench_options_parse(&bench, argc, argv);
}

/* ---- Measuring ---------------------------------------------------------------------------- */

static size_t count_for(const struct spin_job *first, double seconds)
{
    struct spin_job job = *first;
    job.count = FIRST_COUNT;
    spin_crew_run(&job);
    double one = spin_crew_run(&job);
    double count = one > 0 ? seconds / one : 1;
    return count < 1 ? 1 : count > 100000 ? 100000 : (size_t)count;
}

static void measure_row(struct row *row, enum spin_case which, const struct options *options)
{
    double rounds[WAYS][BENCH_MOST_ROUNDS], gains[BENCH_MOST_ROUNDS];
    struct spin_job jobs[WAYS];
    for (int way = 0; way < WAYS; way++) {
        jobs[way] = (struct spin_job){
            .which = which, .handlers = way == HANDLERS, .bytes = row->info->bytes};
        jobs[way].count = count_for(&jobs[way], options->turns.seconds);
    }
    for (size_t i = 0; i < options->turns.rounds; i++) {
        for (int turn = 0; turn < WAYS; turn++) {
            int way = (int)(i + (size_t)turn) % WAYS;
            rounds[way][i] = row->info->share * spin_crew_run(&jobs[way]);
        }
        gains[i] = rounds[PROGRAM][i] / rounds[HANDLERS][i];
    }
    for (int way = 0; way < WAYS; way++)
        row->median[way] = measure_median(rounds[way], options->turns.rounds);
    row->gain = measure_median(gains, options->turns.rounds);
}

/* ---- Reports ------------------------------------------------------------------------------ */

static void print_heading(const struct options *options)
{
    printf("# handlers at work while a message arrives, beside the program when it is there\n"
           "# HPU threads: %u; medians of %zu alternating turns\n"
           "# %-34s %-5s %10s %13s %13s %6s\n",
           options->turns.hpus, options->turns.rounds, "What", "World", "Bytes", "handlers (us)",
           "program (us)", "gain");
}

static void print_row(const struct row *row)
{
    printf("%-36s %-5s %10zu %13.2f %13.2f %6.2f\n", row->info->title, row->world,
           row->info->bytes, row->median[HANDLERS] * 1e6, row->median[PROGRAM] * 1e6, row->gain);
    fflush(stdout);
}

static void print_json(const struct bench *bench)
{
    weft_json_open(NULL, '{');
    weft_json_string("benchmark", "spin");
    weft_json_integer("hpus", bench->options.turns.hpus);
    weft_json_open("rows", '[');
    for (size_t i = 0; i < bench->row_count; i++) {
        const struct row *row = &bench->rows[i];
        weft_json_open(NULL, '{');
        weft_json_string("case", row->info->name);
        weft_json_string("world", row->world);
        weft_json_integer("bytes", (int64_t)row->info->bytes);
        weft_json_number("handlers_us", row->median[HANDLERS] * 1e6);
        weft_json_number("program_us", row->median[PROGRAM] * 1e6);
        weft_json_number("gain", row->gain);
        weft_json_close('}');
    }
    weft_json_close(']');
}

static size_t report_bars(const struct bench *bench)
{
    struct bar bar = {.what = "a one-byte put with an empty payload handler, beside one without "
                              "(shm, times)",
                      .limit = PUT_BAR,
                      .skipped = "not measured"};
    for (size_t i = 0; i < bench->row_count; i++)
        if (bench->rows[i].info == &spin_cases[SPIN_PUT] &&
            strcmp(bench->rows[i].world, "shm") == 0)
            bar.figure = 1 / bench->rows[i].gain;
    return bar_report(&bar, 1, bench->options.turns.json);
}

/* ---- Pictures ----------------------------------------------------------------------------- */

/* A line of print_row; titles have spaces. */
static void take_line(const char *line, void *context)
{
    struct bench *bench = context;
    for (int which = 0; which < SPIN_CASES; which++) {
        struct row row = {.info = &spin_cases[which]};
        size_t length = strlen(row.info->title);
        if (strncmp(line, row.info->title, length) == 0 && bench->row_count < MOST_ROWS &&
            sscanf(line + length, "%31s %*s %*s %*s %lf", row.world, &row.gain) == 2)
            bench->rows[bench->row_count++] = row;
    }
}

static bool draw(const struct bench *bench)
{
    static struct plot plot = {
        .title = "What handlers gain by working while the message arrives",
        .note = "Longer is better. Shorter than 1: the program does the same faster afterwards.",
        .x_axis = "time of the program / time of the handlers"};
    for (size_t i = 0; i < bench->row_count; i++) {
        const struct row *row = &bench->rows[i];
        char panel[PLOT_TEXT];
        if (strcmp(row->world, "shm") == 0)
            snprintf(panel, sizeof(panel), "shared memory");
        else
            snprintf(panel, sizeof(panel), "libfabric, provider %s", row->world);
        plot_add_bar(&plot, panel, row->info->title, row->gain >= 1 ? PLOT_OURS : PLOT_OTHERS,
                     row->gain);
    }
    return plot_bars(bench->options.turns.plot, &plot);
}

static int draw_stored(struct bench *bench)
{
    bool is_drawn = stored_read(&bench->options.turns, take_line, bench) && draw(bench);
    return is_drawn ? WEFT_EXIT_OK : WEFT_EXIT_FAILED;
}

/* ---- Running ------------------------------------------------------------------------------ */

static void measure_world(struct bench *bench, const char *world, const char *provider)
{
    spin_crew_start(provider, bench->options.turns.hpus);
    for (int which = 0; which < SPIN_CASES; which++) {
        struct row *row = &bench->rows[bench->row_count++];
        *row = (struct row){.info = &spin_cases[which]};
        snprintf(row->world, sizeof(row->world), "%s", world);
        char what[96];
        snprintf(what, sizeof(what), "%s, %s", row->info->title, world);
        weft_progress_show(bench->row_count - 1, MOST_ROWS, what);
        measure_row(row, (enum spin_case)which, &bench->options);
        weft_progress_clear();
        if (!bench->options.turns.json)
            print_row(row);
    }
    spin_crew_stop();
}

int weft_bench_spin(int argc, char **argv)
{
    static struct bench bench;
    int code = parse(argc, argv, &bench.options);
    if (code >= 0)
        return code;
    if (bench_turns_are_stored(&bench.options.turns))
        return draw_stored(&bench);
    if (!bench.options.turns.json)
        print_heading(&bench.options);
    if (bench.options.shm)
        measure_world(&bench, "shm", NULL);
    if (bench.options.ofi)
        measure_world(&bench, bench.options.provider, bench.options.provider);
    if (bench.options.turns.json)
        print_json(&bench);
    size_t missed = bench.options.turns.check ? report_bars(&bench) : 0;
    if (bench.options.turns.json)
        weft_json_close('}');
    if (bench.options.turns.plot && !draw(&bench))
        return WEFT_EXIT_FAILED;
    return missed ? WEFT_EXIT_FAILED : WEFT_EXIT_OK;
}
