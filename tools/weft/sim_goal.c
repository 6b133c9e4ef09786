/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft sim goal`: jobs of many ranks in virtual time, by the costs of their messages. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft.h>

#include "command.h"
#include "json.h"
#include "number.h"
#include "option.h"
#include "sim.h"
#include "sim/message/binary.h"
#include "sim_costs.h"
#include "sim_goal_figure.h"

static const char usage[] =
    "usage: weft sim goal [OPTION...] FILE [KEY=VALUE...]\n"
    "       weft sim goal [OPTION...] --generate NAME [KEY=VALUE...]\n"
    "       weft sim goal --figure NAME [--check] [--json]\n"
    "\n"
    "Simulates the messages and computations of a job by what they cost: LogGOPS, with the time\n"
    "m that NICs take to match. The job is a file in the GOAL language, or generated. For\n"
    "example, an allreduce of 50 bytes by CPUs and by NICs:\n"
    "\n"
    "  weft sim goal --model dig15-mpi --generate allreduce --ranks 1024..131072 size=50\n"
    "  weft sim goal --model dig15-hw --generate allreduce --ranks 1024..131072 size=50 "
    "offload=yes\n"
    "\n"
    "  --model NAME      a file, or one of dig15-mpi, dig15-sw, dig15-hw,\n"
    "                    spin17-dis-costs, spin17-int-costs;\n"
    "                    dig15-mpi unless given\n"
    "  --keys            show all keys and their values, and simulate nothing\n"
    "  --generate NAME   bcast, allreduce, doubling, ring, barrier, alltoall, fft2d or solo\n"
    "  --ranks N         of what is generated; A..B doubles them from A on; 64 unless given\n"
    "  --figure NAME     a figure of a paper, with what the paper says of it: dig15-6, "
    "spin17-5a,\n"
    "                    dig19-19 or solo\n"
    "  --check           the exit code is 1 if the figure is not what the paper says\n"
    "  --json            one JSON object instead of a table\n"
    "  --help            this text\n";

static const char *const schemes[WEFT_SIM_SCHEMES] = {"bcast",   "allreduce", "doubling", "ring",
                                                      "barrier", "alltoall",  "fft2d",    "solo"};

/* Each takes up to 300 bytes. */
#define MOST_MESSAGES UINT64_C(20000000)
#define MOST_POINTS 32u

struct request {
    const char *model;
    struct sim_costs costs;
    const char *file;                     /* NULL: what is generated */
    const struct sim_goal_figure *figure; /* instead of both, or NULL */
    size_t first_ranks, last_ranks;
    bool is_generated, is_json, shows_keys, check;
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

/* All of a file, or NULL, having said why. */
static char *read_all(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
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
    sim_costs_print(&request->costs, stdout, "#   ");
    printf("# ranks\tus\tfirst\tmean\tmessages\tbytes\tunexpected\tcomputing\thandling\tevents\n");
    for (size_t i = 0; i < count; i++)
        print_point(&points[i]);
}

static void json_point(const struct point *point)
{
    const struct weft_sim_outcome *outcome = &point->outcome;
    weft_json_open(NULL, '{');
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
    weft_json_close('}');
}

static void print_json(const struct request *request, const struct point *points, size_t count)
{
    weft_json_open(NULL, '{');
    weft_json_string("version", weft_version());
    weft_json_string("job", name_of(request));
    weft_json_open("model", '{');
    sim_costs_json(&request->costs);
    weft_json_close('}');
    weft_json_open("points", '[');
    for (size_t i = 0; i < count; i++)
        json_point(&points[i]);
    weft_json_close(']');
    weft_json_close('}');
}

/* ---- Figures ------------------------------------------------------------------------------ */

static void print_figure(const struct sim_goal_figure *figure, const struct sim_goal_point *points,
                         size_t count)
{
    printf("# weft %s, sim goal, %s\n# panel\tseries\tranks\tus\n", weft_version(), figure->title);
    for (const struct sim_goal_point *point = points; point < points + count; point++)
        printf("%s\t%s\t%u\t%.6f\n", point->panel, point->series, point->plan.ranks, point->time);
}

static void json_figure(const struct sim_goal_figure *figure, const struct sim_goal_point *points,
                        size_t count, const struct sim_claims *claims)
{
    weft_json_open(NULL, '{');
    weft_json_string("version", weft_version());
    weft_json_string("figure", figure->title);
    weft_json_open("points", '[');
    for (const struct sim_goal_point *point = points; point < points + count; point++) {
        weft_json_open(NULL, '{');
        weft_json_string("panel", point->panel);
        weft_json_string("series", point->series);
        weft_json_integer("ranks", point->plan.ranks);
        weft_json_number("us", point->time);
        weft_json_close('}');
    }
    weft_json_close(']');
    sim_claims_json(claims);
    weft_json_close('}');
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
    if (request->is_json) {
        json_figure(figure, points, count, &claims);
    } else {
        print_figure(figure, points, count);
        sim_claims_print(&claims);
    }
    return request->check && !sim_claims_are_met(&claims) ? WEFT_EXIT_FAILED : WEFT_EXIT_OK;
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
    if (request->is_json)
        print_json(request, points, count);
    else
        print_table(request, points, count);
    return WEFT_EXIT_OK;
}

static int complain(const char *what)
{
    fprintf(stderr, "weft sim goal: %s; `weft sim goal --help` tells more\n", what);
    return WEFT_EXIT_USAGE;
}

static int take_scheme(struct request *request, const char *name)
{
    for (unsigned i = 0; i < WEFT_SIM_SCHEMES; i++)
        if (strcmp(schemes[i], name) == 0) {
            request->costs.plan.scheme = (enum weft_sim_scheme)i;
            request->is_generated = true;
            return -1;
        }
    return complain("--generate takes bcast, allreduce, doubling, ring, barrier, alltoall, fft2d "
                    "or solo");
}

static int take_ranks(struct request *request, const char *text)
{
    char copy[64];
    snprintf(copy, sizeof copy, "%s", text);
    char *dots = strstr(copy, "..");
    if (dots)
        *dots = '\0';
    bool is_good = number_parse(copy, "", 2, WEFT_SIM_MOST_RANKS, &request->first_ranks) &&
                   number_parse(dots ? dots + 2 : copy, "", request->first_ranks,
                                WEFT_SIM_MOST_RANKS, &request->last_ranks);
    return is_good ? -1 : complain("--ranks takes a number from 2 on, or two with .. between");
}

static int take_figure(struct request *request, const char *name)
{
    request->figure = sim_goal_figure_find(name);
    return request->figure
               ? -1
               : complain("there is no such figure: dig15-6, spin17-5a, dig19-19 or solo");
}

static int take_option(void *self, int option)
{
    struct request *request = self;
    switch (option) {
    case 'm':
        request->model = optarg;
        return -1;
    case 'g':
        return take_scheme(request, optarg);
    case 'f':
        return take_figure(request, optarg);
    case 'r':
        return take_ranks(request, optarg);
    default:
        fputs(usage, stdout);
        return WEFT_EXIT_OK;
    }
}

/* -1 to go on, or what to end with. */
static int parse_options(int argc, char **argv, struct request *request)
{
    int json = 0, keys = 0, check = 0;
    const struct option options[] = {{"model", required_argument, NULL, 'm'},
                                     {"generate", required_argument, NULL, 'g'},
                                     {"ranks", required_argument, NULL, 'r'},
                                     {"figure", required_argument, NULL, 'f'},
                                     {"check", no_argument, &check, 1},
                                     {"json", no_argument, &json, 1},
                                     {"keys", no_argument, &keys, 1},
                                     {"help", no_argument, NULL, 'h'},
                                     {NULL, 0, NULL, 0}};
    int code = option_each(argc, argv, options, take_option, request);
    request->is_json = json;
    request->shows_keys = keys;
    request->check = check;
    return code;
}

static int parse_rest(int argc, char **argv, struct request *request)
{
    if (!sim_costs_read(&request->costs, request->model))
        return WEFT_EXIT_USAGE;
    for (int i = optind; i < argc; i++)
        if (strchr(argv[i], '=')) {
            if (!sim_costs_set(&request->costs, argv[i], "command line"))
                return WEFT_EXIT_USAGE;
        } else if (request->file) {
            return complain("one file is enough");
        } else {
            request->file = argv[i];
        }
    if (request->check && !request->figure)
        return complain("--check wants a --figure");
    if (request->figure && (optind < argc || request->is_generated))
        return complain("a figure has its own jobs and keys");
    if (!request->shows_keys && !request->figure && !request->file == !request->is_generated)
        return complain("it wants a file, or --generate and a name");
    return -1;
}

int sim_goal(int argc, char **argv)
{
    static char name[] = "sim goal";
    struct request request = {
        .model = "dig15-mpi", .costs = sim_costs_none(), .first_ranks = 64, .last_ranks = 64};
    argv[0] = name;
    int code = parse_options(argc, argv, &request);
    if (code == -1)
        code = parse_rest(argc, argv, &request);
    if (code == -1 && request.shows_keys) {
        sim_costs_print(&request.costs, stdout, "");
        code = WEFT_EXIT_OK;
    }
    if (code == -1)
        code = request.figure ? draw(&request) : simulate(&request);
    sim_costs_fini(&request.costs);
    return code;
}
