/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of a record. */
#ifndef WEFT_MPI_RECORD_WRITE_H
#define WEFT_MPI_RECORD_WRITE_H

#include "mpi/state.h"

/* Rank 0 opens it, before the program does much in vain; false, and the log has said why. */
bool weft_mpi_record_open(void);
/* Everybody's steps, through rank 0. Collective. */
void weft_mpi_record_all(void);
void weft_mpi_record_close(void);

#endif
