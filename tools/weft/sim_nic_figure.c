/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "sim_nic_points.h"

#define LENGTH SIM_NIC_LENGTH
#define LINE_RATE SIM_NIC_LINE_RATE

static const int offloaded[] = {SIM_NIC_SEEK, SIM_NIC_SPECIALIZED, SIM_NIC_RW_CP, SIM_NIC_RO_CP,
                                SIM_NIC_HPU_LOCAL};

static const char other_core[] =
    "the cores are not the paper's: RISC-V in order here, an out-of-order A15 there";
static const char own_iterator[] =
    "the iterator is ours, which goes through a row of blocks in one loop; the paper's is that of "
    "MPITypes";

/* ---- [DiG19], figure 2: what handlers add to a put of one byte ----------------------------- */

static size_t plan_byte(const struct sim_nic_study *base, struct sim_nic_point *list)
{
    struct sim_nic_points points = {list, 0};
    static const int ways[] = {SIM_NIC_CONTIGUOUS, SIM_NIC_SPECIALIZED, SIM_NIC_SEEK};
    struct sim_nic_study study = *base;
    study.size = study.block = 1;
    for (size_t i = 0; i < LENGTH(ways); i++) {
        study.way = ways[i];
        sim_nic_points_add(&points, &study, "put of one byte", "%s", sim_nic_ways[ways[i]]);
        snprintf(list[i].series, sizeof list[i].series, "latency");
    }
    return points.count;
}

static double time_of(const struct sim_nic_point *point)
{
    return point->finding.time;
}

static void judge_byte(const struct sim_nic_point *points, size_t count, struct sim_claims *claims)
{
    (void)count;
    sim_claim_add(
        claims, 100 * (points[1].finding.time / points[0].finding.time - 1), 19, 29,
        "the paper states neither the latency of its put nor the parts that handlers "
        "add; ours are those of the model",
        "per cent that a handler adds to the latency of one byte: about 24 (the model's copy "
        "is fitted to it)");
}

/* ---- [DiG19], figure 8: throughput over sizes of blocks ------------------------------------ */

static const double all_blocks[] = {4, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 16384};

static size_t plan_blocks(const struct sim_nic_study *base, struct sim_nic_point *list)
{
    struct sim_nic_points points = {list, 0};
    static const int host[] = {SIM_NIC_HOST};
    sim_nic_points_add_blocks(
        &points, base, "in order",
        &(struct sim_nic_lines){all_blocks, LENGTH(all_blocks), offloaded, LENGTH(offloaded)});
    sim_nic_points_add_blocks(
        &points, base, "in order",
        &(struct sim_nic_lines){all_blocks, LENGTH(all_blocks), host, LENGTH(host)});
    return points.count;
}

static void judge_blocks(const struct sim_nic_point *points, size_t count,
                         struct sim_claims *claims)
{
    double rate = points->study.rate;
    double host = sim_nic_points_find(points, count, NULL, SIM_NIC_HOST, "4")->throughput,
           best = 0;
    for (size_t i = 0; i < LENGTH(offloaded); i++)
        if (offloaded[i] != SIM_NIC_SEEK)
            best = fmax(best,
                        sim_nic_points_find(points, count, NULL, offloaded[i], "4")->throughput);
    sim_claim_add(
        claims,
        sim_nic_points_hold_from(points, count, NULL, SIM_NIC_SPECIALIZED, LINE_RATE * rate), 1,
        64, other_core, "specialized has line rate from blocks of: 64 bytes");
    sim_claim_add(
        claims, best / host, 0, 1, "the host is a model: host-rate and host-block",
        "blocks of 4 bytes: the best of the paper's four against the host (slower: below 1)");
    sim_claim_add(claims,
                  sim_nic_points_find(points, count, NULL, SIM_NIC_RO_CP, "64")->throughput /
                      sim_nic_points_find(points, count, NULL, SIM_NIC_RW_CP, "64")->throughput,
                  0, 0.8, own_iterator,
                  "blocks of 64 bytes: ro-cp against rw-cp (limited by its copy and catch-up)");
    sim_claim_add(
        claims,
        sim_nic_points_find(points, count, NULL, SIM_NIC_HPU_LOCAL, "2K")->throughput /
            sim_nic_points_find(points, count, NULL, SIM_NIC_HPU_LOCAL, "64")->throughput,
        2, SIM_NO_LIMIT, own_iterator,
        "hpu-local with blocks of 2 KiB against 64 (catch-up shrinks: above 2)");
    sim_claim_add(claims,
                  sim_nic_points_hold_from(points, count, NULL, SIM_NIC_SEEK, LINE_RATE * rate), 1,
                  32, "ours", "ours: seek has line rate from blocks of: 32 bytes");
}

