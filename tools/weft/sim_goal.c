/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft sim goal`: jobs of many ranks in virtual time, by the costs of their messages. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft.h>

#include "command.h"
#include "json.h"
#include "number.h"
#include "sim.h"
#include "sim/message/binary.h"
#include "sim_costs.h"
#include "sim_goal_figure.h"
#include "sim_options.h"
#include "sim_result.h"

static const struct sim_usage usage = {
    .name = "goal",
    .synopsis = "[OPTION...] FILE [KEY=VALUE...]\n"
                "[OPTION...] --generate NAME [KEY=VALUE...]\n"
                "--figure NAME [--check] [--json]",
    .description =
        "Simulates the messages and computations of a job by what they cost: LogGOPS, with the "
        "time\n"
        "m that NICs take to match. The job is a file in the GOAL language, or generated. For\n"
        "example, an allreduce of 50 bytes by CPUs and by NICs:\n"
        "\n"
        "  weft sim goal --model dig15-mpi --generate allreduce --ranks 1024..131072 size=50\n"
        "  weft sim goal --model dig15-hw --generate allreduce --ranks 1024..131072 size=50 "
        "offload=yes\n",
    .model_help = "a file, or one of dig15-mpi, dig15-sw, dig15-hw,\n"
                  "spin17-dis-costs, spin17-int-costs;\n"
                  "dig15-mpi unless given",
    .figure_help = "a figure of a paper, with what the paper says of it: dig15-6, spin17-5a,\n"
                   "dig19-19 or solo",
    .figures = (const struct sim_list *const[]){&sim_goal_figures, NULL},
};

static const char *const schemes[WEFT_SIM_SCHEMES] = {"bcast",   "allreduce", "doubling", "ring",
                                                      "barrier", "alltoall",  "fft2d",    "solo"};

/* Each takes up to 300 bytes. */
#define MOST_MESSAGES UINT64_C(20000000)
#define MOST_POINTS 32u

struct request {
    struct sim_options options;
    struct sim_costs costs;
    const char *file;                     /* NULL: what is generated */
    const struct sim_goal_figure *figure; /* instead of both, or NULL */
    int scheme;                           /* what is generated; -1: nothing */
    size_t first_ranks, last_ranks;
};

struct point {
    uint32_t ranks, cpus;
    struct weft_sim_outcome outcome;
};

/* ---- Jobs --------------------------------------------------------------------------------- */

static bool fail(const char *where, const char *what)
{
    fprintf(stderr, "weft sim goal: %s: %s\n", where, what);
    return false;
}

static bool explain_stuck(const char *where, const struct weft_sim_graph *graph,
                          const struct weft_sim_outcome *outcome)
{
    char name[96];
    const struct weft_sim_operation *operation = &graph->operations[outcome->stuck];
    weft_sim_text_name(operation, name, sizeof name);
    fprintf(stderr,
            "weft sim goal: %s: %" PRIu64 " operations wait for ever; the first is '%s' of "
            "rank %u\n",
            where, outcome->incomplete, name, operation->rank);
    return false;
}

static bool run_graph(const struct request *request, const char *where,
                      const struct weft_sim_graph *graph, struct point *point)
{
    point->ranks = graph->ranks;
    point->cpus = graph->cpus;
    switch (weft_sim_job_run(graph, &request->costs.costs, NULL, &point->outcome)) {
    case WEFT_SIM_ENDED:
        return true;
    case WEFT_SIM_END_STUCK:
        return explain_stuck(where, graph, &point->outcome);
    case WEFT_SIM_END_NEVER:
        return fail(where, "it takes longer than half a year, which is too long to count");
    default:
        return fail(where, "there is not enough memory");
    }
}

/* A folder can be opened, too, and is as long as can be; but not read. */
static FILE *open_to_read(const char *name)
{
    FILE *file = fopen(name, "rb");
    if (!file)
        return NULL;
    fgetc(file);
    int error = ferror(file) ? errno : 0;
    if (!error)
        return file;
    fclose(file);
    errno = error;
    return NULL;
}

/* All of a file, or NULL, having said why. */
static char *read_all(const char *name, size_t *size)
{
    FILE *file = open_to_read(name);
    char *text = NULL;
    long end = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        end = ftell(file);
    if (end >= 0 && fseek(file, 0, SEEK_SET) == 0)
        text = malloc((size_t)end + 1);
    *size = text ? fread(text, 1, (size_t)end, file) : 0;
    if (!text)
        fail(name, strerror(errno));
    if (file)
        fclose(file);
    return text;
}

static bool read_graph(const char *name, struct weft_sim_graph *graph)
{
    struct weft_sim_mistake mistake;
    size_t size;
    char *text = read_all(name, &size);
    bool is_binary = text && weft_sim_binary_is(text, size);
    bool is_good = text && (is_binary ? weft_sim_binary_read(graph, text, size, &mistake)
                                      : weft_sim_text_read(graph, text, size, &mistake));
    if (is_binary && !is_good)
        fail(name, mistake.text);
    else if (text && !is_good)
        fprintf(stderr, "weft sim goal: %s:%u: %s\n", name, mistake.line, mistake.text);
    free(text);
    return is_good;
}

static bool run_file(const struct request *request, struct point *point)
{
    struct weft_sim_graph graph = {0};
    bool is_good = read_graph(request->file, &graph);
    if (is_good && request->costs.plan.is_offloaded)
        weft_sim_graph_offload(&graph);
    is_good = is_good && run_graph(request, request->file, &graph, point);
    weft_sim_graph_fini(&graph);
    return is_good;
}

static bool run_plan(const struct request *request, size_t ranks, struct point *point)
{
    struct weft_sim_graph graph = {0};
    struct weft_sim_plan plan = request->costs.plan;
    const char *name = schemes[plan.scheme];
    plan.ranks = (uint32_t)ranks;
    plan.computes = plan.compute || request->costs.costs.noise.kind == WEFT_SIM_NOISE_UNIFORM;
    if (weft_sim_plan_messages(&plan) > MOST_MESSAGES)
        return fail(name, "so many ranks have more messages than fit into memory");
    bool is_good = weft_sim_plan_build(&plan, &graph) ? run_graph(request, name, &graph, point)
                                                      : fail(name, "there is not enough memory");
    weft_sim_graph_fini(&graph);
    return is_good;
}

/* ---- Tables ------------------------------------------------------------------------------- */

static double microseconds(uint64_t picoseconds)
{
    return (double)picoseconds / 1e6;
}

/* Of the time of all CPUs. */
static double share(const struct point *point, uint64_t part)
{
    double whole = (double)point->outcome.time * point->ranks * point->cpus;
    return whole > 0 ? (double)part / whole : 0;
}

static void print_point(const struct point *point)
{
    const struct weft_sim_outcome *outcome = &point->outcome;
    printf("%u\t%.6f\t%.6f\t%.6f\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%.4f\t%.4f\t%" PRIu64
           "\n",
           point->ranks, microseconds(outcome->time), microseconds(outcome->first),
           outcome->mean / 1e6, outcome->messages, outcome->bytes, outcome->unexpected,
           share(point, outcome->computing), share(point, outcome->handling), outcome->events);
}

static const char *name_of(const struct request *request)
{
    return request->file ? request->file : schemes[request->costs.plan.scheme];
}

static void print_table(const struct request *request, const struct point *points, size_t count)
{
    printf("# weft %s, sim goal, %s\n", weft_version(), name_of(request));
    sim_keys_print(&sim_costs_keys, &request->costs, stdout, "#   ");
    printf("# ranks\tus\tfirst\tmean\tmessages\tbytes\tunexpected\tcomputing\thandling\tevents\n");
    for (size_t i = 0; i < count; i++)
        print_point(&points[i]);
}

static void json_job(const void *request)
{
    weft_json_string("job", name_of(request));
}

static void json_point(const void *self)
{
    const struct point *point = self;
    const struct weft_sim_outcome *outcome = &point->outcome;
    weft_json_integer("ranks", point->ranks);
    weft_json_integer("ps", (int64_t)outcome->time);
    weft_json_number("us", microseconds(outcome->time));
    weft_json_number("first", microseconds(outcome->first));
    weft_json_number("mean", outcome->mean / 1e6);
    weft_json_integer("messages", (int64_t)outcome->messages);
    weft_json_integer("bytes", (int64_t)outcome->bytes);
    weft_json_integer("unexpected", (int64_t)outcome->unexpected);
    weft_json_number("computing", share(point, outcome->computing));
    weft_json_number("handling", share(point, outcome->handling));
    weft_json_integer("events", (int64_t)outcome->events);
}

static void print_json(const struct request *request, const struct point *points, size_t count)
{
    sim_result_json(&(struct sim_result){json_job, request, &sim_costs_keys, &request->costs,
                                         points, sizeof *points, count, json_point, NULL});
}

/* ---- Figures ------------------------------------------------------------------------------ */

static void print_figure(const struct sim_goal_figure *figure, const struct sim_goal_point *points,
                         size_t count)
{
    printf("# weft %s, sim goal, %s\n# panel\tseries\tranks\tus\n", weft_version(), figure->title);
    for (const struct sim_goal_point *point = points; point < points + count; point++)
        printf("%s\t%s\t%u\t%.6f\n", point->panel, point->series, point->plan.ranks, point->time);
}

static void json_title(const void *self)
{
    const struct sim_goal_figure *figure = self;
    weft_json_string("figure", figure->title);
}

static void json_point_of_figure(const void *self)
{
    const struct sim_goal_point *point = self;
    weft_json_string("panel", point->panel);
    weft_json_string("series", point->series);
    weft_json_integer("ranks", point->plan.ranks);
    weft_json_number("us", point->time);
}

static void json_figure(const struct sim_goal_figure *figure, const struct sim_goal_point *points,
                        size_t count, const struct sim_claims *claims)
{
    sim_result_json(&(struct sim_result){.write_facts = json_title,
                                         .context = figure,
                                         .points = points,
                                         .size = sizeof *points,
                                         .count = count,
                                         .write_point = json_point_of_figure,
                                         .claims = claims});
}

static int draw(const struct request *request)
{
    static struct sim_goal_point points[SIM_MOST_GOAL_POINTS];
    const struct sim_goal_figure *figure = request->figure;
    struct sim_claims claims = {.count = 0};
    size_t count = figure->plan(points);
    for (size_t i = 0; i < count; i++)
        if (!sim_goal_point_run(&points[i])) {
            fail(figure->name, "there is not enough memory");
            return WEFT_EXIT_FAILED;
        }
    figure->judge(points, count, &claims);
    if (request->options.is_json) {
        json_figure(figure, points, count, &claims);
    } else {
        print_figure(figure, points, count);
        sim_claims_print(&claims);
    }
    return sim_options_verdict(&request->options, &claims);
}

/* ---- The command -------------------------------------------------------------------------- */

static int simulate(const struct request *request)
{
    struct point points[MOST_POINTS];
    size_t count = 0;
    if (request->file && !run_file(request, &points[count++]))
        return WEFT_EXIT_FAILED;
    if (!request->file)
        for (size_t ranks = request->first_ranks; ranks <= request->last_ranks; ranks *= 2)
            if (!run_plan(request, ranks, &points[count++]))
                return WEFT_EXIT_FAILED;
    if (request->options.is_json)
        print_json(request, points, count);
    else
        print_table(request, points, count);
    return WEFT_EXIT_OK;
}

static bool take_ranks(const char *text, void *context)
{
    struct request *request = context;
    char copy[64];
    snprintf(copy, sizeof copy, "%s", text);
    char *dots = strstr(copy, "..");
    if (dots)
        *dots = '\0';
    return number_parse(copy, "", 2, WEFT_SIM_MOST_RANKS, &request->first_ranks) &&
           number_parse(dots ? dots + 2 : copy, "", request->first_ranks, WEFT_SIM_MOST_RANKS,
                        &request->last_ranks);
}

static int parse_options(int argc, char **argv, struct request *request)
{
    const struct option_words scheme = {
        .names = schemes, .count = WEFT_SIM_SCHEMES, .choice = &request->scheme};
    const struct option_entry own[] = {
        {"generate", "NAME", "bcast, allreduce, doubling, ring, barrier, alltoall, fft2d or solo",
         .words = &scheme},
        {"ranks", "N", "of what is generated; A..B doubles them from A on; 64 unless given",
         .take = take_ranks, .context = request,
         .wants = "a number from 2 on, or two with .. between"},
        {0}};
    int code = sim_options_parse(&usage, own, &request->options, argc, argv);
    request->figure = request->options.figure;
    return code;
}

static int parse_operands(int argc, char **argv, struct request *request)
{
    for (int i = optind; i < argc; i++)
        if (strchr(argv[i], '=')) {
            if (!sim_keys_set(&sim_costs_keys, &request->costs, argv[i], "command line"))
                return WEFT_EXIT_USAGE;
        } else if (request->file) {
            return sim_options_complain(&usage, "one file is enough");
        } else {
            request->file = argv[i];
        }
    return -1;
}

static int parse_job(int argc, char **argv, struct request *request)
{
    bool is_generated = request->scheme >= 0;
    if (!sim_keys_read(&sim_costs_keys, &request->costs, request->options.model))
        return WEFT_EXIT_USAGE;
    int code = parse_operands(argc, argv, request);
    if (code != -1)
        return code;
    if (request->figure && (optind < argc || is_generated))
        return sim_options_complain(&usage, "a figure has its own jobs and keys");
    if (!request->options.shows_keys && !request->figure && !request->file == !is_generated)
        return sim_options_complain(&usage, "it wants a file, or --generate and a name");
    if (is_generated)
        request->costs.plan.scheme = (enum weft_sim_scheme)request->scheme;
    return -1;
}

int sim_goal(int argc, char **argv)
{
    struct request request = {.options.model = "dig15-mpi",
                              .costs = sim_costs_none(),
                              .scheme = -1,
                              .first_ranks = 64,
                              .last_ranks = 64};
    int code = parse_options(argc, argv, &request);
    if (code == -1)
        code = parse_job(argc, argv, &request);
    if (code == -1)
        code = sim_options_show_keys(&request.options, &sim_costs_keys, &request.costs);
    if (code == -1)
        code = request.figure ? draw(&request) : simulate(&request);
    sim_costs_fini(&request.costs);
    return code;
}
