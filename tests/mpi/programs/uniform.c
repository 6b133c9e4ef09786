/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * uniform [SEED [TURNS]]: MPI_Alltoall and MPI_Alltoallv of datatypes, often enough that it is
 * tried who does them faster, on several communicators in turns. Processes differ in whether their
 * data lie apart, and from turn to turn in how they do, so each knows less than all.
 */
#include "spread.h"

/* ---- Exchanges ----------------------------------------------------------------------------- */

/* With a length for each pair, or the same for all. */
static void exchange(MPI_Comm comm, int is_varied, const char *what)
{
    struct side out, in;
    int world[MOST], length = 200 << mix(4, 0, 0) % 6;
    out.self = in.self = rank;
    out.peers = in.peers = find_peers(comm, world);
    for (int i = 0; i < out.peers; i++) {
        out.lengths[i] = in.lengths[i] = length;
        if (is_varied) {
            out.lengths[i] = (int)(mix(5, (uint64_t)rank, (uint64_t)world[i]) % 5000);
            in.lengths[i] = (int)(mix(5, (uint64_t)world[i], (uint64_t)rank) % 5000);
        }
    }
    open_side(&out, 1);
    open_side(&in, 0);
    write_numbers(&out, out.all, 1, world);
    if (is_varied)
        MPI_Alltoallv(out.all, out.lengths, out.places, out.type, in.all, in.lengths, in.places,
                      in.type, comm);
    else
        MPI_Alltoall(out.all, length, out.type, in.all, length, in.type, comm);
    compare(&in, world, what);
    close_side(&out);
    close_side(&in);
}

static void exchange_in_place(void)
{
    int size, all[MOST][8];
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < 8; j++)
            all[i][j] = 1000 * rank + 10 * i + j;
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 8, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        judge(all[i][7] == 1000 * i + 10 * rank + 7, "in place");
}

int main(int argc, char **argv)
{
    corner_open(&argc, &argv);
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    unsigned long long turns = argc > 2 ? strtoull(argv[2], NULL, 10) : 400;
    MPI_Comm half, copy;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (turn = 0; turn < turns; turn++) {
        exchange(MPI_COMM_WORLD, 0, "the same for all");
        exchange(copy, 1, "different lengths");
        exchange(half, (int)(turn % 2), "half of the processes");
        if (turn % 8 == 0)
            exchange_in_place();
    }
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
    return corner_close();
}