/* ---- [DiG19], figures 12 and 14: handlers and the DMA queue over gamma --------------------- */

static const double gamma_blocks[] = {2048, 1024, 512, 256, 128};

static size_t plan_gamma(const struct sim_nic_study *base, struct sim_nic_point *list)
{
    struct sim_nic_points points = {list, 0};
    struct sim_nic_study study = *base;
    for (size_t w = 0; w < LENGTH(offloaded); w++)
        for (size_t b = 0; b < LENGTH(gamma_blocks); b++) {
            study.way = offloaded[w];
            study.block = gamma_blocks[b];
            sim_nic_points_add(&points, &study, "blocks of 2 KiB to 128 bytes", "%.0f",
                               study.packet / study.block);
        }
    return points.count;
}

static double handler_time(const struct sim_nic_point *point)
{
    return point->finding.handler;
}

/* Geometric, over all sizes of blocks. */
static double mean_ratio(const struct sim_nic_point *points, size_t count, int way, int other)
{
    double sum = 0;
    for (size_t b = 0; b < LENGTH(gamma_blocks); b++) {
        char gamma[SIM_NIC_LABEL];
        snprintf(gamma, sizeof gamma, "%.0f", gamma_blocks[0] / gamma_blocks[b]);
        sum += log(sim_nic_points_find(points, count, NULL, way, gamma)->handler /
                   sim_nic_points_find(points, count, NULL, other, gamma)->handler);
    }
    return exp(sum / (double)LENGTH(gamma_blocks));
}

static void judge_handlers(const struct sim_nic_point *points, size_t count,
                           struct sim_claims *claims)
{
    double specialized =
        sim_nic_points_find(points, count, NULL, SIM_NIC_SPECIALIZED, "16")->handler;
    double owned = sim_nic_points_find(points, count, NULL, SIM_NIC_RW_CP, "16")->handler;
    double copied = sim_nic_points_find(points, count, NULL, SIM_NIC_RO_CP, "16")->handler;
    double local = sim_nic_points_find(points, count, NULL, SIM_NIC_HPU_LOCAL, "16")->handler;
    sim_claim_add(claims, mean_ratio(points, count, SIM_NIC_RW_CP, SIM_NIC_SPECIALIZED), 1.5, 2.5,
                  own_iterator, "rw-cp against specialized, mean of gamma 1 to 16: 2");
    sim_claim_add(claims, owned / specialized, 1.5, 2.5, own_iterator,
                  "the same with gamma 16 alone: 2");
    sim_claim_add(claims, 1 - owned / copied, 0.6, 1, own_iterator,
                  "gamma 16: part of ro-cp that rw-cp does not have, copy and catch-up "
                  "(dominated: the paper has 0.87 of catch-up alone)");
    sim_claim_add(claims, 1 - owned / local, 0.5, 1, own_iterator,
                  "gamma 16: part of hpu-local that rw-cp does not have (dominated: above 0.5)");
}

static double queue_of(const struct sim_nic_point *point)
{
    return point->finding.queue;
}

static void judge_queue(const struct sim_nic_point *points, size_t count,
                        struct sim_claims *claims)
{
    double deepest = 0;
    for (size_t i = 0; i < count; i++)
        deepest = fmax(deepest, points[i].finding.queue);
    sim_claim_add(claims, deepest, 0, 160, "the constants of PCIe packets are ours",
                  "most DMA writes that wait, of all strategies: below 160");
    sim_claim_add(claims,
                  sim_nic_points_find(points, count, NULL, SIM_NIC_SPECIALIZED, "16")->writes,
                  32768, 32769, other_core, "gamma 16: DMA writes of 4 MiB: 32,768");
}

