/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_MPI_MESSAGE_COMPLETE_H
#define WEFT_MPI_MESSAGE_COMPLETE_H

#include "mpi/message/operation.h"

/* MPI_Wait of any request, while something of ours is under way. */
int weft_mpi_wait(MPI_Request *request, MPI_Status *status);

/* MPI_Waitall, likewise. */
int weft_mpi_wait_all(int count, MPI_Request requests[], MPI_Status statuses[]);

#endif
