/* SPDX-License-Identifier: BSD-3-Clause */
/* What MPI says of how a type was made. */
#ifndef WEFT_MPI_LAYOUT_CONTENTS_H
#define WEFT_MPI_LAYOUT_CONTENTS_H

#include "mpi/state.h"

enum { WEFT_MPI_FEW_ARGUMENTS = 8 };

/* The arguments of the constructor, in their order: small numbers, addresses, and, if it was one
 * of those for large counts, both in one array. */
struct weft_mpi_contents {
    int combiner;
    bool is_large;
    MPI_Count integers, addresses, larges, types;
    int *integer;
    MPI_Aint *address;
    MPI_Count *large;
    MPI_Datatype *type;
    size_t next_integer, next_address, next_large;
    /* Where they are if they are few, as most are: it must not be moved while it is open. */
    struct {
        int integer[WEFT_MPI_FEW_ARGUMENTS];
        MPI_Aint address[WEFT_MPI_FEW_ARGUMENTS];
        MPI_Count large[WEFT_MPI_FEW_ARGUMENTS];
        MPI_Datatype type[WEFT_MPI_FEW_ARGUMENTS];
    } few;
};

/* False if MPI does not tell, or there is no memory. To be closed in any case. A type of MPI
 * itself has no arguments. */
bool weft_mpi_contents_open(MPI_Datatype handle, struct weft_mpi_contents *contents);
void weft_mpi_contents_close(struct weft_mpi_contents *contents);
/* constant.c: false if one of the constants among the arguments is none that we know. */
bool weft_mpi_contents_settle(struct weft_mpi_contents *contents);
/* A type of MPI itself. */
bool weft_mpi_contents_is_named(const struct weft_mpi_contents *contents);

/* The next of the arguments that are numbers, that are counts of elements, or that are bytes. */
int64_t weft_mpi_contents_integer(struct weft_mpi_contents *contents);
int64_t weft_mpi_contents_count(struct weft_mpi_contents *contents);
int64_t weft_mpi_contents_bytes(struct weft_mpi_contents *contents);

#endif
