/* SPDX-License-Identifier: BSD-3-Clause */
/* [sPIN17], figures 3d, 4 and 7c: a product on the NIC, how many cores packets need, and blocks
 * with a parity. */
#include <math.h>
#include <string.h>

#include "sim_nic_points.h"

#define LENGTH SIM_NIC_LENGTH

/* Both NICs of the paper, whose host memory is near or far. */
static const struct {
    const char *panel;
    double latency, rate;
} nics[] = {{"integrated", 50, 149.25}, {"discrete", 250, 64.1}};

static const char native_times[] =
    "our cores have no instructions for floating-point numbers: the time of a product is item, a "
    "parameter, and that of the processor host-item and host-memory";

/* ---- Figure 3d: products ------------------------------------------------------------------- */

static const double product_sizes[] = {16, 128, 1024, 4096, 16384, 65536, 262144};

static const struct {
    const char *series;
    int way;
    double turns;
} products[] = {{"RDMA", SIM_NIC_PRODUCT_HOST, 1},
                {"sPIN", SIM_NIC_PRODUCT, 1},
                {"sPIN, 4 turns", SIM_NIC_PRODUCT, 4}};

static void add_sizes(struct sim_nic_points *points, const struct sim_nic_study *base,
                      const char *panel, const char *series, const double *sizes, size_t count)
{
    struct sim_nic_study study = *base;
    for (size_t i = 0; i < count; i++) {
        char x[SIM_NIC_LABEL];
        study.size = sizes[i];
        sim_nic_points_name_block(study.size, x);
        struct sim_nic_point *point = sim_nic_points_add(points, &study, panel, "%s", x);
        snprintf(point->series, sizeof point->series, "%s", series);
    }
}

static size_t plan_products(const struct sim_nic_study *base, struct sim_nic_point *list)
{
    struct sim_nic_points points = {list, 0};
    struct sim_nic_study study = *base;
    for (size_t n = 0; n < LENGTH(nics); n++)
        for (size_t p = 0; p < LENGTH(products); p++) {
            study.dma_latency = nics[n].latency;
            study.dma_rate = nics[n].rate;
            study.way = products[p].way;
            study.turns = products[p].turns;
            add_sizes(&points, &study, nics[n].panel, products[p].series, product_sizes,
                      LENGTH(product_sizes));
        }
    return points.count;
}

static double microseconds(const struct sim_nic_point *point)
{
    return point->finding.time / 1000;
}

/* Time of the NIC against that of the processor. */
static double product_ratio(const struct sim_nic_point *points, size_t panel, size_t product,
                            size_t size)
{
    const struct sim_nic_point *first = points + panel * LENGTH(products) * LENGTH(product_sizes);
    return first[product * LENGTH(product_sizes) + size].finding.time / first[size].finding.time;
}

/* The smallest size from which on the NIC is faster; 0: it never is. */
static double crossing(const struct sim_nic_point *points, size_t panel, size_t product)
{
    double from = 0;
    for (size_t i = 0; i < LENGTH(product_sizes); i++) {
        if (product_ratio(points, panel, product, i) >= 1)
            from = 0;
        else if (from == 0)
            from = product_sizes[i];
    }
    return from;
}

static void judge_products(const struct sim_nic_point *points, size_t count,
                           struct sim_claims *claims)
{
    const size_t last = LENGTH(product_sizes) - 1;
    (void)count;
    for (size_t n = 0; n < LENGTH(nics); n++) {
        sim_claim_add(claims, product_ratio(points, n, 2, last), 0, 0.8, native_times,
                      "%s, 256 KiB: sPIN with turns against RDMA (significantly faster: 0.8)",
                      nics[n].panel);
        sim_claim_add(claims, crossing(points, n, 2), 16, 65536, native_times,
                      "%s: sPIN with turns is faster from so many bytes on (there is a crossing)",
                      nics[n].panel);
    }
    sim_claim_add(claims, product_ratio(points, 1, 1, 0), 1, SIM_NO_LIMIT, native_times,
                  "discrete, 16 bytes: sPIN against RDMA (slower: above 1)");
    sim_claim_add(claims, product_ratio(points, 1, 1, 0) / product_ratio(points, 0, 1, 0), 1,
                  SIM_NO_LIMIT, native_times,
                  "the same against integrated (the latency of 250 ns is seen: above 1)");
}

/* ---- Figure 4: how long handlers may take --------------------------------------------------- */

static const double busy_times[] = {50, 100, 150, 200, 300, 400, 500, 650, 800, 1000, 1300};
static const double busy_hpus[] = {4, 8, 16};

static size_t plan_busy(const struct sim_nic_study *base, struct sim_nic_point *list)
{
    static const double packets[] = {1024, 4096};
    struct sim_nic_points points = {list, 0};
    struct sim_nic_study study = *base;
    study.way = SIM_NIC_BUSY;
    study.size = 2 << 20;
    for (size_t p = 0; p < LENGTH(packets); p++)
        for (size_t h = 0; h < LENGTH(busy_hpus); h++)
            for (size_t i = 0; i < LENGTH(busy_times); i++) {
                char panel[SIM_NIC_LABEL];
                study.packet = packets[p];
                study.hpus = busy_hpus[h];
                study.busy = busy_times[i];
                snprintf(panel, sizeof panel, "packets of %.0f KiB", packets[p] / 1024);
                struct sim_nic_point *point =
                    sim_nic_points_add(&points, &study, panel, "%.0f", busy_times[i]);
                snprintf(point->series, sizeof point->series, "%.0f HPUs", busy_hpus[h]);
            }
    return points.count;
}

