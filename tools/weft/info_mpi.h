/* SPDX-License-Identifier: BSD-3-Clause */
/* What `weft info` says of MPI: the libraries that programs would load, and whether Weft has what
 * it takes to run such programs. */
#ifndef WEFT_TOOLS_INFO_MPI_H
#define WEFT_TOOLS_INFO_MPI_H

/* Before anything that starts threads: each library is loaded by a child. */
void info_mpi_look(void);

void info_mpi_print(void);

/* A member of an object that is open. */
void info_mpi_json(void);

#endif
