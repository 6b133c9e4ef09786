/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of a benchmark or simulator: a table that says what there is, which variable each
 * one sets, and what the help tells of it. */
#ifndef WEFT_BENCH_HARNESS_OPTION_H
#define WEFT_BENCH_HARNESS_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- Values ------------------------------------------------------------------------------- */

/* An option whose value is one of these words. */
struct option_words {
    const char *const *names;
    const char *const *help; /* of each; NULL: the words speak for themselves */
    size_t count;
    bool *chosen; /* one for each word, if the option may be repeated; or else */
    int *choice;  /* which word was given last */
};

/* Chooses all if none is chosen. */
void option_words_complete(const struct option_words *words);

struct option_number {
    size_t *value;
    size_t least, most;
    const char *units; /* as number_parse has them; NULL: none */
    size_t *count;     /* of values, if the option may be repeated */
    size_t most_values;
};

#define OPTION_NUMBER(where, from, up_to)                                                         \
    {                                                                                             \
        .value = (where), .least = (from), .most = (up_to)                                        \
    }

struct option_real {
    double *value;
    double least, most;
    double preset; /* what an option without a value sets */
};

/* ---- Options ------------------------------------------------------------------------------ */

/* Where the value goes is not NULL. Every table has --help, whether it is an entry, and so in the
 * help itself, or not. */
struct option_entry {
    const char *name;
    const char *value; /* as the help calls it; NULL: it takes none */
    const char *help;  /* lines; NULL: that of the next option is of both */
    bool *flag;
    const char **text;
    struct option_number number;
    struct option_real real;
    const struct option_words *words;
    bool (*take)(const char *value, void *context); /* false if that makes no sense */
    void *context;
    const char *wants; /* what `take` takes, such as "a number"; NULL: hard to say */
};

struct option_table {
    const char *name;                   /* of the benchmark or simulator */
    const char *description;            /* before the options */
    const char *epilogue;               /* behind them, or NULL */
    int width;                          /* of the column of names */
    const struct option_entry *entries; /* the last one has no name */
    const char *command;                /* what it is a part of; NULL: bench */
    const char *synopsis;               /* lines; NULL: nothing but options */
    bool has_operands;
};

/* An exit code, or -1 to go on, with operands from optind on. */
int option_parse(const struct option_table *table, int argc, char **argv);

#endif
