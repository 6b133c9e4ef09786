/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that end in the middle of a receive's type: between two of its basic elements, which is
 * right, or within one. Then Open MPI delivers all bytes, and so does MPICH if data of the type
 * lie together; else MPICH delivers the elements before, and says that the message was truncated.
 */
#include "receives.h"

/* Long enough for every way. MPICH 4.0.2 with UCX loses structures of more than 8 KiB natively. */
enum { LONGEST = 100000, MOST_BLOCKS = 3, UNTOUCHED = 0xEE };

static const struct shape {
    const char *name;
    int blocks;
    struct block {
        int at, count, element;
    } block[MOST_BLOCKS];
    int size, extent, most_bytes, most_count;
    int is_together; /* so MPICH takes what comes as bytes */
} shapes[] = {
    {"a vector", 3, {{0, 2, 4}, {12, 2, 4}, {24, 2, 4}}, 24, 32, LONGEST, LONGEST, 0},
    {"an indexed type", 3, {{16, 1, 4}, {32, 2, 4}, {64, 1, 4}}, 16, 52, LONGEST, LONGEST, 0},
    {"integers apart", 1, {{0, 1, 4}}, 4, 8, LONGEST, LONGEST, 0},
    {"a structure", 3, {{0, 1, 1}, {4, 1, 4}, {8, 1, 8}}, 13, 16, 4000, LONGEST, 0},
    {"a structure without gaps", 3, {{0, 1, 1}, {1, 1, 4}, {5, 1, 8}}, 13, 24, 4000, LONGEST, 0},
    {"one row", 1, {{8, 1000, 4}}, 4000, 8000, LONGEST, 1, 0},
    {"one short row", 1, {{8, 5, 4}}, 20, 48, LONGEST, 1, 0},
    {"integers together", 1, {{0, 4, 4}}, 16, 16, LONGEST, LONGEST, 1},
    {"bytes apart", 2, {{0, 3, 1}, {7, 5, 1}}, 8, 12, LONGEST, LONGEST, 0},
};
enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

static MPI_Datatype type_of(const struct shape *shape)
{
    MPI_Datatype members[MOST_BLOCKS], all, type;
    int lengths[MOST_BLOCKS];
    MPI_Aint where[MOST_BLOCKS];
    for (int i = 0; i < shape->blocks; i++) {
        int element = shape->block[i].element;
        members[i] = element == 8 ? MPI_DOUBLE : element == 4 ? MPI_INT : MPI_CHAR;
        lengths[i] = shape->block[i].count;
        where[i] = shape->block[i].at;
    }
    /* A structure of that MPICH would not take for data that lie together. */
    if (shape->is_together)
        MPI_Type_contiguous(lengths[0], members[0], &type);
    else {
        MPI_Type_create_struct(shape->blocks, lengths, where, members, &all);
        MPI_Type_create_resized(all, 0, shape->extent, &type);
        MPI_Type_free(&all);
    }
    MPI_Type_commit(&type);
    return type;
}

/* The bytes of basic elements that are whole among the first of a message. */
static int whole_of(const struct shape *shape, int bytes)
{
    int rest = bytes % shape->size, whole = bytes - rest;
    for (int i = 0; i < shape->blocks; i++) {
        const struct block *block = &shape->block[i];
        int length = block->count * block->element;
        int taken = rest < length ? rest : length;
        whole += taken - taken % block->element;
        rest -= taken;
    }
    return whole;
}

static unsigned char value_at(int byte)
{
    return (unsigned char)(byte % 101 + 1);
}

/* Whether these bytes of the message have come to their places, and nothing else. */
static int has_come(const struct shape *shape, unsigned char *memory, int size, int bytes)
{
    int is_right = 1, byte = 0;
    for (int start = 0; byte < bytes; start += shape->extent)
        for (int i = 0; i < shape->blocks; i++)
            for (int j = 0; j < shape->block[i].count * shape->block[i].element; j++, byte++) {
                unsigned char *at = &memory[start + shape->block[i].at + j];
                is_right = is_right && (byte >= bytes || *at == value_at(byte));
                *at = byte < bytes ? UNTOUCHED : *at;
            }
    for (int i = 0; i < size; i++)
        is_right = is_right && memory[i] == UNTOUCHED;
    return is_right;
}

/* ---- More ways to receive ------------------------------------------------------------------ */

static int by_test(void *buffer, int count, MPI_Datatype type, int tag, MPI_Status *status)
{
    MPI_Request request;
    int flag = 0, error = MPI_SUCCESS;
    MPI_Irecv(buffer, count, type, 0, tag, MPI_COMM_WORLD, &request);
    while (!flag && error == MPI_SUCCESS)
        error = MPI_Test(&request, &flag, status);
    return error;
}

