/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_figure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Points ------------------------------------------------------------------------------- */

/* Behind those that there are; the counter goes on. */
__attribute__((format(printf, 4, 5))) static struct sim_point *
add_point(struct sim_point *points, size_t *count, const struct weft_sim_study *base,
          const char *x, ...)
{
    struct sim_point *point = &points[(*count)++];
    va_list arguments;
    memset(point, 0, sizeof *point);
    point->study = *base;
    va_start(arguments, x);
    vsnprintf(point->x, sizeof point->x, x, arguments);
    va_end(arguments);
    return point;
}

__attribute__((format(printf, 3, 4))) static void
name_point(struct sim_point *point, const char *series, const char *panel, ...)
{
    va_list arguments;
    snprintf(point->series, sizeof point->series, "%s", series);
    va_start(arguments, panel);
    vsnprintf(point->panel, sizeof point->panel, panel, arguments);
    va_end(arguments);
}

/* Without slow nodes, it does not matter how slow they are: such studies are the same. */
static void slow_down(struct weft_sim_study *study, double share, uint32_t slowness)
{
    study->slow = share;
    study->slowness = share > 0 ? slowness : 1;
}

static const struct sim_point *find_point(const struct sim_point *points, size_t count,
                                          const char *panel, const char *series, const char *x)
{
    for (const struct sim_point *point = points; point < points + count; point++)
        if (strcmp(point->panel, panel) == 0 && strcmp(point->series, series) == 0 &&
            strcmp(point->x, x) == 0)
            return point;
    return points;
}

static double mean_of(const struct sim_point *points, size_t count, const char *panel,
                      const char *series, const char *x)
{
    return sim_sweep_spread(find_point(points, count, panel, series, x)).mean;
}

/* ---- Claims ------------------------------------------------------------------------------- */

static const char depth[] =
    "the depth of the collapse depends on bias and threshold: with 2 and 30 packets stay on "
    "direct "
    "ways, with 1 and 0 they spread the congestion; compare the models sch17 and sch17-unbiased";
static const char room_above[] =
    "the window keeps all that there is without slow nodes: only with Valiant routing is "
    "notification left with so little";
static const char base_rate[] =
    "the paper does not state channels, pipelines and the allocation of crossbars";

/* ---- Figure 1: slow nodes ----------------------------------------------------------------- */

static const double shares[] = {0, 0.0002, 0.0004, 0.001, 0.002, 0.005, 0.01};
#define SHARES (sizeof shares / sizeof *shares)

static size_t plan_slow_nodes(const struct weft_sim_study *base, struct sim_point *points)
{
    static const uint32_t times[] = {2, 8};
    size_t count = 0;
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < SHARES; i++) {
            struct sim_point *point = add_point(points, &count, base, "%g %%", 100 * shares[i]);
            slow_down(&point->study, shares[i], times[t]);
            name_point(point, times[t] == 2 ? "2x slower" : "8x slower", "all senders");
        }
    return count;
}

static void judge_slow_nodes(const struct sim_point *points, size_t count,
                             struct sim_claims *claims)
{
    const char *panel = "all senders", *series = "8x slower";
    double none = mean_of(points, count, panel, series, "0 %");
    struct sim_spread few = sim_sweep_spread(find_point(points, count, panel, series, "0.1 %"));
    struct sim_spread one = sim_sweep_spread(find_point(points, count, panel, series, "0.02 %"));
    sim_claim_add(claims, none, 0.56, 0.62, base_rate, "throughput without slow nodes: 0.59");
    sim_claim_add(claims, few.most / none, 0, 0.7, depth,
                  "0.1 %% of nodes 8x slower: what is left of it at best (dramatic: 0.7)");
    sim_claim_add(claims, (few.most - few.least) / few.mean, 0, 0.25, depth,
                  "0.1 %% of nodes 8x slower: spread of permutations (repeatable: 0.25)");
    sim_claim_add(claims, (one.most - one.least) / one.mean, 0.1, SIM_NO_LIMIT, depth,
                  "one slow node: spread of permutations (depends on them: at least 0.1)");
    sim_claim_add(claims, mean_of(points, count, panel, "2x slower", "0.1 %") / none, 0, 0.9,
                  depth, "0.1 %% of nodes 2x slower: what is left (also dramatic: 0.9)");
}

/* ---- Figure 4: notification --------------------------------------------------------------- */

enum { BASELINE, NOTIFIED, AGGRESSIVE, PACES };

static const char *const pace_names[] = {"baseline", "FECN/BECN", "aggressive"};

