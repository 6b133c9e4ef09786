/* SPDX-License-Identifier: BSD-3-Clause */
/* A type as the program has made it, for people: weft-types(7) with MPI's names of basic types. */
#ifndef WEFT_MPI_REPORT_NOTATION_H
#define WEFT_MPI_REPORT_NOTATION_H

#include "mpi/state.h"

/* What does not fit is cut, and ends with dots. */
void weft_mpi_notation(MPI_Datatype handle, char *text, size_t room);

#endif
