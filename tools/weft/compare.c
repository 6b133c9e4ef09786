/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft compare`: an MPI job with and without Weft, in turns. */
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "child.h"
#include "command.h"
#include "compare_words.h"
#include "json.h"
#include "number.h"
#include "option.h"
#include "ranks.h"

static const char usage[] =
    "usage: weft compare [-r N] [--json] -- COMMAND [ARGUMENT...]\n"
    "\n"
    "Runs an MPI job N times with and N times without Weft, in turns, and says whether Weft "
    "makes\n"
    "it faster, and by how much. Write the command as you would without Weft:\n"
    "\n"
    "  weft compare -- mpirun -n 4 ./app INPUT\n"
    "\n"
    "Weft comes before the first word that is a program linked with MPI. For scripts, Python and\n"
    "other programs that load MPI later, put `weft run` before the program yourself:\n"
    "\n"
    "  weft compare -- mpirun -n 4 weft run python3 app.py\n"
    "\n"
    "  -r, --runs N  the number of runs each way, from 1 to 400; 8 unless given. Fewer than 6 "
    "can\n"
    "                show no difference\n"
    "  --json        write one JSON object instead\n"
    "  --help        this text\n"
    "\n"
    "What the runs write to standard output is thrown away. If a run fails, so does the\n"
    "comparison, with the exit code of the run.\n";

enum variant { WITHOUT, WITH, VARIANTS };
/* The time that passes, and that of all processors together. */
enum measure { WALL, PROCESSOR, MEASURES };

static const char *const names[] = {"without", "with"};

struct comparison {
    char **command; /* as the user wrote it */
    size_t runs;
    bool is_json;
    struct compare_words words;
    double seconds[MEASURES][VARIANTS][RANKS_MOST];
};

/* What came out of one measure. */
struct outcome {
    struct ranks_ratio ratio;
    struct ranks_spread spreads[VARIANTS];
};

static void print_words(FILE *out, char *const words[])
{
    for (size_t i = 0; words[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", words[i]);
}

/* ---- Runs ---------------------------------------------------------------------------------- */

static char **words_of(const struct comparison *comparison, enum variant variant)
{
    return variant == WITH ? comparison->words.with : comparison->words.without;
}

static int run_once(struct comparison *comparison, enum variant variant, size_t turn)
{
    char **words = words_of(comparison, variant);
    uint64_t since = weft_clock_now();
    double taken = child_processor_seconds();
    int code = child_run("compare", words, false);
    double seconds = (double)(weft_clock_now() - since) / WEFT_CLOCK_SECOND;
    comparison->seconds[WALL][variant][turn] = seconds;
    comparison->seconds[PROCESSOR][variant][turn] = child_processor_seconds() - taken;
    fprintf(stderr, "weft compare: %zu of %zu %s Weft: %.3f s\n", turn + 1, comparison->runs,
            names[variant], seconds);
    if (code != 0) {
        fprintf(stderr, "weft compare: the run %s Weft failed with exit code %d: ", names[variant],
                code);
        print_words(stderr, words);
        fprintf(stderr, "\n");
    }
    return code;
}

/* In turns, and each first as often as the other. The very first, for which nothing may be in the
 * system's memory yet, is one with Weft, so as not to flatter us. */
static int run_all(struct comparison *comparison)
{
    int code = 0;
    fprintf(stderr, "weft compare: with Weft: ");
    print_words(stderr, comparison->words.with);
    fprintf(stderr, "\n");
    for (size_t turn = 0; turn < comparison->runs && code == 0; turn++) {
        enum variant first = turn % 2 ? WITHOUT : WITH;
        code = run_once(comparison, first, turn);
        if (code == 0)
            code = run_once(comparison, first == WITH ? WITHOUT : WITH, turn);
    }
    return code;
}

/* ---- What came out ------------------------------------------------------------------------- */

static const char *verdict_of(const struct ranks_ratio *ratio)
{
    if (ratio->has_bounds && ratio->high < 1)
        return "faster";
    return ratio->has_bounds && ratio->low > 1 ? "slower" : "no difference";
}

/* A job that computes takes at least so much of one processor, whatever else runs there. */
#define LEAST_SHARE 0.05

/* How far the interval reaches from its middle: a job that differs by more leaves 1 outside. */
static double detectable(const struct ranks_ratio *ratio)
{
    double above = ratio->high / ratio->middle, below = ratio->middle / ratio->low;
    return (above > below ? above : below) - 1;
}

static double percent_from(double ratio)
{
    return 100 * (ratio > 1 ? ratio - 1 : 1 - ratio);
}

static void print_change(double ratio)
{
    printf("%.1f %% %s", percent_from(ratio), ratio > 1 ? "more" : "less");
}

static void print_detectable(size_t runs, const struct ranks_ratio *ratio)
{
    double share = detectable(ratio);
    printf("in %zu runs that vary like these, ", runs);
    if (share < 1)
        printf("about %.1f %% would be seen\n", 100 * share);
    else
        printf("a factor of about %.1f would be seen\n", 1 + share);
}

static void print_verdict(size_t runs, const struct ranks_ratio *ratio)
{
    const char *verdict = verdict_of(ratio);
    bool has_verdict = ratio->low > 1 || ratio->high < 1;
    if (!ratio->has_bounds) {
        printf("\nno difference that %zu run%s of each can show: that takes at least 6 (-r 6)\n",
               runs, runs == 1 ? "" : "s");
        return;
    }
    if (has_verdict)
        printf("\n%s by %.1f %%: with Weft it takes ", verdict, percent_from(ratio->middle));
    else
        printf("\n%s that %zu runs can show: with Weft it takes ", verdict, runs);
    print_change(ratio->low);
    printf(" to ");
    print_change(ratio->high);
    printf(" time, with a confidence of 95 %%\n");
    if (!has_verdict)
        print_detectable(runs, ratio);
}

static void print_spread(enum variant variant, const struct ranks_spread *spread)
{
    printf("  %-9s %10.3f %10.3f %10.3f %10.3f %10.3f\n", names[variant], spread->median,
           spread->least, spread->lower, spread->upper, spread->greatest);
}

/* Launchers of some sites have others start the processes of a job. */
static bool is_known(const struct outcome outcomes[])
{
    for (enum variant variant = WITHOUT; variant < VARIANTS; variant++)
        if (outcomes[PROCESSOR].spreads[variant].median <
            LEAST_SHARE * outcomes[WALL].spreads[variant].median)
            return false;
    return true;
}

static void print_processor_time(const struct outcome outcomes[])
{
    const struct outcome *outcome = &outcomes[PROCESSOR];
    if (!is_known(outcomes)) {
        printf(
            "\nprocessor time: not known, as most of the job does not run below this command\n");
        return;
    }
    printf("\nprocessor time: %.3f s without Weft, %.3f s with it",
           outcome->spreads[WITHOUT].median, outcome->spreads[WITH].median);
    if (outcome->ratio.has_bounds) {
        printf("; with Weft ");
        print_change(outcome->ratio.low);
        printf(" to ");
        print_change(outcome->ratio.high);
    }
    printf("\n");
}

static void print_result(struct comparison *comparison, const struct outcome outcomes[])
{
    print_words(stdout, comparison->command);
    printf("\n%zu run%s with and %zu without Weft, in turns; seconds\n\n", comparison->runs,
           comparison->runs == 1 ? "" : "s", comparison->runs);
    printf("  %-9s %10s %10s %21s %10s\n", "Weft", "median", "least", "quartiles", "greatest");
    for (enum variant variant = WITHOUT; variant < VARIANTS; variant++)
        print_spread(variant, &outcomes[WALL].spreads[variant]);
    print_verdict(comparison->runs, &outcomes[WALL].ratio);
    print_processor_time(outcomes);
}

/* ---- For scripts --------------------------------------------------------------------------- */

static void json_words(const char *key, char *const words[])
{
    weft_json_open(key, '[');
    for (size_t i = 0; words[i]; i++)
        weft_json_string(NULL, words[i]);
    weft_json_close(']');
}

#define AT(member) offsetof(struct ranks_spread, member)

static const struct weft_json_member spread_members[] = {
    {"median", AT(median)},        {"least", AT(least)},       {"lower_quartile", AT(lower)},
    {"upper_quartile", AT(upper)}, {"greatest", AT(greatest)}, {0},
};

static void json_seconds(const struct comparison *comparison, enum measure measure,
                         enum variant variant, const struct ranks_spread *spread)
{
    weft_json_open("seconds", '[');
    for (size_t i = 0; i < comparison->runs; i++)
        weft_json_number(NULL, comparison->seconds[measure][variant][i]);
    weft_json_close(']');
    weft_json_numbers(spread_members, spread);
}

static void json_ratio(const struct ranks_ratio *ratio)
{
    weft_json_number("ratio", ratio->middle);
    if (!ratio->has_bounds)
        return;
    weft_json_number("ratio_low", ratio->low);
    weft_json_number("ratio_high", ratio->high);
    weft_json_number("detectable", detectable(ratio));
}

static void json_processor_time(const struct comparison *comparison, const struct outcome *outcome)
{
    weft_json_open("processor_time", '{');
    for (enum variant variant = WITHOUT; variant < VARIANTS; variant++) {
        weft_json_open(names[variant], '{');
        json_seconds(comparison, PROCESSOR, variant, &outcome->spreads[variant]);
        weft_json_close('}');
    }
    json_ratio(&outcome->ratio);
    weft_json_close('}');
}

static void json_result(const struct comparison *comparison, const struct outcome outcomes[])
{
    weft_json_open(NULL, '{');
    weft_json_integer("runs", (int64_t)comparison->runs);
    for (enum variant variant = WITHOUT; variant < VARIANTS; variant++) {
        weft_json_open(names[variant], '{');
        json_words("command", words_of(comparison, variant));
        json_seconds(comparison, WALL, variant, &outcomes[WALL].spreads[variant]);
        weft_json_close('}');
    }
    json_ratio(&outcomes[WALL].ratio);
    weft_json_string("verdict", verdict_of(&outcomes[WALL].ratio));
    if (is_known(outcomes))
        json_processor_time(comparison, &outcomes[PROCESSOR]);
    weft_json_close('}');
}

static void show(struct comparison *comparison)
{
    struct outcome outcomes[MEASURES];
    for (enum measure measure = WALL; measure < MEASURES; measure++) {
        double(*seconds)[RANKS_MOST] = comparison->seconds[measure];
        for (enum variant variant = WITHOUT; variant < VARIANTS; variant++)
            outcomes[measure].spreads[variant] = ranks_spread(seconds[variant], comparison->runs);
        outcomes[measure].ratio = ranks_compare(seconds[WITHOUT], seconds[WITH], comparison->runs);
    }
    if (comparison->is_json)
        json_result(comparison, outcomes);
    else
        print_result(comparison, outcomes);
}

/* ---- The command --------------------------------------------------------------------------- */

static int complain(const char *what)
{
    fprintf(stderr, "weft compare: %s; `weft compare --help` tells more\n", what);
    return WEFT_EXIT_USAGE;
}

/* WEFT_EXIT_OK with a command, or what to end with. */
static int parse(int argc, char **argv, struct comparison *comparison)
{
    static const struct option options[] = {{"runs", required_argument, NULL, 'r'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    optind = 0;
    for (int option; (option = getopt_long(argc, argv, "+:r:h", options, NULL)) != -1;)
        switch (option) {
        case 'r':
            if (!number_parse(optarg, "", 1, RANKS_MOST, &comparison->runs))
                return complain("--runs (-r) takes a number from 1 to 400");
            break;
        case 'j':
            comparison->is_json = true;
            break;
        default:
            return option_end(option, usage, argv);
        }
    if (optind == argc)
        return complain("it wants a command to run");
    comparison->command = argv + optind;
    return WEFT_EXIT_OK;
}

static int compare(struct comparison *comparison, const char *weft)
{
    const char *mistake = compare_words_open(&comparison->words, comparison->command, weft);
    if (mistake)
        return complain(mistake);
    int code = run_all(comparison);
    if (code == 0)
        show(comparison);
    return code;
}

int weft_command_compare(int argc, char **argv)
{
    struct comparison comparison = {.runs = 8};
    char weft[PATH_MAX] = "weft";
    int code = parse(argc, argv, &comparison);
    if (!comparison.command)
        return code;
    if (!realpath("/proc/self/exe", weft))
        snprintf(weft, sizeof weft, "weft");
    code = compare(&comparison, weft);
    compare_words_close(&comparison.words);
    return code;
}
