/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_MPI_COLLECTIVE_UNIFORM_H
#define WEFT_MPI_COLLECTIVE_UNIFORM_H

/* When MPI is there, and before it goes. */
void weft_mpi_uniform_begin(void);
void weft_mpi_uniform_end(void);

#endif
