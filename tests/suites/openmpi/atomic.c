/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulate, get-accumulate, fetch-and-op and compare-and-swap of all processes on the memory of
 * one, in fence epochs and under locks: nothing is lost, nothing happens twice. */
#include "program.h"

#define COUNT 300
#define ROUNDS 200

static long *memory;
static MPI_Win win;

static void clear(long value)
{
    MPI_Win_fence(0, win);
    for (int i = 0; i < COUNT; i++)
        memory[i] = value;
    MPI_Win_fence(0, win);
}

/* Beyond the largest atomic operation of the NIC, so the component cuts it. */
static void accumulate(void)
{
    long mine[COUNT];
    for (int i = 0; i < COUNT; i++)
        mine[i] = rank + i;
    clear(5);
    MPI_Accumulate(mine, COUNT, MPI_LONG, 0, 0, COUNT, MPI_LONG, MPI_SUM, win);
    MPI_Win_fence(0, win);
    for (int i = 0; rank == 0 && i < COUNT; i++)
        check(memory[i] == 5 + size * (size - 1) / 2 + (long)size * i);
    clear(0);
    MPI_Accumulate(mine, COUNT, MPI_LONG, 0, 0, COUNT, MPI_LONG, MPI_MAX, win);
    MPI_Win_fence(0, win);
    for (int i = 0; rank == 0 && i < COUNT; i++)
        check(memory[i] == size - 1 + i);
    clear(0);
    if (rank == size - 1)
        MPI_Accumulate(mine, COUNT, MPI_LONG, 0, 0, COUNT, MPI_LONG, MPI_REPLACE, win);
    MPI_Win_fence(0, win);
    for (int i = 0; rank == 0 && i < COUNT; i++)
        check(memory[i] == size - 1 + i);
}

static void accumulate_typed(void)
{
    MPI_Datatype column;
    long mine[COUNT / 3];
    MPI_Type_vector(COUNT / 3, 1, 3, MPI_LONG, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < COUNT / 3; i++)
        mine[i] = 1L << rank;
    clear(0);
    MPI_Accumulate(mine, COUNT / 3, MPI_LONG, 0, 0, 1, column, MPI_SUM, win);
    MPI_Win_fence(0, win);
    for (int i = 0; rank == 0 && i < COUNT; i++)
        check(memory[i] == (i % 3 ? 0 : (1L << size) - 1));
    MPI_Type_free(&column);
}

static void get_accumulate(void)
{
    long mine[COUNT], before[COUNT];
    for (int i = 0; i < COUNT; i++)
        mine[i] = 1;
    clear(0);
    MPI_Get_accumulate(mine, COUNT, MPI_LONG, before, COUNT, MPI_LONG, 0, 0, COUNT, MPI_LONG,
                       MPI_SUM, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < COUNT; i++)
        check(before[i] >= 0 && before[i] < size && (rank || memory[i] == size));
    MPI_Get_accumulate(NULL, 0, MPI_LONG, before, COUNT, MPI_LONG, 0, 0, COUNT, MPI_LONG,
                       MPI_NO_OP, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < COUNT; i++)
        check(before[i] == size);
}

/* Tickets: each process sees rising numbers, and together they are all different. */
static void fetch_and_op(void)
{
    long one = 1, ticket, last = -1, sum = 0;
    clear(0);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Fetch_and_op(&one, &ticket, MPI_LONG, 0, 0, MPI_SUM, win);
        MPI_Win_flush(0, win);
        check(ticket > last);
        last = ticket;
        sum += ticket;
    }
    MPI_Accumulate(&sum, 1, MPI_LONG, 0, 1, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_unlock(0, win);
    MPI_Win_fence(0, win);
    long all = (long)ROUNDS * size;
    check(rank || (memory[0] == all && memory[1] == all * (all - 1) / 2));
}

static void compare_and_swap(void)
{
    clear(0);
    MPI_Win_lock_all(0, win);
    long value = 0, found, wanted;
    for (int done = 0; done < ROUNDS;) {
        wanted = value + 1;
        MPI_Compare_and_swap(&wanted, &value, &found, MPI_LONG, 0, 0, win);
        MPI_Win_flush_all(win);
        done += found == value;
        value = found == value ? wanted : found;
    }
    MPI_Win_unlock_all(win);
    MPI_Win_fence(0, win);
    check(rank || memory[0] == (long)ROUNDS * size);
}

/* Read, add, write under an exclusive lock: no update is lost. */
static void exclusive(void)
{
    clear(0);
    for (int i = 0; i < ROUNDS / 4; i++)
        for (int target = 0; target < size; target++) {
            long value;
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
            MPI_Get(&value, 1, MPI_LONG, target, 7, 1, MPI_LONG, win);
            MPI_Win_flush(target, win);
            value++;
            MPI_Put(&value, 1, MPI_LONG, target, 7, 1, MPI_LONG, win);
            MPI_Win_unlock(target, win);
        }
    MPI_Barrier(MPI_COMM_WORLD);
    check(memory[7] == (long)(ROUNDS / 4) * size);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Win_allocate(COUNT * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    accumulate();
    accumulate_typed();
    get_accumulate();
    fetch_and_op();
    compare_and_swap();
    exclusive();
    MPI_Win_free(&win);
    return finish();
}
