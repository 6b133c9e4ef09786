/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A record of what the program does, for simulators: its messages, its waits and how long it
 * computes between them, as a graph in the GOAL language. The files, in the order to read them:
 *
 *   log.c         the steps of this process, and their time
 *   note.c        what is said of a step
 *   identity.c    communicators, by numbers that all their members know
 *   request.c     what is under way, by the request that the program holds
 *   between.h     how calls are recorded
 *   message.c, complete.c, group.c   most calls
 *   circle.c, collective.c          collectives, as messages
 *   absent.c      what is not recorded
 *   write.c       everybody's steps in one file
 *   record.c      the beginning and the end
 */
#ifndef WEFT_MPI_RECORD_RECORD_H
#define WEFT_MPI_RECORD_RECORD_H

#include "mpi/state.h"

/* If one is wanted; collective. */
void weft_mpi_record_begin(void);
/* The program ends; then the file is written, which is collective. */
void weft_mpi_record_stop(void);
void weft_mpi_record_write(void);

#endif
