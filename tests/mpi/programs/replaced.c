/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types that are made after a message of more than 2 GiB was replaced. For that, Weft makes a type
 * of its own, whose handle the next one may get.
 */
#include "corner.h"

#define MEBIBYTES 2200
#define TYPES 8

static int replace(void *memory, int count, MPI_Datatype type)
{
    return MPI_Sendrecv_replace(memory, count, type, 0, 0, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void replace_much(void)
{
    char *memory = calloc(MEBIBYTES, 1 << 20);
    MPI_Datatype mebibyte;
    MPI_Type_contiguous(1 << 20, MPI_BYTE, &mebibyte);
    MPI_Type_commit(&mebibyte);
    memory[0] = 'a';
    judge(replace(memory, MEBIBYTES, mebibyte) == MPI_SUCCESS && memory[0] == 'a', "2 GiB");
    MPI_Type_free(&mebibyte);
    free(memory);
}

int main(int argc, char **argv)
{
    double column[6] = {0, 1, 2, 3, 4, 5};
    MPI_Datatype types[TYPES];
    corner_open(&argc, &argv);
    replace_much();
    for (int i = 0; i < TYPES; i++) {
        types[i] = column_of(3, MPI_DOUBLE);
        judge(replace(column, 1, types[i]) == MPI_SUCCESS && column[4] == 4, "a column");
    }
    for (int i = 0; i < TYPES; i++)
        MPI_Type_free(&types[i]);
    return corner_close();
}
