/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft sim net`: networks of routers in virtual time. */
#include <stdio.h>

#include <weft.h>

#include "command.h"
#include "json.h"
#include "sim.h"
#include "sim_figure.h"
#include "sim_model.h"
#include "sim_net_plot.h"
#include "sim_options.h"
#include "sim_result.h"
#include "sim_transfers.h"

static const struct sim_usage usage = {
    .name = "net",
    .synopsis = "[OPTION...] [KEY=VALUE...]\n"
                "--figure NAME [OPTION...] [KEY=VALUE...]",
    .description =
        "Simulates a network of routers, packet by packet, with nodes that send as fast as they\n"
        "can, until its throughput does not change. Throughput is a part of what the links of\n"
        "all nodes could carry. For example, 1 % of the nodes 8 times slower than their links,\n"
        "without and with windows of 30 packets:\n"
        "\n"
        "  weft sim net slow=1% slowness=8\n"
        "  weft sim net slow=1% slowness=8 window=30\n",
    .model_help = "a file, or one of sch17, sch17-unbiased, sch17-again, sch17-ugal,\n"
                  "sch17-minimal and sch17-valiant; sch17 unless given",
    .figure_help = "a figure of the paper, 1, 4 or 5, with what the paper says of it;\n"
                   "halo: windows of neighbours; variants: what routing does to the collapse;\n"
                   "transfers: those of Weft on NICs, against the sources of other figures",
    .figures = (const struct sim_list *const[]){&sim_figures, NULL},
    .is_sweep = true,
};

struct request {
    struct sim_options options;
    const struct sim_figure *figure; /* NULL: one point */
    struct weft_sim_study study;
    size_t seeds; /* 0: as usual */
    bool is_quick;
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
                        size_t count, const struct sim_claims *claims)
{
    printf("# weft %s, sim net", weft_version());
    if (request->figure)
        printf(", figure %s: %s", request->figure->name, request->figure->title);
    printf("; %u nodes, %zu permutation%s\n", points->findings[0].nodes, points->seeds,
           points->seeds == 1 ? "" : "s");
    sim_keys_print(&sim_net_keys, &request->study, stdout, "#   ");
    printf("# %sthroughput\tleast\tmost\tof slow\tlatency\tdetours\tmarks\tcycles\tconverged\t"
           "seconds\n",
           request->figure ? "panel\tseries\tx\t" : "");
    for (size_t i = 0; i < count; i++)
        print_point(&points[i]);
    sim_claims_print(claims);
}

/* ---- For scripts -------------------------------------------------------------------------- */

static void json_facts(const void *context)
{
    const struct sim_point *first = context;
    weft_json_integer("nodes", first->findings[0].nodes);
    weft_json_integer("permutations", (int64_t)first->seeds);
}

static void json_point(const void *self)
{
    const struct sim_point *point = self;
    struct sim_spread spread = sim_sweep_spread(point);
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
}

static void print_json(const struct request *request, const struct sim_point *points, size_t count,
                       const struct sim_claims *claims)
{
    sim_result_json(&(struct sim_result){json_facts, points, &sim_net_keys, &request->study,
                                         points, sizeof *points, count, json_point, claims});
}

/* ---- The command -------------------------------------------------------------------------- */

static int simulate(const struct request *request)
{
    static struct sim_point points[SIM_MOST_POINTS];
    const struct sim_options *options = &request->options;
    struct sim_claims claims = {.count = 0};
    size_t count = plan(request, points);
    if (!sim_sweep_run(points, count, options->jobs))
        return WEFT_EXIT_FAILED;
    if (request->figure)
        request->figure->judge(points, count, &claims);
    if (options->is_json)
        print_json(request, points, count, &claims);
    else
        print_table(request, points, count, &claims);
    if (options->plot && !sim_net_plot(options->plot, request->figure, points, count))
        return WEFT_EXIT_FAILED;
    return sim_options_verdict(options, &claims);
}

static int parse_study(int argc, char **argv, struct request *request)
{
    request->study = weft_sim_study_paper();
    if (!sim_model_read(&request->study, request->options.model))
        return WEFT_EXIT_USAGE;
    if (request->is_quick)
        sim_keys_set(&sim_net_keys, &request->study, "topology = dragonfly 4 8 4", "--quick");
    if (!sim_options_set_keys(&sim_net_keys, &request->study, argc, argv))
        return WEFT_EXIT_USAGE;
    if (request->study.is_notified && request->study.pattern != WEFT_SIM_PAIRS)
        return sim_options_complain(
            &usage, "notification wants pattern = pairs, whose nodes send to each other");
    if (request->study.buffer < request->study.packet)
        return sim_options_complain(&usage, "a packet must fit into the buffer");
    const char *objection =
        request->study.has_transfers ? sim_transfers_objection(&request->study) : NULL;
    return objection ? sim_options_complain(&usage, objection) : -1;
}

static int parse(int argc, char **argv, struct request *request)
{
    const struct option_entry own[] = {
        {"permutations", "N",
         "how many permutations, and choices of slow nodes, to take the mean of",
         .number = OPTION_NUMBER(&request->seeds, 1, SIM_MOST_SEEDS)},
        {"quick", NULL, "1,056 nodes instead of 5,256", .flag = &request->is_quick},
        {0}};
    int code = sim_options_parse(&usage, own, &request->options, argc, argv);
    request->figure = request->options.figure;
    return code == -1 ? parse_study(argc, argv, request) : code;
}

int sim_net(int argc, char **argv)
{
    struct request request = {.options.model = "sch17"};
    int code = parse(argc, argv, &request);
    if (code == -1)
        code = sim_options_show_keys(&request.options, &sim_net_keys, &request.study);
    return code == -1 ? simulate(&request) : code;
}
