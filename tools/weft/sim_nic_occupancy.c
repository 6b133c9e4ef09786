/* SPDX-License-Identifier: BSD-3-Clause */
/* [DiG19], figures 13b, 13c and 15: what fills the memory of the NIC and the queue of its DMA. */
#include <math.h>
#include <string.h>

#include "sim_nic_points.h"

#define LENGTH SIM_NIC_LENGTH

static const int papers[] = {SIM_NIC_SPECIALIZED, SIM_NIC_RW_CP, SIM_NIC_RO_CP, SIM_NIC_HPU_LOCAL,
                             SIM_NIC_SEEK};

static const char own_segment[] =
    "an iterator is as large as the type is deep, 28 bytes for a vector; that of MPITypes has 612";

/* ---- Figures 13b and 13c: memory ----------------------------------------------------------- */

static size_t plan_blocks(const struct sim_nic_study *base, struct sim_nic_point *list)
{
    static const double blocks[] = {64, 128, 256, 512, 1024, 2048, 4096};
    struct sim_nic_points points = {list, 0};
    sim_nic_points_add_blocks(
        &points, base, "16 HPUs",
        &(struct sim_nic_lines){blocks, LENGTH(blocks), papers, LENGTH(papers)});
    return points.count;
}

static size_t plan_hpus(const struct sim_nic_study *base, struct sim_nic_point *list)
{
    static const double hpus[] = {4, 8, 16, 32};
    struct sim_nic_points points = {list, 0};
    sim_nic_points_add_hpus(&points, base,
                            &(struct sim_nic_lines){hpus, LENGTH(hpus), papers, LENGTH(papers)});
    return points.count;
}

static double kibibytes(const struct sim_nic_point *point)
{
    return point->finding.memory / 1024;
}

static double memory_at(const struct sim_nic_point *points, size_t count, int way, const char *x)
{
    return sim_nic_points_find(points, count, NULL, way, x)->memory;
}

/* The least that the memory of a way grows by from one point to the next, as a factor. */
static double least_growth(const struct sim_nic_point *points, size_t count, int way)
{
    double least = INFINITY, before = 0;
    for (const struct sim_nic_point *point = points; point < points + count; point++)
        if (point->study.way == way) {
            if (before > 0)
                least = fmin(least, point->finding.memory / before);
            before = point->finding.memory;
        }
    return least;
}

static void judge_blocks(const struct sim_nic_point *points, size_t count,
                         struct sim_claims *claims)
{
    static const int constant[] = {SIM_NIC_SPECIALIZED, SIM_NIC_HPU_LOCAL, SIM_NIC_SEEK};
    static const int growing[] = {SIM_NIC_RW_CP, SIM_NIC_RO_CP};
    for (size_t i = 0; i < LENGTH(constant); i++)
        sim_claim_add(claims,
                      memory_at(points, count, constant[i], "4K") /
                          memory_at(points, count, constant[i], "64"),
                      1, 1, own_segment, "%s: blocks of 4 KiB against 64 bytes (constant: 1)",
                      sim_nic_ways[constant[i]]);
    for (size_t i = 0; i < LENGTH(growing); i++)
        sim_claim_add(claims, least_growth(points, count, growing[i]), 1, SIM_NO_LIMIT,
                      own_segment,
                      "%s: blocks twice as long, at least so much more (never less: 1)",
                      sim_nic_ways[growing[i]]);
    sim_claim_add(claims,
                  memory_at(points, count, SIM_NIC_RW_CP, "4K") /
                      memory_at(points, count, SIM_NIC_RW_CP, "64"),
                  2, SIM_NO_LIMIT, own_segment,
                  "rw-cp: blocks of 4 KiB against 64 bytes (grows: above 2)");
}

