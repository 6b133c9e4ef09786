/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft sim net`: networks of routers in virtual time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weft.h>

#include "command.h"
#include "json.h"
#include "number.h"
#include "option.h"
#include "sim.h"
#include "sim_figure.h"
#include "sim_model.h"
#include "sim_net_plot.h"

static const char usage[] =
    "usage: weft sim net [OPTION...] [KEY=VALUE...]\n"
    "       weft sim net --figure NAME [OPTION...] [KEY=VALUE...]\n"
    "\n"
    "Simulates a network of routers, packet by packet, with nodes that send as fast as they\n"
    "can, until its throughput does not change. Throughput is a part of what the links of\n"
    "all nodes could carry. For example, 1 % of the nodes 8 times slower than their links,\n"
    "without and with windows of 30 packets:\n"
    "\n"
    "  weft sim net slow=1% slowness=8\n"
    "  weft sim net slow=1% slowness=8 window=30\n"
    "\n"
    "  --model NAME      a file, or one of sch17, sch17-unbiased, sch17-again, sch17-ugal,\n"
    "                    sch17-minimal and sch17-valiant; sch17 unless given\n"
    "  --keys            show all keys and their values, and simulate nothing\n"
    "  --figure NAME     a figure of the paper, 1, 4 or 5, with what the paper says of it; or\n"
    "                    variants: what routing does to the collapse\n"
    "  --permutations N  how many permutations, and choices of slow nodes, to take the mean of\n"
    "  --quick           1,056 nodes instead of 5,256\n"
    "  --jobs N          how many simulations run at a time; one a processor unless given\n"
    "  --json            one JSON object instead of a table\n"
    "  --plot FILE.svg   draw the figure; wants gnuplot\n"
    "  --check           the exit code is 1 if the figure is not what the paper says\n"
    "  --help            this text\n";

struct request {
    const char *model;
    const struct sim_figure *figure; /* NULL: one point */
    struct weft_sim_study study;
    size_t seeds; /* 0: as usual */
    size_t jobs;
    bool is_json, check, is_quick, shows_keys;
    const char *plot;
};

/* ---- Points ------------------------------------------------------------------------------- */

static size_t plan(const struct request *request, struct sim_point *points)
{
    size_t count = 1, seeds = request->seeds;
    if (request->figure) {
        count = request->figure->plan(&request->study, points);
        seeds = seeds ? seeds : request->figure->seeds;
    } else {
        points[0] = (struct sim_point){.study = request->study};
    }
    for (size_t i = 0; i < count; i++)
        points[i].seeds = seeds ? seeds : 1;
    return count;
}

/* ---- Tables ------------------------------------------------------------------------------- */

static double mean_of(const struct sim_point *point, size_t member)
{
    double sum = 0;
    for (size_t seed = 0; seed < point->seeds; seed++)
        sum += *(const double *)((const char *)&point->findings[seed] + member);
    return sum / (double)point->seeds;
}

#define MEAN(point, member) mean_of(point, offsetof(struct weft_sim_finding, member))

static uint64_t cycles_of(const struct sim_point *point)
{
    uint64_t most = 0;
    for (size_t seed = 0; seed < point->seeds; seed++)
        if (point->findings[seed].cycles > most)
            most = point->findings[seed].cycles;
    return most;
}

static bool has_converged(const struct sim_point *point)
{
    for (size_t seed = 0; seed < point->seeds; seed++)
        if (!point->findings[seed].has_converged)
            return false;
    return true;
}

static double seconds_of(const struct sim_point *point)
{
    double sum = 0;
    for (size_t seed = 0; seed < point->seeds; seed++)
        sum += point->seconds[seed];
    return sum / (double)point->seeds;
}

static void print_point(const struct sim_point *point)
{
    struct sim_spread spread = sim_sweep_spread(point);
    if (*point->panel)
        printf("%s\t%s\t%s\t", point->panel, point->series, point->x);
    printf("%.4f\t%.4f\t%.4f\t%.4f\t%.1f\t%.3f\t%.3f\t%llu\t%s\t%.1f\n", spread.mean, spread.least,
           spread.most, MEAN(point, of_slow), MEAN(point, latency), MEAN(point, detours),
           MEAN(point, marks), (unsigned long long)cycles_of(point),
           has_converged(point) ? "yes" : "no", seconds_of(point));
}

static void print_table(const struct request *request, const struct sim_point *points,
                        size_t count)
{
    printf("# weft %s, sim net", weft_version());
    if (request->figure)
        printf(", figure %s: %s", request->figure->name, request->figure->title);
    printf("; %u nodes, %zu permutation%s\n", points->findings[0].nodes, points->seeds,
           points->seeds == 1 ? "" : "s");
    sim_model_print(&request->study, stdout, "#   ");
    printf("# %sthroughput\tleast\tmost\tof slow\tlatency\tdetours\tmarks\tcycles\tconverged\t"
           "seconds\n",
           request->figure ? "panel\tseries\tx\t" : "");
    for (size_t i = 0; i < count; i++)
        print_point(&points[i]);
}

/* ---- For scripts -------------------------------------------------------------------------- */

static void json_point(const struct sim_point *point)
{
    struct sim_spread spread = sim_sweep_spread(point);
    weft_json_open(NULL, '{');
    if (*point->panel) {
        weft_json_string("panel", point->panel);
        weft_json_string("series", point->series);
        weft_json_string("x", point->x);
    }
    weft_json_number("throughput", spread.mean);
    weft_json_number("least", spread.least);
    weft_json_number("most", spread.most);
    weft_json_number("of_slow", MEAN(point, of_slow));
    weft_json_number("latency", MEAN(point, latency));
    weft_json_number("detours", MEAN(point, detours));
    weft_json_number("marks", MEAN(point, marks));
    weft_json_integer("cycles", (int64_t)cycles_of(point));
    weft_json_bool("converged", has_converged(point));
    weft_json_number("seconds", seconds_of(point));
    weft_json_close('}');
}

static void print_json(const struct request *request, const struct sim_point *points, size_t count,
                       const struct sim_claims *claims)
{
    weft_json_open(NULL, '{');
    weft_json_string("version", weft_version());
    weft_json_integer("nodes", points->findings[0].nodes);
    weft_json_integer("permutations", (int64_t)points->seeds);
    weft_json_open("model", '{');
    sim_model_json(&request->study);
    weft_json_close('}');
    weft_json_open("points", '[');
    for (size_t i = 0; i < count; i++)
        json_point(&points[i]);
    weft_json_close(']');
    sim_claims_json(claims);
    weft_json_close('}');
}

/* ---- The command -------------------------------------------------------------------------- */

static int simulate(const struct request *request)
{
    static struct sim_point points[SIM_MOST_POINTS];
    struct sim_claims claims = {.count = 0};
    size_t count = plan(request, points);
    if (!sim_sweep_run(points, count, request->jobs))
        return WEFT_EXIT_FAILED;
    if (request->figure)
        request->figure->judge(points, count, &claims);
    if (request->is_json) {
        print_json(request, points, count, &claims);
    } else {
        print_table(request, points, count);
        sim_claims_print(&claims);
    }
    if (request->plot && !sim_net_plot(request->plot, request->figure, points, count))
        return WEFT_EXIT_FAILED;
    return request->check && !sim_claims_are_met(&claims) ? WEFT_EXIT_FAILED : WEFT_EXIT_OK;
}

static int complain(const char *what)
{
    fprintf(stderr, "weft sim net: %s; `weft sim net --help` tells more\n", what);
    return WEFT_EXIT_USAGE;
}

static int take_figure(struct request *request, const char *name)
{
    request->figure = sim_figure_find(name);
    return request->figure ? -1 : complain("there is no such figure: 1, 4, 5 or variants");
}

static int take_option(void *self, int option)
{
    struct request *request = self;
    switch (option) {
    case 'm':
        request->model = optarg;
        return -1;
    case 'f':
        return take_figure(request, optarg);
    case 'n':
        return number_parse(optarg, "", 1, SIM_MOST_SEEDS, &request->seeds)
                   ? -1
                   : complain("--permutations takes a number from 1 to 32");
    case 'j':
        return number_parse(optarg, "", 1, 1024, &request->jobs)
                   ? -1
                   : complain("--jobs takes a number from 1 to 1024");
    case 'p':
        request->plot = optarg;
        return -1;
    default:
        fputs(usage, stdout);
        return WEFT_EXIT_OK;
    }
}

/* -1 to go on, or what to end with. */
static int parse_options(int argc, char **argv, struct request *request)
{
    int json = 0, check = 0, quick = 0, keys = 0;
    const struct option options[] = {{"model", required_argument, NULL, 'm'},
                                     {"figure", required_argument, NULL, 'f'},
                                     {"permutations", required_argument, NULL, 'n'},
                                     {"jobs", required_argument, NULL, 'j'},
                                     {"plot", required_argument, NULL, 'p'},
                                     {"json", no_argument, &json, 1},
                                     {"check", no_argument, &check, 1},
                                     {"quick", no_argument, &quick, 1},
                                     {"keys", no_argument, &keys, 1},
                                     {"help", no_argument, NULL, 'h'},
                                     {NULL, 0, NULL, 0}};
    int code = option_each(argc, argv, options, take_option, request);
    request->is_json = json;
    request->check = check;
    request->is_quick = quick;
    request->shows_keys = keys;
    return code;
}

static int parse_study(int argc, char **argv, struct request *request)
{
    request->study = weft_sim_study_paper();
    if (!sim_model_read(&request->study, request->model))
        return WEFT_EXIT_USAGE;
    if (request->is_quick)
        sim_model_set(&request->study, "topology = dragonfly 4 8 4", "--quick");
    for (int i = optind; i < argc; i++)
        if (!sim_model_set(&request->study, argv[i], "command line"))
            return WEFT_EXIT_USAGE;
    if (request->study.is_notified && request->study.pattern != WEFT_SIM_PAIRS)
        return complain("notification wants pattern = pairs, whose nodes send to each other");
    if (request->study.buffer < request->study.packet)
        return complain("a packet must fit into the buffer");
    if (!request->figure && (request->check || request->plot))
        return complain("--check and --plot want a --figure");
    return -1;
}

int sim_net(int argc, char **argv)
{
    static char name[] = "sim net";
    struct request request = {.model = "sch17", .jobs = (size_t)sysconf(_SC_NPROCESSORS_ONLN)};
    argv[0] = name;
    int code = parse_options(argc, argv, &request);
    if (code == -1)
        code = parse_study(argc, argv, &request);
    if (code != -1)
        return code;
    if (request.shows_keys) {
        sim_model_print(&request.study, stdout, "");
        return WEFT_EXIT_OK;
    }
    return simulate(&request);
}
