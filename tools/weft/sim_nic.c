/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft sim nic`: a message of blocks through a NIC whose stages take time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <weft.h>

#include "command.h"
#include "json.h"
#include "sim.h"
#include "sim_jobs.h"
#include "sim_nic_layout.h"
#include "sim_nic_points.h"
#include "sim_options.h"
#include "sim_plot.h"
#include "sim_result.h"

static const struct sim_list *const figures[] = {
    &sim_nic_figures,           &sim_nic_core_figures,
    &sim_nic_occupancy_figures, &sim_nic_program_figures,
    &sim_nic_pulp_figures,      &sim_nic_spin_figures,
    &sim_nic_matching_figures,  NULL};

static const struct sim_usage usage = {
    .name = "nic",
    .synopsis = "[OPTION...] [KEY=VALUE...]\n"
                "--figure NAME [OPTION...] [KEY=VALUE...]",
    .description =
        "Simulates a message of many blocks that a NIC puts to their places: matching, the copy\n"
        "into its memory, handlers on its cores, instruction by instruction, and the queue of\n"
        "writes to the host. For example, blocks of 64 bytes on eight cores, by all strategies:\n"
        "\n"
        "  weft sim nic --all block=64 hpus=8\n"
        "  weft sim nic strategy=rw-cp block=128 shuffled=yes\n",
    .model_help = "a file, or one of dig19, pspin, spin17-dis and spin17-int; dig19\n"
                  "unless given, or that of the figure",
    .figure_help = "a figure of a paper, with what the paper says of it: dig19-2, dig19-8,\n"
                   "dig19-9c, dig19-10 to dig19-12, dig19-13a, dig19-13b, dig19-13c,\n"
                   "dig19-14 to dig19-18, spin17-3, spin17-3d, spin17-4, spin17-5c,\n"
                   "spin17-7a or spin17-7c; or seek, cores or memory, which are ours",
    .figures = figures,
    .is_sweep = true,
};

struct request {
    struct sim_options options;
    const struct sim_nic_figure *figure; /* NULL: one message, or one of each strategy */
    struct sim_nic_study study;
    bool wants_all;
    const char *trace;
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
                                  .at_once = request->options.jobs,
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
                        size_t count, const struct sim_claims *claims)
{
    printf("# weft %s, sim nic", weft_version());
    if (request->figure)
        printf(", figure %s: %s", request->figure->name, request->figure->title);
    printf(
        "\n# handlers are instructions of RISC-V; host, iovec, busy, product and halo are models "
        "of costs\n");
    sim_keys_print(&sim_nic_keys, &request->study, stdout, "#   ");
    printf("# %sstrategy\tblock\tGbit/s\tns\thandler ns\tlongest\tHPUs\tbusy\twrites\tqueue\t"
           "packets\tNIC bytes%s%s\n",
           request->figure ? "panel\tx\t" : "", request->figure ? "\t" : "",
           request->figure ? request->figure->y_axis : "");
    for (size_t i = 0; i < count; i++)
        print_point(&points[i], request->figure);
    sim_claims_print(claims);
}

static void json_point(const void *self)
{
    const struct sim_nic_point *point = self;
    const struct sim_nic_finding *found = &point->finding;
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
}

static void print_json(const struct request *request, const struct sim_nic_point *points,
                       size_t count, const struct sim_claims *claims)
{
    sim_result_json(&(struct sim_result){.keys = &sim_nic_keys,
                                         .model = &request->study,
                                         .points = points,
                                         .size = sizeof *points,
                                         .count = count,
                                         .write_point = json_point,
                                         .claims = claims});
}

/* Strategies have the same colours in all figures. */
static const char *const strategies[] = {"seek",      "specialized", "rw-cp", "ro-cp",
                                         "hpu-local", "host",        "iovec", NULL};

static void write_note(const struct sim_nic_figure *figure, int way, char note[2 * PLOT_TEXT])
{
    bool is_native = (way >= SIM_NIC_BUSY && way < SIM_NIC_RAID) || way >= SIM_NIC_HALO;
    snprintf(note, 2 * PLOT_TEXT, "%s; in virtual time, handlers %s", figure->better,
             is_native ? "take what the model says" : "as instructions of RISC-V");
}

static bool draw(const struct request *request, const struct sim_nic_point *points, size_t count)
{
    const struct sim_nic_figure *figure = request->figure;
    struct sim_plot_point drawing[SIM_NIC_POINTS];
    char note[2 * PLOT_TEXT];
    const bool is_relative = strcmp(figure->y_axis, SIM_NIC_TIMES) == 0;
    const struct sim_plot_text text = {figure->title, figure->x_axis, figure->y_axis,
                                       note,          is_relative,    strategies};
    size_t drawn = 0;
    write_note(figure, points->study.way, note);
    for (size_t i = 0; i < count; i++) {
        double value = figure->value(&points[i]);
        if (!isnan(value))
            drawing[drawn++] = (struct sim_plot_point){
                points[i].panel, points[i].series, points[i].x, {value, value, value}};
    }
    return sim_plot(request->options.plot, &text, drawing, drawn);
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
    if (request->options.is_json)
        print_json(request, points, count, &claims);
    else
        print_table(request, points, count, &claims);
    if (request->options.plot && !draw(request, points, count))
        return WEFT_EXIT_FAILED;
    return sim_options_verdict(&request->options, &claims);
}

static int parse_study(int argc, char **argv, struct request *request)
{
    const char *model = request->figure ? request->figure->model : "dig19";
    if (request->options.model)
        model = request->options.model;
    /* Whatever a model leaves out is as there. */
    if (!sim_keys_read(&sim_nic_keys, &request->study, "dig19") ||
        !sim_keys_read(&sim_nic_keys, &request->study, model) ||
        !sim_options_set_keys(&sim_nic_keys, &request->study, argc, argv))
        return WEFT_EXIT_USAGE;
    if (!sim_nic_layout_is_known(&request->study))
        return WEFT_EXIT_USAGE;
    if (request->trace && (request->figure || request->wants_all))
        return sim_options_complain(&usage, "--trace is for one message");
    return -1;
}

static int parse(int argc, char **argv, struct request *request)
{
    const struct option_entry own[] = {
        {"all", NULL, "all strategies, one after the other", .flag = &request->wants_all},
        {"trace", "FILE.json", "write the timeline of one message", .text = &request->trace},
        {0}};
    int code = sim_options_parse(&usage, own, &request->options, argc, argv);
    request->figure = request->options.figure;
    return code == -1 ? parse_study(argc, argv, request) : code;
}

int sim_nic(int argc, char **argv)
{
    struct request request = {0};
    int code = parse(argc, argv, &request);
    if (code == -1)
        code = sim_options_show_keys(&request.options, &sim_nic_keys, &request.study);
    return code == -1 ? simulate(&request) : code;
}
