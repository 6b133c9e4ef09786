/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_goal_figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NANOSECONDS(number) ((uint64_t)((number)*1000 + 0.5))
#define LARGEST UINT32_C(131072)

/* ---- Points ------------------------------------------------------------------------------- */

static uint64_t last_result(const struct weft_sim_graph *graph, const uint64_t *times)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < graph->count; i++)
        if (graph->operations[i].action == WEFT_SIM_RECEIVE &&
            graph->operations[i].tag == WEFT_SIM_TAG_RESULT && times[i] > last)
            last = times[i];
    return last;
}

static bool run_graph(struct sim_goal_point *point, const struct weft_sim_graph *graph)
{
    struct weft_sim_outcome outcome;
    uint64_t *times = malloc((graph->count + 1) * sizeof *times);
    bool is_good =
        times && weft_sim_job_run(graph, &point->costs, times, &outcome) == WEFT_SIM_ENDED;
    if (is_good)
        point->time =
            (double)(point->until_result ? last_result(graph, times) : outcome.time) / 1e6 +
            point->more;
    free(times);
    return is_good;
}

bool sim_goal_point_run(struct sim_goal_point *point)
{
    struct weft_sim_graph graph = {0};
    bool is_good = weft_sim_plan_build(&point->plan, &graph) && run_graph(point, &graph);
    weft_sim_graph_fini(&graph);
    return is_good;
}

static double time_of(const struct sim_goal_point *points, size_t count, const char *panel,
                      const char *series, uint32_t ranks)
{
    for (const struct sim_goal_point *point = points; point < points + count; point++)
        if (strcmp(point->panel, panel) == 0 && strcmp(point->series, series) == 0 &&
            point->plan.ranks == ranks)
            return point->time;
    return NAN;
}

static double levels(uint32_t ranks)
{
    return ceil(log2(ranks));
}

/* ---- [DiG15], figure 6 -------------------------------------------------------------------- */

#define DIG15_BYTES 50

static const struct weft_sim_costs dig15_mpi = {.latency = NANOSECONDS(2700),
                                                .overhead = NANOSECONDS(1200),
                                                .gap = NANOSECONDS(500),
                                                .byte_gap = NANOSECONDS(0.4),
                                                .eager = 65536};

static struct weft_sim_costs dig15_hw(void)
{
    struct weft_sim_costs costs = dig15_mpi;
    costs.matching = NANOSECONDS(300);
    return costs;
}

static struct weft_sim_costs dig15_sw(void)
{
    struct weft_sim_costs costs = dig15_mpi;
    costs.latency = NANOSECONDS(5000);
    costs.overhead = costs.gap = NANOSECONDS(6000);
    costs.matching = NANOSECONDS(900);
    return costs;
}

static size_t plan_offloading(struct sim_goal_point *points)
{
    const struct {
        const char *name;
        struct weft_sim_costs costs;
    } series[] = {{"MPI", dig15_mpi}, {"FFLIB-SW", dig15_sw()}, {"FFLIB-HW", dig15_hw()}};
    size_t count = 0;
    for (unsigned panel = 0; panel < 2; panel++)
        for (unsigned s = 0; s < 3; s++)
            for (uint32_t ranks = 16; ranks <= LARGEST; ranks *= 2)
                points[count++] = (struct sim_goal_point){
                    .panel = panel ? "allreduce" : "broadcast",
                    .series = series[s].name,
                    .costs = series[s].costs,
                    .plan = {.scheme = panel ? WEFT_SIM_ALLREDUCE : WEFT_SIM_BCAST,
                             .ranks = ranks,
                             .size = DIG15_BYTES,
                             .is_offloaded = s > 0}};
    return count;
}

static const char hops[] =
    "a hop costs L + 2 o + (s-1) G with CPUs and L + m + (s-1) G with NICs, 1.70 times less, in "
    "both collectives; the paper does not print its schedules";

