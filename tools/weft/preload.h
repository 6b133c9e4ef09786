/* SPDX-License-Identifier: BSD-3-Clause */
/* The libraries that `weft run` loads into programs, one for each MPI. */
#ifndef WEFT_TOOLS_PRELOAD_H
#define WEFT_TOOLS_PRELOAD_H

#include <limits.h>
#include <stdbool.h>

/* What their names begin with. */
#define PRELOAD_PREFIX "libweft_mpi_"

/* `name` is openmpi or mpich. False if it is not installed. */
bool preload_find(const char *name, char path[PATH_MAX]);

#endif
