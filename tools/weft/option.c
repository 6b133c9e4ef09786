/* SPDX-License-Identifier: BSD-3-Clause */
#include "option.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "command.h"

int option_reject(int answer, char **argv)
{
    char letter[] = {'-', (char)optopt, 0};
    const char *word = argv[optind - 1];
    /* A letter among others is not a word of its own. */
    if (optopt && strncmp(word, "--", 2) != 0)
        word = letter;
    fprintf(stderr, "weft %s: ", argv[0]);
    if (answer == ':')
        fprintf(stderr, "%s wants a value", word);
    else
        fprintf(stderr, "there is no option '%s'", word);
    fprintf(stderr, "; `weft %s --help` lists the options\n", argv[0]);
    return WEFT_EXIT_USAGE;
}

int option_end(int answer, const char *usage, char **argv)
{
    if (answer != 'h')
        return option_reject(answer, argv);
    fputs(usage, stdout);
    return WEFT_EXIT_OK;
}
