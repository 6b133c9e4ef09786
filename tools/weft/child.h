/* SPDX-License-Identifier: BSD-3-Clause */
/* A command that one of ours runs and waits for. */
#ifndef WEFT_TOOLS_CHILD_H
#define WEFT_TOOLS_CHILD_H

#include <stdbool.h>

/* The exit code of the command, as a shell says it: 127 if it cannot be started, 128 and the
 * signal that has ended it. The terminal interrupts the command itself; we stay to tell what it
 * did. `who` is the subcommand that says so if it fails; without output, only standard error is
 * left. */
int child_run(const char *who, char *const command[], bool has_output);

/* Seconds of processors that all commands so far have taken, and the processes that they have
 * waited for. */
double child_processor_seconds(void);

#endif
