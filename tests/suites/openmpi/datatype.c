/* SPDX-License-Identifier: BSD-3-Clause */
/* Derived datatypes between ranks 0 and 1: vector, indexed, struct, subarray, resized; short and
 * long, expected and unexpected, with other types on the two sides; gaps stay untouched. */
#include "program.h"

struct particle {
    char kind;
    double place[3];
    short charge;
    int id;
};

static MPI_Datatype column(int rows)
{
    MPI_Datatype type;
    MPI_Type_vector(rows, 1, 5, MPI_INT, &type);
    return type;
}

static MPI_Datatype scattered(int blocks)
{
    MPI_Datatype type;
    int *lengths = malloc((size_t)blocks * sizeof(int)),
        *places = malloc((size_t)blocks * sizeof(int));
    for (int i = 0; i < blocks; i++) {
        lengths[i] = 1 + i % 3;
        places[i] = 5 * ((i * 7) % blocks); /* 7 and the number of blocks have no common factor */
    }
    MPI_Type_indexed(blocks, lengths, places, MPI_INT, &type);
    free(places);
    free(lengths);
    return type;
}

static MPI_Datatype particles(int count)
{
    int lengths[] = {1, 3, 1, 1};
    MPI_Aint places[] = {offsetof(struct particle, kind), offsetof(struct particle, place),
                         offsetof(struct particle, charge), offsetof(struct particle, id)};
    MPI_Datatype members[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT, MPI_INT}, one, sized, type;
    MPI_Type_create_struct(4, lengths, places, members, &one);
    MPI_Type_create_resized(one, 0, sizeof(struct particle), &sized);
    MPI_Type_contiguous(count, sized, &type);
    MPI_Type_free(&sized);
    MPI_Type_free(&one);
    return type;
}

static MPI_Datatype block(int edge)
{
    int sizes[] = {edge + 2, edge + 2, edge + 2}, parts[] = {edge, edge, edge}, from[] = {1, 1, 1};
    MPI_Datatype type;
    MPI_Type_create_subarray(3, sizes, parts, from, MPI_ORDER_C, MPI_INT, &type);
    return type;
}

static void settle(void)
{
    MPI_Sendrecv(NULL, 0, MPI_BYTE, 1 - rank, 9, NULL, 0, MPI_BYTE, 1 - rank, 9, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

/* Packs what arrived and what was sent: the two must be the same, and unpacking over the pattern
 * of the gaps must give the whole buffer. */
static void compare(const char *in, const char *sent, size_t extent, MPI_Datatype type)
{
    int length, at = 0;
    MPI_Pack_size(1, type, MPI_COMM_WORLD, &length);
    char *packed = malloc((size_t)length + 1), *wanted = malloc(extent);
    memset(wanted, 0x5a, extent);
    MPI_Pack(sent, 1, type, packed, length, &at, MPI_COMM_WORLD);
    int end = at;
    at = 0;
    MPI_Unpack(packed, end, &at, wanted, 1, type, MPI_COMM_WORLD);
    check(memcmp(in, wanted, extent) == 0);
    free(wanted);
    free(packed);
}

static void exchange(MPI_Datatype type, int late)
{
    MPI_Aint low, extent;
    MPI_Request requests[2];
    MPI_Type_commit(&type);
    MPI_Type_get_true_extent(type, &low, &extent);
    size_t bytes = (size_t)(low + extent);
    char *out = malloc(bytes), *sent = malloc(bytes), *in = malloc(bytes);
    fill(out, bytes, (unsigned)rank);
    fill(sent, bytes, (unsigned)(1 - rank));
    memset(in, 0x5a, bytes);
    if (!late)
        MPI_Irecv(in, 1, type, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]);
    settle();
    MPI_Isend(out, 1, type, 1 - rank, 1, MPI_COMM_WORLD, &requests[1]);
    settle();
    if (late)
        MPI_Irecv(in, 1, type, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    compare(in, sent, bytes, type);
    free(in);
    free(sent);
    free(out);
    MPI_Type_free(&type);
}

/* A column becomes a row, and back: one side has a type, the other a plain array. */
static void turn(int rows)
{
    int *matrix = calloc((size_t)rows * 5, sizeof(int)), *line = calloc((size_t)rows, sizeof(int));
    MPI_Datatype type = column(rows);
    MPI_Type_commit(&type);
    if (rank == 0) {
        for (int i = 0; i < rows; i++)
            matrix[i * 5] = i + 1;
        MPI_Send(matrix, 1, type, 1, 2, MPI_COMM_WORLD);
        MPI_Recv(matrix + 1, 1, type, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < rows; i++)
            check(matrix[i * 5] == i + 1 && matrix[i * 5 + 1] == i + 1 && !matrix[i * 5 + 2]);
    } else {
        MPI_Recv(line, rows, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(line, rows, MPI_INT, 0, 3, MPI_COMM_WORLD);
    }
    MPI_Type_free(&type);
    free(line);
    free(matrix);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int late = 0; rank < 2 && late < 2; late++)
        for (int scale = 1; scale <= 1000; scale *= 10) {
            exchange(column(scale * 100), late);
            exchange(scattered(scale * 10 + 1), late);
            exchange(particles(scale * 10), late);
            exchange(block(scale < 1000 ? 3 + scale / 10 : 60), late);
        }
    if (rank < 2) {
        turn(10);
        turn(100000);
    }
    return finish();
}
