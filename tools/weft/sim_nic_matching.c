/* SPDX-License-Identifier: BSD-3-Clause */
/* [sPIN17], table 5c in miniature: what programs gain if handlers match their messages. */
#include <math.h>

#include "sim_nic_points.h"

#define LENGTH SIM_NIC_LENGTH

/* Times in per cent are the paper's. It says neither how long messages are nor whether programs
 * compute while they are under way. So faces are ours: 8^3 sites with vectors of 48 bytes, two
 * rows of 48 columns, 256 atoms of 56 bytes, two rows of 960 cells; and there are two panels. */
static const struct {
    const char *name;
    double dimensions, size;
    double share, gain;
} programs[] = {{"MILC", 4, 24576, 5.5, 3.6},
                {"POP", 2, 768, 3.1, 0.7},
                {"coMD", 3, 14336, 6.1, 3.7},
                {"Cloverleaf", 2, 15360, 5.2, 2.8}};

static const struct {
    const char *name;
    double overlap;
} panels[] = {{"waiting at once", 0}, {"computing meanwhile", 50}};

#define HANDLER 20 /* ns, ours: some fifty cycles of 2.5 GHz */

/* The points of a panel: all programs by the processor, and then by handlers. */
#define PANEL (2 * LENGTH(programs))

static void add_programs(struct sim_nic_points *points, struct sim_nic_study *study,
                         const char *panel)
{
    for (size_t p = 0; p < LENGTH(programs); p++) {
        study->size = programs[p].size;
        study->halo_dimensions = programs[p].dimensions;
        study->halo_share = programs[p].share;
        sim_nic_points_add(points, study, panel, "%s", programs[p].name);
    }
}

static size_t plan(const struct sim_nic_study *base, struct sim_nic_point *list)
{
    struct sim_nic_points points = {list, 0};
    struct sim_nic_study study = *base;
    study.busy = HANDLER;
    for (size_t i = 0; i < LENGTH(panels); i++) {
        study.halo_overlap = panels[i].overlap;
        study.way = SIM_NIC_HALO_HOST;
        add_programs(&points, &study, panels[i].name);
        study.way = SIM_NIC_HALO;
        add_programs(&points, &study, panels[i].name);
    }
    return points.count;
}

static size_t finish(struct sim_nic_point *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct sim_nic_point *host = &points[i / PANEL * PANEL + i % LENGTH(programs)];
        points[i].gain = 100 * (1 - points[i].finding.time / host->finding.time);
    }
    return count;
}

static double gain_of(const struct sim_nic_point *point)
{
    return point->gain;
}

static void judge(const struct sim_nic_point *points, size_t count, struct sim_claims *claims)
{
    static const char in_step[] =
        "these programs keep step, where in the paper's traces some processes are late; and of "
        "messages as short as ours of POP only a copy is saved, 5 ns of 768 bytes";
    const struct sim_nic_point *waiting = points + LENGTH(programs), *meanwhile = waiting + PANEL;
    (void)count;
    for (size_t p = 0; p < LENGTH(programs); p++) {
        sim_claim_add(claims, waiting[p].gain, -SIM_NO_LIMIT, programs[p].gain, in_step,
                      "%s: per cent that handlers save, waiting at once: at most the paper's %.1f",
                      programs[p].name, programs[p].gain);
        sim_claim_add(claims, meanwhile[p].gain, programs[p].gain, programs[p].share, in_step,
                      "%s: computing meanwhile: at least that, and at most %.1f, all of it",
                      programs[p].name, programs[p].share);
    }
    sim_claim_add(claims, waiting[1].gain, -SIM_NO_LIMIT,
                  fmin(waiting[0].gain, fmin(waiting[2].gain, waiting[3].gain)), in_step,
                  "POP, with short messages, waiting at once: saves the least");
}

static const struct sim_nic_figure figures[] = {
    {"spin17-5c", "spin17-dis", "Time that programs save if handlers match their messages",
     "program", "per cent", SIM_NIC_HIGHER, plan, gain_of, judge, finish},
};

const struct sim_list sim_nic_matching_figures = SIM_LIST(figures);
