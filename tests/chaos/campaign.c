/* SPDX-License-Identifier: BSD-3-Clause */
/*
 *   [--seed S] [--count N] [--nodes n] [--paths] [--trace FILE] [--verbose]
 *   --regressions FILE
 *
 * Runs the seeds S, S + 1, ...; the file has a seed and a reason in each line. --nodes makes every
 * scenario that large, --paths gives every world paths of different length, on which packets
 * overtake each other, --trace writes what the NICs did.
 */
#include "chaos/campaign.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/tap.h"

#define TWICE_EVERY 20u      /* seeds: such a one runs again, which must give the same trace */
#define MOST_FAILURES 10u    /* after so many there is little to learn from the next */
#define SLOWEST_SECONDS 20.0 /* of one seed */

struct options {
    uint64_t seed, count, nodes;
    const char *trace, *regressions;
    bool has_paths, is_verbose;
};

struct tally {
    const char *program;
    const struct campaign *campaign;
    const struct options *options;
    FILE *trace_file;
    uint64_t seeds, failures, ops, packets, last_hash;
    double begin, told;
};

/* Of processor time: others may use the machine, too. */
static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static struct run_wish wish_of(const struct tally *tally)
{
    const struct options *options = tally->options;
    return (struct run_wish){(unsigned)options->nodes, options->has_paths};
}

static void show_progress(struct tally *tally, uint64_t count)
{
    double now = seconds();
    if (!isatty(STDERR_FILENO) || now - tally->told < 1)
        return;
    tally->told = now;
    fprintf(stderr, "\r%" PRIu64 " of %" PRIu64 " seeds, %" PRIu64 " failed, %.0f s ",
            tally->seeds, count, tally->failures, now - tally->begin);
}

/* ---- One seed ----------------------------------------------------------------------------- */

static bool run_again(struct tally *tally, uint64_t seed, struct outcome *result)
{
    struct outcome second = tally->campaign->run(seed, wish_of(tally), NULL);
    bool is_same = second.holds && second.trace_hash == result->trace_hash;
    /* Where all nodes crash at once, there is no trace. */
    bool is_another = !result->trace_hash || result->trace_hash != tally->last_hash;
    if (!is_same)
        snprintf(result->complaint, sizeof result->complaint,
                 "the same seed gives another trace the second time");
    else if (!is_another)
        snprintf(result->complaint, sizeof result->complaint, "another seed gives the same trace");
    return is_same && is_another;
}

static void run_seed(struct tally *tally, uint64_t seed)
{
    const struct campaign *campaign = tally->campaign;
    struct run_wish wish = wish_of(tally);
    if (tally->options->is_verbose)
        campaign->print(seed, wish);
    double begin = seconds();
    struct outcome result = campaign->run(seed, wish, tally->trace_file);
    bool holds = result.holds;
    if (holds && seed % TWICE_EVERY == 0)
        holds = run_again(tally, seed, &result);
    double took = seconds() - begin;
    if (took > SLOWEST_SECONDS)
        tap_note("seed %" PRIu64 " took %.0f s", seed, took);
    if (tally->options->is_verbose)
        tap_note("  %" PRIu64 " operations, %" PRIu64 " packets, %" PRIu64 " ns, trace %016" PRIx64
                 ", %.1f ms",
                 result.ops, result.packets, result.end, result.trace_hash, took * 1e3);
    tally->seeds++;
    tally->ops += result.ops;
    tally->packets += result.packets;
    tally->last_hash = result.trace_hash;
    if (holds)
        return;
    tally->failures++;
    tap_note("seed %" PRIu64 " fails: %s", seed, result.complaint);
    campaign->print(seed, wish);
    tap_note("replay: %s --seed %" PRIu64 " --count 1%s --verbose --trace trace.txt",
             tally->program, seed, wish.has_paths ? " --paths" : "");
}

/* ---- Many --------------------------------------------------------------------------------- */

static void run_seeds(struct tally *tally)
{
    const struct options *options = tally->options;
    for (uint64_t i = 0; i < options->count && tally->failures < MOST_FAILURES; i++) {
        run_seed(tally, options->seed + i);
        show_progress(tally, options->count);
    }
    bool all_seeds_hold = tally->failures == 0;
    check(all_seeds_hold);
    if (tally->campaign->conclude && all_seeds_hold)
        tally->campaign->conclude(tally->seeds);
}

static bool run_regressions(struct tally *tally, const char *path)
{
    char line[512];
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    while (fgets(line, sizeof line, file)) {
        char *why;
        uint64_t before = tally->failures, seed = strtoull(line, &why, 0);
        if (why == line || *line == '#')
            continue;
        why[strcspn(why, "\n")] = '\0';
        why += strspn(why, " ");
        run_seed(tally, seed);
        tap_check(tally->failures == before, __FILE__, __LINE__, why);
    }
    fclose(file);
    bool some_seeds_were_run = tally->seeds > 0;
    check(some_seeds_were_run);
    return true;
}

/* ---- Arguments ---------------------------------------------------------------------------- */

static bool read_number(const char *text, uint64_t *value)
{
    char *end;
    *value = strtoull(text, &end, 0);
    return end != text && !*end;
}

static bool read_options(int argc, char **argv, unsigned most_nodes, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        bool is_fine = true;
        if (strcmp(name, "--verbose") == 0) {
            options->is_verbose = true;
            continue;
        }
        if (strcmp(name, "--paths") == 0) {
            options->has_paths = true;
            continue;
        }
        i++;
        if (strcmp(name, "--seed") == 0)
            is_fine = read_number(value, &options->seed);
        else if (strcmp(name, "--count") == 0)
            is_fine = read_number(value, &options->count) && options->count;
        else if (strcmp(name, "--nodes") == 0)
            is_fine = read_number(value, &options->nodes) && options->nodes >= 2 &&
                      options->nodes <= most_nodes;
        else if (strcmp(name, "--trace") == 0)
            options->trace = value;
        else if (strcmp(name, "--regressions") == 0)
            options->regressions = value;
        else
            is_fine = false;
        if (!is_fine || !*value)
            return false;
    }
    return true;
}

int campaign_main(int argc, char **argv, const struct campaign *campaign)
{
    struct options options = {.seed = 1, .count = 2000};
    if (!read_options(argc, argv, campaign->most_nodes, &options)) {
        fprintf(stderr,
                "usage: %s [--seed S] [--count N] [--nodes 2..%u] [--paths] [--trace FILE] "
                "[--verbose]\n"
                "       %s --regressions FILE\n",
                argv[0], campaign->most_nodes, argv[0]);
        return 2;
    }
    /* Who reads along sees the seed that crashes. */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    struct tally tally = {
        .program = argv[0], .campaign = campaign, .options = &options, .begin = seconds()};
    if (options.trace && !(tally.trace_file = fopen(options.trace, "w"))) {
        perror(options.trace);
        return 2;
    }
    if (!options.regressions) {
        run_seeds(&tally);
    } else if (!run_regressions(&tally, options.regressions)) {
        perror(options.regressions);
        return 2;
    }
    if (tally.trace_file)
        fclose(tally.trace_file);
    tap_note("%" PRIu64 " seeds, %" PRIu64 " operations, %" PRIu64 " packets in %.1f s",
             tally.seeds, tally.ops, tally.packets, seconds() - tally.begin);
    return tap_done();
}
