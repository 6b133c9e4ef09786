/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives that wait for all processes, as occasions to ask something of all of them. */
#ifndef WEFT_MPI_COLLECTIVE_OCCASION_H
#define WEFT_MPI_COLLECTIVE_OCCASION_H

/* From now on the common ones of the program's settle what is to be settled. Until then its calls
 * go past us. */
void weft_mpi_occasion_await(void);

#endif
