/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of a benchmark. */
#ifndef WEFT_TOOLS_BENCH_OPTIONS_H
#define WEFT_TOOLS_BENCH_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

struct bench_options {
    const char *name;
    const struct option *known; /* the key of --help is 'h' */
    void (*print_help)(FILE *out);
    bool (*take)(int key, void *options); /* false if optarg makes no sense */
    void *options;
};

/* An exit code, or -1 to go on. */
int bench_options_parse(const struct bench_options *bench, int argc, char **argv);

#endif
