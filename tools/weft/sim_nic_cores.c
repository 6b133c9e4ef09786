/* SPDX-License-Identifier: BSD-3-Clause */
/* Ours: how many cores a NIC needs for each 100 Gbit/s, by Little's law from the times of handlers
 * that were found with more than enough of them. */
#include <math.h>
#include <string.h>

#include "sim_nic_points.h"

#define LENGTH SIM_NIC_LENGTH
#define RATE 100 /* Gbit/s */

static const struct {
    const char *panel, *model;
} nics[] = {{"0.8 GHz, all memory near", "dig19"}, {"1 GHz in clusters", "pspin"}};

static size_t plan(const struct sim_nic_study *base, struct sim_nic_point *list)
{
    static const double blocks[] = {16, 32, 64, 128, 256, 512, 1024, 2048};
    static const int ways[] = {SIM_NIC_SEEK, SIM_NIC_SPECIALIZED, SIM_NIC_RW_CP};
    struct sim_nic_points points = {list, 0};
    for (size_t n = 0; n < LENGTH(nics); n++) {
        struct sim_nic_study study = *base;
        if (!sim_keys_read(&sim_nic_keys, &study, nics[n].model))
            return 0;
        study.rate = RATE;
        study.hpus = 64;
        study.size = 1 << 20;
        sim_nic_points_add_blocks(
            &points, &study, nics[n].panel,
            &(struct sim_nic_lines){blocks, LENGTH(blocks), ways, LENGTH(ways)});
    }
    return points.count;
}

static double cores_of(const struct sim_nic_point *point)
{
    double between = point->study.packet * 8 / RATE;
    return (point->finding.handler + point->study.start) / between;
}

static double cores_at(const struct sim_nic_point *points, size_t count, const char *panel,
                       int way, double block)
{
    for (const struct sim_nic_point *point = points; point < points + count; point++)
        if (strcmp(point->panel, panel) == 0 && point->study.way == way &&
            point->study.block == block)
            return cores_of(point);
    return NAN;
}

static void judge(const struct sim_nic_point *points, size_t count, struct sim_claims *claims)
{
    for (size_t n = 0; n < LENGTH(nics); n++) {
        const char *panel = nics[n].panel;
        sim_claim_add(claims, cores_at(points, count, panel, SIM_NIC_SEEK, 64), 0, 8, "ours",
                      "%s, blocks of 64 bytes: cores for seek (at most 8)", panel);
        sim_claim_add(claims,
                      cores_at(points, count, panel, SIM_NIC_SEEK, 64) /
                          cores_at(points, count, panel, SIM_NIC_RW_CP, 64),
                      0, 1, "ours", "%s, blocks of 64 bytes: seek against rw-cp (fewer)", panel);
    }
}

static const struct sim_nic_figure figures[] = {
    {"cores", "dig19", "Cores that each 100 Gbit/s need", "bytes of a block", "cores",
     SIM_NIC_LOWER, plan, cores_of, judge, NULL},
};

const struct sim_list sim_nic_core_figures = SIM_LIST(figures);
