/* SPDX-License-Identifier: BSD-3-Clause */
/* `weft bench type`: asks its programs for one cell after the other. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benchmarks.h"
#include "bench/type/type_report.h"
#include "weft/command.h"

#define MOST_PATTERNS 64
#define AGAIN 4

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define TO_BEST TEXT(TYPE_BAR_TO_BEST)
#define TO_OPENMPI TEXT(TYPE_BAR_OPENMPI)
#define TO_MPICH TEXT(TYPE_BAR_MPICH)
#define TO_LOCATE TEXT(TYPE_BAR_LOCATE)
#define LOCATE_BLOCK TEXT(TYPE_BAR_LOCATE_BLOCK)
#define TIMES_AGAIN TEXT(AGAIN)

static char **layouts;
static size_t layout_count;
static struct type_cell *cells;
static size_t cell_count;

/* ---- Options ------------------------------------------------------------------------------ */

static struct bench_settings settings = {.seconds = 0.15};
static const char *patterns[MOST_PATTERNS];
static size_t pattern_count;
static bool is_program_chosen[TYPE_PROGRAMS], is_size_chosen[TYPE_SIZES];
static bool is_direction_chosen[TYPE_DIRECTIONS], is_cache_chosen[TYPE_CACHES];
static bool list;

static const struct option_words programs = {
    .names = type_program_names, .count = TYPE_PROGRAMS, .chosen = is_program_chosen};
static const struct option_words sizes = {
    .names = type_sizes, .count = TYPE_SIZES, .chosen = is_size_chosen};
static const struct option_words directions = {
    .names = type_directions, .count = TYPE_DIRECTIONS, .chosen = is_direction_chosen};
static const struct option_words caches = {
    .names = type_caches, .count = TYPE_CACHES, .chosen = is_cache_chosen};

static bool take_pattern(const char *pattern, void *context)
{
    (void)context;
    if (pattern_count == MOST_PATTERNS)
        return false;
    patterns[pattern_count++] = pattern;
    return true;
}

static const struct option_entry options[] = {
    {"layout", "PATTERN", "only layouts that match, for example 'vec*'; may be repeated",
     .take = take_pattern},
    {"size", "2K|64K|4M",
     "ranges of 2 KiB of a message of about 64 KiB, in shuffled\n"
     "order, or whole messages; may be repeated",
     .words = &sizes},
    {"direction", "pack|unpack", "", .words = &directions},
    {"warm", NULL, NULL, .flag = &is_cache_chosen[0]},
    {"cold", NULL,
     "cold: both sides of the message are flushed from all caches\n"
     "before each run (where the processor cannot, 64 MiB of other\n"
     "memory are walked); lists of displacements stay warm",
     .flag = &is_cache_chosen[1]},
    {"runner", "openmpi|mpich|none", "which programs measure; all MPIs unless given",
     .words = &programs},
    {"seconds-per-cell", "S", "0.15 unless given",
     .real = {&settings.seconds, .least = 1e-6, .most = 1e4}},
    {"quick", NULL, "the same as --seconds-per-cell 0.03",
     .real = {&settings.seconds, .preset = 0.03}},
    {"check", NULL,
     "exit with 1 where a bar is missed, and say which (warm):\n"
     "  every cell: at most " TO_BEST " times as long as the best of the\n"
     "  hand loop, Open MPI and MPICH;\n"
     "  64K: " TO_OPENMPI " times as fast as Open MPI and " TO_MPICH " times as MPICH,\n"
     "  geometric means;\n"
     "  2K: finding the place takes at most " TO_LOCATE " % where the pieces\n"
     "  have " LOCATE_BLOCK " bytes and more in the mean\n"
     "cells that miss are measured again, " TIMES_AGAIN " times as long",
     .flag = &settings.check},
    {"json", NULL, "for programs; times are in nanoseconds", .flag = &settings.json},
    {"list", NULL, "names the layouts", .flag = &list},
    {0},
};

/* ---- Preparing ---------------------------------------------------------------------------- */

/* The MPIs that there are, or else the program without; or what was asked for. */
static bool open_programs(void)
{
    bool any_chosen = false, any = false;
    for (size_t i = 0; i < TYPE_PROGRAMS; i++)
        any_chosen |= is_program_chosen[i];
    for (unsigned i = 0; i < TYPE_PROGRAMS; i++) {
        enum type_program program = (enum type_program)i;
        bool wanted = any_chosen ? is_program_chosen[i] : program != TYPE_NO_MPI || !any;
        if (!wanted)
            continue;
        bool open = type_program_open(program);
        if (!open && any_chosen) {
            fprintf(stderr,
                    "weft bench type: weft-bench-type-%s is missing: install the MPI's "
                    "development package and build Weft again\n",
                    type_program_names[i]);
            return false;
        }
        any |= open;
    }
    if (!any)
        fprintf(stderr, "weft bench type: none of the weft-bench-type programs is in %s\n",
                WEFT_LIBEXEC);
    return any;
}

