/* SPDX-License-Identifier: BSD-3-Clause */
/* Small cases, on two processes, of what the collective and one-sided components get wrong. The
 * argument names one; README.md explains them. */
#include "program.h"

/* Fortran's INTEGER has 4 bytes here. */
static void integer(void)
{
    int mine[3] = {rank ? 1 : -1, 2, 3}, most[3] = {0};
    MPI_Allreduce(mine, most, 3, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD);
    check(most[0] == 1 && most[1] == 2 && most[2] == 3);
}

/* The second broadcast is longer than the first, and not contiguous. */
static void broadcast(void)
{
    MPI_Datatype every_second;
    int numbers[8];
    MPI_Bcast(numbers, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 8; i++)
        numbers[i] = rank ? -1 : i;
    MPI_Type_vector(4, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    MPI_Bcast(numbers, 1, every_second, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 8; i += 2)
        check(numbers[i] == i);
    MPI_Type_free(&every_second);
}

/* A request whose operation succeeds has the status of success. */
static void status(void)
{
    MPI_Request request;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    check(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

static void signed_char(void)
{
    MPI_Win win;
    signed char *memory, mine = (signed char)(rank ? -1 : 1);
    MPI_Win_allocate(1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    *memory = -5;
    MPI_Win_fence(0, win);
    MPI_Accumulate(&mine, 1, MPI_SIGNED_CHAR, 0, 0, 1, MPI_SIGNED_CHAR, MPI_MAX, win);
    MPI_Win_fence(0, win);
    check(rank || *memory == 1);
    MPI_Win_free(&win);
}

/* MPI_Win_test before the end of the epoch says that it has not ended. */
static void win_test(void)
{
    MPI_Win win;
    MPI_Group all, other;
    int *memory, flag = 77, peer = 1 - rank;
    MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, 1, &peer, &other);
    if (rank == 0) {
        MPI_Win_post(other, 0, win);
        MPI_Win_test(win, &flag);
        check(flag == 0);
        MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        if (flag != 1)
            MPI_Win_wait(win);
    } else {
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_start(other, 0, win);
        MPI_Win_complete(win);
    }
    MPI_Group_free(&other);
    MPI_Group_free(&all);
    MPI_Win_free(&win);
}

/* The end of one lock does not end the epoch of the other. */
static void two_locks(void)
{
    MPI_Win win;
    int *memory;
    MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        MPI_Win_unlock(0, win);
        check(MPI_Win_flush(1, win) == MPI_SUCCESS);
        MPI_Win_unlock(1, win);
    }
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"broadcast", broadcast},     {"integer", integer},   {"status", status},
                 {"signed_char", signed_char}, {"win_test", win_test}, {"two_locks", two_locks}};
    start(&argc, &argv);
    int known = 0;
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run();
            known = 1;
        }
    check(known);
    return finish();
}
