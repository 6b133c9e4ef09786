/* SPDX-License-Identifier: BSD-3-Clause */
/* Many communicators at once: the same ranks and tags in each, and no message strays. Splits in
 * which ranks change their numbers, and an intercommunicator. */
#include "program.h"

#define COUNT 100

static void cross(MPI_Comm *comms, size_t length)
{
    int next = (rank + 1) % size, last = (rank + size - 1) % size;
    MPI_Request requests[2 * COUNT];
    unsigned char *out = malloc(COUNT * length), *in = malloc(COUNT * length);
    for (int i = 0; i < COUNT; i++)
        MPI_Irecv(in + (size_t)i * length, (int)length, MPI_BYTE, i % 2 ? last : MPI_ANY_SOURCE, 7,
                  comms[i], &requests[i]);
    for (int i = COUNT - 1; i >= 0; i--) {
        fill(out + (size_t)i * length, length, (unsigned)(1000 * rank + i));
        MPI_Isend(out + (size_t)i * length, (int)length, MPI_BYTE, next, 7, comms[i],
                  &requests[COUNT + i]);
    }
    MPI_Waitall(2 * COUNT, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < COUNT; i++)
        check(is_filled(in + (size_t)i * length, length, (unsigned)(1000 * last + i)));
    free(in);
    free(out);
}

/* Ranks in the opposite order: a message goes to who is named by the rank in that communicator. */
static void reverse(void)
{
    MPI_Comm comm;
    int mine, other = -1;
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &comm);
    MPI_Comm_rank(comm, &mine);
    check(mine == size - 1 - rank);
    MPI_Sendrecv(&rank, 1, MPI_INT, (mine + 1) % size, 0, &other, 1, MPI_INT,
                 (mine + size - 1) % size, 0, comm, MPI_STATUS_IGNORE);
    check(other == (rank + 1) % size);
    MPI_Comm_free(&comm);
}

static void between(void)
{
    MPI_Comm half, inter;
    int group = rank % 2, mine, theirs = -1, sum = -1, wanted = 0;
    MPI_Comm_split(MPI_COMM_WORLD, group, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - group, 5, &inter);
    MPI_Comm_rank(half, &mine);
    MPI_Sendrecv(&rank, 1, MPI_INT, mine, 0, &theirs, 1, MPI_INT, mine, 0, inter,
                 MPI_STATUS_IGNORE);
    check(theirs == (group ? rank - 1 : rank + 1));
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);
    for (int i = 1 - group; i < size; i += 2)
        wanted += i;
    check(sum == wanted);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    MPI_Comm comms[COUNT];
    start(&argc, &argv);
    for (int i = 0; i < COUNT; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    cross(comms, 4);
    cross(comms, 5000);
    for (int i = 0; i < COUNT; i++)
        MPI_Comm_free(&comms[i]);
    reverse();
    if (size % 2 == 0)
        between();
    return finish();
}
