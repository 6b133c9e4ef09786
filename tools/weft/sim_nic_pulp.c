/* SPDX-License-Identifier: BSD-3-Clause */
/* [DiG19], figures 9c, 10 and 11: clusters of small cores, their memories and DMA engines. */
#include <math.h>
#include <string.h>

#include "sim_nic_points.h"

#define LENGTH SIM_NIC_LENGTH
#define PANEL "rw-cp, 1 MiB"

static const char own_iterator[] =
    "the iterator is ours, which reads the type in far memory once for each packet; the paper's "
    "is that of MPITypes, which does for each block";

/* ---- Figure 9c: the DMA engines ------------------------------------------------------------ */

/* Not as fast as the network is: the paper has nothing but the engines. */
static size_t plan_bursts(const struct sim_nic_study *base, struct sim_nic_point *list)
{
    static const double bursts[] = {256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536};
    static const int ways[] = {SIM_NIC_SPECIALIZED};
    struct sim_nic_points points = {list, 0};
    struct sim_nic_study study = *base;
    study.rate = 1000;
    study.packet = 65536;
    study.copy_rate = 0;
    sim_nic_points_add_blocks(&points, &study, "four engines",
                              &(struct sim_nic_lines){bursts, LENGTH(bursts), ways, LENGTH(ways)});
    return points.count;
}

static void judge_bursts(const struct sim_nic_point *points, size_t count,
                         struct sim_claims *claims)
{
    double least = INFINITY;
    for (size_t i = 1; i < count; i++)
        least = fmin(least, points[i].finding.throughput);
    sim_claim_add(claims, points[0].finding.throughput, 182, 202, "the model is fitted to it",
                  "bursts of 256 bytes, Gbit/s: 192 (the model's tlp-header is fitted to it)");
    sim_claim_add(claims, least, 200, SIM_NO_LIMIT, "the model has the same cost for each burst",
                  "longer ones, the slowest, Gbit/s: above 200");
}

/* ---- Figures 10 and 11: rw-cp -------------------------------------------------------------- */

static const double blocks[] = {32, 64, 128, 256, 512, 1024, 2048};

#define LINE 200 /* Gbit/s; the link here has more, so that cores show what they can do */

/* A core of which each instruction takes one cycle: what it takes is how many there are. */
static void count_instructions(struct sim_nic_study *study)
{
    snprintf(study->core, sizeof study->core,
             "ri5cy,multiply_high=1,divide=1,divide_zero=0,load_use=0,misaligned=0,jump=1,"
             "taken=0");
    study->cluster = study->l2_latency = study->l2_rate = 0;
}

/* The large cores of the rest of the paper. */
static void use_large_cores(struct sim_nic_study *study)
{
    count_instructions(study);
    snprintf(study->core, sizeof study->core, "a15");
    study->clock = 0.8;
    study->dma_rate = 63;
    study->tlp_header = 24;
    study->tlp_payload = 256;
}

static struct sim_nic_study rw_cp_of(const struct sim_nic_study *base)
{
    struct sim_nic_study study = *base;
    study.way = SIM_NIC_RW_CP;
    study.size = 1 << 20;
    study.rate = 2 * LINE;
    study.copy = study.copy_rate = 0; /* packets are there already */
    return study;
}

static void add_line(struct sim_nic_points *points, const struct sim_nic_study *study,
                     const char *series)
{
    static const int ways[] = {SIM_NIC_RW_CP};
    size_t first = points->count;
    sim_nic_points_add_blocks(points, study, PANEL,
                              &(struct sim_nic_lines){blocks, LENGTH(blocks), ways, 1});
    for (size_t i = first; i < points->count; i++)
        snprintf(points->list[i].series, sizeof points->list[i].series, "%s", series);
}

/* The study as it is, and changed. */
static size_t plan_both(const struct sim_nic_study *base, const char *series,
                        void (*change)(struct sim_nic_study *study), const char *changed,
                        struct sim_nic_point *list)
{
    struct sim_nic_points points = {list, 0};
    struct sim_nic_study study = rw_cp_of(base);
    add_line(&points, &study, series);
    change(&study);
    add_line(&points, &study, changed);
    return points.count;
}

static size_t plan_pulp(const struct sim_nic_study *base, struct sim_nic_point *list)
{
    return plan_both(base, "PULP", use_large_cores, "ARM", list);
}

static double pulp_at(const struct sim_nic_point *points, double block)
{
    for (size_t i = 0; i < LENGTH(blocks); i++)
        if (blocks[i] == block)
            return points[i].finding.throughput;
    return NAN;
}

static void judge_pulp(const struct sim_nic_point *points, size_t count, struct sim_claims *claims)
{
    const struct sim_nic_point *large = points + count / 2;
    sim_claim_add(claims, points[0].finding.throughput / large[0].finding.throughput, 0, 1,
                  own_iterator, "blocks of 32 bytes: PULP against ARM (slower: below 1)");
    sim_claim_add(claims, pulp_at(points, 128) / pulp_at(large, 128), 0, 1, own_iterator,
                  "blocks of 128 bytes: PULP against ARM (slower: below 1)");
    sim_claim_add(claims, pulp_at(points, 512), LINE, SIM_NO_LIMIT, own_iterator,
                  "blocks longer than 256 bytes, PULP, the slowest, Gbit/s (line rate: 200)");
    sim_claim_add(claims, pulp_at(points, 2048), 1.1 * LINE, SIM_NO_LIMIT, own_iterator,
                  "blocks of 2 KiB, PULP, Gbit/s (beyond it: 220)");
}

static size_t plan_ipc(const struct sim_nic_study *base, struct sim_nic_point *list)
{
    return plan_both(base, "instructions in a cycle", count_instructions, "instructions", list);
}

static size_t divide(struct sim_nic_point *points, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        points[i].gain = points[i + count / 2].finding.handler / points[i].finding.handler;
        points[i + count / 2].gain = NAN;
    }
    return count;
}

static double ipc_of(const struct sim_nic_point *point)
{
    return point->gain;
}

static void judge_ipc(const struct sim_nic_point *points, size_t count, struct sim_claims *claims)
{
    sim_claim_add(claims, points[0].gain / points[count / 2 - 1].gain, 0, 1, own_iterator,
                  "blocks of 32 bytes against 2 KiB (lower: below 1)");
}

/* ---- All ---------------------------------------------------------------------------------- */

static const struct sim_nic_figure figures[] = {
    {"dig19-9c", "pspin", "From far memory to the host, by bursts", "bytes of a burst", "Gbit/s",
     SIM_NIC_HIGHER, plan_bursts, sim_nic_points_throughput, judge_bursts, NULL},
    {"dig19-10", "pspin", "Unpack throughput of small and of large cores", "bytes of a block",
     "Gbit/s", SIM_NIC_HIGHER, plan_pulp, sim_nic_points_throughput, judge_pulp, NULL},
    {"dig19-11", "pspin", "Instructions in a cycle of small cores", "bytes of a block",
     "instructions", SIM_NIC_HIGHER, plan_ipc, ipc_of, judge_ipc, divide},
};

const struct sim_list sim_nic_pulp_figures = SIM_LIST(figures);
