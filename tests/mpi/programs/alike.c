/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A type is made for each message, like many before it, and freed at once: while its message is
 * under way, or as soon as that has come. Handles come again for types of other shapes. What comes
 * may be shorter than its room, by ticket or by MPI.
 */
#include "corner.h"

enum { ROUNDS = 300, SHAPES = 5, WIDTH = 3 };

/* Doubles a message. The least is longer than a ticket. */
static const int lengths[SHAPES] = {96, 250, 700, 1500, 6000};

static MPI_Datatype make(int shape, int part)
{
    MPI_Datatype type;
    int length = lengths[shape] / part;
    /* Of one shape the stride is in elements, of the next in bytes. */
    if (shape % 2)
        MPI_Type_vector(length, 1, WIDTH, MPI_DOUBLE, &type);
    else
        MPI_Type_create_hvector(length, 1, WIDTH * sizeof(double), MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static double item(int round, int shape, int i)
{
    return round * 1000.0 + shape * 100 + i * 0.25;
}

static void send(double *matrix, int round, int shape, int part)
{
    MPI_Datatype type = make(shape, part);
    MPI_Request request;
    for (int i = 0; i < lengths[shape]; i++)
        matrix[WIDTH * i] = item(round, shape, i);
    if (round % 2) {
        MPI_Isend(matrix, 1, type, 1, shape, MPI_COMM_WORLD, &request);
        MPI_Type_free(&type);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(matrix, 1, type, 1, shape, MPI_COMM_WORLD);
        MPI_Type_free(&type);
    }
}

/* What is between the elements, and behind what came, is as it was. */
static int is_right(const double *matrix, int round, int shape, int part)
{
    int right = 1, came = lengths[shape] / part;
    for (int i = 0; i < lengths[shape] * WIDTH; i++) {
        int is_element = i % WIDTH == 0 && i / WIDTH < came;
        right = right && matrix[i] == (is_element ? item(round, shape, i / WIDTH) : -1);
    }
    return right;
}

static void receive(double *matrix, int round, int shape, int part)
{
    MPI_Datatype type = make(shape, 1);
    MPI_Request request;
    MPI_Status status;
    int elements = 0;
    for (int i = 0; i < lengths[shape] * WIDTH; i++)
        matrix[i] = -1;
    if (round / 2 % 2) {
        MPI_Irecv(matrix, 1, type, 0, shape, MPI_COMM_WORLD, &request);
        MPI_Type_free(&type);
        MPI_Wait(&request, &status);
    } else {
        int source = round % 3 ? 0 : MPI_ANY_SOURCE;
        MPI_Recv(matrix, 1, type, source, shape, MPI_COMM_WORLD, &status);
        MPI_Type_free(&type);
    }
    MPI_Get_elements(&status, MPI_DOUBLE, &elements);
    judge(elements == lengths[shape] / part && is_right(matrix, round, shape, part), "a column");
}

int main(int argc, char **argv)
{
    corner_open(&argc, &argv);
    double *matrix = calloc((size_t)lengths[SHAPES - 1] * WIDTH, sizeof *matrix);
    for (int round = 0; round < ROUNDS; round++)
        for (int shape = 0; shape < SHAPES; shape++) {
            int part = round % 7 == 6 ? 2 : 1;
            if (rank == 0)
                send(matrix, round, shape, part);
            else
                receive(matrix, round, shape, part);
        }
    free(matrix);
    return corner_close();
}
