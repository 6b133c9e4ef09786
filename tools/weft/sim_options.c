/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_options.h"

#include <getopt.h>
#include <unistd.h>

#include "bench/harness/plot.h"
#include "command.h"

#define NAME_WIDTH 17
#define MOST_JOBS 1024
#define MOST_ENTRIES 24

int sim_options_complain(const struct sim_usage *usage, const char *what)
{
    fprintf(stderr, "weft sim %s: %s; `weft sim %s --help` tells more\n", usage->name, what,
            usage->name);
    return WEFT_EXIT_USAGE;
}

static int refuse_figure(const struct sim_usage *usage, const char *name)
{
    fprintf(stderr, "weft sim %s: there is no such figure: '%s'; there are", usage->name, name);
    const char *comma = "";
    for (const struct sim_list *const *list = usage->figures; *list; list++)
        for (size_t i = 0; i < (*list)->count; i++, comma = ",")
            fprintf(stderr, "%s %s", comma, sim_list_name(sim_list_at(*list, i)));
    fprintf(stderr, "\n");
    return WEFT_EXIT_USAGE;
}

static const void *find_figure(const struct sim_usage *usage, const char *name)
{
    const void *figure = NULL;
    for (const struct sim_list *const *list = usage->figures; *list && !figure; list++)
        figure = sim_list_find(*list, name);
    return figure;
}

/* In the order of the help: what is simulated, what this simulator alone has, what comes out. */
static void list_entries(const struct sim_usage *usage, const struct option_entry *own,
                         struct sim_options *options, const char **figure,
                         struct option_entry *entries)
{
    *entries++ =
        (struct option_entry){"model", "NAME", usage->model_help, .text = &options->model};
    *entries++ =
        (struct option_entry){"keys", NULL, "show all keys and their values, and simulate nothing",
                              .flag = &options->shows_keys};
    while (own->name)
        *entries++ = *own++;
    *entries++ = (struct option_entry){"figure", "NAME", usage->figure_help, .text = figure};
    if (usage->is_sweep)
        *entries++ = (struct option_entry){
            "jobs", "N", "how many simulations run at a time; one a processor unless given",
            .number = OPTION_NUMBER(&options->jobs, 1, MOST_JOBS)};
    *entries++ = (struct option_entry){"json", NULL, "one JSON object instead of a table",
                                       .flag = &options->is_json};
    if (usage->is_sweep)
        *entries++ = (struct option_entry){"plot", "FILE.svg", "draw the figure; wants gnuplot",
                                           .text = &options->plot};
    *entries++ = (struct option_entry){
        "check", NULL, "the exit code is 1 if the figure is not what the paper says",
        .flag = &options->check};
    *entries++ = (struct option_entry){"help", NULL, "this text", .flag = NULL};
    *entries = (struct option_entry){0};
}

int sim_options_parse(const struct sim_usage *usage, const struct option_entry *own,
                      struct sim_options *options, int argc, char **argv)
{
    struct option_entry entries[MOST_ENTRIES];
    const struct option_table table = {.command = "sim",
                                       .name = usage->name,
                                       .synopsis = usage->synopsis,
                                       .description = usage->description,
                                       .width = NAME_WIDTH,
                                       .entries = entries,
                                       .has_operands = true};
    const char *figure = NULL;
    options->jobs = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
    list_entries(usage, own, options, &figure, entries);
    int code = option_parse(&table, argc, argv);
    if (code != -1)
        return code;
    if (figure && !(options->figure = find_figure(usage, figure)))
        return refuse_figure(usage, figure);
    if (!options->figure && (options->check || options->plot))
        return sim_options_complain(usage, usage->is_sweep ? "--check and --plot want a --figure"
                                                           : "--check wants a --figure");
    if (options->plot && !options->shows_keys && !plot_is_possible(options->plot))
        return WEFT_EXIT_FAILED;
    return -1;
}

bool sim_options_set_keys(const struct sim_keys *keys, void *model, int argc, char **argv)
{
    for (int i = optind; i < argc; i++)
        if (!sim_keys_set(keys, model, argv[i], "command line"))
            return false;
    return true;
}

int sim_options_show_keys(const struct sim_options *options, const struct sim_keys *keys,
                          const void *model)
{
    if (!options->shows_keys)
        return -1;
    sim_keys_print(keys, model, stdout, "");
    return WEFT_EXIT_OK;
}

int sim_options_verdict(const struct sim_options *options, const struct sim_claims *claims)
{
    return options->check && !sim_claims_are_met(claims) ? WEFT_EXIT_FAILED : WEFT_EXIT_OK;
}