/* The longest handlers with which so many cores hold the link; those that are longer do not. */
static double held_until(const struct sim_nic_point *points, size_t count, double packet,
                         double hpus)
{
    double until = 0;
    for (const struct sim_nic_point *point = points; point < points + count; point++)
        if (point->study.packet == packet && point->study.hpus == hpus &&
            point->finding.throughput >= 0.93 * point->study.rate)
            until = fmax(until, point->study.busy);
    return until;
}

static void judge_busy(const struct sim_nic_point *points, size_t count, struct sim_claims *claims)
{
    static const char headers[] =
        "a packet of 4 KiB takes 82 ns with its headers, and a core needs a cycle to begin";
    const double gap = 6.7; /* nanoseconds between messages */
    sim_claim_add(claims, 8 * gap, 52, 54, "closed form",
                  "8 HPUs, any packets, which come every 6.7 ns at most: 53 ns (closed form)");
    sim_claim_add(claims, held_until(points, count, 4096, 8), 650, 650, headers,
                  "8 HPUs, packets of 4 KiB: handlers up to 650 ns, and none of 800");
    sim_claim_add(claims, held_until(points, count, 1024, 8), 150, 150, headers,
                  "8 HPUs, packets of 1 KiB: up to 150 ns, and none of 200 (Little's law: 164)");
    sim_claim_add(claims, held_until(points, count, 4096, 16) / held_until(points, count, 4096, 8),
                  2, 2, headers, "16 HPUs against 8 (Little's law: 2)");
}

/* ---- Figure 7c: blocks with a parity ------------------------------------------------------- */

static const double raid_sizes[] = {1024, 4096, 16384, 65536, 262144, 1048576};

static const struct {
    const char *series;
    int way;
    double hpus, turns;
} raids[] = {{"RDMA", SIM_NIC_RAID_HOST, 4, 1},
             {"sPIN, 4 HPUs", SIM_NIC_RAID, 4, 1},
             {"4 HPUs, 4 turns", SIM_NIC_RAID, 4, 4},
             {"8 HPUs, 4 turns", SIM_NIC_RAID, 8, 4}};

static size_t plan_raid(const struct sim_nic_study *base, struct sim_nic_point *list)
{
    struct sim_nic_points points = {list, 0};
    struct sim_nic_study study = *base;
    for (size_t r = 0; r < LENGTH(raids); r++) {
        study.way = raids[r].way;
        study.hpus = raids[r].hpus;
        study.turns = raids[r].turns;
        add_sizes(&points, &study, "discrete", raids[r].series, raid_sizes, LENGTH(raid_sizes));
    }
    return points.count;
}

/* Throughput of a way against that of processors. */
static double raid_ratio(const struct sim_nic_point *points, size_t raid, size_t size)
{
    return points[raid * LENGTH(raid_sizes) + size].finding.throughput /
           points[size].finding.throughput;
}

static void judge_raid(const struct sim_nic_point *points, size_t count, struct sim_claims *claims)
{
    static const char narrow[] = "all differences meet at one NIC, whose cores combine words of "
                                 "64 bits; those of the paper have 128";
    const size_t last = LENGTH(raid_sizes) - 1;
    (void)count;
    sim_claim_add(claims, raid_ratio(points, 1, 0), 0.7, 1.5, narrow,
                  "1 KiB: sPIN against RDMA (comparable: 0.7 to 1.5)");
    sim_claim_add(claims, raid_ratio(points, 1, last), 1.2, SIM_NO_LIMIT, narrow,
                  "1 MiB: sPIN on 4 HPUs against RDMA (significantly higher: 1.2)");
    sim_claim_add(claims, raid_ratio(points, 3, last), 1.2, SIM_NO_LIMIT, narrow,
                  "1 MiB: on 8 HPUs, which turn to others while one waits (1.2)");
}

/* ---- All ---------------------------------------------------------------------------------- */

static const struct sim_nic_figure figures[] = {
    {"spin17-3d", "spin17-dis", "Multiplying an array by one that arrives", "bytes", "us",
     SIM_NIC_LOWER, plan_products, microseconds, judge_products, NULL},
    {"spin17-4", "spin17-dis", "How long handlers may take", "ns of a handler", "Gbit/s",
     SIM_NIC_HIGHER, plan_busy, sim_nic_points_throughput, judge_busy, NULL},
    {"spin17-7c", "spin17-dis", "Writing to four nodes with a parity on a fifth", "bytes",
     "Gbit/s", SIM_NIC_HIGHER, plan_raid, sim_nic_points_throughput, judge_raid, NULL},
};

const struct sim_list sim_nic_spin_figures = SIM_LIST(figures);
