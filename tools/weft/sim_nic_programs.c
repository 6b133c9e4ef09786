/* SPDX-License-Identifier: BSD-3-Clause */
/* [DiG19], figures 16 to 18: layouts of programs, of which the processor knows nothing yet: its
 * caches are cold. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim_nic_points.h"

#define LENGTH SIM_NIC_LENGTH
#define INPUTS 4

static const struct {
    const char *name, *inputs[INPUTS];
} programs[] = {
    {"Comb", {"comb_corner", "comb_edge_x", "comb_edge_z", "comb_face_x"}},
    {"FFT2D", {"fft2_recv_256", "fft2_recv_512", "fft2_recv_768", "fft2_recv_1024"}},
    {"LAMMPS", {"lammps_atomic_114", "lammps_atomic_145", "lammps_atomic_243"}},
    {"LAMMPS full", {"lammps_full_1662", "lammps_full_2243", "lammps_full_3062"}},
    {"MILC", {"milc_8x8x8x8", "milc_8x8x8x16", "milc_8x16x16x16", "milc_16x16x16x16"}},
    {"NAS LU", {"lu_y_33", "lu_y_64", "lu_y_162", "lu_y_1020"}},
    {"NAS MG", {"mg_x_130x66x66", "mg_y_130x66x66", "mg_z_130x66x66", "mg_x_258x130x130"}},
    {"SPECFEM3D oc", {"specfem_oc_493", "specfem_oc_877", "specfem_oc_1897", "specfem_oc_3225"}},
    {"SPECFEM3D cm",
     {"specfem_cm_1957", "specfem_cm_3801", "specfem_cm_7125", "specfem_cm_11797"}},
    {"SW4", {"sw4_x", "sw4_y"}},
    {"WRF x", {"wrf_x_19x65x24_vec", "wrf_x_24x65x34_vec", "wrf_x_32x65x52_vec"}},
    {"WRF y",
     {"wrf_y_19x65x24_vec", "wrf_y_22x65x30_vec", "wrf_y_24x65x34_vec", "wrf_y_32x65x52_vec"}},
};

static const char cold_host[] =
    "the processor is a model that never waits for a latency: it takes host-block for each block "
    "and has its lines at the rate of a stream";

/* ---- Points ------------------------------------------------------------------------------- */

static size_t plan(const struct sim_nic_study *base, struct sim_nic_point *list)
{
    /* What there is of all comes first, so that colours are the same in all panels. */
    static const int ways[] = {SIM_NIC_SEEK, SIM_NIC_RW_CP, SIM_NIC_IOVEC, SIM_NIC_HOST,
                               SIM_NIC_SPECIALIZED};
    struct sim_nic_points points = {list, 0};
    struct sim_nic_study study = *base;
    study.hpus = 32;
    study.host_cache = 8 << 20; /* of the paper's i7-4770 */
    for (size_t p = 0; p < LENGTH(programs); p++)
        for (size_t w = 0; w < LENGTH(ways); w++)
            for (size_t i = 0; i < INPUTS && programs[p].inputs[i]; i++) {
                study.way = ways[w];
                snprintf(study.layout, sizeof study.layout, "%s", programs[p].inputs[i]);
                if (sim_nic_is_possible(&study))
                    sim_nic_points_add(&points, &study, programs[p].name, "%c", 'a' + (int)i);
            }
    return points.count;
}

static size_t compare(struct sim_nic_point *points, size_t count)
{
    for (struct sim_nic_point *point = points; point < points + count; point++) {
        const struct sim_nic_finding *found = &point->finding;
        const struct sim_nic_finding *host =
            sim_nic_points_find(points, count, point->panel, SIM_NIC_HOST, point->x);
        double saved = host->handling - found->handling;
        point->gain = host->handling / found->handling;
        point->volume = host->moved / found->moved;
        point->reuses = saved > 0 ? ceil(found->prepared / saved) : INFINITY;
    }
    return count;
}

/* ---- Of all inputs ------------------------------------------------------------------------ */

static int in_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Values of all points of a way, sorted; how many there are. */
static size_t values_of(const struct sim_nic_point *points, size_t count, int way,
                        double (*value)(const struct sim_nic_point *point), double *values)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (points[i].study.way == way)
            values[found++] = value(&points[i]);
    qsort(values, found, sizeof *values, in_order);
    return found;
}

static double most_of(const struct sim_nic_point *points, size_t count, int way,
                      double (*value)(const struct sim_nic_point *point))
{
    double values[SIM_NIC_POINTS];
    return values[values_of(points, count, way, value, values) - 1];
}

static double median_of(const struct sim_nic_point *points, size_t count, int way,
                        double (*value)(const struct sim_nic_point *point))
{
    double values[SIM_NIC_POINTS];
    return values[values_of(points, count, way, value, values) / 2];
}

/* ---- Figure 16: how much faster ----------------------------------------------------------- */

static double gain_of(const struct sim_nic_point *point)
{
    return point->gain;
}

static double gain_at(const struct sim_nic_point *points, size_t count, const char *panel, int way,
                      const char *x)
{
    return sim_nic_points_find(points, count, panel, SIM_NIC_HOST, x)->handling /
           sim_nic_points_find(points, count, panel, way, x)->handling;
}