/* ---- [DiG19], figure 13a: throughput over HPUs --------------------------------------------- */

static size_t plan_hpus(const struct sim_nic_study *base, struct sim_nic_point *list)
{
    static const double hpus[] = {1, 2, 4, 8, 16, 32};
    struct sim_nic_points points = {list, 0};
    sim_nic_points_add_hpus(
        &points, base, &(struct sim_nic_lines){hpus, LENGTH(hpus), offloaded, LENGTH(offloaded)});
    return points.count;
}

static void judge_hpus(const struct sim_nic_point *points, size_t count, struct sim_claims *claims)
{
    double rate = points->study.rate;
    sim_claim_add(claims,
                  sim_nic_points_find(points, count, NULL, SIM_NIC_SPECIALIZED, "2")->throughput /
                      rate,
                  LINE_RATE, 1, other_core, "specialized with 2 HPUs: line rate");
    sim_claim_add(
        claims,
        sim_nic_points_find(points, count, NULL, SIM_NIC_SPECIALIZED, "1")->throughput / rate, 0,
        LINE_RATE, other_core, "specialized with 1 HPU: less (the model's start is fitted to it)");
    sim_claim_add(claims,
                  sim_nic_points_find(points, count, NULL, SIM_NIC_HPU_LOCAL, "2")->throughput /
                      rate,
                  0, LINE_RATE, own_iterator, "hpu-local with 2 HPUs: less (catch-up)");
}

/* ---- [sPIN17], figures 3b and 3c: there and back ------------------------------------------- */

static const double pong_sizes[] = {8, 64, 512, 4096, 32768, 262144};

/* Both NICs of the paper, whose host memory is near or far. */
static const struct {
    const char *panel;
    double latency, rate;
} pong_nics[] = {{"integrated", 50, 149.25}, {"discrete", 250, 64.1}};

static size_t plan_pong(const struct sim_nic_study *base, struct sim_nic_point *list)
{
    struct sim_nic_points points = {list, 0};
    struct sim_nic_study study = *base;
    for (size_t n = 0; n < LENGTH(pong_nics); n++)
        for (int way = SIM_NIC_PONG_RDMA; way <= SIM_NIC_PONG_STREAM; way++)
            for (size_t i = 0; i < LENGTH(pong_sizes); i++) {
                char x[SIM_NIC_LABEL];
                study.dma_latency = pong_nics[n].latency;
                study.dma_rate = pong_nics[n].rate;
                study.way = way;
                study.size = pong_sizes[i];
                sim_nic_points_name_block(study.size, x);
                sim_nic_points_add(&points, &study, pong_nics[n].panel, "%s", x);
            }
    return points.count;
}

static double microseconds(const struct sim_nic_point *point)
{
    return point->finding.time / 1000;
}

/* The most that one way takes of the time of another, of all sizes. */
static double worst_ratio(const struct sim_nic_point *points, size_t count, const char *panel,
                          int way, int other)
{
    double worst = 0;
    for (size_t i = 0; i < LENGTH(pong_sizes); i++) {
        char x[SIM_NIC_LABEL];
        sim_nic_points_name_block(pong_sizes[i], x);
        worst = fmax(worst, sim_nic_points_find(points, count, panel, way, x)->time /
                                sim_nic_points_find(points, count, panel, other, x)->time);
    }
    return worst;
}

static double gained(const struct sim_nic_point *points, size_t count, const char *panel,
                     const char *x)
{
    return sim_nic_points_find(points, count, panel, SIM_NIC_PONG_RDMA, x)->time -
           sim_nic_points_find(points, count, panel, SIM_NIC_PONG_STREAM, x)->time;
}

