/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft bench spin`: work done by handlers while a message arrives, beside the same work done by
 * the program when it has been delivered. */
#include <portals4_spin.h>
#include <stdio.h>
#include <string.h>

#include "bench/benchmarks.h"
#include "bench/harness/plot.h"
#include "bench/spin/spin_member.h"
#include "weft/json.h"

#define PUT_BAR 1.24 /* [DiG19], figure 2 */
#define WORLD_TEXT 32

enum way { HANDLERS, PROGRAM, WAYS };

struct row {
    char world[WORLD_TEXT];
    const struct spin_case_info *info;
    double median[WAYS]; /* seconds */
    double gain;         /* the program's time / the handlers' time */
};

#define MOST_ROWS (CREW_COMMON * SPIN_CASES)

static struct row rows[MOST_ROWS];
static size_t row_count;

/* ---- Options ------------------------------------------------------------------------------ */

static struct bench_settings settings = {.rounds = 15, .seconds = 0.03};
static struct crew_world world = {.net = CREW_COMMON, .provider = "net"}; /* both */
static size_t hpus;

static const struct option_words worlds = {
    .names = crew_net_names, .count = CREW_COMMON, .choice = &world.net};

static const struct option_entry options[] = {
    {"world", "WORLD", "shm or ofi; both if it is not given", .words = &worlds},
    {"provider", "NAME", "of libfabric; net if it is not given", .text = &world.provider},
    {"hpus", "N",
     "threads that run handlers; 0, which is the default: the thread\n"
     "that receives",
     .number = OPTION_NUMBER(&hpus, 0, PTL_MAX_HPUS)},
    BENCH_TURNS_OPTIONS(settings, "each way", "few and short turns",
                        "draw the gains (needs gnuplot)", "table"),
    {0},
};

/* ---- Measuring ---------------------------------------------------------------------------- */

static void print_heading(void)
{
    printf("# handlers at work while a message arrives, beside the program when it is there\n"
           "# HPU threads: %zu; medians of %zu alternating turns\n"
           "# %-34s %-5s %10s %13s %13s %6s\n",
           hpus, settings.rounds, "What", "World", "Bytes", "handlers (us)", "program (us)",
           "gain");
}

static int prepare(void)
{
    if (!settings.json)
        print_heading();
    return -1;
}

/* Cases of a group are rows from here on. */
static size_t first_row;

static size_t open_world(size_t net)
{
    struct crew_world of = {.net = (int)net, .provider = world.provider};
    if (world.net != CREW_COMMON && world.net != (int)net)
        return 0;
    spin_start(&of, hpus);
    first_row = row_count;
    for (int which = 0; which < SPIN_CASES; which++) {
        struct row *row = &rows[row_count++];
        *row = (struct row){.info = &spin_cases[which]};
        snprintf(row->world, sizeof(row->world), "%s", crew_world_name(&of));
    }
    return SPIN_CASES;
}

static void name_row(size_t i, char *text, size_t size)
{
    const struct row *row = &rows[first_row + i];
    snprintf(text, size, "%s, %s", row->info->title, row->world);
}

static double run_job(void *context, size_t count)
{
    struct spin_job *job = context;
    job->count = count;
    return spin_cases[job->which].share * spin_run(job);
}

static void measure_row(size_t i, unsigned times)
{
    struct row *row = &rows[first_row + i];
    struct spin_job jobs[WAYS];
    struct contestant contestants[WAYS];
    for (int way = 0; way < WAYS; way++) {
        jobs[way] = (struct spin_job){
            .which = (enum spin_case)i, .handlers = way == HANDLERS, .bytes = row->info->bytes};
        contestants[way] = (struct contestant){.run = run_job, .context = &jobs[way]};
    }
    const struct contest contest = {settings.rounds * times, settings.seconds, {2, 4, 1, 100000}};
    contest_run(contestants, WAYS, &contest);
    for (int way = 0; way < WAYS; way++)
        row->median[way] = contestants[way].median;
    row->gain = contest_ratio(&contestants[PROGRAM], &contestants[HANDLERS]);
}

/* ---- Reports ------------------------------------------------------------------------------ */

static void print_row(size_t i)
{
    const struct row *row = &rows[first_row + i];
    printf("%-36s %-5s %10zu %13.2f %13.2f %6.2f\n", row->info->title, row->world,
           row->info->bytes, row->median[HANDLERS] * 1e6, row->median[PROGRAM] * 1e6, row->gain);
}

static void write_json(void)
{
    weft_json_string("benchmark", "spin");
    weft_json_integer("hpus", (int64_t)hpus);
    weft_json_open("rows", '[');
    for (size_t i = 0; i < row_count; i++) {
        const struct row *row = &rows[i];
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

static bool is_shm(const struct row *row)
{
    return strcmp(row->world, crew_net_names[CREW_SHM]) == 0;
}

static void look_at_bars(struct bar_list *list)
{
    double figure = 0;
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].info == &spin_cases[SPIN_PUT] && is_shm(&rows[i]))
            figure = 1 / rows[i].gain;
    bar_add(list, BAR_AT_MOST, PUT_BAR, figure,
            "a one-byte put with an empty payload handler, beside one without (shm, times)");
}

/* ---- Pictures ----------------------------------------------------------------------------- */

/* A line of print_row; titles have spaces. */
static void take_line(const char *line)
{
    for (int which = 0; which < SPIN_CASES; which++) {
        struct row row = {.info = &spin_cases[which]};
        size_t length = strlen(row.info->title);
        if (strncmp(line, row.info->title, length) == 0 && row_count < MOST_ROWS &&
            sscanf(line + length, "%31s %*s %*s %*s %lf", row.world, &row.gain) == 2)
            rows[row_count++] = row;
    }
}

static bool draw(const char *file)
{
    static struct plot plot = {
        .title = "What handlers gain by working while messages come",
        .note = "Longer is better; below 1 the program, which works afterwards, is faster.",
        .x_axis = "time of the program / of the handlers"};
    for (size_t i = 0; i < row_count; i++) {
        const struct row *row = &rows[i];
        char panel[PLOT_TEXT];
        if (is_shm(row))
            snprintf(panel, sizeof(panel), "shared memory");
        else
            snprintf(panel, sizeof(panel), "libfabric, provider %.31s", row->world);
        plot_add_bar(&plot, panel, row->info->title, row->gain >= 1 ? PLOT_OURS : PLOT_OTHERS,
                     row->gain);
    }
    return plot_bars(file, &plot);
}

const struct benchmark bench_spin = {
    .summary = "handlers at work while messages arrive, beside the program at work afterwards",
    .options = {"spin",
                "Lets handlers work on messages while they arrive, beside the program doing the "
                "same\nwhen they have been delivered.\n",
                NULL, 17, .entries = options},
    .settings = &settings,
    .prepare = prepare,
    .cases = {CREW_COMMON, open_world, crew_stop, name_row, measure_row, print_row},
    .report = {.write_json = write_json, .look_at_bars = look_at_bars},
    .picture = {draw, take_line},
};
