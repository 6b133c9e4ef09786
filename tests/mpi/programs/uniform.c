/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * uniform [SEED [TURNS]]: MPI_Alltoall and MPI_Alltoallv of datatypes, often enough that it is
 * tried who does them faster, on several communicators in turns. Processes differ in whether their
 * data lie apart, and from turn to turn in how they do, so each knows less than all.
 */
#include "corner.h"

#include <stdint.h>

enum { MOST = 8, SPREADS = 4, UNTOUCHED = -7 };

static unsigned long long seed, turn;

static uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t x = seed * 0x9e3779b97f4a7c15u + turn;
    const uint64_t more[] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        x = (x ^ more[i]) * 0xbf58476d1ce4e5b9u;
        x ^= x >> 29;
    }
    return x;
}

static int value_at(int from, int to, int i)
{
    return (int)(mix(2, (uint64_t)(64 * from + to), (uint64_t)i) & 0x7fffffff);
}

/* ---- One side ------------------------------------------------------------------------------ */

/* Numbers lie `spread` ints apart; a message for a peer is so many elements of the type. */
struct side {
    int spread, peers, room;
    int lengths[MOST], places[MOST];
    int *all;
    MPI_Datatype type;
};

static void open_side(struct side *side, int is_out)
{
    int room = 0;
    side->spread = 1 + (int)(mix(3, (uint64_t)rank, (uint64_t)is_out) % SPREADS);
    for (int i = 0; i < side->peers; i++) {
        side->places[i] = room;
        room += side->lengths[i];
    }
    side->room = side->spread * (room + 1);
    side->all = malloc(sizeof(int) * (size_t)side->room);
    for (int i = 0; i < side->room; i++)
        side->all[i] = UNTOUCHED;
    MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)sizeof(int) * side->spread, &side->type);
    MPI_Type_commit(&side->type);
}

static void close_side(struct side *side)
{
    MPI_Type_free(&side->type);
    free(side->all);
}

static void write_numbers(const struct side *side, int *memory, int is_out, const int world[])
{
    for (int i = 0; i < side->peers; i++)
        for (int j = 0; j < side->lengths[i]; j++)
            memory[side->spread * (side->places[i] + j)] =
                is_out ? value_at(rank, world[i], j) : value_at(world[i], rank, j);
}

static void compare(const struct side *in, const int world[], const char *what)
{
    int *expected = malloc(sizeof(int) * (size_t)in->room);
    for (int i = 0; i < in->room; i++)
        expected[i] = UNTOUCHED;
    write_numbers(in, expected, 0, world);
    judge(memcmp(expected, in->all, sizeof(int) * (size_t)in->room) == 0, what);
    free(expected);
}

/* ---- Exchanges ----------------------------------------------------------------------------- */

static int find_peers(MPI_Comm comm, int world[])
{
    MPI_Group members, all;
    int size, own[MOST];
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++)
        own[i] = i;
    MPI_Comm_group(comm, &members);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_translate_ranks(members, size, own, all, world);
    MPI_Group_free(&members);
    MPI_Group_free(&all);
    return size;
}

/* With a length for each pair, or the same for all. */
static void exchange(MPI_Comm comm, int is_varied, const char *what)
{
    struct side out, in;
    int world[MOST], length = 200 << mix(4, 0, 0) % 6;
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
