/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft sim nic`: a message of blocks through a NIC whose stages take time. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <weft.h>

#include "command.h"
#include "json.h"
#include "number.h"
#include "option.h"
#include "sim.h"
#include "sim_jobs.h"
#include "sim_nic_layout.h"
#include "sim_nic_points.h"
#include "sim_plot.h"

static const char usage[] =
    "usage: weft sim nic [OPTION...] [KEY=VALUE...]\n"
    "       weft sim nic --figure NAME [OPTION...] [KEY=VALUE...]\n"
    "\n"
    "Simulates a message of many blocks that a NIC puts to their places: matching, the copy\n"
    "into its memory, handlers on its cores, instruction by instruction, and the queue of\n"
    "writes to the host. For example, blocks of 64 bytes on eight cores, by all strategies:\n"
    "\n"
    "  weft sim nic --all block=64 hpus=8\n"
    "  weft sim nic strategy=rw-cp block=128 shuffled=yes\n"
    "\n"
    "  --model NAME      a file, or one of dig19, pspin, spin17-dis and spin17-int; dig19 unless\n"
    "                    given, or that of the figure\n"
    "  --keys            show all keys and their values, and simulate nothing\n"
    "  --all             all strategies, one after the other\n"
    "  --figure NAME     a figure of a paper, with what the paper says of it: dig19-2, dig19-8,\n"
    "                    dig19-9c, dig19-10 to dig19-12, dig19-13a, dig19-13b, dig19-13c,\n"
    "                    dig19-14 to dig19-18,\n"
    "                    spin17-3, spin17-3d, spin17-4, spin17-7a or spin17-7c; or seek,\n"
    "                    cores or memory, which are ours\n"
    "  --jobs N          so many simulations at a time; as many as processors unless given\n"
    "  --json            one JSON object instead of a table\n"
    "  --plot FILE.svg   draw the figure; wants gnuplot\n"
    "  --check           the exit code is 1 if the figure is not what the paper says\n"
    "  --trace FILE.json write the timeline of one message\n"
    "  --help            this text\n";

struct request {
    const struct sim_nic_figure *figure; /* NULL: one message, or one of each strategy */
    struct sim_nic_study study;
    size_t jobs;
    bool is_json, check, shows_keys, wants_all;
    const char *model, *plot, *trace;
};

/* ---- Points ------------------------------------------------------------------------------- */

static size_t plan(const struct request *request, struct sim_nic_point *points)
{
    if (request->figure)
        return request->figure->plan(&request->study, points);
    struct sim_nic_points all = {points, 0};
    struct sim_nic_study study = request->study;
    if (!request->wants_all)
        sim_nic_points_add(&all, &study, "", "%s", "");
    for (study.way = 0; request->wants_all && study.way < SIM_NIC_UNPACKS; study.way++)
        if (sim_nic_is_possible(&study))
            sim_nic_points_add(&all, &study, "", "%s", "");
    return all.count;
}

struct outcome {
    struct sim_nic_finding finding;
    bool is_good;
};

struct work {
    const struct sim_nic_point *points;
    struct outcome *outcomes;
    const char *trace;
};

static void run_point(void *argument, size_t number)
{
    const struct work *work = argument;
    struct outcome *outcome = &work->outcomes[number];
    outcome->is_good = sim_nic_run(&work->points[number].study, work->trace, &outcome->finding);
}

static void name_point(void *argument, size_t number, char name[SIM_JOB_NAME])
{
    const struct sim_nic_point *point = &((const struct work *)argument)->points[number];
    snprintf(name, SIM_JOB_NAME, "%s %s %s", point->panel, point->series, point->x);
}

static bool run_points(const struct request *request, struct sim_nic_point *points, size_t count)
{
    size_t bytes = count * sizeof(struct outcome);
    struct work work = {points, sim_jobs_memory(bytes), request->trace};
    const struct sim_jobs jobs = {.count = count,
                                  .at_once = request->jobs,
                                  .argument = &work,
                                  .run = run_point,
                                  .name = name_point};
    bool is_good = work.outcomes && sim_jobs_run(&jobs);
    for (size_t i = 0; is_good && i < count; i++) {
        points[i].finding = work.outcomes[i].finding;
        is_good = work.outcomes[i].is_good && points[i].finding.is_right;
        if (work.outcomes[i].is_good && !points[i].finding.is_right)
            fprintf(stderr, "weft sim nic: bytes are not where they belong\n");
    }
    sim_jobs_forget(work.outcomes, bytes);
    return is_good;
}

/* ---- What came out ------------------------------------------------------------------------ */

static void print_point(const struct sim_nic_point *point, const struct sim_nic_figure *figure)
{
    const struct sim_nic_finding *found = &point->finding;
    if (figure)
        printf("%s\t%s\t", point->panel, point->x);
    printf("%s\t", point->series);
    if (point->study.layout[0])
        printf("%s", point->study.layout);
    else
        printf("%.0f", point->study.block);
    printf("\t%.1f\t%.0f\t%.1f\t%.0f\t%.0f\t%.3f\t%.0f\t%.0f\t%.0f\t%.0f", found->throughput,
           found->time, found->handler, found->longest, point->study.hpus, found->busy,
           found->writes, found->queue, found->packets, found->memory);
    if (figure)
        printf("\t%.4g", figure->value(point));
    printf("\n");
}

static void print_table(const struct request *request, const struct sim_nic_point *points,
                        size_t count)
{
    printf("# weft %s, sim nic", weft_version());
    if (request->figure)
        printf(", figure %s: %s", request->figure->name, request->figure->title);
    printf("\n# handlers are instructions of RISC-V; host, iovec, busy and product are models of "
           "costs\n");
    sim_nic_model_print(&request->study, stdout, "#   ");
    printf("# %sstrategy\tblock\tGbit/s\tns\thandler ns\tlongest\tHPUs\tbusy\twrites\tqueue\t"
           "packets\tNIC bytes%s%s\n",
           request->figure ? "panel\tx\t" : "", request->figure ? "\t" : "",
           request->figure ? request->figure->y_axis : "");
    for (size_t i = 0; i < count; i++)
        print_point(&points[i], request->figure);
}

static void json_point(const struct sim_nic_point *point)
{
    const struct sim_nic_finding *found = &point->finding;
    weft_json_open(NULL, '{');
    weft_json_string("panel", point->panel);
    weft_json_string("strategy", point->series);
    weft_json_string("x", point->x);
    weft_json_number("block", point->study.block);
    weft_json_string("layout", point->study.layout);
    weft_json_number("gbits", found->throughput);
    weft_json_number("ns", found->time);
    weft_json_number("handler_ns", found->handler);
    weft_json_number("longest_ns", found->longest);
    weft_json_number("busy", found->busy);
    weft_json_number("writes", found->writes);
    weft_json_number("queue", found->queue);
    weft_json_number("packets", found->packets);
    weft_json_number("nic_bytes", found->memory);
    weft_json_number("host_bytes", found->moved);
    weft_json_number("prepared_ns", found->prepared);
    weft_json_close('}');
}

static void print_json(const struct request *request, const struct sim_nic_point *points,
                       size_t count, const struct sim_claims *claims)
{
    weft_json_open(NULL, '{');
    weft_json_string("version", weft_version());
    weft_json_open("model", '{');
    sim_nic_model_json(&request->study);
    weft_json_close('}');
    weft_json_open("points", '[');
    for (size_t i = 0; i < count; i++)
        json_point(&points[i]);
    weft_json_close(']');
    sim_claims_json(claims);
    weft_json_close('}');
}

static bool draw(const struct request *request, const struct sim_nic_point *points, size_t count)
{
    const struct sim_nic_figure *figure = request->figure;
    struct sim_plot_point drawing[SIM_NIC_POINTS];
    const struct sim_plot_text text = {
        figure->title, figure->x_axis, figure->y_axis,
        points->study.way >= SIM_NIC_BUSY && points->study.way < SIM_NIC_RAID
            ? "in virtual time; handlers take what the model says"
            : "in virtual time; handlers as instructions of RISC-V"};
    size_t drawn = 0;
    for (size_t i = 0; i < count; i++) {
        double value = figure->value(&points[i]);
        if (!isnan(value))
            drawing[drawn++] = (struct sim_plot_point){
                points[i].panel, points[i].series, points[i].x, {value, value, value}};
    }
    return sim_plot(request->plot, &text, drawing, drawn);
}

/* ---- The command -------------------------------------------------------------------------- */

static int simulate(const struct request *request)
{
    static struct sim_nic_point points[SIM_NIC_POINTS];
    struct sim_claims claims = {.count = 0};
    size_t count = plan(request, points);
    if (!run_points(request, points, count))
        return WEFT_EXIT_FAILED;
    if (request->figure && request->figure->finish)
        count = request->figure->finish(points, count);
    if (request->figure)
        request->figure->judge(points, count, &claims);
    if (request->is_json) {
        print_json(request, points, count, &claims);
    } else {
        print_table(request, points, count);
        sim_claims_print(&claims);
    }
    if (request->plot && !draw(request, points, count))
        return WEFT_EXIT_FAILED;
    return request->check && !sim_claims_are_met(&claims) ? WEFT_EXIT_FAILED : WEFT_EXIT_OK;
}

static int complain(const char *what)
{
    fprintf(stderr, "weft sim nic: %s; `weft sim nic --help` tells more\n", what);
    return WEFT_EXIT_USAGE;
}

static int take_option(void *self, int option)
{
    struct request *request = self;
    switch (option) {
    case 'm':
        request->model = optarg;
        return -1;
    case 'f':
        request->figure = sim_nic_figure_find(optarg);
        return request->figure ? -1 : complain("there is no such figure");
    case 'j':
        return number_parse(optarg, "", 1, 1024, &request->jobs)
                   ? -1
                   : complain("--jobs takes a number from 1 to 1024");
    case 'p':
        request->plot = optarg;
        return -1;
    case 't':
        request->trace = optarg;
        return -1;
    default:
        fputs(usage, stdout);
        return WEFT_EXIT_OK;
    }
}

/* -1 to go on, or what to end with. */
static int parse_options(int argc, char **argv, struct request *request)
{
    int json = 0, check = 0, keys = 0, all = 0;
    const struct option options[] = {{"model", required_argument, NULL, 'm'},
                                     {"figure", required_argument, NULL, 'f'},
                                     {"jobs", required_argument, NULL, 'j'},
                                     {"plot", required_argument, NULL, 'p'},
                                     {"trace", required_argument, NULL, 't'},
                                     {"all", no_argument, &all, 1},
                                     {"json", no_argument, &json, 1},
                                     {"check", no_argument, &check, 1},
                                     {"keys", no_argument, &keys, 1},
                                     {"help", no_argument, NULL, 'h'},
                                     {NULL, 0, NULL, 0}};
    int code = option_each(argc, argv, options, take_option, request);
    request->is_json = json;
    request->check = check;
    request->shows_keys = keys;
    request->wants_all = all;
    return code;
}

static int parse_study(int argc, char **argv, struct request *request)
{
    /* Whatever a model leaves out is as there. */
    if (!sim_nic_model_read(&request->study, "dig19"))
        return WEFT_EXIT_USAGE;
    const char *model = request->figure ? request->figure->model : "dig19";
    if (!sim_nic_model_read(&request->study, request->model ? request->model : model))
        return WEFT_EXIT_USAGE;
    for (int i = optind; i < argc; i++)
        if (!sim_nic_model_set(&request->study, argv[i], "command line"))
            return WEFT_EXIT_USAGE;
    if (!sim_nic_layout_is_known(&request->study))
        return WEFT_EXIT_USAGE;
    if (!request->figure && (request->check || request->plot))
        return complain("--check and --plot want a --figure");
    if (request->trace && (request->figure || request->wants_all))
        return complain("--trace is for one message");
    return -1;
}

int sim_nic(int argc, char **argv)
{
    static char name[] = "sim nic";
    struct request request = {.jobs = (size_t)sysconf(_SC_NPROCESSORS_ONLN)};
    argv[0] = name;
    int code = parse_options(argc, argv, &request);
    if (code == -1)
        code = parse_study(argc, argv, &request);
    if (code != -1)
        return code;
    if (request.shows_keys) {
        sim_nic_model_print(&request.study, stdout, "");
        return WEFT_EXIT_OK;
    }
    return simulate(&request);
}