static void judge_pong(const struct sim_nic_point *points, size_t count, struct sim_claims *claims)
{
    for (size_t n = 0; n < LENGTH(pong_nics); n++) {
        const char *panel = pong_nics[n].panel;
        sim_claim_add(
            claims, worst_ratio(points, count, panel, SIM_NIC_PONG_STREAM, SIM_NIC_PONG_PORTALS),
            0, 0.99, other_core, "%s: stream against Portals, at worst (faster: below 1)", panel);
        sim_claim_add(
            claims, worst_ratio(points, count, panel, SIM_NIC_PONG_PORTALS, SIM_NIC_PONG_RDMA), 0,
            0.999, other_core, "%s: Portals against RDMA, at worst (faster: below 1)", panel);
        sim_claim_add(
            claims,
            sim_nic_points_find(points, count, panel, SIM_NIC_PONG_STREAM, "256K")->time /
                sim_nic_points_find(points, count, panel, SIM_NIC_PONG_STORE, "256K")->time,
            0, 0.9, other_core,
            "%s, 256 KiB: stream against store (large messages gain by streaming)", panel);
    }
    sim_claim_add(
        claims, gained(points, count, "discrete", "8") / gained(points, count, "integrated", "8"),
        1, SIM_NO_LIMIT, other_core,
        "8 bytes: what stream gains over RDMA, discrete against integrated (more)");
}

/* ---- [sPIN17], figure 7a: unpack bandwidth ------------------------------------------------- */

static size_t plan_unpack(const struct sim_nic_study *base, struct sim_nic_point *list)
{
    static const double blocks[] = {16, 64, 128, 256, 512, 1024, 4096, 16384};
    static const int ways[] = {SIM_NIC_SPECIALIZED, SIM_NIC_SEEK, SIM_NIC_HOST};
    struct sim_nic_points points = {list, 0};
    sim_nic_points_add_blocks(&points, base, "4 MiB",
                              &(struct sim_nic_lines){blocks, LENGTH(blocks), ways, LENGTH(ways)});
    return points.count;
}

static double gibibytes(const struct sim_nic_point *point)
{
    return point->finding.throughput / 8 * 1e9 / 1073741824;
}

static void judge_unpack(const struct sim_nic_point *points, size_t count,
                         struct sim_claims *claims)
{
    double host = sim_nic_points_find(points, count, NULL, SIM_NIC_HOST, "4K")->throughput / 8 *
                  1e9 / 1073741824;
    sim_claim_add(claims,
                  sim_nic_points_hold_from(points, count, NULL, SIM_NIC_SPECIALIZED,
                                           0.9 * points->study.rate),
                  1, 256, other_core, "specialized is near line rate from blocks of: 256 bytes");
    sim_claim_add(claims, host, 7.8, 9.6, "host-rate is chosen so that it is",
                  "RDMA and unpacking by the processor: 8.7 GiB/s");
}

/* ---- Ours: what should a NIC be able to do? ------------------------------------------------ */

static const double our_blocks[] = {16, 32, 64, 128, 2048};

static size_t plan_ours(const struct sim_nic_study *base, struct sim_nic_point *list)
{
    struct sim_nic_points points = {list, 0};
    static const double rates[] = {200, 400};
    for (size_t r = 0; r < LENGTH(rates); r++)
        for (int shuffled = 0; shuffled < 2; shuffled++) {
            struct sim_nic_study study = *base;
            char panel[SIM_NIC_LABEL];
            study.rate = rates[r];
            study.is_shuffled = shuffled;
            snprintf(panel, sizeof panel, "%.0f Gbit/s, %s", rates[r],
                     shuffled ? "shuffled" : "in order");
            sim_nic_points_add_blocks(&points, &study, panel,
                                      &(struct sim_nic_lines){our_blocks, LENGTH(our_blocks),
                                                              offloaded, LENGTH(offloaded)});
        }
    return points.count;
}

