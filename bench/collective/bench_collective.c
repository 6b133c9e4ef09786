/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft bench collective`: collectives by schedules, beside those of MPIs, blocking and not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benchmarks.h"
#include "bench/collective/collective_member.h"
#include "bench/harness/crew.h"
#include "bench/harness/table.h"
#include "bench/mpi/mpi_job.h"
#include "weft/command.h"
#include "weft/json.h"

#define LATENCY_BAR 1.3 /* times the better MPI, of two processes */
#define OVERLAP_BAR 0.9
#define LEAST_COMPUTATION 20e-6

/* Who does it: schedules, and then the MPIs. */
enum { WEFT, FIRST_MPI, RIVALS = FIRST_MPI + MPI_KINDS };

static const char *const rival_names[RIVALS] = {"weft", "openmpi", "mpich"};

struct row {
    unsigned processes;
    enum collective_kind kind;
    size_t bytes;
    double seconds[RIVALS][COLLECTIVE_COURSES];         /* 0: not measured */
    double compute[RIVALS], busy[RIVALS], more[RIVALS]; /* of a computation with a collective */
    double ratio;                                       /* to the better MPI's blocking call */
};

#define MOST_ROWS 64

static struct row rows[MOST_ROWS];
static size_t row_count, first_row;

/* ---- Options ------------------------------------------------------------------------------ */

static struct bench_settings settings = {.rounds = 15, .seconds = 0.02};
static size_t hpus;
static size_t processes[] = {2, 8};
static size_t wanted; /* 0: both */

static const struct option_entry options[] = {
    {"processes", "N", "instead of 2 and of 8",
     .number = OPTION_NUMBER(&wanted, 2, COLLECTIVE_MOST_PROCESSES)},
    {"hpus", "N", "threads of each process that run its NIC (0)",
     .number = OPTION_NUMBER(&hpus, 0, 4)},
    {"rounds", "N", "turns of each, alternating (15)",
     .number = OPTION_NUMBER(&settings.rounds, 1, BENCH_MOST_ROUNDS)},
    {"quick", NULL, "few and short turns, few sizes", .take = bench_take_quick,
     .context = &settings},
    {"check", NULL, "compare with the bars; the exit code says if one is missed",
     .flag = &settings.check},
    {"json", NULL, "one JSON object instead of the tables", .flag = &settings.json},
    {"help", NULL, "this text", .flag = NULL},
    {0},
};

/* ---- Who is there ------------------------------------------------------------------------- */

static struct mpi_job jobs[MPI_KINDS];
static struct mpi_plan plans[MPI_KINDS];
static bool is_here[RIVALS];

/* Of more processes than processors a turn takes as long as the system likes, and bars are of two
 * alone. */
static size_t choose_rows(unsigned count)
{
    static const size_t all[] = {8, 64, 512, 4096, 32768, 262144, 1048576};
    static const size_t few[] = {8, 4096, 1048576};
    bool takes_few = settings.is_quick || count > 2;
    const size_t *sizes = takes_few ? few : all;
    size_t size_count = (takes_few ? sizeof(few) : sizeof(all)) / sizeof(*all);
    first_row = row_count;
    for (int kind = 0; kind < COLLECTIVE_COMPARED; kind++)
        for (size_t i = 0; i < (kind == COLLECTIVE_BARRIER ? 1 : size_count); i++)
            rows[row_count++] = (struct row){.processes = count,
                                             .kind = (enum collective_kind)kind,
                                             .bytes = kind == COLLECTIVE_BARRIER ? 0 : sizes[i]};
    return row_count - first_row;
}

static size_t open_group(size_t group)
{
    unsigned count = (unsigned)(wanted ? wanted : processes[group]);
    if (wanted && group > 0)
        return 0;
    is_here[WEFT] = true;
    for (int kind = 0; kind < MPI_KINDS; kind++) {
        is_here[FIRST_MPI + kind] = mpi_kind_is_here((enum mpi_kind)kind);
        plans[kind] = (struct mpi_plan){
            .kind = (enum mpi_kind)kind, .program = "collective", .processes = count};
        if (is_here[FIRST_MPI + kind])
            mpi_job_start(&jobs[kind], &plans[kind], false);
    }
    collective_crew_start(count, hpus);
    return choose_rows(count);
}

static void close_group(size_t group)
{
    for (int kind = 0; kind < MPI_KINDS; kind++)
        if (is_here[FIRST_MPI + kind])
            mpi_job_stop(&jobs[kind]);
    crew_stop(group);
}

/* ---- Measuring ---------------------------------------------------------------------------- */

struct entrant {
    int rival;
    struct collective_turn turn;
    double busy[MEDIAN_MOST], more[MEDIAN_MOST]; /* of the turns */
    size_t turns;
};

static struct collective_times run_turn(int rival, const struct collective_turn *turn)
{
    char request[128], line[256];
    if (rival == WEFT)
        return collective_crew_run(turn);
    snprintf(request, sizeof(request), "turn %s %s %zu %zu %.3f",
             collective_kind_names[turn->kind], collective_course_names[turn->course], turn->bytes,
             turn->count, turn->compute * 1e6);
    mpi_job_ask(&jobs[rival - FIRST_MPI], request, line, sizeof(line));
    if (strncmp(line, "turn ", 5) != 0) {
        fprintf(stderr, "weft bench collective: %s: %s", rival_names[rival], line);
        exit(WEFT_EXIT_FAILED);
    }
    return (struct collective_times){mpi_job_number(line, "one") * 1e-6,
                                     mpi_job_number(line, "busy") * 1e-6,
                                     mpi_job_number(line, "more") * 1e-6};
}

static double run_entrant(void *context, size_t count)
{
    struct entrant *entrant = context;
    entrant->turn.count = count;
    struct collective_times times = run_turn(entrant->rival, &entrant->turn);
    if (entrant->turns < MEDIAN_MOST) {
        entrant->busy[entrant->turns] = times.busy;
        entrant->more[entrant->turns++] = times.more;
    }
    return times.one;
}

/* Schedules have no blocking calls of their own. With more processes than cores a computation
 * takes as long as others let it; with two, there is nobody behind the one who is late. */
static bool is_measured(const struct row *row, int rival, int course)
{
    if (!is_here[rival])
        return false;
    switch (course) {
    case COLLECTIVE_NONBLOCKING:
        return rival != WEFT;
    case COLLECTIVE_OVERLAP:
        return row->processes == 2;
    case COLLECTIVE_SKEW:
        return row->processes > 2;
    default:
        return true;
    }
}

static double pure(const struct row *row, int rival)
{
    return row->seconds[rival][rival == WEFT ? COLLECTIVE_BLOCKING : COLLECTIVE_NONBLOCKING];
}

static void sum_up(struct row *row, int rival, const struct entrant *entrant)
{
    if (entrant->turns == 0)
        return;
    row->busy[rival] = median_of(entrant->busy, entrant->turns);
    row->more[rival] = median_of(entrant->more, entrant->turns);
}

static void measure_courses(struct row *row, size_t rounds, int first, int end)
{
    static struct entrant entrants[COLLECTIVE_COURSES][RIVALS];
    static struct contestant contestants[COLLECTIVE_COURSES][RIVALS];
    for (int course = first; course < end; course++)
        for (int rival = 0; rival < RIVALS; rival++) {
            double least = 2 * pure(row, rival);
            row->compute[rival] = least > LEAST_COMPUTATION ? least : LEAST_COMPUTATION;
            entrants[course][rival] =
                (struct entrant){.rival = rival,
                                 .turn = {.kind = row->kind,
                                          .course = (enum collective_course)course,
                                          .bytes = row->bytes,
                                          .compute = row->compute[rival]}};
            contestants[course][rival] =
                (struct contestant){.run = run_entrant,
                                    .context = &entrants[course][rival],
                                    .is_absent = !is_measured(row, rival, course)};
        }
    const struct contest contest = {rounds, settings.seconds, {2, 4, 2, 100000}};
    contest_run(contestants[first], (size_t)(end - first) * RIVALS, &contest);
    for (int course = first; course < end; course++)
        for (int rival = 0; rival < RIVALS; rival++) {
            row->seconds[rival][course] = contestants[course][rival].median;
            if (course == COLLECTIVE_OVERLAP)
                sum_up(row, rival, &entrants[course][rival]);
        }
    for (int kind = 0; first == COLLECTIVE_BLOCKING && kind < MPI_KINDS; kind++) {
        double ratio = contest_ratio(&contestants[COLLECTIVE_BLOCKING][WEFT],
                                     &contestants[COLLECTIVE_BLOCKING][FIRST_MPI + kind]);
        row->ratio = ratio > row->ratio ? ratio : row->ratio;
    }
}

static void measure_row(size_t i, unsigned times)
{
    struct row *row = &rows[first_row + i];
    size_t rounds = settings.rounds * times;
    row->ratio = 0;
    measure_courses(row, rounds, COLLECTIVE_BLOCKING, COLLECTIVE_OVERLAP);
    measure_courses(row, rounds, COLLECTIVE_OVERLAP, COLLECTIVE_COURSES);
}

/* Which part of the collective was hidden behind the computation. */
static double overlap(const struct row *row, int rival)
{
    double whole = row->seconds[rival][COLLECTIVE_OVERLAP];
    double hidden = 1 - row->more[rival] / pure(row, rival);
    if (!(whole > 0))
        return 0;
    return hidden < 0.001 ? 0.001 : hidden > 1 ? 1 : hidden;
}

/* ---- Reports ------------------------------------------------------------------------------ */

static int prepare(void)
{
    if (settings.json)
        return -1;
    printf(
        "# collectives by schedules beside those of MPIs; medians of %zu alternating turns\n"
        "# first the time of one, by one call and, of MPIs, by two (I...); times: how many times\n"
        "#   as long as the faster MPI's one call; hidden: which part of it is, behind a\n"
        "#   computation of twice its time; calls: processor time (us) that they take from\n"
        "#   the thread that computes; late: how long (us) another waits for the end if one\n"
        "#   that should pass data on computes\n",
        settings.rounds);
    printf("# %2s %-9s %8s | %9s %9s %9s %9s %9s %6s | %5s %5s %5s | %7s %7s %7s | %8s %8s %8s\n",
           "P", "what", "bytes", "weft (us)", "Open MPI", "I...", "MPICH", "I...", "times",
           "hidden", "OMPI", "MPICH", "calls", "OMPI", "MPICH", "late", "OMPI", "MPICH");
    return -1;
}

static void name_row(size_t i, char *text, size_t size)
{
    const struct row *row = &rows[first_row + i];
    snprintf(text, size, "%s of %zu bytes, %u processes", collective_kind_names[row->kind],
             row->bytes, row->processes);
}

static void print_row(size_t i)
{
    const struct row *row = &rows[first_row + i];
    printf("%4u %-9s %8zu |", row->processes, collective_kind_names[row->kind], row->bytes);
    table_print(9, 2, row->seconds[WEFT][COLLECTIVE_BLOCKING] * 1e6);
    for (int rival = FIRST_MPI; rival < RIVALS; rival++)
        for (int course = COLLECTIVE_BLOCKING; course < COLLECTIVE_OVERLAP; course++)
            table_print(9, 2, row->seconds[rival][course] * 1e6);
    table_print(6, 2, row->ratio);
    printf(" |");
    for (int rival = 0; rival < RIVALS; rival++)
        table_print(5, 2, overlap(row, rival));
    printf(" |");
    for (int rival = 0; rival < RIVALS; rival++)
        table_print(7, 2, row->busy[rival] * 1e6);
    printf(" |");
    for (int rival = 0; rival < RIVALS; rival++)
        table_print(8, 2, row->seconds[rival][COLLECTIVE_SKEW] * 1e6);
    printf("\n");
}

static void write_rival(const struct row *row, int rival)
{
    weft_json_open(rival_names[rival], '{');
    for (int course = 0; course < COLLECTIVE_COURSES; course++)
        weft_json_number(collective_course_names[course], row->seconds[rival][course] * 1e6);
    weft_json_number("compute", row->compute[rival] * 1e6);
    weft_json_number("calls", row->busy[rival] * 1e6);
    weft_json_number("more", row->more[rival] * 1e6);
    weft_json_number("hidden", overlap(row, rival));
    weft_json_close('}');
}

static void write_json(void)
{
    weft_json_string("benchmark", "collective");
    weft_json_integer("hpus", (int64_t)hpus);
    weft_json_open("rows", '[');
    for (size_t i = 0; i < row_count; i++) {
        weft_json_open(NULL, '{');
        weft_json_integer("processes", rows[i].processes);
        weft_json_string("collective", collective_kind_names[rows[i].kind]);
        weft_json_integer("bytes", (int64_t)rows[i].bytes);
        weft_json_number("ratio", rows[i].ratio);
        for (int rival = 0; rival < RIVALS; rival++)
            write_rival(&rows[i], rival);
        weft_json_close('}');
    }
    weft_json_close(']');
}

static void look_at_bars(struct bar_list *list)
{
    for (size_t i = 0; i < row_count; i++) {
        const struct row *row = &rows[i];
        if (row->processes != 2)
            continue;
        bar_add(list, BAR_AT_MOST, LATENCY_BAR, row->ratio, "%s of %zu bytes, times an MPI's",
                collective_kind_names[row->kind], row->bytes);
        bar_add(list, BAR_AT_LEAST, OVERLAP_BAR, overlap(row, WEFT),
                "%s of %zu bytes, part that is hidden", collective_kind_names[row->kind],
                row->bytes);
    }
}

const struct benchmark bench_collective = {
    .summary = "collectives by schedules on the NIC, beside those of MPIs",
    .options = {"collective",
                "Lets processes of this host broadcast, reduce and meet by schedules, beside the\n"
                "blocking and non-blocking collectives of MPIs, in turns. Every turn checks its\n"
                "data.\n",
                NULL, 17, .entries = options},
    .settings = &settings,
    .prepare = prepare,
    .cases = {sizeof(processes) / sizeof(*processes), open_group, close_group, name_row,
              measure_row, print_row},
    .report = {.write_json = write_json, .look_at_bars = look_at_bars},
};
