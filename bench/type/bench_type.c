/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft bench type`: asks the runners for one cell after the other. */
#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/bench.h"
#include "weft/command.h"
#include "weft/json.h"

#define MAX_PATTERNS 64
#define AGAIN_FACTOR 4

struct options {
    const char *patterns[MAX_PATTERNS];
    size_t pattern_count;
    bool runners[WEFT_RUNNERS];
    bool sizes[WEFT_CELL_SIZES], directions[2], caches[2]; /* none set: all */
    double seconds;
    bool json, check, list;
};

struct bench {
    struct options options;
    char **layouts;
    size_t layout_count;
    struct weft_cell *cells;
    size_t cell_count;
};

static void print_help(void)
{
    printf(
        "usage: weft bench type [OPTION...]\n"
        "\n"
        "Packs and unpacks the layouts of ddtbench and others: memcpy of as many bytes, a loop\n"
        "written for the layout, Weft, and MPI_Pack and MPI_Unpack of the MPIs that Weft was\n"
        "built with. Every ratio is taken in one process, between runs that alternate.\n"
        "\n"
        "  --layout PATTERN        only layouts that match, for example 'vec*'; may be repeated\n"
        "  --size 2K|64K|4M        ranges of 2 KiB of a message of about 64 KiB, in shuffled\n"
        "                          order, or whole messages; may be repeated\n"
        "  --direction pack|unpack\n"
        "  --warm, --cold          cold: both sides of the message are flushed from all caches\n"
        "                          before each run (where the processor cannot, 64 MiB of other\n"
        "                          memory are walked); lists of displacements stay warm\n"
        "  --runner openmpi|mpich|none\n"
        "                          which programs measure; all MPIs unless given\n"
        "  --seconds-per-cell S    0.15 unless given\n"
        "  --quick                 the same as --seconds-per-cell 0.03\n"
        "  --check                 exit with 1 where a bar is missed, and say which (warm):\n"
        "                            every cell: at most %.2f times as long as the best of the\n"
        "                            hand loop, Open MPI and MPICH;\n"
        "                            64K: %.1f times as fast as Open MPI and %.1f times as "
        "MPICH,\n"
        "                            geometric means;\n"
        "                            2K: finding the place takes at most %.0f %% where the "
        "pieces\n"
        "                            have %d bytes and more in the mean\n"
        "                          cells that miss are measured again, %d times as long\n"
        "  --json                  for programs; times are in nanoseconds\n"
        "  --list                  names the layouts\n"
        "\n"
        "Layouts of fixed size reach 64 KiB and 4 MiB by repeating elements; an MPI cannot start\n"
        "inside a message, so at 2K it moves whole types of about 2 KiB where there are some. A\n"
        "row marked * takes more than %.2f times as long as the best.\n",
        WEFT_BAR_TO_BEST, WEFT_BAR_OPENMPI, WEFT_BAR_MPICH, WEFT_BAR_LOCATE * 100,
        WEFT_BAR_LOCATE_BLOCK, AGAIN_FACTOR, WEFT_BAR_TO_BEST);
}

static bool choose(const char *option, const char *value, const char *const *words, size_t count,
                   bool *chosen)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], value) == 0)
            return chosen[i] = true;
    fprintf(stderr, "weft bench type: --%s '%s' is not one of:", option, value);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, " %s", words[i]);
    fprintf(stderr, "\n");
    return false;
}

enum { LAYOUT = 1, SIZE, DIRECTION, WARM, COLD, RUNNER, SECONDS, QUICK, CHECK, JSON, LIST, HELP };

static bool take_seconds(const char *value, double *seconds)
{
    char *end;
    *seconds = strtod(value, &end);
    if (*end == '\0' && *seconds > 0 && *seconds < 1e4)
        return true;
    fprintf(stderr, "weft bench type: --seconds-per-cell '%s' is not a number of seconds\n",
            value);
    return false;
}

static bool take_option(int option, struct options *options)
{
    const char *runners[WEFT_RUNNERS];
    for (unsigned i = 0; i < WEFT_RUNNERS; i++)
        runners[i] = weft_runner_name((enum weft_runner_kind)i);
    switch (option) {
    case LAYOUT:
        if (options->pattern_count == MAX_PATTERNS) {
            fprintf(stderr, "weft bench type: at most %d times --layout\n", MAX_PATTERNS);
            return false;
        }
        options->patterns[options->pattern_count++] = optarg;
        return true;
    case SIZE:
        return choose("size", optarg, weft_cell_sizes, WEFT_CELL_SIZES, options->sizes);
    case DIRECTION:
        return choose("direction", optarg, weft_cell_directions, 2, options->directions);
    case WARM:
        return options->caches[0] = true;
    case COLD:
        return options->caches[1] = true;
    case RUNNER:
        return choose("runner", optarg, runners, WEFT_RUNNERS, options->runners);
    case SECONDS:
        return take_seconds(optarg, &options->seconds);
    case QUICK:
        options->seconds = 0.03;
        return true;
    case CHECK:
        return options->check = true;
    case JSON:
        return options->json = true;
    case LIST:
        return options->list = true;
    default:
        return false;
    }
}

static void choose_all_if_none(bool *chosen, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (chosen[i])
            return;
    memset(chosen, true, count * sizeof(*chosen));
}

/* Returns an exit code, or -1 to go on. */
static int parse_options(int argc, char **argv, struct options *options)
{
    static const struct option known[] = {
        {"layout", required_argument, NULL, LAYOUT},
        {"size", required_argument, NULL, SIZE},
        {"direction", required_argument, NULL, DIRECTION},
        {"warm", no_argument, NULL, WARM},
        {"cold", no_argument, NULL, COLD},
        {"runner", required_argument, NULL, RUNNER},
        {"seconds-per-cell", required_argument, NULL, SECONDS},
        {"quick", no_argument, NULL, QUICK},
        {"check", no_argument, NULL, CHECK},
        {"json", no_argument, NULL, JSON},
        {"list", no_argument, NULL, LIST},
        {"help", no_argument, NULL, HELP},
        {0},
    };
    int option;
    *options = (struct options){.seconds = 0.15};
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (option == HELP) {
            print_help();
            return WEFT_EXIT_OK;
        }
        if (!take_option(option, options))
            return WEFT_EXIT_USAGE;
    }
    if (optind < argc) {
        fprintf(stderr, "weft bench type: '%s' is not an option; did you mean --layout '%s'?\n",
                argv[optind], argv[optind]);
        return WEFT_EXIT_USAGE;
    }
    if (options->check)
        options->caches[0] = true; /* that is where the bars are */
    choose_all_if_none(options->sizes, WEFT_CELL_SIZES);
    choose_all_if_none(options->directions, 2);
    choose_all_if_none(options->caches, 2);
    return -1;
}

/* The MPIs that there are, or else the runner without; or what was asked for. */
static bool open_runners(const struct options *options)
{
    bool chosen = false, any = false;
    for (size_t i = 0; i < WEFT_RUNNERS; i++)
        chosen |= options->runners[i];
    for (unsigned i = 0; i < WEFT_RUNNERS; i++) {
        enum weft_runner_kind kind = (enum weft_runner_kind)i;
        bool wanted = chosen ? options->runners[i] : kind != WEFT_RUNNER_NONE || !any;
        if (!wanted)
            continue;
        bool open = weft_runner_open(kind);
        if (!open && chosen) {
            fprintf(stderr,
                    "weft bench type: weft-bench-type-%s is missing: install the MPI's "
                    "development package and build Weft again\n",
                    weft_runner_name(kind));
            return false;
        }
        any |= open;
    }
    if (!any)
        fprintf(stderr, "weft bench type: none of the weft-bench-type programs is in %s\n",
                WEFT_LIBEXEC);
    return any;
}

static bool is_wanted(const struct options *options, const char *layout)
{
    for (size_t i = 0; i < options->pattern_count; i++)
        if (fnmatch(options->patterns[i], layout, 0) == 0)
            return true;
    return options->pattern_count == 0;
}

static void *grow(void *memory, size_t bytes)
{
    memory = realloc(memory, bytes);
    if (!memory) {
        fprintf(stderr, "weft bench type: out of memory\n");
        exit(WEFT_EXIT_FAILED);
    }
    return memory;
}

static void ask_for_layouts(struct bench *bench)
{
    unsigned kind = 0;
    while (!weft_runner_is_open((enum weft_runner_kind)kind))
        kind++;
    char line[256], name[128];
    weft_runner_ask((enum weft_runner_kind)kind, "list");
    for (;;) {
        weft_runner_answer((enum weft_runner_kind)kind, line, sizeof(line));
        if (sscanf(line, "layout %127s", name) != 1)
            return;
        if (!is_wanted(&bench->options, name))
            continue;
        size_t bytes = (bench->layout_count + 1) * sizeof(*bench->layouts);
        bench->layouts = grow(bench->layouts, bytes);
        size_t length = strlen(name) + 1;
        bench->layouts[bench->layout_count++] = memcpy(grow(NULL, length), name, length);
    }
}

static void plan_cells(struct bench *bench)
{
    const struct options *options = &bench->options;
    bench->cells = grow(NULL, (bench->layout_count * 12 + 1) * sizeof(*bench->cells));
    for (unsigned cache = 0; cache < 2; cache++)
        for (unsigned size = 0; size < WEFT_CELL_SIZES; size++)
            for (size_t layout = 0; layout < bench->layout_count; layout++)
                for (unsigned direction = 0; direction < 2; direction++)
                    if (options->caches[cache] && options->sizes[size] &&
                        options->directions[direction])
                        bench->cells[bench->cell_count++] =
                            (struct weft_cell){.layout = bench->layouts[layout],
                                               .size = size,
                                               .direction = direction,
                                               .cache = cache};
}

static void take_figure(struct weft_figures *figures, const char *key, const char *value)
{
    if (strcmp(key, "way") == 0)
        snprintf(figures->way, sizeof(figures->way), "%s", value);
#define FIGURE(name)                                                                              \
    if (strcmp(key, #name) == 0)                                                                  \
        figures->name = strtod(value, NULL);
    WEFT_FIGURE_MAP(FIGURE)
#undef FIGURE
}

static void parse_answer(char *line, struct weft_figures *figures)
{
    char *rest;
    for (char *word = strtok_r(line, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
        char *value = strchr(word, '=');
        if (!value)
            continue;
        *value = '\0';
        take_figure(figures, word, value + 1);
    }
}

/* One runner after the other: they would disturb each other. */
static void measure_cell(struct weft_cell *cell, double seconds)
{
    char request[256], line[1024];
    snprintf(request, sizeof(request), "cell %s %s %s %s %g", cell->layout,
             weft_cell_sizes[cell->size], weft_cell_directions[cell->direction],
             weft_cell_caches[cell->cache], seconds);
    for (unsigned i = 0; i < WEFT_RUNNERS; i++) {
        enum weft_runner_kind kind = (enum weft_runner_kind)i;
        if (!weft_runner_is_open(kind))
            continue;
        weft_runner_ask(kind, request);
        weft_runner_answer(kind, line, sizeof(line));
        cell->skipped = strncmp(line, "skip", 4) == 0;
        if (cell->skipped)
            return;
        cell->of[i] = (struct weft_figures){0};
        parse_answer(line, &cell->of[i]);
    }
}

static void measure_all(struct bench *bench)
{
    for (size_t i = 0; i < bench->cell_count; i++) {
        struct weft_cell *cell = &bench->cells[i];
        char what[160], ignored[256];
        snprintf(what, sizeof(what), "%s %s %s %s", cell->layout, weft_cell_sizes[cell->size],
                 weft_cell_directions[cell->direction], weft_cell_caches[cell->cache]);
        weft_progress_show(i, bench->cell_count, what);
        measure_cell(cell, bench->options.seconds);
        if (bench->options.check && weft_cell_misses(cell, ignored, sizeof(ignored))) {
            measure_cell(cell, bench->options.seconds * AGAIN_FACTOR);
            cell->again = true;
        }
        if (bench->options.json)
            continue;
        weft_progress_clear();
        const struct weft_cell *before = i ? &bench->cells[i - 1] : NULL;
        if (!before || before->size != cell->size || before->cache != cell->cache)
            weft_cell_print_heading(cell->size, cell->cache);
        if (!cell->skipped)
            weft_cell_print(cell);
    }
    weft_progress_clear();
}

static size_t miss(const struct bench *bench, const char *text)
{
    if (bench->options.json)
        weft_json_string(NULL, text);
    else
        printf("missed: %s\n", text);
    return 1;
}

static size_t check_all(const struct bench *bench)
{
    char text[256];
    size_t missed = 0;
    if (bench->options.json)
        weft_json_open("missed", '[');
    else
        printf("\n");
    for (size_t i = 0; i < bench->cell_count; i++)
        if (weft_cell_misses(&bench->cells[i], text, sizeof(text)))
            missed += miss(bench, text);
    /* The means are of all layouts, so a part of them says nothing. */
    bool all = bench->options.pattern_count == 0 && bench->options.sizes[WEFT_CELL_64K];
    for (unsigned i = 0; all && i < WEFT_RUNNER_NONE; i++)
        if (weft_cells_miss_mean(bench->cells, bench->cell_count, (enum weft_runner_kind)i, text,
                                 sizeof(text)))
            missed += miss(bench, text);
    if (bench->options.json)
        weft_json_close(']');
    else
        printf("%zu bars missed\n", missed);
    return missed;
}

static int run(struct bench *bench)
{
    if (!open_runners(&bench->options))
        return WEFT_EXIT_FAILED;
    ask_for_layouts(bench);
    if (bench->layout_count == 0) {
        fprintf(stderr, "weft bench type: no layout matches; --list names all\n");
        return WEFT_EXIT_USAGE;
    }
    if (bench->options.list) {
        for (size_t i = 0; i < bench->layout_count; i++)
            puts(bench->layouts[i]);
        return WEFT_EXIT_OK;
    }
    plan_cells(bench);
    measure_all(bench);
    if (bench->options.json)
        weft_cells_print_json(bench->cells, bench->cell_count);
    else
        weft_cells_print_means(bench->cells, bench->cell_count);
    size_t missed = bench->options.check ? check_all(bench) : 0;
    if (bench->options.json)
        weft_json_close('}');
    return missed ? WEFT_EXIT_FAILED : WEFT_EXIT_OK;
}

int weft_bench_type(int argc, char **argv)
{
    struct bench bench = {0};
    int code = parse_options(argc, argv, &bench.options);
    if (code >= 0)
        return code;
    code = run(&bench);
    weft_runner_close_all();
    for (size_t i = 0; i < bench.layout_count; i++)
        free(bench.layouts[i]);
    free(bench.layouts);
    free(bench.cells);
    return code;
}
