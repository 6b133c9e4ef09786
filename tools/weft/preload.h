/* SPDX-License-Identifier: BSD-3-Clause */
/* The libraries that `weft run` loads into programs: one for each MPI, and the shared heap. */
#ifndef WEFT_TOOLS_PRELOAD_H
#define WEFT_TOOLS_PRELOAD_H

#include <limits.h>
#include <stdbool.h>

/* `name` is mpi_openmpi, mpi_mpich or heap. False if it is not installed. */
bool preload_find(const char *name, char path[PATH_MAX]);

/* Whether an entry of LD_PRELOAD is one of them. */
bool preload_is_ours(const char *path);

#endif
