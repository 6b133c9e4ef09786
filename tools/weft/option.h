/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of subcommands, and what is said of those that they do not know. */
#ifndef WEFT_TOOLS_OPTION_H
#define WEFT_TOOLS_OPTION_H

#include <getopt.h>

/* What getopt_long has answered: ':' or '?'. The list of short options begins with a colon, so
 * that it says nothing itself. Returns the exit code. */
int option_reject(int answer, char **argv);

/* Has every option taken that sets no flag, until one returns something else than -1: that is what
 * to end with. -h has no other name. */
int option_each(int argc, char **argv, const struct option *options,
                int (*take)(void *self, int option), void *self);

#endif