static bool is_wanted(const char *layout)
{
    for (size_t i = 0; i < pattern_count; i++)
        if (fnmatch(patterns[i], layout, 0) == 0)
            return true;
    return pattern_count == 0;
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

static void ask_for_layouts(void)
{
    unsigned program = 0;
    while (!type_program_is_open((enum type_program)program))
        program++;
    char line[256], name[128];
    type_program_ask((enum type_program)program, "list");
    for (;;) {
        type_program_answer((enum type_program)program, line, sizeof(line));
        if (sscanf(line, "layout %127s", name) != 1)
            return;
        if (!is_wanted(name))
            continue;
        layouts = grow(layouts, (layout_count + 1) * sizeof(*layouts));
        size_t length = strlen(name) + 1;
        layouts[layout_count++] = memcpy(grow(NULL, length), name, length);
    }
}

static void plan_cells(void)
{
    cells = grow(NULL, (layout_count * 12 + 1) * sizeof(*cells));
    for (unsigned cache = 0; cache < TYPE_CACHES; cache++)
        for (unsigned size = 0; size < TYPE_SIZES; size++)
            for (size_t layout = 0; layout < layout_count; layout++)
                for (unsigned direction = 0; direction < TYPE_DIRECTIONS; direction++)
                    if (is_cache_chosen[cache] && is_size_chosen[size] &&
                        is_direction_chosen[direction])
                        cells[cell_count++] = (struct type_cell){.layout = layouts[layout],
                                                                 .size = size,
                                                                 .direction = direction,
                                                                 .cache = cache};
}

static void free_all(void)
{
    type_programs_close();
    for (size_t i = 0; i < layout_count; i++)
        free(layouts[i]);
    free(layouts);
    free(cells);
}

static int prepare(void)
{
    if (settings.check)
        is_cache_chosen[0] = true; /* that is where the bars are */
    option_words_complete(&sizes);
    option_words_complete(&directions);
    option_words_complete(&caches);
    if (!open_programs())
        return WEFT_EXIT_FAILED;
    atexit(free_all);
    ask_for_layouts();
    if (layout_count == 0) {
        fprintf(stderr, "weft bench type: no layout matches; --list names all\n");
        return WEFT_EXIT_USAGE;
    }
    plan_cells();
    for (size_t i = 0; list && i < layout_count; i++)
        puts(layouts[i]);
    return list ? WEFT_EXIT_OK : -1;
}

/* ---- Measuring ---------------------------------------------------------------------------- */

static size_t count_cells(size_t group)
{
    (void)group;
    return cell_count;
}

static void end_cells(size_t group)
{
    (void)group;
    if (!settings.json)
        type_cells_print_means(cells, cell_count);
}

static void name_cell(size_t i, char *text, size_t size)
{
    const struct type_cell *cell = &cells[i];
    snprintf(text, size, "%s %s %s %s", cell->layout, type_sizes[cell->size],
             type_directions[cell->direction], type_caches[cell->cache]);
}

static void take_figure(struct type_figures *figures, const char *key, const char *value)
{
    if (strcmp(key, "way") == 0)
        snprintf(figures->way, sizeof(figures->way), "%s", value);
#define FIGURE(name)                                                                              \
    if (strcmp(key, #name) == 0)                                                                  \
        figures->name = strtod(value, NULL);
    TYPE_FIGURE_MAP(FIGURE)
#undef FIGURE
}

static void parse_answer(char *line, struct type_figures *figures)
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

/* One program after the other: they would disturb each other. */
static void measure_cell(size_t i, unsigned times)
{
    struct type_cell *cell = &cells[i];
    char request[256], name[200], line[1024];
    name_cell(i, name, sizeof(name));
    snprintf(request, sizeof(request), "cell %s %g", name, settings.seconds * times);
    cell->again = times > 1;
    for (unsigned p = 0; p < TYPE_PROGRAMS; p++) {
        if (!type_program_is_open((enum type_program)p))
            continue;
        type_program_ask((enum type_program)p, request);
        type_program_answer((enum type_program)p, line, sizeof(line));
        cell->skipped = strncmp(line, "skip", 4) == 0;
        if (cell->skipped)
            return;
        cell->of[p] = (struct type_figures){0};
        parse_answer(line, &cell->of[p]);
    }
}

static bool is_cell_missed(size_t i)
{
    return type_cell_misses(&cells[i]);
}

/* ---- Reports ------------------------------------------------------------------------------ */

static void print_cell(size_t i)
{
    const struct type_cell *cell = &cells[i], *before = i ? cell - 1 : NULL;
    if (!before || before->size != cell->size || before->cache != cell->cache)
        type_cell_print_heading(cell->size, cell->cache);
    if (!cell->skipped)
        type_cell_print(cell);
}

static void write_json(void)
{
    type_cells_print_json(cells, cell_count);
}

static void look_at_bars(struct bar_list *missed)
{
    for (size_t i = 0; i < cell_count; i++)
        type_cell_look(&cells[i], missed);
    /* The means are of all layouts, so a part of them says nothing. */
    bool all = pattern_count == 0 && is_size_chosen[TYPE_64K];
    for (unsigned p = 0; all && p < TYPE_NO_MPI; p++)
        type_cells_look_at_mean(cells, cell_count, (enum type_program)p, missed);
}

const struct benchmark bench_type = {
    .summary = "pack and unpack the layouts of real programs: memcpy, hand-written loops,\n"
               "             Weft, Open MPI and MPICH",
    .options =
        {"type",
         "Packs and unpacks the layouts of ddtbench and others: memcpy of as many bytes, a loop\n"
         "written for the layout, Weft, and MPI_Pack and MPI_Unpack of the MPIs that Weft was\n"
         "built with. Every ratio is taken in one process, between runs that alternate.\n",
         "Layouts of fixed size reach 64 KiB and 4 MiB by repeating elements; an MPI cannot "
         "start\n"
         "inside a message, so at 2K it moves whole types of about 2 KiB where there are some. A\n"
         "row marked * takes more than " TO_BEST " times as long as the best.\n",
         23, .entries = options},
    .settings = &settings,
    .prepare = prepare,
    .cases = {1, count_cells, end_cells, name_cell, measure_cell, print_cell},
    .again = {is_cell_missed, AGAIN},
    .report = {write_json, look_at_bars, .has_sentences = true},
};