static void judge_offloading(const struct sim_goal_point *points, size_t count,
                             struct sim_claims *claims)
{
    static const char *const panels[] = {"broadcast", "allreduce"};
    static const double factors[] = {1.4, 3};
    double hop = (2700 + 300 + 49 * 0.4) / 1e3;
    for (unsigned i = 0; i < 2; i++) {
        double mpi = time_of(points, count, panels[i], "MPI", LARGEST);
        double hw = time_of(points, count, panels[i], "FFLIB-HW", LARGEST);
        double sw = time_of(points, count, panels[i], "FFLIB-SW", LARGEST);
        sim_claim_add(claims, mpi / hw, 0.9 * factors[i], 1.1 * factors[i], hops,
                      "%s: FFLIB-HW is faster than MPI by %.1f", panels[i], factors[i]);
        sim_claim_add(claims, sw / mpi, 1, SIM_NO_LIMIT, hops, "%s: FFLIB-SW is the slowest",
                      panels[i]);
        sim_claim_add(claims, hw / (levels(LARGEST) * (i + 1) * hop), 1 - 1e-9, 1 + 1e-9, "ours",
                      "%s: FFLIB-HW takes %s(L + m + (s-1) G) log2 P exactly", panels[i],
                      i ? "2 " : "");
    }
}

/* ---- [sPIN17], figure 5a ------------------------------------------------------------------ */

/* Of the fat tree of 36-port switches: wires of 33.4 ns and switches of 50 ns. */
static double spin17_latency(uint32_t ranks)
{
    unsigned turns = ranks <= 36 ? 0 : ranks <= 648 ? 1 : 2;
    return (2 + 2 * turns) * 33.4 + (1 + 2 * turns) * 50.0;
}

#define SPIN17_HANDLER 20.0 /* ns, ours: some fifty cycles of 2.5 GHz */
#define SPIN17_PACKET 4096
#define SPIN17_RANKS 1024

enum { RDMA, PORTALS, SPIN, FORWARDERS };

static const char *const forwarders[] = {"RDMA", "Portals 4", "sPIN"};

/* Data that is forwarded from host memory goes through the DMA twice at each rank; handlers
 * forward from the NIC, and write to the host besides, which counts once at the end. */
static struct sim_goal_point spin17_point(unsigned how, double dma, uint64_t size, uint32_t ranks)
{
    double latency = spin17_latency(ranks) + (how == SPIN ? 0 : 2 * dma);
    return (struct sim_goal_point){
        .series = forwarders[how],
        .costs = {.latency = NANOSECONDS(latency),
                  .overhead = NANOSECONDS(65),
                  .gap = NANOSECONDS(6.7),
                  .byte_gap = 20,
                  .matching = NANOSECONDS(30 + (how == SPIN ? SPIN17_HANDLER : 0)),
                  .eager = UINT64_MAX},
        .plan = {.scheme = WEFT_SIM_BCAST,
                 .ranks = ranks,
                 .size = size,
                 .packet = how == SPIN ? SPIN17_PACKET : 0,
                 .is_offloaded = how != RDMA},
        .more = how == SPIN ? dma / 1e3 : 0};
}

static const struct {
    const char *name;
    uint64_t size;
    double dma; /* ns */
} spin17_panels[] = {{"8 B, discrete", 8, 250},
                     {"64 KiB, discrete", 65536, 250},
                     {"8 B, integrated", 8, 50},
                     {"64 KiB, integrated", 65536, 50}};

#define SPIN17_PANELS (sizeof spin17_panels / sizeof *spin17_panels)

static size_t plan_broadcast(struct sim_goal_point *points)
{
    size_t count = 0;
    for (size_t panel = 0; panel < SPIN17_PANELS; panel++)
        for (unsigned how = RDMA; how < FORWARDERS; how++)
            for (uint32_t ranks = 4; ranks <= SPIN17_RANKS; ranks *= 2) {
                points[count] =
                    spin17_point(how, spin17_panels[panel].dma, spin17_panels[panel].size, ranks);
                points[count++].panel = spin17_panels[panel].name;
            }
    return count;
}

