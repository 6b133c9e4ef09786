/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_MPI_START_TOKEN_H
#define WEFT_MPI_START_TOKEN_H

#include <stdbool.h>

#include "job/wireup.h"

/* What rank 0 has put on the launcher's board for all of the job. Once, after the roll was called;
 * false if there is nothing. */
bool weft_mpi_take_token(unsigned char bytes[WEFT_JOB_TOKEN_SIZE]);

#endif
