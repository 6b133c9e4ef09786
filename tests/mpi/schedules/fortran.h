/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles of Fortran, or the numbers that the standard ABI of MPI has in their place. */
#ifndef WEFT_TESTS_MPI_RUN_FORTRAN_H
#define WEFT_TESTS_MPI_RUN_FORTRAN_H

#include <mpi.h>

#ifdef BY_STANDARD_ABI
#define MPI_Fint int
#define MPI_Message_c2f MPI_Message_toint
#define MPI_Message_f2c MPI_Message_fromint
#define MPI_Request_c2f MPI_Request_toint
#define MPI_Request_f2c MPI_Request_fromint
#endif

#endif
