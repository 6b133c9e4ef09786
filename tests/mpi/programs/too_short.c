/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of many lengths to receives without room for them: each ends with MPI_ERR_TRUNCATE, and
 * what comes next is right. Not after MPI_Start: Open MPI frees a persistent receive then. */
#include "receives.h"

/* Bytes; a multiple of the size of a double. */
static const int rooms[] = {0, 8, 56, 64, 72, 600, 608, 616, 1000, 2048};

/* Rows that are sent beyond the room: a few, and so many that the message is long in every way. */
static const int more[] = {40, 2000};

static int is_tried(int way)
{
    receive_call *call = ways[way].call;
    return call != by_start && call != by_init_probe_start;
}

static void receive_too_much(int way, double *buffer, int room, int tag)
{
    MPI_Status status;
    char what[100];
    int error = receive_by(&ways[way], buffer, room / 8, MPI_DOUBLE, tag, &status);
    snprintf(what, sizeof what, "%s with room for %d bytes", ways[way].name, room);
    judge(error_class(error) == MPI_ERR_TRUNCATE, what);
}

static void receive_enough(double *buffer, int rows, int tag)
{
    memset(buffer, 0, (size_t)rows * sizeof *buffer);
    int error = by_irecv(buffer, rows, MPI_DOUBLE, tag, MPI_STATUS_IGNORE);
    judge(!error && has_column(buffer, rows, 1), "a receive after one that was too short");
}

int main(int argc, char **argv)
{
    /* Open MPI 4.1.4 may write all of the message, whatever the room. */
    static double buffer[4000];
    corner_open(&argc, &argv);
    for (int way = 0; way < WAYS && rank < 2; way++)
        for (size_t i = 0; i < 2 * sizeof rooms / sizeof rooms[0] && is_tried(way); i++) {
            int room = rooms[i / 2], rows = room / 8 + more[i % 2];
            if (rank == 0) {
                send_column(rows, 1);
                send_column(rows, 1);
            } else {
                receive_too_much(way, buffer, room, 1);
                receive_enough(buffer, rows, 1);
            }
        }
    return corner_close();
}
