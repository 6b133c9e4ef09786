/* SPDX-License-Identifier: BSD-3-Clause */
/* Barrier, broadcast, gather and scatter, blocking and not, with every root, on the world and on
 * a communicator with the opposite order of ranks. */
#include "program.h"

static int here, group; /* rank and size in the communicator under test */

static unsigned seed_of(int round, int from)
{
    return (unsigned)(round * 41 + from);
}

static void wait_if(int apart, MPI_Request *request)
{
    if (apart)
        MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void broadcast(MPI_Comm comm, int length, int round, int apart)
{
    MPI_Request request;
    int root = round % group;
    unsigned char *buffer = malloc((size_t)length + 1);
    memset(buffer, 0xee, (size_t)length + 1);
    if (here == root)
        fill(buffer, (size_t)length, seed_of(round, root));
    if (apart)
        MPI_Ibcast(buffer, length, MPI_BYTE, root, comm, &request);
    else
        MPI_Bcast(buffer, length, MPI_BYTE, root, comm);
    wait_if(apart, &request);
    check(is_filled(buffer, (size_t)length, seed_of(round, root)) && buffer[length] == 0xee);
    free(buffer);
}

static void gather(MPI_Comm comm, int length, int round, int apart)
{
    MPI_Request request;
    int root = round % group;
    size_t bytes = (size_t)length;
    unsigned char *out = malloc(bytes + 1), *in = malloc(bytes * (size_t)group + 1);
    fill(out, bytes, seed_of(round, here));
    if (apart)
        MPI_Igather(out, length, MPI_BYTE, in, length, MPI_BYTE, root, comm, &request);
    else
        MPI_Gather(out, length, MPI_BYTE, in, length, MPI_BYTE, root, comm);
    wait_if(apart, &request);
    for (int i = 0; here == root && i < group; i++)
        check(is_filled(in + bytes * (size_t)i, bytes, seed_of(round, i)));
    free(in);
    free(out);
}

static void scatter(MPI_Comm comm, int length, int round, int apart)
{
    MPI_Request request;
    int root = round % group;
    size_t bytes = (size_t)length;
    unsigned char *out = malloc(bytes * (size_t)group + 1), *in = malloc(bytes + 1);
    for (int i = 0; i < group; i++)
        fill(out + bytes * (size_t)i, bytes, seed_of(round, i));
    memset(in, 0xee, bytes + 1);
    if (apart)
        MPI_Iscatter(out, length, MPI_BYTE, in, length, MPI_BYTE, root, comm, &request);
    else
        MPI_Scatter(out, length, MPI_BYTE, in, length, MPI_BYTE, root, comm);
    wait_if(apart, &request);
    check(is_filled(in, bytes, seed_of(round, here)) && in[bytes] == 0xee);
    free(in);
    free(out);
}

/* Nobody leaves a barrier before the last has entered: everybody tells everybody before it, so
 * all of that must be there after it. */
static void barrier(MPI_Comm comm, int round, int apart)
{
    MPI_Request requests[64], request;
    for (int i = 0; i < group; i++)
        MPI_Isend(&round, 1, MPI_INT, i, round, comm, &requests[i]);
    MPI_Waitall(group, requests, MPI_STATUSES_IGNORE);
    if (apart)
        MPI_Ibarrier(comm, &request);
    else
        MPI_Barrier(comm);
    wait_if(apart, &request);
    for (int i = 0; i < group; i++) {
        int value, there = 0;
        MPI_Iprobe(i, round, comm, &there, MPI_STATUS_IGNORE);
        check(there);
        MPI_Recv(&value, 1, MPI_INT, i, round, comm, MPI_STATUS_IGNORE);
    }
}

static void run(MPI_Comm comm)
{
    static const int lengths[] = {1, 8, 1000, 4096, 10000, 200000};
    MPI_Comm_rank(comm, &here);
    MPI_Comm_size(comm, &group);
    int round = 0;
    for (int apart = 0; apart < 2; apart++)
        for (int repeat = 0; repeat < group; repeat++)
            for (int i = 0; i < (int)(sizeof lengths / sizeof *lengths); i++, round++) {
                broadcast(comm, lengths[i], round, apart);
                gather(comm, lengths[i], round, apart);
                scatter(comm, lengths[i], round, apart);
                barrier(comm, round, apart);
            }
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    start(&argc, &argv);
    run(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &comm);
    run(comm);
    MPI_Comm_free(&comm);
    return finish();
}