static int by_waitall(void *buffer, int count, MPI_Datatype type, int tag, MPI_Status *status)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    MPI_Irecv(buffer, count, type, 0, tag, MPI_COMM_WORLD, &requests[1]);
    int error = MPI_Waitall(2, requests, statuses);
    *status = statuses[1];
    return error_class(error) == MPI_ERR_IN_STATUS ? statuses[1].MPI_ERROR : error;
}

/* What the program has of the type is not needed when the message comes. */
static int by_freed(void *buffer, int count, MPI_Datatype type, int tag, MPI_Status *status)
{
    MPI_Datatype copy;
    MPI_Request request;
    MPI_Type_dup(type, &copy);
    MPI_Irecv(buffer, count, copy, 0, tag, MPI_COMM_WORLD, &request);
    MPI_Type_free(&copy);
    MPI_Send(NULL, 0, MPI_INT, 0, tag, MPI_COMM_WORLD);
    return MPI_Wait(&request, status);
}

static const struct way more_ways[] = {
    {"MPI_Test", by_test, 0},
    {"MPI_Waitall", by_waitall, 0},
    {"a type that is freed", by_freed, 0},
};
enum { MORE_WAYS = sizeof(more_ways) / sizeof(more_ways[0]), ALL_WAYS = WAYS + MORE_WAYS };

static const struct way *way_at(int i)
{
    return i < WAYS ? &ways[i] : &more_ways[i - WAYS];
}

/* ---- Messages ------------------------------------------------------------------------------ */

static void send_bytes(int bytes, int is_apart)
{
    unsigned char *memory = malloc(2 * (size_t)bytes);
    MPI_Datatype type;
    MPI_Type_vector(bytes, 1, is_apart ? 2 : 1, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < bytes; i++)
        memory[is_apart ? 2 * i : i] = value_at(i);
    MPI_Send(memory, 1, type, 1, bytes % 1000, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    free(memory);
}

/* Weft lets MPI have persistent receives of one piece as bytes, and does not look at their end. */
static int is_excused(const struct shape *shape, const struct way *way)
{
    return shape->most_count == 1 && (way->call == by_start || way->call == by_init_probe_start);
}

/* By which network it came decides what MPICH says. */
static int is_told(int error)
{
    return error_class(error) == MPI_ERR_TRUNCATE || error_class(error) == MPI_ERR_TYPE;
}

static void receive_bytes(const struct shape *shape, const struct way *way, int bytes)
{
    int count = shape->most_count == 1 ? 1 : bytes / shape->size + 2, got = -1;
    int size = (count + 1) * shape->extent, whole = whole_of(shape, bytes);
    unsigned char *memory = malloc((size_t)size);
    char what[200];
    MPI_Datatype type = type_of(shape);
    MPI_Status status;
    memset(memory, UNTOUCHED, (size_t)size);
    int error = receive_by(way, memory, count, type, bytes % 1000, &status);
    int is_cut = whole < bytes && !shape->is_together;
#ifdef OPEN_MPI
    is_cut = 0;
#endif
    snprintf(what, sizeof what, "%d bytes into %s by %s: error %d", bytes, shape->name, way->name,
             error_class(error));
    MPI_Get_count(&status, MPI_BYTE, &got);
    if (is_cut && !is_excused(shape, way))
        judge(is_told(error) && status.MPI_SOURCE == 0, what);
    else if (!is_cut)
        judge(error == MPI_SUCCESS && got == bytes, what);
    /* To one piece Weft lets MPI write all. */
    if (!is_cut || shape->most_count > 1)
        judge(has_come(shape, memory, size, is_cut ? whole : bytes), what);
    MPI_Type_free(&type);
    free(memory);
}

static void exchange(const struct shape *shape, const struct way *way, int bytes, int is_apart)
{
    int most = shape->most_count == 1 ? shape->size : shape->most_bytes;
    if (bytes > most)
        return;
    if (rank == 1)
        receive_bytes(shape, way, bytes);
    if (rank != 0)
        return;
    if (way->call == by_freed)
        MPI_Recv(NULL, 0, MPI_INT, 1, bytes % 1000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    send_bytes(bytes, is_apart);
}

int main(int argc, char **argv)
{
    static const int wholes[] = {0, 6, 48, 146, 4000};
    static const int more[] = {1, 2, 4, 5, 7, 8};
    corner_open(&argc, &argv);
    for (int s = 0; s < SHAPES; s++)
        for (int w = 0; w < ALL_WAYS; w++)
            for (int i = 0; i < (int)(sizeof wholes / sizeof wholes[0]); i++)
                for (int j = 0; j < (int)(sizeof more / sizeof more[0]); j++) {
                    int most = shapes[s].most_count == 1 ? 4 : shapes[s].size;
                    exchange(&shapes[s], way_at(w), wholes[i] * most + more[j], (i + j) % 2);
                }
    return corner_close();
}
