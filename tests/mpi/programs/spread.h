/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For programs whose processes differ in how far apart their numbers lie, and from turn to turn.
 * All follows from the seed.
 */
#ifndef WEFT_TESTS_MPI_PROGRAMS_SPREAD_H
#define WEFT_TESTS_MPI_PROGRAMS_SPREAD_H

#include "forms.h"

#include <stdint.h>

enum { MOST = 8, SPREADS = 4, UNTOUCHED = -7 };

static unsigned long long seed, turn;
static unsigned spreads = SPREADS;

static inline uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t x = seed * 0x9e3779b97f4a7c15u + turn;
    const uint64_t more[] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        x = (x ^ more[i]) * 0xbf58476d1ce4e5b9u;
        x ^= x >> 29;
    }
    return x;
}

static inline int value_at(int from, int to, int i)
{
    return (int)(mix(2, (uint64_t)(64 * from + to), (uint64_t)i) & 0x7fffffff);
}

/* ---- One side ------------------------------------------------------------------------------ */

/* Numbers lie `spread` ints apart; a message for a peer is so many elements of the type. */
struct side {
    int self; /* whose side it is, by which its numbers are known */
    int spread, peers, room;
    int lengths[MOST], places[MOST];
    MPI_Count large_lengths[MOST];
    MPI_Aint far[MOST];
    int *all;
    MPI_Datatype type;
};

static inline void open_side(struct side *side, int is_out)
{
    int room = 0;
    side->spread = 1 + (int)(mix(3, (uint64_t)rank, (uint64_t)is_out) % spreads);
    for (int i = 0; i < side->peers; i++) {
        side->far[i] = side->places[i] = room;
        side->large_lengths[i] = side->lengths[i];
        room += side->lengths[i];
    }
    side->room = side->spread * (room + 1);
    side->all = malloc(sizeof(int) * (size_t)side->room);
    for (int i = 0; i < side->room; i++)
        side->all[i] = UNTOUCHED;
    MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)sizeof(int) * side->spread, &side->type);
    MPI_Type_commit(&side->type);
}

static inline void close_side(struct side *side)
{
    if (side->type != MPI_DATATYPE_NULL)
        MPI_Type_free(&side->type);
    free(side->all);
}

static inline void write_numbers(const struct side *side, int *memory, int is_out,
                                 const int world[])
{
    for (int i = 0; i < side->peers; i++)
        for (int j = 0; j < side->lengths[i]; j++)
            memory[side->spread * (side->places[i] + j)] =
                is_out ? value_at(side->self, world[i], j) : value_at(world[i], side->self, j);
}

static inline void compare(const struct side *in, const int world[], const char *what)
{
    int *expected = malloc(sizeof(int) * (size_t)in->room);
    for (int i = 0; i < in->room; i++)
        expected[i] = UNTOUCHED;
    write_numbers(in, expected, 0, world);
    judge(memcmp(expected, in->all, sizeof(int) * (size_t)in->room) == 0, what);
    free(expected);
}

static inline enum form drawn_form(void)
{
    return (enum form)(mix(10, 0, 0) % FORMS_HERE);
}

/* What was begun may end without the program's types; some wait for all others first, where nobody
 * looks to what they have begun. */
static inline void end(MPI_Request *request, struct side *out, struct side *in, MPI_Comm comm)
{
    uint64_t drawn = mix(11, (uint64_t)rank, 0);
    if (*request == MPI_REQUEST_NULL)
        return;
    if (drawn % 3 == 0 && out && out->type != MPI_DATATYPE_NULL)
        MPI_Type_free(&out->type);
    if (drawn % 5 == 0 && in && in->type != MPI_DATATYPE_NULL)
        MPI_Type_free(&in->type);
    if (mix(12, 0, 0) % 2 == 0)
        MPI_Barrier(comm);
    end_request(request, (int)((drawn >> 8) % ENDS));
    judge(*request == MPI_REQUEST_NULL, "a request that is over");
}

/* Their ranks in the world. */
static inline int find_peers(MPI_Comm comm, int world[])
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

#endif
