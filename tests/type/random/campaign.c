/* SPDX-License-Identifier: BSD-3-Clause */
#include "type/random/campaign.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/shrink.h"
#include "support/tap.h"

struct options {
    uint64_t seed, first, count;
};

static bool read_options(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i += 2) {
        uint64_t *value = strcmp(argv[i], "--seed") == 0    ? &options->seed
                          : strcmp(argv[i], "--first") == 0 ? &options->first
                          : strcmp(argv[i], "--count") == 0 ? &options->count
                                                            : NULL;
        char *end;
        if (!value || i + 1 == argc)
            return false;
        *value = strtoull(argv[i + 1], &end, 0);
        if (*end || end == argv[i + 1])
            return false;
    }
    return true;
}

/* ---- Shrinking ---------------------------------------------------------------------------- */

struct failing {
    struct bench *bench;
    const trial_check *checks;
    struct trial trial;
    struct model **part; /* of the trial that is being shrunk */
};

static bool still_fails(const struct model *model, void *context)
{
    struct failing *failing = context;
    struct model *whole = *failing->part;
    *failing->part = (struct model *)model;
    bool holds = trial_run(failing->bench, &failing->trial, failing->checks);
    *failing->part = whole;
    return !holds;
}

static void shrink_part(struct failing *failing, struct model **part)
{
    failing->part = part;
    struct model *smaller = shrink_model(*part, still_fails, failing);
    model_free(*part);
    *part = smaller;
}

static void shrink_trial(struct bench *bench, struct trial *trial, const trial_check *checks)
{
    struct failing failing = {.bench = bench, .checks = checks, .trial = *trial};
    for (size_t count = 0; count < trial->count; count++) {
        failing.trial.count = count;
        if (!trial_run(bench, &failing.trial, checks))
            break;
        failing.trial.count = trial->count;
    }
    shrink_part(&failing, &failing.trial.peer);
    shrink_part(&failing, &failing.trial.model);
    shrink_part(&failing, &failing.trial.peer);
    *trial = failing.trial;
}

/* ---- Running ------------------------------------------------------------------------------ */

struct campaign {
    struct bench bench;
    const char *program;
    campaign_source source;
    const trial_check *checks;
    uint64_t seed;
};

static void report(struct campaign *campaign, struct trial *trial, uint64_t index)
{
    struct bench *bench = &campaign->bench;
    tap_note("type %" PRIu64 " of seed %" PRIu64 ": %s", index, campaign->seed, bench->what);
    tap_note("shrinking ...");
    shrink_trial(bench, trial, campaign->checks);
    trial_run(bench, trial, campaign->checks);
    char *text = model_text(trial->model), *peer = model_text(trial->peer);
    tap_note("shrunk to %zu elements: %s", trial->count, bench->what);
    tap_note("type: %s", text);
    tap_note("peer: %s", peer);
    tap_note("replay: %s --seed %" PRIu64 " --first %" PRIu64 " --count 1", campaign->program,
             campaign->seed, index);
    free(text);
    free(peer);
}

static bool run_one(struct campaign *campaign, uint64_t index)
{
    struct trial trial = campaign->source(campaign->seed, index);
    bool holds = trial_run(&campaign->bench, &trial, campaign->checks);
    if (!holds)
        report(campaign, &trial, index);
    trial_free(&trial);
    return holds;
}

int campaign_run_with(int argc, char **argv, campaign_source source, const trial_check *checks)
{
    struct options options = {.seed = 1, .first = 0, .count = 100000};
    if (!read_options(argc, argv, &options)) {
        fprintf(stderr, "usage: %s [--seed S] [--first I] [--count N]\n", argv[0]);
        return 2;
    }
    /* Memory goes back and forth by the hundred kilobytes; the system need not hear of it. */
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    struct campaign campaign = {
        .program = argv[0], .source = source, .checks = checks, .seed = options.seed};
    if (!bench_open(&campaign.bench))
        tap_skip_all("this system does not let a process reserve 256 GiB of address space");
    uint64_t done = 0;
    bool all_types_hold = true;
    while (all_types_hold && done < options.count)
        all_types_hold = run_one(&campaign, options.first + done++);
    bench_close(&campaign.bench);
    tap_note("%" PRIu64 " types of seed %" PRIu64, done, options.seed);
    check(all_types_hold);
    return tap_done();
}

int campaign_run(int argc, char **argv, const trial_check *checks)
{
    return campaign_run_with(argc, argv, trial_generate, checks);
}
