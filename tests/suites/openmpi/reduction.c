/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduce and allreduce of every type and operation that the target's NIC computes, with every
 * root, in place or not, blocking and not, in lengths within and beyond the largest atomic. */
#include "program.h"

#define MOST 200

/* Small numbers: all results are exact in every type, in every order of the operands. */
static int number(int from, int i)
{
    return (from * 3 + i * 5) % 4;
}

static int combine(MPI_Op op, int a, int b)
{
    if (op == MPI_SUM)
        return a + b;
    if (op == MPI_MAX)
        return a > b ? a : b;
    if (op == MPI_MIN)
        return a < b ? a : b;
    if (op == MPI_LAND)
        return a && b;
    if (op == MPI_LOR)
        return a || b;
    if (op == MPI_BAND)
        return a & b;
    if (op == MPI_BOR)
        return a | b;
    return a ^ b; /* MPI_BXOR */
}

static int wanted(MPI_Op op, int i)
{
    int value = number(0, i);
    for (int from = 1; from < size; from++)
        value = combine(op, value, number(from, i));
    return value;
}

union store {
    signed char c[MOST];
    short s[MOST];
    int i[MOST];
    long l[MOST];
    float f[MOST];
    double d[MOST];
};

static void set(union store *store, MPI_Datatype type, int i, int value)
{
    if (type == MPI_SIGNED_CHAR)
        store->c[i] = (signed char)value;
    else if (type == MPI_SHORT)
        store->s[i] = (short)value;
    else if (type == MPI_INT)
        store->i[i] = value;
    else if (type == MPI_LONG)
        store->l[i] = value;
    else if (type == MPI_FLOAT)
        store->f[i] = (float)value;
    else
        store->d[i] = value;
}

static void reduce(MPI_Datatype type, MPI_Op op, int count, int way)
{
    union store out, in, right;
    MPI_Request request = MPI_REQUEST_NULL;
    int root = count % size, all = way & 1, apart = way & 2, in_place = way & 4;
    memset(&in, 0, sizeof in);
    memset(&right, 0, sizeof right);
    for (int i = 0; i < count; i++) {
        set(&out, type, i, number(rank, i));
        set(&right, type, i, wanted(op, i));
    }
    const void *from = &out;
    if (in_place && (all || rank == root)) {
        for (int i = 0; i < count; i++)
            set(&in, type, i, number(rank, i));
        from = MPI_IN_PLACE;
    }
    if (all && apart)
        MPI_Iallreduce(from, &in, count, type, op, MPI_COMM_WORLD, &request);
    else if (all)
        MPI_Allreduce(from, &in, count, type, op, MPI_COMM_WORLD);
    else if (apart)
        MPI_Ireduce(from, &in, count, type, op, root, MPI_COMM_WORLD, &request);
    else
        MPI_Reduce(from, &in, count, type, op, root, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (all || rank == root)
        check(memcmp(&in, &right, sizeof in) == 0);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Datatype types[] = {MPI_SIGNED_CHAR, MPI_SHORT, MPI_INT, MPI_LONG, MPI_FLOAT, MPI_DOUBLE};
    MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_MIN, MPI_LAND, MPI_LOR, MPI_BAND, MPI_BOR, MPI_BXOR};
    int counts[] = {1, 2, 3, 63, 64, 65, MOST};
    for (int t = 0; t < 6; t++)
        for (int o = 0; o < (t < 4 ? 8 : 3); o++)
            for (int c = 0; c < 7; c++)
                for (int way = 0; way < 8; way++)
                    reduce(types[t], ops[o], counts[c], way);
    return finish();
}
