/* SPDX-License-Identifier: BSD-3-Clause */
/* Which MPI library a program uses. */
#ifndef WEFT_TOOLS_MPI_FLAVOUR_H
#define WEFT_TOOLS_MPI_FLAVOUR_H

#include <stdbool.h>

enum weft_mpi_flavour {
    WEFT_MPI_NONE,    /* none, or one that we do not know */
    WEFT_MPI_MISSING, /* there is no such program */
    WEFT_MPI_STATIC,  /* it, or the MPI in it: nothing can be put between */
    WEFT_MPI_FOREIGN, /* nothing of ours can: it is for another processor */
    WEFT_MPI_ABI,     /* the standard ABI of MPI 5, of any library */
    WEFT_MPI_OPENMPI,
    WEFT_MPI_MPICH, /* also its relatives, which have the same ABI */
};

/* What it is called, and its preload library, without "lib" and all that is around; NULL if there
 * is none. */
struct weft_mpi_flavour_info {
    const char *name, *preload;
};
const struct weft_mpi_flavour_info *weft_mpi_flavour_info(enum weft_mpi_flavour flavour);

/* Of the program that execvp would start. Programs that load MPI later, such as Python, are taken
 * to use that of the launcher. */
enum weft_mpi_flavour weft_mpi_flavour(const char *program);

/* Whether it is a program with such a library. */
bool weft_mpi_is_program(const char *word);

#endif
