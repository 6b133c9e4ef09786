/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For the programs of corners.sh: rank 0 sends columns of a matrix, which Weft packs or pulls, and
 * rank 1 looks at what came. They say at the end how many messages were wrong.
 */
#ifndef WEFT_TESTS_MPI_PROGRAMS_CORNER_H
#define WEFT_TESTS_MPI_PROGRAMS_CORNER_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, messages, mistakes;

/* Counts a message, and says what is wrong with it. */
static inline void judge(int is_right, const char *what)
{
    messages++;
    mistakes += !is_right;
    if (!is_right)
        printf("wrong: %s\n", what);
}

static inline MPI_Datatype column_of(int rows, MPI_Datatype element)
{
    MPI_Datatype column;
    MPI_Type_vector(rows, 1, 2, element, &column);
    MPI_Type_commit(&column);
    return column;
}

static inline double value_of(int row)
{
    return row * 0.5 + 1;
}

/* Tags tell messages apart. */
static inline void send_column(int rows, int tag)
{
    double *matrix = calloc(2 * (size_t)rows + 1, sizeof *matrix);
    MPI_Datatype column = column_of(rows, MPI_DOUBLE);
    for (int i = 0; i < rows; i++)
        matrix[2 * i] = value_of(i);
    MPI_Send(matrix, 1, column, 1, tag, MPI_COMM_WORLD);
    MPI_Type_free(&column);
    free(matrix);
}

static inline int has_column(const double *got, int rows, int stride)
{
    int is_right = 1;
    for (int i = 0; i < rows; i++)
        is_right = is_right && got[i * stride] == value_of(i);
    return is_right;
}

static inline int error_class(int error)
{
    int class_of = MPI_SUCCESS;
    MPI_Error_class(error, &class_of);
    return class_of;
}

static inline void corner_open(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

static inline int corner_close(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (messages > 0)
        printf("%d of %d messages wrong\n", mistakes, messages);
    MPI_Finalize();
    return mistakes != 0;
}

#endif
