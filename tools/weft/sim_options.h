/* SPDX-License-Identifier: BSD-3-Clause */
/* What all simulators can be told on the command line, and how all of them end. */
#ifndef WEFT_TOOLS_SIM_OPTIONS_H
#define WEFT_TOOLS_SIM_OPTIONS_H

#include "bench/harness/option.h"
#include "sim_claim.h"
#include "sim_keys.h"

struct sim_options {
    const char *model;  /* NULL: none was asked for */
    const void *figure; /* of the lists below; NULL: none was asked for */
    size_t jobs;        /* at a time */
    const char *plot;   /* a file, or NULL */
    bool is_json, check, shows_keys;
};

struct sim_usage {
    const char *name; /* behind `weft sim` */
    const char *synopsis, *description;
    const char *model_help, *figure_help;
    const struct sim_list *const *figures; /* the last is NULL */
    bool is_sweep; /* of many simulations: with --jobs and --plot */
};

/* `own` are the options of this simulator alone; the last one has no name. An exit code, or -1 to
 * go on with the operands, which begin at optind. */
int sim_options_parse(const struct sim_usage *usage, const struct option_entry *own,
                      struct sim_options *options, int argc, char **argv);

/* Sets one key by each operand. False, having said why. */
bool sim_options_set_keys(const struct sim_keys *keys, void *model, int argc, char **argv);

/* With --keys, shows them: an exit code then, or -1 to go on. */
int sim_options_show_keys(const struct sim_options *options, const struct sim_keys *keys,
                          const void *model);

/* The exit code of a command line that makes no sense. */
int sim_options_complain(const struct sim_usage *usage, const char *what);

/* The exit code of a simulation that came to its end. */
int sim_options_verdict(const struct sim_options *options, const struct sim_claims *claims);

#endif