static void judge_gains(const struct sim_nic_point *points, size_t count,
                        struct sim_claims *claims)
{
    double seek = median_of(points, count, SIM_NIC_SEEK, gain_of);
    double owned = median_of(points, count, SIM_NIC_RW_CP, gain_of);
    sim_claim_add(claims,
                  fmax(most_of(points, count, SIM_NIC_RW_CP, gain_of),
                       most_of(points, count, SIM_NIC_SPECIALIZED, gain_of)),
                  10, 14, cold_host, "rw-cp or specialized against the host, at best: up to 12");
    sim_claim_add(claims, gain_at(points, count, "Comb", SIM_NIC_RW_CP, "a"), 0, 1.1, cold_host,
                  "the smallest input of Comb, one packet: no gain");
    sim_claim_add(claims, gain_at(points, count, "SPECFEM3D oc", SIM_NIC_RW_CP, "d"), 0, 1.1,
                  cold_host, "SPECFEM3D oc, 512 blocks in a packet: no gain");
    sim_claim_add(claims, median_of(points, count, SIM_NIC_IOVEC, gain_of) / owned, 0, 1,
                  cold_host, "a list of 32 entries against rw-cp, medians (slower: below 1)");
    sim_claim_add(claims, seek / owned, 1, SIM_NO_LIMIT, "ours",
                  "ours: seek against rw-cp, medians of all inputs (at least 1)");
}

/* ---- Figure 17: bytes that the memory of the host moves ------------------------------------ */

static double volume_of(const struct sim_nic_point *point)
{
    return point->volume;
}

static void judge_volumes(const struct sim_nic_point *points, size_t count,
                          struct sim_claims *claims)
{
    double values[SIM_NIC_POINTS], sum = 0;
    size_t inputs = values_of(points, count, SIM_NIC_RW_CP, volume_of, values);
    for (size_t i = 0; i < inputs; i++)
        sum += log(values[i]);
    sim_claim_add(claims, exp(sum / (double)inputs), 3.0, 4.8,
                  "the inputs are those of ddtbench, where the paper does not list its own, and "
                  "its counter of "
                  "misses may not have seen what a prefetcher fetched",
                  "bytes that the host moves against rw-cp's, geometric mean: 3.8");
    sim_claim_add(claims, values[0], 1, SIM_NO_LIMIT, "a message is read and written",
                  "the same of the input that gains least (never below 1)");
}

/* ---- Figure 18: when checkpoints pay off --------------------------------------------------- */

#define NEVER 10 /* as far as the figure goes */

static double reuses_of(const struct sim_nic_point *point)
{
    return point->study.way < SIM_NIC_HANDLERS ? fmin(point->reuses, NEVER) : NAN;
}

static void judge_reuses(const struct sim_nic_point *points, size_t count,
                         struct sim_claims *claims)
{
    double values[SIM_NIC_POINTS];
    size_t inputs = values_of(points, count, SIM_NIC_RW_CP, reuses_of, values), few = 0;
    for (size_t i = 0; i < inputs; i++)
        few += values[i] < 4;
    sim_claim_add(claims, (double)few / (double)inputs, 0.75, 1,
                  "there are inputs whose messages rw-cp does not make faster at all",
                  "part of the inputs whose checkpoints pay off in fewer than 4 uses: 0.75");
}

/* ---- Ours: how much memory of the NIC ------------------------------------------------------ */

static size_t compare_memory(struct sim_nic_point *points, size_t count)
{
    for (struct sim_nic_point *point = points; point < points + count; point++)
        point->gain =
            point->finding.memory /
            sim_nic_points_find(points, count, point->panel, SIM_NIC_RW_CP, point->x)->memory;
    return count;
}

static double share_of(const struct sim_nic_point *point)
{
    return point->study.way < SIM_NIC_HANDLERS ? point->gain : NAN;
}

static void judge_memory(const struct sim_nic_point *points, size_t count,
                         struct sim_claims *claims)
{
    sim_claim_add(claims, median_of(points, count, SIM_NIC_SEEK, share_of), 0, 0.25,
                  "of a list both have all places, and checkpoints are little beside it",
                  "seek: memory of the NIC against rw-cp's, median of all inputs: at most 1/4");
}

/* ---- All ---------------------------------------------------------------------------------- */

static const struct sim_nic_figure figures[] = {
    {"dig19-16", "dig19", "Receiving layouts of programs: times faster than by the processor",
     "input", SIM_NIC_TIMES, SIM_NIC_HIGHER, plan, gain_of, judge_gains, compare},
    {"dig19-17", "dig19", "Bytes that unpacking by the processor moves, times those of the NIC",
     "input", SIM_NIC_TIMES, SIM_NIC_HIGHER, plan, volume_of, judge_volumes, compare},
    {"dig19-18", "dig19", "Uses of a layout that pay for preparing it (10: more, or none)",
     "input", "uses", SIM_NIC_LOWER, plan, reuses_of, judge_reuses, compare},
    {"memory", "dig19", "Memory of the NIC for layouts of programs, rw-cp is 1", "input",
     SIM_NIC_TIMES, SIM_NIC_LOWER, plan, share_of, judge_memory, compare_memory},
};

const struct sim_list sim_nic_program_figures = SIM_LIST(figures);