static void pace(struct weft_sim_study *study, unsigned how)
{
    study->is_notified = how != BASELINE;
    if (how == AGGRESSIVE) {
        study->mark_rate = 2;
        study->becn_every = 50;
    }
}

static const uint32_t slownesses[] = {2, 4, 8};

static size_t plan_notification(const struct weft_sim_study *base, struct sim_point *points)
{
    static const double some[] = {0, 0.001, 0.002, 0.005, 0.01};
    size_t count = 0;
    for (size_t t = 0; t < 3; t++)
        for (unsigned how = BASELINE; how < PACES; how++)
            for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
                struct sim_point *point = add_point(points, &count, base, "%g %%", 100 * some[i]);
                slow_down(&point->study, some[i], slownesses[t]);
                pace(&point->study, how);
                name_point(point, pace_names[how], "%ux slower", slownesses[t]);
            }
    return count;
}

static void judge_notification(const struct sim_point *points, size_t count,
                               struct sim_claims *claims)
{
    static const char *const xs[] = {"0.1 %", "0.2 %", "0.5 %", "1 %"};
    double none = mean_of(points, count, "2x slower", "baseline", "0 %"), worst = SIM_NO_LIMIT;
    sim_claim_add(
        claims, mean_of(points, count, "2x slower", "aggressive", "0 %") / none, 0.5, 0.7,
        "how far it falls follows from how often queues of a loaded network are half full",
        "aggressive notification without slow nodes: 0.6 of the throughput");
    sim_claim_add(claims,
                  mean_of(points, count, "2x slower", "FECN/BECN", "0.1 %") /
                      mean_of(points, count, "2x slower", "baseline", "0.1 %"),
                  1, SIM_NO_LIMIT, depth,
                  "0.1 %% at 2x: FECN/BECN against the baseline (helps: above 1)");
    for (size_t i = 0; i < 4; i++)
        worst = fmin(worst, mean_of(points, count, "8x slower", "FECN/BECN", xs[i]) /
                                mean_of(points, count, "8x slower", "baseline", xs[i]));
    sim_claim_add(claims, worst, 0.4, 1.1, depth,
                  "8x: FECN/BECN against the baseline, worst (ineffective, down to 0.5)");
}

/* ---- Figure 5: windows -------------------------------------------------------------------- */

static const uint32_t windows[] = {2, 5, 10, 20, 30, 50, 80};
#define WINDOWS (sizeof windows / sizeof *windows)

/* All fixed windows, and the measured one. */
static void add_windows(struct sim_point *points, size_t *count,
                        const struct weft_sim_study *study, const char *panel)
{
    for (size_t i = 0; i <= WINDOWS; i++) {
        bool is_ours = i == WINDOWS;
        struct sim_point *point = is_ours ? add_point(points, count, study, "measured")
                                          : add_point(points, count, study, "%u", windows[i]);
        point->study.window = is_ours ? WEFT_SIM_WINDOW_MEASURED : WEFT_SIM_WINDOW_FIXED;
        point->study.window_size = is_ours ? 4 : windows[i];
        name_point(point, is_ours ? "measured" : "window", "%s", panel);
    }
}

static size_t plan_windows(const struct weft_sim_study *base, struct sim_point *points)
{
    size_t count = 0;
    for (size_t t = 0; t < 3; t++) {
        struct weft_sim_study study = *base;
        char panel[SIM_LABEL];
        study.slow = 0.01;
        study.slowness = slownesses[t];
        snprintf(panel, sizeof panel, "%ux slower", slownesses[t]);
        add_windows(points, &count, &study, panel);
        for (unsigned how = BASELINE; how < PACES; how++) {
            struct sim_point *point = add_point(points, &count, &study, "none");
            pace(&point->study, how);
            name_point(point, pace_names[how], "%s", panel);
        }
    }
    return count;
}

static double best_window(const struct sim_point *points, size_t count, const char *panel,
                          uint32_t *which)
{
    double best = 0;
    for (size_t i = 0; i < WINDOWS; i++) {
        char x[SIM_LABEL];
        snprintf(x, sizeof x, "%u", windows[i]);
        double mean = mean_of(points, count, panel, "window", x);
        if (mean > best)
            *which = windows[i];
        best = fmax(best, mean);
    }
    return best;
}