static void judge_broadcast(const struct sim_goal_point *points, size_t count,
                            struct sim_claims *claims)
{
    static const char order[] = "a hop of sPIN is shorter by what it does not do";
    static const char why[] =
        "a hop saves two DMAs of 50 ns and, over RDMA, 130 ns of the CPU, of some 600 ns; large "
        "messages save all that waits for their last packet. The paper does not say which size it "
        "means, nor what else the hop has";
    for (size_t i = 0; i < SPIN17_PANELS; i++) {
        const char *panel = spin17_panels[i].name;
        double times[FORWARDERS];
        for (unsigned how = RDMA; how < FORWARDERS; how++)
            times[how] = time_of(points, count, panel, forwarders[how], SPIN17_RANKS);
        if (spin17_panels[i].dma > 100) {
            sim_claim_add(claims, times[RDMA] / times[PORTALS], 1, SIM_NO_LIMIT, order,
                          "%s: Portals 4 is faster than RDMA", panel);
            sim_claim_add(claims, times[PORTALS] / times[SPIN], 1, SIM_NO_LIMIT, order,
                          "%s: sPIN is faster than Portals 4", panel);
        } else {
            sim_claim_add(claims, times[RDMA] / times[SPIN], 1.05, 1.09, why,
                          "%s: sPIN is 7 %% faster than RDMA", panel);
            sim_claim_add(claims, times[PORTALS] / times[SPIN], 1.03, 1.07, why,
                          "%s: sPIN is 5 %% faster than Portals 4", panel);
        }
    }
}

/* ---- [DiG19], figure 19 ------------------------------------------------------------------- */

#define FFT_SIDE 20480.0
#define FFT_ITEM 16.0 /* bytes: two doubles */
#define FFT_LEAST 64
#define FFT_MOST 512

/* Neither the time of a 1D-FFT nor that of unpacking is printed. These two make the run on 64
 * ranks 60 % computation, and 26 % faster without unpacking, as the paper says of it. */
#define FFT_RATE 73.0    /* floating-point operations in a nanosecond */
#define UNPACK_RATE 47.0 /* bytes in a nanosecond */

/* As the paper, and then with messages that keep no CPU busy, too. */
enum { UNPACKED_BY_HOST, UNPACKED_BY_NIC, ALL_BY_NIC, UNPACKERS };

static const char *const unpackers[] = {"host", "RW-CP", "RW-CP, offloaded messages"};

static struct sim_goal_point fft_point(unsigned how, uint32_t ranks)
{
    double bytes = FFT_SIDE * FFT_SIDE * FFT_ITEM / ranks / ranks;
    double work = FFT_SIDE / ranks * 5 * FFT_SIDE * log2(FFT_SIDE);
    double unpack = how == UNPACKED_BY_HOST ? bytes / UNPACK_RATE : 0;
    struct sim_goal_point point = spin17_point(RDMA, 250, 0, ranks);
    point.panel = "FFT2D";
    point.series = unpackers[how];
    point.plan = (struct weft_sim_plan){.scheme = WEFT_SIM_FFT2D,
                                        .ranks = ranks,
                                        .size = (uint64_t)bytes,
                                        .is_offloaded = how == ALL_BY_NIC,
                                        .compute = (uint64_t)(work / FFT_RATE),
                                        .unpack = (uint64_t)unpack};
    return point;
}

static size_t plan_fft(struct sim_goal_point *points)
{
    size_t count = 0;
    for (unsigned how = UNPACKED_BY_HOST; how < UNPACKERS; how++)
        for (uint32_t ranks = FFT_LEAST; ranks <= FFT_MOST; ranks *= 2)
            points[count++] = fft_point(how, ranks);
    return count;
}

static double fft_gain(const struct sim_goal_point *points, size_t count, uint32_t ranks)
{
    return time_of(points, count, "FFT2D", "host", ranks) /
               time_of(points, count, "FFT2D", "RW-CP", ranks) -
           1;
}