static void judge_hpus(const struct sim_nic_point *points, size_t count, struct sim_claims *claims)
{
    sim_claim_add(claims,
                  (memory_at(points, count, SIM_NIC_HPU_LOCAL, "32") -
                   memory_at(points, count, SIM_NIC_HPU_LOCAL, "16")) /
                      (memory_at(points, count, SIM_NIC_HPU_LOCAL, "16") -
                       memory_at(points, count, SIM_NIC_HPU_LOCAL, "8")),
                  2, 2, own_segment,
                  "hpu-local: from 16 to 32 HPUs against from 8 to 16 (linear: 2)");
    sim_claim_add(claims, least_growth(points, count, SIM_NIC_RW_CP), 1.01, SIM_NO_LIMIT,
                  own_segment, "rw-cp: twice the HPUs, at least so much more (grows: above 1)");
    sim_claim_add(claims,
                  memory_at(points, count, SIM_NIC_SEEK, "32") /
                      memory_at(points, count, SIM_NIC_RW_CP, "32"),
                  0, 0.25, "ours", "ours, 32 HPUs: seek against rw-cp (at most 1/4)");
}

/* ---- Figure 15: the queue over time -------------------------------------------------------- */

#define PERIOD 50000 /* nanoseconds */

static size_t plan_queue(const struct sim_nic_study *base, struct sim_nic_point *list)
{
    struct sim_nic_points points = {list, 0};
    struct sim_nic_study study = *base;
    study.block = 128;
    study.period = PERIOD;
    for (size_t w = 0; w < LENGTH(papers); w++) {
        study.way = papers[w];
        sim_nic_points_add(&points, &study, "blocks of 128 bytes", "0");
    }
    return points.count;
}

/* A point for each period in which writes came. */
static size_t unfold(struct sim_nic_point *points, size_t count)
{
    struct sim_nic_points all = {points, count};
    for (size_t i = 0; i < count; i++) {
        const double *queues = points[i].finding.queues;
        points[i].queue = queues[0];
        for (size_t t = 1; t < SIM_NIC_PERIODS && queues[t] > 0; t++) {
            struct sim_nic_point *point = sim_nic_points_add(
                &all, &points[i].study, points[i].panel, "%zu", t * PERIOD / 1000);
            point->finding = points[i].finding;
            point->queue = queues[t];
        }
    }
    return all.count;
}

static double queue_of(const struct sim_nic_point *point)
{
    return point->queue;
}

static void judge_queue(const struct sim_nic_point *points, size_t count,
                        struct sim_claims *claims)
{
    const struct sim_nic_finding *found[SIM_NIC_HANDLERS];
    for (int way = 0; way < SIM_NIC_HANDLERS; way++)
        found[way] = sim_nic_points_find(points, count, NULL, way, "0");
    double slow = fmax(found[SIM_NIC_RO_CP]->queue, found[SIM_NIC_HPU_LOCAL]->queue);
    sim_claim_add(claims, found[SIM_NIC_RW_CP]->queue / slow, 1, SIM_NO_LIMIT,
                  "all queues are short: the bus has 63 GB/s, and the link 25",
                  "the longest queue of rw-cp against that of slower handlers (longer: above 1)");
    sim_claim_add(claims, found[SIM_NIC_SPECIALIZED]->queue / slow, 1, SIM_NO_LIMIT,
                  "all queues are short: the bus has 63 GB/s, the link 25, and seldom do more "
                  "than two handlers write in the same nanosecond",
                  "the same of specialized (longer: above 1)");
    sim_claim_add(claims, found[SIM_NIC_RW_CP]->prepared / found[SIM_NIC_RW_CP]->handling, 0, 1,
                  "making checkpoints is a model: host-block for each block of the type",
                  "rw-cp: time that the host takes before, against that of the message (less)");
}

/* ---- All ---------------------------------------------------------------------------------- */

static const struct sim_nic_figure figures[] = {
    {"dig19-13b", "dig19", "Memory of the NIC for a vector of 4 MiB", "bytes of a block", "KiB",
     SIM_NIC_LOWER, plan_blocks, kibibytes, judge_blocks, NULL},
    {"dig19-13c", "dig19", "Memory of the NIC for a vector of 4 MiB", "HPUs", "KiB", SIM_NIC_LOWER,
     plan_hpus, kibibytes, judge_hpus, NULL},
    {"dig19-15", "dig19", "Most DMA writes that wait, over time", "microseconds", "writes",
     SIM_NIC_LOWER, plan_queue, queue_of, judge_queue, unfold},
};

const struct sim_list sim_nic_occupancy_figures = SIM_LIST(figures);
