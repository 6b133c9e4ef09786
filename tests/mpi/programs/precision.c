/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of the double that Fortran asks for by its precision, at either side or both. */
#include "receives.h"

#define ROWS 5000

static MPI_Datatype double_by_precision(void)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_f90_real(15, 307, &type);
    return type == MPI_DATATYPE_NULL ? MPI_DOUBLE : type;
}

static void exchange(int way, int sides, double *matrix)
{
    MPI_Datatype by_precision = double_by_precision();
    MPI_Datatype column = column_of(ROWS, (sides >> rank) & 1 ? by_precision : MPI_DOUBLE);
    int is_whole = sides > 3;
    char what[100];
    for (int i = 0; i < 2 * ROWS; i++)
        matrix[i] = rank == 0 && i % 2 == 0 ? value_of(i / 2) : 0;
    if (rank == 0) {
        MPI_Send(matrix, 1, column, 1, sides, MPI_COMM_WORLD);
    } else {
        MPI_Status status;
        int error = is_whole ? receive_by(&ways[way], matrix, ROWS, by_precision, sides, &status)
                             : receive_by(&ways[way], matrix, 1, column, sides, &status);
        snprintf(what, sizeof what, "%s, sides %d", ways[way].name, sides);
        judge(!error && has_column(matrix, ROWS, is_whole ? 1 : 2), what);
    }
    MPI_Type_free(&column);
}

int main(int argc, char **argv)
{
    static double matrix[2 * ROWS];
    corner_open(&argc, &argv);
    for (int way = 0; way < WAYS && rank < 2; way++)
        for (int sides = 0; sides < 8; sides++)
            exchange(way, sides, matrix);
    return corner_close();
}