static void judge_fft(const struct sim_goal_point *points, size_t count, struct sim_claims *claims)
{
    static const char fitted[] = "the rates of FFTs and of unpacking are chosen for this";
    struct sim_goal_point first = fft_point(UNPACKED_BY_HOST, FFT_LEAST);
    double whole = time_of(points, count, "FFT2D", "host", FFT_LEAST);
    sim_claim_add(claims, 2 * (double)first.plan.compute / 1e3 / whole, 0.58, 0.62, fitted,
                  "64 ranks: 60 %% computation (fitted)");
    sim_claim_add(claims, fft_gain(points, count, FFT_LEAST), 0.24, 0.28, fitted,
                  "64 ranks: 26 %% faster with RW-CP (fitted)");
    sim_claim_add(claims, fft_gain(points, count, FFT_MOST) / fft_gain(points, count, FFT_LEAST),
                  0, 1,
                  "messages become shorter, and what each costs beside becomes more of the time",
                  "512 ranks: less gain than with 64");
}

/* ---- Solo collectives --------------------------------------------------------------------- */

#define SOLO_NOISE 100e6 /* ns, [DiG15], section IV-C */

static size_t plan_solo(struct sim_goal_point *points)
{
    size_t count = 0;
    for (unsigned is_solo = 0; is_solo < 2; is_solo++)
        for (uint32_t ranks = 16; ranks <= LARGEST; ranks *= 2) {
            points[count] = (struct sim_goal_point){
                .panel = "allreduce",
                .series = is_solo ? "solo" : "synchronised",
                .costs = dig15_hw(),
                .plan = {.scheme = is_solo ? WEFT_SIM_SOLO : WEFT_SIM_ALLREDUCE,
                         .ranks = ranks,
                         .size = DIG15_BYTES,
                         .is_offloaded = true,
                         .computes = true},
                .until_result = true};
            points[count++].costs.noise = (struct weft_sim_noise){
                .kind = WEFT_SIM_NOISE_UNIFORM, .duration = NANOSECONDS(SOLO_NOISE), .seed = 1};
        }
    return count;
}

static void judge_solo(const struct sim_goal_point *points, size_t count,
                       struct sim_claims *claims)
{
    static const char why[] = "the first of P ranks begins after I / (P + 1), on average";
    double most = SOLO_NOISE / 1e3, hop = 3.02, k = levels(LARGEST);
    double waiting = time_of(points, count, "allreduce", "synchronised", LARGEST);
    double solo = time_of(points, count, "allreduce", "solo", LARGEST);
    sim_claim_add(claims, waiting / most, 0.99, 1.01, why,
                  "131,072 ranks: who synchronises waits for the last one, all of the noise");
    /* The first begins, all are woken, and the result goes up and down the tree; each rank sends
     * messages of two trees, one after the other. */
    sim_claim_add(
        claims, solo / (1.2 + 3 * k * (hop + 0.52) + 10 * most / LARGEST), 0, 1, why,
        "131,072 ranks: solo ends within o + (L + m) log2 P and 2 (L + m + sG) log2 P of "
        "the first");
    sim_claim_add(claims, waiting / solo, 100, SIM_NO_LIMIT, why,
                  "131,072 ranks: solo is faster by more than 100");
}

/* ---- All ---------------------------------------------------------------------------------- */

static const struct sim_goal_figure figures[] = {
    {"dig15-6", "[DiG15], figure 6: collectives of 50 bytes by CPUs and by NICs", plan_offloading,
     judge_offloading},
    {"spin17-5a", "[sPIN17], figure 5a: broadcasts by CPUs, triggered puts and handlers",
     plan_broadcast, judge_broadcast},
    {"dig19-19", "[DiG19], figure 19: FFT of 20,480 x 20,480, unpacked by hosts or by NICs",
     plan_fft, judge_fft},
    {"solo", "[DiG15], section IV: allreduce of ranks that begin up to 100 ms apart", plan_solo,
     judge_solo},
};

const struct sim_list sim_goal_figures = SIM_LIST(figures);
