/* SPDX-License-Identifier: BSD-3-Clause */
/* Structs of a number and an int, sent as what the program made of them and received as the pairs
 * of MPI_MAXLOC, and the other way round, by every way to receive. */
#include <stddef.h>

#include "receives.h"

/* MPICH 4.0.2 by itself gets more than 4000 bytes of mixed types wrong. */
#ifdef OPEN_MPI
#define COUNT 5000
#else
#define COUNT 150
#endif

struct pair {
    MPI_Datatype first, pair;
    size_t size, second, extent; /* of the first, where the int is, of both */
    const char *name;
};

#define PAIR(c, mpi, both)                                                                        \
    {                                                                                             \
        mpi, both, sizeof(c),                                                                     \
            offsetof(                                                                             \
                struct {                                                                          \
                    c a;                                                                          \
                    int b;                                                                        \
                },                                                                                \
                b),                                                                               \
            sizeof(struct {                                                                       \
                c a;                                                                              \
                int b;                                                                            \
            }),                                                                                   \
            #both                                                                                 \
    }

static MPI_Datatype struct_of(const struct pair *pair)
{
    int lengths[] = {1, 1};
    MPI_Aint where[] = {0, (MPI_Aint)pair->second};
    MPI_Datatype types[] = {pair->first, MPI_INT}, packed, whole;
    MPI_Type_create_struct(2, lengths, where, types, &packed);
    MPI_Type_create_resized(packed, 0, (MPI_Aint)pair->extent, &whole);
    MPI_Type_commit(&whole);
    MPI_Type_free(&packed);
    return whole;
}

/* The bytes that hold something, as a long double does not in all of its own. */
static char *fill(const struct pair *pair, int is_received)
{
    size_t used = pair->size > 8 ? 10 : pair->size;
    char *memory = calloc(COUNT, pair->extent);
    for (int i = 0; i < COUNT && !is_received; i++) {
        char *at = memory + i * pair->extent;
        memset(at, 'a' + i % 23, used);
        memset(at + pair->second, 'A' + i % 19, sizeof(int));
    }
    return memory;
}

static void exchange(const struct pair *pair, int way, int receives_pair, int tag)
{
    MPI_Datatype made = struct_of(pair);
    char *memory = fill(pair, rank), *expected = fill(pair, 0), what[100];
    if (rank == 0) {
        MPI_Send(memory, COUNT, receives_pair ? made : pair->pair, 1, tag, MPI_COMM_WORLD);
    } else {
        MPI_Status status;
        int error =
            receive_by(&ways[way], memory, COUNT, receives_pair ? pair->pair : made, tag, &status);
        snprintf(what, sizeof what, "%s %s %s", ways[way].name, receives_pair ? "into" : "from",
                 pair->name);
        judge(!error && memcmp(memory, expected, COUNT * pair->extent) == 0, what);
    }
    MPI_Type_free(&made);
    free(memory);
    free(expected);
}

int main(int argc, char **argv)
{
    const struct pair pairs[] = {
        PAIR(double, MPI_DOUBLE, MPI_DOUBLE_INT),
        PAIR(long, MPI_LONG, MPI_LONG_INT),
        PAIR(short, MPI_SHORT, MPI_SHORT_INT),
        PAIR(float, MPI_FLOAT, MPI_FLOAT_INT),
        PAIR(int, MPI_INT, MPI_2INT),
        PAIR(long double, MPI_LONG_DOUBLE, MPI_LONG_DOUBLE_INT),
    };
    corner_open(&argc, &argv);
    for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++)
        for (int way = 0; way < WAYS && rank < 2; way++) {
            exchange(&pairs[p], way, 1, way);
            exchange(&pairs[p], way, 0, way);
        }
    return corner_close();
}
