/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of every length up to some hundred, as long as a ticket among them, and of every kind of
 * content arrive as they are, by every way to receive: contiguous, and into a column. */
#include "receives.h"

#define LONGEST 200

/* Zeros, ones, and numbers. */
static void fill(unsigned char *bytes, int kind)
{
    for (int i = 0; i < LONGEST; i++)
        bytes[i] = (unsigned char)(kind == 0 ? 0 : kind == 1 ? 0xff : 7 * i + kind);
}

static void receive(int way, int length, int kind)
{
    unsigned char got[2 * LONGEST], expected[LONGEST];
    char what[100];
    MPI_Status status;
    int count = -1, stride = kind % 2 + 1, is_right = 1;
    MPI_Datatype column = column_of(length, MPI_UNSIGNED_CHAR);
    fill(expected, kind);
    int error = stride == 2
                    ? receive_by(&ways[way], got, 1, column, length, &status)
                    : receive_by(&ways[way], got, length, MPI_UNSIGNED_CHAR, length, &status);
    MPI_Get_count(&status, MPI_UNSIGNED_CHAR, &count);
    for (int i = 0; i < length; i++)
        is_right = is_right && got[i * stride] == expected[i];
    snprintf(what, sizeof what, "%d bytes by %s, stride %d", length, ways[way].name, stride);
    judge(!error && is_right && count == length, what);
    MPI_Type_free(&column);
}

int main(int argc, char **argv)
{
    unsigned char bytes[LONGEST];
    corner_open(&argc, &argv);
    for (int way = 0; way < WAYS && rank < 2; way++)
        for (int length = 1; length < LONGEST; length += length < 60 || length > 68 ? 13 : 1)
            for (int kind = 0; kind < 4; kind++) {
                fill(bytes, kind);
                if (rank == 0)
                    MPI_Send(bytes, length, MPI_UNSIGNED_CHAR, 1, length, MPI_COMM_WORLD);
                else
                    receive(way, length, kind);
            }
    return corner_close();
}