static void judge_windows(const struct sim_point *points, size_t count, struct sim_claims *claims)
{
    static const double factors[] = {1.7, 3.3, 4.3};
    for (size_t t = 0; t < 3; t++) {
        char panel[SIM_LABEL];
        uint32_t which = 0;
        snprintf(panel, sizeof panel, "%ux slower", slownesses[t]);
        double notified = fmax(mean_of(points, count, panel, "FECN/BECN", "none"),
                               mean_of(points, count, panel, "aggressive", "none"));
        double best = best_window(points, count, panel, &which);
        double ours = mean_of(points, count, panel, "measured", "measured");
        sim_claim_add(claims, mean_of(points, count, panel, "window", "30") / notified,
                      0.9 * factors[t], SIM_NO_LIMIT, depth,
                      "%s: a window of 30 against the better FECN/BECN: %.1f", panel, factors[t]);
        if (slownesses[t] == 8) {
            sim_claim_add(claims, which, 20, 50, depth, "%s: the best window: 30", panel);
            sim_claim_add(claims, ours / notified, 4.3, SIM_NO_LIMIT, room_above,
                          "%s: the measured window against the better FECN/BECN: at least 4.3",
                          panel);
        }
        sim_claim_add(claims, ours / best, 0.95, SIM_NO_LIMIT, "ours",
                      "%s: the measured window against the best fixed one, %u: at least 0.95",
                      panel, which);
    }
}

/* ---- Halos -------------------------------------------------------------------------------- */

static const char *const halo_panels[] = {"no slow nodes", "1 % 8x slower"};

static size_t plan_halos(const struct weft_sim_study *base, struct sim_point *points)
{
    size_t count = 0;
    for (unsigned panel = 0; panel < 2; panel++) {
        struct weft_sim_study study = *base;
        study.pattern = WEFT_SIM_HALO;
        slow_down(&study, panel ? 0.01 : 0, 8);
        add_windows(points, &count, &study, halo_panels[panel]);
        name_point(add_point(points, &count, &study, "none"), "baseline", "%s",
                   halo_panels[panel]);
    }
    return count;
}

static void judge_halos(const struct sim_point *points, size_t count, struct sim_claims *claims)
{
    static const char why[] = "a slow node has six senders, whose windows add up";
    uint32_t which = 0;
    double best = best_window(points, count, halo_panels[1], &which);
    double ours = mean_of(points, count, halo_panels[1], "measured", "measured");
    sim_claim_add(claims, ours / best, 0.95, SIM_NO_LIMIT, why,
                  "the measured window against the best fixed one, %u: at least 0.95", which);
    sim_claim_add(claims, ours / mean_of(points, count, halo_panels[0], "measured", "measured"),
                  0.9, SIM_NO_LIMIT, why,
                  "the measured window, of its throughput without slow nodes: at least 0.9");
}

/* ---- Variants ----------------------------------------------------------------------------- */

static size_t plan_variants(const struct weft_sim_study *base, struct sim_point *points)
{
    static const struct {
        const char *name;
        struct weft_sim_routing routing;
    } variants[] = {{"minimal", {WEFT_SIM_MINIMAL, 2, 30, false, false}},
                    {"UGAL, 2x/30", {WEFT_SIM_UGAL, 2, 30, false, false}},
                    {"progressive, 2x/30", {WEFT_SIM_PROGRESSIVE, 2, 30, false, false}},
                    {"progressive, 1x/0", {WEFT_SIM_PROGRESSIVE, 1, 0, false, false}},
                    {"progressive, 2x/30, again", {WEFT_SIM_PROGRESSIVE, 2, 30, true, false}},
                    {"progressive, 1x/0, again", {WEFT_SIM_PROGRESSIVE, 1, 0, true, false}},
                    {"Valiant", {WEFT_SIM_VALIANT, 2, 30, false, false}}};
    size_t count = 0;
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++)
        for (unsigned column = 0; column < 4; column++) {
            static const char *const xs[] = {"0 %", "1 % at 8x", "FECN/BECN", "window 30"};
            struct sim_point *point = add_point(points, &count, base, "%s", xs[column]);
            point->study.routing = variants[v].routing;
            point->study.slow = column ? 0.01 : 0;
            point->study.slowness = 8;
            point->study.is_notified = column == 2;
            point->study.window = column == 3 ? WEFT_SIM_WINDOW_FIXED : WEFT_SIM_WINDOW_NONE;
            point->study.window_size = 30;
            name_point(point, variants[v].name, "variants of routing");
        }
    return count;
}

static void judge_nothing(const struct sim_point *points, size_t count, struct sim_claims *claims)
{
    (void)points;
    (void)count;
    (void)claims;
}

/* ---- Transfers ---------------------------------------------------------------------------- */

enum { SOURCES, QUARTERS, PACKETS, PROTOCOLS };

