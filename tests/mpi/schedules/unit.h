/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What messages are made of: a signature is some copies of a unit, which is one basic type, or a
 * few of them one after the other. The same unit has several names in MPI: basic types, those that
 * Fortran asks for by their precision, and the pairs of MPI_MAXLOC.
 */
#ifndef WEFT_TESTS_MPI_RUN_UNIT_H
#define WEFT_TESTS_MPI_RUN_UNIT_H

#include <mpi.h>

#include "support/rng.h"

enum { MOST_FIELDS = 3 };

unsigned unit_draw(struct rng *rng);
/* Of integers; and for any other, one of a basic type, and one that is no pair. */
unsigned unit_of_int(void);
unsigned unit_of_one_field(unsigned unit);
unsigned unit_without_pair(unsigned unit);
size_t unit_bytes(unsigned unit);
size_t unit_elements(unsigned unit);

struct field {
    MPI_Datatype type; /* one of the names of its basic type */
    size_t size;       /* of one, which is also its alignment */
    size_t length;
};

/* By precision: as Fortran asks for them. */
size_t unit_fields(unsigned unit, bool by_precision, struct field field[MOST_FIELDS]);

/* Asks for all types by precision once. */
void unit_ask_for_precisions(void);

/* MPI_DOUBLE_INT and its kin, with its two fields aligned as in a C struct; MPI_DATATYPE_NULL if
 * the unit is no such pair. */
MPI_Datatype unit_pair(unsigned unit);

/* What may be lost on the way: the bytes of a long double that hold nothing. */
void unit_fill_padding(unsigned unit, char *packed, size_t bytes, char fill);

#endif
