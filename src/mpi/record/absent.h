/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that a record does not have, though they move data: whoever reads it is told. */
#ifndef WEFT_MPI_RECORD_ABSENT_H
#define WEFT_MPI_RECORD_ABSENT_H

#include <stdint.h>

/* The program has called one of this name. */
void weft_mpi_absent_add(const char *name);
/* The same, while there is a record, for calls of which some are in it. */
void weft_mpi_absent_pass(const char *name);

/* How many names there are, each with its calls. */
uint32_t weft_mpi_absent_count(void);
const char *weft_mpi_absent_name(uint32_t index, uint64_t *calls);

#endif
