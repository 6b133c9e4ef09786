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
    WEFT_MPI_ABI,     /* the standard ABI of MPI 5, which has handles of its own */
    WEFT_MPI_OPENMPI,
    WEFT_MPI_MPICH, /* also its relatives, which have the same ABI */
};

/* Of the program that execvp would start. Programs that load MPI later, such as Python, are taken
 * to use that of the launcher. */
enum weft_mpi_flavour weft_mpi_flavour(const char *program);

/* Whether it is a program with Open MPI or MPICH among its libraries. */
bool weft_mpi_is_program(const char *word);

#endif