/* Ratios of memory, sorted. */
static double median_memory(const struct sim_nic_point *points, size_t count)
{
    double ratios[LENGTH(our_blocks)];
    for (size_t b = 0; b < LENGTH(our_blocks); b++) {
        char x[SIM_NIC_LABEL];
        sim_nic_points_name_block(our_blocks[b], x);
        double ratio =
            sim_nic_points_find(points, count, "200 Gbit/s, in order", SIM_NIC_SEEK, x)->memory /
            sim_nic_points_find(points, count, "200 Gbit/s, in order", SIM_NIC_RW_CP, x)->memory;
        size_t at = b;
        for (; at > 0 && ratios[at - 1] > ratio; at--)
            ratios[at] = ratios[at - 1];
        ratios[at] = ratio;
    }
    return ratios[LENGTH(our_blocks) / 2];
}

static void judge_ours(const struct sim_nic_point *points, size_t count, struct sim_claims *claims)
{
    sim_claim_add(claims,
                  sim_nic_points_hold_from(points, count, "200 Gbit/s, in order", SIM_NIC_SEEK,
                                           LINE_RATE * 200),
                  1, 32, "ours", "seek, in order: 200 Gbit/s from blocks of 32 bytes");
    sim_claim_add(claims,
                  sim_nic_points_hold_from(points, count, "200 Gbit/s, shuffled", SIM_NIC_SEEK,
                                           LINE_RATE * 200),
                  1, 32, "ours", "seek, shuffled: 200 Gbit/s from blocks of 32 bytes");
    sim_claim_add(claims,
                  sim_nic_points_hold_from(points, count, "400 Gbit/s, in order", SIM_NIC_SEEK,
                                           LINE_RATE * 400),
                  1, 128, "smaller blocks, with 24 bytes each for PCIe, need more than 63 GB/s",
                  "seek, in order: 400 Gbit/s from blocks of 128 bytes");
    sim_claim_add(claims,
                  sim_nic_points_hold_from(points, count, "400 Gbit/s, shuffled", SIM_NIC_SEEK,
                                           LINE_RATE * 400),
                  1, 128, "where packets overtake each other, 64 may be under way (nic/order.h)",
                  "seek, shuffled: 400 Gbit/s from blocks of 128 bytes");
    sim_claim_add(claims, median_memory(points, count), 0, 0.25, "ours",
                  "seek: memory of the NIC against rw-cp's, median of the blocks: at most 1/4");
}

/* ---- All ---------------------------------------------------------------------------------- */

static const struct sim_nic_figure figures[] = {
    {"dig19-2", "dig19", "What a handler adds to a put of one byte", "way", "ns", SIM_NIC_LOWER,
     plan_byte, time_of, judge_byte, NULL},
    {"dig19-8", "dig19", "Unpack throughput of a vector of 4 MiB, 16 HPUs", "bytes of a block",
     "Gbit/s", SIM_NIC_HIGHER, plan_blocks, sim_nic_points_throughput, judge_blocks, NULL},
    {"dig19-12", "dig19", "Time of a payload handler", "blocks of a packet", "ns", SIM_NIC_LOWER,
     plan_gamma, handler_time, judge_handlers, NULL},
    {"dig19-13a", "dig19", "Receive throughput over HPUs", "HPUs", "Gbit/s", SIM_NIC_HIGHER,
     plan_hpus, sim_nic_points_throughput, judge_hpus, NULL},
    {"dig19-14", "dig19", "Most DMA writes that wait", "blocks of a packet", "writes",
     SIM_NIC_LOWER, plan_gamma, queue_of, judge_queue, NULL},
    {"spin17-3", "spin17-dis", "A message there and back", "bytes", "us", SIM_NIC_LOWER, plan_pong,
     microseconds, judge_pong, NULL},
    {"spin17-7a", "spin17-dis", "Unpack bandwidth of a vector of 4 MiB, discrete NIC",
     "bytes of a block", "GiB/s", SIM_NIC_HIGHER, plan_unpack, gibibytes, judge_unpack, NULL},
    {"seek", "dig19", "Five strategies on 16 HPUs of 0.8 GHz", "bytes of a block", "Gbit/s",
     SIM_NIC_HIGHER, plan_ours, sim_nic_points_throughput, judge_ours, NULL},
};

const struct sim_list sim_nic_figures = SIM_LIST(figures);
