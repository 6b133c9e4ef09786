/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program attaches to a type is its own: nobody copies it for a persistent request, and it
 * is freed once, with the type. A function that copies it and fails would fail calls of MPI.
 */
#include "corner.h"

#define ROWS 3000

static int copies, ends;

static int refuse_copy(MPI_Datatype type, int key, void *extra, void *value, void *copied,
                       int *flag)
{
    (void)type, (void)key, (void)extra, (void)value, (void)copied;
    copies++;
    *flag = 0;
    return MPI_ERR_OTHER;
}

static int end(MPI_Datatype type, int key, void *value, void *extra)
{
    (void)type, (void)key, (void)extra;
    ends++;
    free(value);
    return MPI_SUCCESS;
}

/* The type is freed before the request is started. */
static void receive_again(int key, double *matrix)
{
    MPI_Datatype column = column_of(ROWS, MPI_DOUBLE);
    MPI_Request request;
    MPI_Type_set_attr(column, key, malloc(16));
    int error = MPI_Recv_init(matrix, 1, column, 0, 1, MPI_COMM_WORLD, &request);
    MPI_Type_free(&column);
    judge(error == MPI_SUCCESS, "a persistent request is made");
    for (int i = 0; i < 2 && error == MPI_SUCCESS; i++) {
        memset(matrix, 0, 2 * ROWS * sizeof *matrix);
        MPI_Start(&request);
        MPI_Send(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        judge(has_column(matrix, ROWS, 2), "a persistent request whose type was freed");
    }
    MPI_Request_free(&request);
}

int main(int argc, char **argv)
{
    double matrix[2 * ROWS] = {0};
    int key;
    corner_open(&argc, &argv);
    MPI_Type_create_keyval(refuse_copy, end, &key, NULL);
    for (int i = 0; i < 2 && rank == 0; i++) {
        MPI_Recv(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        send_column(ROWS, 1);
    }
    if (rank == 1) {
        receive_again(key, matrix);
        judge(copies == 0, "nothing was copied");
        judge(ends == 1, "what belongs to the type was freed once");
    }
    MPI_Type_free_keyval(&key);
    return corner_close();
}
