/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that make a type for each message make the same ones again and again, and to understand
 * a type takes longer than to send a short message of it. So types that are made of one of MPI's
 * own by one constructor with few numbers are remembered by how that was called. To ask MPI how
 * would take half as long as the message, so made.c notes it when it is.
 *
 * Callers hold the lock of the types, unless the program has no threads that call MPI.
 */
#ifndef WEFT_MPI_LAYOUT_RECIPE_H
#define WEFT_MPI_LAYOUT_RECIPE_H

#include "mpi/layout/type.h"

struct weft_mpi_recipe {
    int combiner;
    MPI_Datatype of;
    int64_t numbers[3];
};

/* What the program has just made, and committed. Forgotten when it frees it, or soon after. */
void weft_mpi_recipe_note(MPI_Datatype handle, const struct weft_mpi_recipe *recipe);
void weft_mpi_recipe_note_commit(MPI_Datatype handle);
void weft_mpi_recipe_forget(MPI_Datatype handle);
/* Whether it is noted; false may be wrong. */
bool weft_mpi_recipe_is_committed(MPI_Datatype handle);

/* Messages of fewer bytes gain nothing. */
enum { WEFT_MPI_BRIEF = 512 };
/* Whether it is noted, and one of it is such a message and has no room for a ticket; false may be
 * wrong. */
bool weft_mpi_recipe_is_brief(MPI_Datatype handle);
/* Also that it was used seldom so far, which it is now once more: then MPI has sent it before we
 * would have found out what it is. */
bool weft_mpi_recipe_use_brief(MPI_Datatype handle);

/* False if it is not noted. */
bool weft_mpi_recipe_read(MPI_Datatype handle, struct weft_mpi_recipe *recipe);

/* What is remembered of it; NULL: nothing. */
struct weft_mpi_type *weft_mpi_recipe_find(const struct weft_mpi_recipe *recipe);
/* The same of a type that is noted and committed: one before it that was made alike. */
struct weft_mpi_type *weft_mpi_recipe_find_alike(MPI_Datatype handle);
/* Takes over one use of the type, in the place of another that is dropped. */
void weft_mpi_recipe_keep(const struct weft_mpi_recipe *recipe, struct weft_mpi_type *type);
void weft_mpi_recipe_forget_all(void);

#endif
