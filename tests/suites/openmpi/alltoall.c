/* SPDX-License-Identifier: BSD-3-Clause */
/* Everybody sends to everybody, itself included: MPI_Alltoall, MPI_Alltoallv, and by hand with
 * all messages under way at once. */
#include "program.h"

static unsigned seed_of(int from, int to)
{
    return (unsigned)(from * 100 + to);
}

static void regular(size_t length)
{
    unsigned char *out = malloc(length * (size_t)size + 1),
                  *in = malloc(length * (size_t)size + 1);
    for (int i = 0; i < size; i++)
        fill(out + length * (size_t)i, length, seed_of(rank, i));
    MPI_Alltoall(out, (int)length, MPI_BYTE, in, (int)length, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        check(is_filled(in + length * (size_t)i, length, seed_of(i, rank)));
    free(in);
    free(out);
}

/* Rank a sends (a + 1) * (b + 1) * unit bytes to rank b. */
static void irregular(int unit)
{
    int out_counts[64], out_places[64], in_counts[64], in_places[64], out_size = 0, in_size = 0;
    for (int i = 0; i < size; i++) {
        out_counts[i] = in_counts[i] = (rank + 1) * (i + 1) * unit;
        out_places[i] = out_size;
        in_places[i] = in_size;
        out_size += out_counts[i];
        in_size += in_counts[i];
    }
    unsigned char *out = malloc((size_t)out_size), *in = malloc((size_t)in_size);
    for (int i = 0; i < size; i++)
        fill(out + out_places[i], (size_t)out_counts[i], seed_of(rank, i));
    MPI_Alltoallv(out, out_counts, out_places, MPI_BYTE, in, in_counts, in_places, MPI_BYTE,
                  MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        check(is_filled(in + in_places[i], (size_t)in_counts[i], seed_of(i, rank)));
    free(in);
    free(out);
}

#define DEPTH 16

static void by_hand(size_t length)
{
    size_t total = (size_t)(size * DEPTH);
    MPI_Request *requests = malloc(2 * total * sizeof *requests);
    unsigned char *out = malloc(total * length), *in = malloc(total * length);
    for (size_t k = 0; k < total; k++) {
        int peer = (int)k / DEPTH, tag = (int)k % DEPTH;
        fill(out + k * length, length, seed_of(rank, peer) + (unsigned)tag * 10000);
        MPI_Irecv(in + k * length, (int)length, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &requests[k]);
    }
    for (size_t k = total; k-- > 0;) {
        int peer = (int)k / DEPTH, tag = (int)k % DEPTH;
        MPI_Isend(out + k * length, (int)length, MPI_BYTE, peer, tag, MPI_COMM_WORLD,
                  &requests[total + k]);
    }
    MPI_Waitall((int)(2 * total), requests, MPI_STATUSES_IGNORE);
    for (size_t k = 0; k < total; k++) {
        int peer = (int)k / DEPTH, tag = (int)k % DEPTH;
        check(is_filled(in + k * length, length, seed_of(peer, rank) + (unsigned)tag * 10000));
    }
    free(in);
    free(out);
    free(requests);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    static const size_t lengths[] = {1, 64, 2047, 2048, 2049, 10000, 100000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        regular(lengths[i]);
        by_hand(lengths[i]);
    }
    regular((size_t)1 << 20);
    irregular(1);
    irregular(3001);
    return finish();
}
