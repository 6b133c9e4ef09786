/* SPDX-License-Identifier: BSD-3-Clause */
/* What a record says of a step for people: the datatype of a message, or the collective that it
 * belongs to. Each text is kept once and has a number; 0 is none. */
#ifndef WEFT_MPI_RECORD_NOTE_H
#define WEFT_MPI_RECORD_NOTE_H

#include "mpi/state.h"

uint32_t weft_mpi_note(const char *text);
/* 0 for a type of MPI itself. */
uint32_t weft_mpi_note_type(MPI_Datatype type);
/* "" of 0. */
const char *weft_mpi_note_text(uint32_t note);

#endif
