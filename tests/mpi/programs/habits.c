/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two ranks: the same receives again and again, as programs have them, ended in every way that
 * there is and in any order. What arrives is shorter than its room, longer, or as long as a ticket.
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 2048, BLOCK = 4, STRIDE = 7, MOST = 40, ROUNDS = 80, UNTOUCHED = -1 };

static double memory[MOST][ROWS * STRIDE];
static int rows_of[MOST];
static MPI_Request requests[MOST];
static MPI_Status statuses[MOST];
static MPI_Datatype row;
static unsigned long long state = 1;
static int errors, rank;

/* The same numbers on both ranks. */
static unsigned draw(unsigned below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

static void complain(const char *what, int message)
{
    if (errors++ < 5)
        fprintf(stderr, "message %d: %s\n", message, what);
}

/* Room for 2, 64 or 2,048 rows of 32 bytes: less than a ticket, less than what is pulled, more. */
static int draw_room(void)
{
    static const int rooms[] = {2, 64, ROWS};
    return rooms[draw(3)];
}

/* Rows that are as long as a ticket. */
enum { AS_TICKET = 19 };

static void send_all(int count, int room)
{
    for (int i = 0; i < count; i++) {
        rows_of[i] = draw(4) == 0 && room >= AS_TICKET ? AS_TICKET : 1 + (int)draw((unsigned)room);
        for (int at = 0; at < rows_of[i] * STRIDE && rank == 0; at++)
            memory[i][at] = i * 1e6 + at;
    }
    for (int i = 0; i < count && rank == 0; i++)
        MPI_Isend(memory[i], rows_of[i], row, 1, i, MPI_COMM_WORLD, &requests[i]);
    if (rank == 0)
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static void post_all(int count, int room)
{
    for (int i = 0; i < count; i++) {
        for (int at = 0; at < ROWS * STRIDE; at++)
            memory[i][at] = UNTOUCHED;
        MPI_Irecv(memory[i], room, row, 0, i, MPI_COMM_WORLD, &requests[i]);
    }
}

static void look_at(int i)
{
    int rows = -1, is_right = 1;
    MPI_Get_count(&statuses[i], row, &rows);
    for (int at = 0; at < ROWS * STRIDE; at++) {
        int is_data = at < rows_of[i] * STRIDE && at % STRIDE < BLOCK;
        is_right = is_right && memory[i][at] == (is_data ? i * 1e6 + at : UNTOUCHED);
    }
    if (!is_right)
        complain("the data are wrong", i);
    if (rows != rows_of[i] || statuses[i].MPI_SOURCE != 0 || statuses[i].MPI_TAG != i)
        complain("the status is wrong", i);
}

/* ---- Ways to wait ---------------------------------------------------------------------------- */

static void wait_for_all(int count)
{
    MPI_Waitall(count, requests, statuses);
}

static void wait_for_parts(int count)
{
    int half = count / 2;
    MPI_Waitall(count - half, requests + half, statuses + half);
    MPI_Waitall(half, requests, statuses);
}

static void wait_backwards(int count)
{
    while (count-- > 0)
        MPI_Wait(&requests[count], &statuses[count]);
}

static void wait_for_any(int count)
{
    for (int i = 0, at; i < count; i++) {
        MPI_Status status;
        MPI_Waitany(count, requests, &at, &status);
        statuses[at] = status;
    }
}

static void wait_for_one_then_test_all(int count)
{
    int flag = 0;
    MPI_Wait(&requests[0], &statuses[0]);
    MPI_Status first = statuses[0];
    while (!flag)
        MPI_Testall(count, requests, &flag, statuses);
    statuses[0] = first;
}

static void wait_for_some(int count)
{
    int indices[MOST], done = 0;
    MPI_Status some[MOST];
    for (int ended = 0; ended < count; ended += done) {
        MPI_Waitsome(count, requests, &done, indices, some);
        for (int i = 0; i < done; i++)
            statuses[indices[i]] = some[i];
    }
}

static void look_before_waiting(int count)
{
    int flag;
    for (int i = 0; i < count; i++) {
        MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
        for (flag = 0; !flag;)
            MPI_Test(&requests[i], &flag, &statuses[i]);
    }
}

static void receive_another_meanwhile(int count)
{
    MPI_Request extra;
    static double unused[ROWS * STRIDE];
    MPI_Irecv(unused, ROWS, row, 0, MOST, MPI_COMM_WORLD, &extra);
    MPI_Cancel(&extra);
    MPI_Wait(&extra, MPI_STATUS_IGNORE);
    MPI_Waitall(count, requests, statuses);
}

static void (*const ways[])(int) = {
    wait_for_all,        wait_for_parts,      wait_backwards,
    wait_for_any,        wait_for_some,       wait_for_one_then_test_all,
    look_before_waiting, receive_another_meanwhile};

/* ---- Errors ---------------------------------------------------------------------------------- */

static void expect(int is_so, const char *what)
{
    if (!is_so)
        complain(what, -1);
}

static int class_of(int error)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(error, &class);
    return class;
}

/* Two messages, the second of which is too long, by the same receives as before. */
static void receive_too_much(int room)
{
    const int lengths[] = {room, ROWS};
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Send(memory[i], lengths[i], row, 1, i, MPI_COMM_WORLD);
        return;
    }
    for (int i = 0; i < 2; i++)
        MPI_Irecv(memory[i], room, row, 0, i, MPI_COMM_WORLD, &requests[i]);
    int result = MPI_Waitall(2, requests, statuses);
    expect(class_of(result) == MPI_ERR_IN_STATUS, "Waitall does not say that one is too long");
    expect(class_of(statuses[0].MPI_ERROR) == MPI_SUCCESS, "the first is not too long");
    expect(class_of(statuses[1].MPI_ERROR) == MPI_ERR_TRUNCATE, "the second is too long");
}

/* ---------------------------------------------------------------------------------------------- */

static void run_round(int room)
{
    int count = 1 + (int)draw(MOST);
    unsigned way = draw(sizeof(ways) / sizeof(ways[0]));
    if (rank == 1)
        post_all(count, room);
    MPI_Barrier(MPI_COMM_WORLD);
    send_all(count, room);
    if (rank == 1) {
        ways[way](count);
        for (int i = 0; i < count; i++)
            look_at(i);
    }
}

int main(int argc, char **argv)
{
    int all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Datatype block;
    MPI_Type_vector(1, BLOCK, STRIDE, MPI_DOUBLE, &block);
    MPI_Type_create_resized(block, 0, STRIDE * sizeof(double), &row);
    MPI_Type_commit(&row);
    for (int i = 0; i < ROUNDS; i++)
        run_round(draw_room());
    receive_too_much(64);
    MPI_Allreduce(&errors, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Type_free(&block);
    MPI_Type_free(&row);
    MPI_Finalize();
    return all > 0;
}
