/* SPDX-License-Identifier: BSD-3-Clause */
/* How MPI is initialised and finalised: for the whole program, or as a session of MPI 4. */
#ifndef WEFT_TESTS_MPI_RUN_BEGIN_H
#define WEFT_TESTS_MPI_RUN_BEGIN_H

#include <mpi.h>
#include <stdbool.h>

/* A communicator of all processes, whose errors go to the handler; MPI_COMM_NULL if this MPI has
 * no sessions or not that level of threads. */
MPI_Comm begin_mpi(bool has_session, int thread_level, MPI_Comm_errhandler_function *handler);
void end_mpi(MPI_Comm world);

#endif
