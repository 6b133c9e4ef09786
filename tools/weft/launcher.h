/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands that start the processes of an MPI job. */
#ifndef WEFT_TOOLS_LAUNCHER_H
#define WEFT_TOOLS_LAUNCHER_H

#include <stdbool.h>

bool launcher_is(const char *program);

#endif
