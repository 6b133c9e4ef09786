/* SPDX-License-Identifier: BSD-3-Clause */
#include "faults/points.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/rng.h"

#define MOST_FAILURES 10u /* after so many there is little to learn from the next */

struct point {
    unsigned variant;
    enum fault_kind kind;
    uint64_t nth;
};

struct options {
    uint64_t points, seed, variant, nth;
    enum fault_kind kind;
    bool all, for_ever;
};

struct campaign {
    const char *program;
    const struct scene *scene;
    struct fault *fault; /* shared with the process that runs a point */
    struct point *points;
    size_t count, room;
    uint64_t runs, failures;
};

/* ---- One run ------------------------------------------------------------------------------ */

static void set_fault(struct fault *fault, enum fault_kind kind, uint64_t nth, bool for_ever)
{
    memset(fault, 0, sizeof *fault);
    fault->kind = kind;
    fault->nth = nth;
    fault->for_ever = for_ever;
}

static bool ends_well(struct campaign *campaign, unsigned variant)
{
    const struct scene *scene = campaign->scene;
    int status = -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(scene->seconds);
        bool is_right = scene->run(variant, campaign->fault);
        fault_arm(NULL);
        exit(!is_right);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("fork");
        return false;
    }
    if (WIFSIGNALED(status))
        tap_note(WTERMSIG(status) == SIGALRM ? "it hangs" : "it dies of signal %d",
                 WTERMSIG(status));
    return status == 0;
}

static void try(struct campaign *campaign, const struct point *point, bool for_ever)
{
    set_fault(campaign->fault, point->kind, point->nth, for_ever);
    campaign->runs++;
    if (ends_well(campaign, point->variant))
        return;
    campaign->failures++;
    tap_note("replay: %s --variant %u --kind %s --nth %" PRIu64 "%s", campaign->program,
             point->variant, fault_kind_text(point->kind), point->nth,
             for_ever ? " --forever" : "");
}

/* ---- Points ------------------------------------------------------------------------------- */

static void add(struct campaign *campaign, struct point point)
{
    if (campaign->count == campaign->room) {
        campaign->room = campaign->room ? 2 * campaign->room : 1024;
        campaign->points = realloc(campaign->points, campaign->room * sizeof *campaign->points);
        if (!campaign->points)
            abort();
    }
    campaign->points[campaign->count++] = point;
}

/* All calls of a run in which none fails; that must end well, too. */
static bool find(struct campaign *campaign, unsigned variant)
{
    set_fault(campaign->fault, FAULT_KINDS, 0, false);
    if (!ends_well(campaign, variant)) {
        tap_note("variant %u is wrong although nothing fails", variant);
        return false;
    }
    for (unsigned kind = 0; kind < FAULT_KINDS; kind++)
        if (campaign->scene->kinds >> kind & 1)
            for (uint64_t nth = 1; nth <= campaign->fault->calls[kind]; nth++)
                add(campaign, (struct point){variant, kind, nth});
    return true;
}

/* The first `wanted` of a shuffled list are the selection. */
static void draw(struct campaign *campaign, uint64_t seed, size_t wanted)
{
    struct rng rng = rng_stream(seed, 0);
    for (size_t i = 0; i < wanted; i++) {
        size_t j = i + rng_below(&rng, campaign->count - i);
        struct point point = campaign->points[i];
        campaign->points[i] = campaign->points[j];
        campaign->points[j] = point;
    }
}

static int run_campaign(struct campaign *campaign, const struct options *options)
{
    bool all_variants_hold = true;
    for (unsigned i = 0; i < campaign->scene->variants; i++)
        all_variants_hold &= find(campaign, i);
    check(all_variants_hold);
    bool some_points_were_found = campaign->count > 0;
    check(some_points_were_found);
    size_t wanted = campaign->count;
    if (!options->all && options->points < wanted)
        wanted = options->points;
    draw(campaign, options->seed, wanted);
    for (size_t i = 0; i < wanted && campaign->failures < MOST_FAILURES; i++) {
        try(campaign, &campaign->points[i], false);
        try(campaign, &campaign->points[i], true);
    }
    tap_note("%" PRIu64 " runs at %zu of %zu points, seed %" PRIu64, campaign->runs, wanted,
             campaign->count, options->seed);
    bool all_points_hold = campaign->failures == 0;
    check(all_points_hold);
    return tap_done();
}

/* ---- Arguments ---------------------------------------------------------------------------- */

static bool read_number(const char *text, uint64_t *value)
{
    char *end;
    *value = strtoull(text, &end, 10);
    return end != text && !*end;
}

static bool read_pair(const char *name, const char *value, struct options *options)
{
    if (strcmp(name, "--points") == 0)
        return read_number(value, &options->points);
    if (strcmp(name, "--seed") == 0)
        return read_number(value, &options->seed);
    if (strcmp(name, "--variant") == 0)
        return read_number(value, &options->variant);
    if (strcmp(name, "--nth") == 0)
        return read_number(value, &options->nth);
    options->kind = fault_kind_of(value);
    return strcmp(name, "--kind") == 0 && options->kind < FAULT_KINDS;
}

static bool read_options(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--all") == 0)
            options->all = true;
        else if (strcmp(argv[i], "--forever") == 0)
            options->for_ever = true;
        else if (++i == argc || !read_pair(argv[i - 1], argv[i], options))
            return false;
    }
    return true;
}

int points_main(int argc, char **argv, const struct scene *scene)
{
    struct options options = {.points = 500, .seed = 1, .kind = FAULT_KINDS};
    if (!read_options(argc, argv, &options) || options.variant >= scene->variants) {
        fprintf(stderr,
                "usage: %s [--points N] [--seed S] | --all\n"
                "       %s [--variant V] --kind K --nth N [--forever]\n",
                argv[0], argv[0]);
        return 2;
    }
    struct campaign campaign = {.program = argv[0], .scene = scene};
    campaign.fault = mmap(NULL, sizeof *campaign.fault, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (campaign.fault == MAP_FAILED)
        abort();
    if (options.kind == FAULT_KINDS)
        return run_campaign(&campaign, &options);
    set_fault(campaign.fault, options.kind, options.nth, options.for_ever);
    return !scene->run((unsigned)options.variant, campaign.fault);
}
