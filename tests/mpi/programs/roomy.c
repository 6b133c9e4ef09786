/* SPDX-License-Identifier: BSD-3-Clause */
/* Short messages to receives with room for more than 2 GiB, by every way to receive. */
#include <sys/mman.h>

#include "receives.h"

#define ROWS 5000
#define ROOM 300000000 /* doubles */

/* Only what is written takes memory. */
static double *huge_buffer(void)
{
    return mmap(NULL, 2 * (size_t)ROOM * sizeof(double), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static void receive(int way, double *buffer, int count, MPI_Datatype type, int tag, int stride)
{
    MPI_Status status;
    int elements = 0;
    char what[100];
    memset(buffer, 0, 2 * ROWS * sizeof *buffer);
    int error = receive_by(&ways[way], buffer, count, type, tag, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &elements);
    snprintf(what, sizeof what, "%s, stride %d, count %d", ways[way].name, stride, count);
    judge(!error && elements == ROWS && has_column(buffer, ROWS, stride), what);
}

int main(int argc, char **argv)
{
    corner_open(&argc, &argv);
    MPI_Datatype huge = column_of(ROOM, MPI_DOUBLE), spaced;
    MPI_Type_create_resized(MPI_DOUBLE, 0, 2 * sizeof(double), &spaced);
    MPI_Type_commit(&spaced);
    double *buffer = rank == 1 ? huge_buffer() : NULL;
    for (int way = 0; way < WAYS && rank < 2; way++)
        for (int layout = 0; layout < 3; layout++) {
            int tag = 3 * way + layout;
            if (rank == 0)
                send_column(ROWS, tag);
            else if (layout == 0)
                receive(way, buffer, ROOM, MPI_DOUBLE, tag, 1);
            else if (layout == 1)
                receive(way, buffer, ROOM, spaced, tag, 2);
            else
                receive(way, buffer, 1, huge, tag, 2);
        }
    return corner_close();
}
