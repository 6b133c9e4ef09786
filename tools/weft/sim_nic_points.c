/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_nic_points.h"

#include <stdarg.h>
#include <string.h>

__attribute__((format(printf, 4, 5))) struct sim_nic_point *
sim_nic_points_add(struct sim_nic_points *points, const struct sim_nic_study *study,
                   const char *panel, const char *x, ...)
{
    struct sim_nic_point *point = &points->list[points->count++];
    va_list arguments;
    memset(point, 0, sizeof *point);
    point->study = *study;
    snprintf(point->panel, sizeof point->panel, "%s", panel);
    snprintf(point->series, sizeof point->series, "%s", sim_nic_ways[study->way]);
    va_start(arguments, x);
    vsnprintf(point->x, sizeof point->x, x, arguments);
    va_end(arguments);
    return point;
}

void sim_nic_points_name_block(double block, char text[SIM_NIC_LABEL])
{
    if (block >= 1024)
        snprintf(text, SIM_NIC_LABEL, "%.0fK", block / 1024);
    else
        snprintf(text, SIM_NIC_LABEL, "%.0f", block);
}

void sim_nic_points_add_blocks(struct sim_nic_points *points, const struct sim_nic_study *base,
                               const char *panel, const struct sim_nic_lines *lines)
{
    struct sim_nic_study study = *base;
    for (size_t w = 0; w < lines->way_count; w++)
        for (size_t v = 0; v < lines->value_count; v++) {
            char x[SIM_NIC_LABEL];
            study.way = lines->ways[w];
            study.block = lines->values[v];
            sim_nic_points_name_block(study.block, x);
            sim_nic_points_add(points, &study, panel, "%s", x);
        }
}

void sim_nic_points_add_hpus(struct sim_nic_points *points, const struct sim_nic_study *base,
                             const struct sim_nic_lines *lines)
{
    struct sim_nic_study study = *base;
    study.block = 2048;
    for (size_t w = 0; w < lines->way_count; w++)
        for (size_t v = 0; v < lines->value_count; v++) {
            study.way = lines->ways[w];
            study.hpus = lines->values[v];
            sim_nic_points_add(points, &study, "blocks of 2 KiB", "%.0f", study.hpus);
        }
}

const struct sim_nic_finding *sim_nic_points_find(const struct sim_nic_point *points, size_t count,
                                                  const char *panel, int way, const char *x)
{
    for (const struct sim_nic_point *point = points; point < points + count; point++)
        if ((!panel || strcmp(point->panel, panel) == 0) && point->study.way == way &&
            strcmp(point->x, x) == 0)
            return &point->finding;
    return &points->finding;
}

double sim_nic_points_throughput(const struct sim_nic_point *point)
{
    return point->finding.throughput;
}

double sim_nic_points_hold_from(const struct sim_nic_point *points, size_t count,
                                const char *panel, int way, double least)
{
    double from = 0;
    for (const struct sim_nic_point *point = points; point < points + count; point++)
        if ((!panel || strcmp(point->panel, panel) == 0) && point->study.way == way) {
            if (point->finding.throughput < least)
                from = 0;
            else if (from == 0)
                from = point->study.block;
        }
    return from;
}
