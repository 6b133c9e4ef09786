/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of options that a subcommand does not know. */
#ifndef WEFT_TOOLS_OPTION_H
#define WEFT_TOOLS_OPTION_H

/* What getopt_long has answered: ':' or '?'. The list of short options begins with a colon, so
 * that it says nothing itself. Returns the exit code. */
int option_reject(int answer, char **argv);

/* The same of what no subcommand goes on after: 'h' shows the usage, all else is rejected. */
int option_end(int answer, const char *usage, char **argv);

#endif