static const char *const protocol_names[] = {"sources", "4 chunks", "packets"};
static const uint32_t pulled[] = {8, 16, 32, 64, 0}; /* 0: no window */
#define PULLED (sizeof pulled / sizeof *pulled)
static const struct {
    const char *name;
    bool is_direct, is_slow;
} pulled_panels[] = {{"direct ways", true, false},
                     {"direct, 8x slower", true, true},
                     {"detours", false, false},
                     {"detours, 8x slower", false, true}};
#define PULLED_PANELS (sizeof pulled_panels / sizeof *pulled_panels)

/* Both kinds of nodes are looked at after as many cycles. */
static struct weft_sim_study transfer_study(const struct weft_sim_study *base, unsigned protocol,
                                            uint32_t window)
{
    struct weft_sim_study study = *base;
    study.most = study.least;
    study.has_transfers = protocol != SOURCES;
    study.window = window ? WEFT_SIM_WINDOW_FIXED : WEFT_SIM_WINDOW_NONE;
    study.window_size = window;
    study.chunk = protocol == QUARTERS && window ? window / 4 : 1;
    return study;
}

/* The network of the paper is too large for them. */
static void make_small(struct weft_sim_study *study)
{
    const struct weft_sim_study paper = weft_sim_study_paper();
    static const uint32_t sizes[4] = {2, 4, 2, 0};
    if (study->shape == paper.shape && !memcmp(study->sizes, paper.sizes, sizeof paper.sizes))
        memcpy(study->sizes, sizes, sizeof sizes);
}

static size_t plan_transfers(const struct weft_sim_study *base, struct sim_point *points)
{
    size_t count = 0;
    for (size_t panel = 0; panel < PULLED_PANELS; panel++)
        for (unsigned protocol = SOURCES; protocol < PROTOCOLS; protocol++)
            for (size_t i = 0; i < PULLED; i++) {
                struct weft_sim_study study = transfer_study(base, protocol, pulled[i]);
                make_small(&study);
                slow_down(&study, pulled_panels[panel].is_slow ? 0.03 : 0, 8);
                if (pulled_panels[panel].is_direct)
                    study.routing.kind = WEFT_SIM_MINIMAL;
                struct sim_point *point = pulled[i]
                                              ? add_point(points, &count, &study, "%u", pulled[i])
                                              : add_point(points, &count, &study, "none");
                name_point(point, protocol_names[protocol], "%s", pulled_panels[panel].name);
            }
    return count;
}

/* Of all windows, what is left of the throughput of sources at worst. */
static double worst_protocol(const struct sim_point *points, size_t count, const char *panel,
                             unsigned protocol)
{
    double worst = SIM_NO_LIMIT;
    for (size_t i = 0; pulled[i]; i++) {
        char x[SIM_LABEL];
        snprintf(x, sizeof x, "%u", pulled[i]);
        worst = fmin(worst, mean_of(points, count, panel, protocol_names[protocol], x) /
                                mean_of(points, count, panel, protocol_names[SOURCES], x));
    }
    return worst;
}

static void judge_transfers(const struct sim_point *points, size_t count,
                            struct sim_claims *claims)
{
    static const char why[] =
        "requests take part of the links, and each as much of a buffer as a packet of data; on "
        "detours packets overtake each other, and NICs acknowledge nearly every one";
    for (size_t panel = 0; panel < PULLED_PANELS; panel++)
        for (unsigned protocol = QUARTERS; protocol < PROTOCOLS; protocol++)
            sim_claim_add(
                claims, worst_protocol(points, count, pulled_panels[panel].name, protocol), 0.9,
                1.1, why, "%s: transfers in %s against sources, worst window: within 0.1",
                pulled_panels[panel].name, protocol_names[protocol]);
}

/* ---- All ---------------------------------------------------------------------------------- */

static const struct sim_figure figures[] = {
    {"1", "Throughput with a few slow nodes", "slow nodes", 3, plan_slow_nodes, judge_slow_nodes},
    {"4", "Congestion notification against slow nodes", "slow nodes", 1, plan_notification,
     judge_notification},
    {"5", "Windows of receivers, with 1 % of slow nodes", "packets under way to a receiver", 1,
     plan_windows, judge_windows},
    {"halo", "Halos and windows of receivers, with and without slow nodes",
     "packets under way to a receiver from each neighbour", 1, plan_halos, judge_halos},
    {"variants", "What routing does to the collapse", "1 % of nodes 8x slower", 1, plan_variants,
     judge_nothing},
    {"transfers", "Transfers on NICs against sources", "packets under way to a receiver", 1,
     plan_transfers, judge_transfers},
};

const struct sim_list sim_figures = SIM_LIST(figures);
