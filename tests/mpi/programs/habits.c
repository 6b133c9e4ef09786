/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two ranks: the same receives again and again, as programs have them, ended in every way that
 * there is and in any order; first new ones each time, then persistent ones. What arrives is
 * shorter than its room, longer, or as long as a ticket.
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 2048, BLOCK = 4, STRIDE = 7, MOST = 40, ROUNDS = 110, UNTOUCHED = -1 };

static double memory[MOST][ROWS * STRIDE];
static int rows_of[MOST];
static MPI_Request requests[MOST];
static MPI_Status statuses[MOST];
static MPI_Datatype row;
static unsigned long long state = 1;
static int errors, rank, told;

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
enum { ROOMS = 3 };
static const int rooms[ROOMS] = {2, 64, ROWS};

/* Rows that are as long as a ticket. */
enum { AS_TICKET = 19 };

static int draw_rows(int room)
{
    return draw(4) == 0 && room >= AS_TICKET ? AS_TICKET : 1 + (int)draw((unsigned)room);
}

static void write_all(int count)
{
    for (int i = 0; i < count; i++)
        for (int at = 0; at < ROWS * STRIDE; at++)
            memory[i][at] = rank == 1 ? UNTOUCHED : i * 1e6 + at;
}

/* ---- New requests -------------------------------------------------------------------------- */

static void begin_new(int count, int size)
{
    for (int i = 0; i < count && rank == 0; i++)
        MPI_Isend(memory[i], rows_of[i], row, 1, i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < count && rank == 1; i++)
        MPI_Irecv(memory[i], rooms[size], row, 0, i, MPI_COMM_WORLD, &requests[i]);
}

/* ---- Persistent requests ------------------------------------------------------------------- */

static MPI_Request made[ROOMS][MOST];
static int made_rows[ROOMS][MOST];

static void make_all(void)
{
    for (int size = 0; size < ROOMS; size++)
        for (int i = 0; i < MOST; i++) {
            int rows = made_rows[size][i] = draw_rows(rooms[size]);
            if (rank == 0)
                MPI_Send_init(memory[i], rows, row, 1, i, MPI_COMM_WORLD, &made[size][i]);
            else
                MPI_Recv_init(memory[i], rooms[size], row, 0, i, MPI_COMM_WORLD, &made[size][i]);
        }
}

static void begin_made(int count, int size)
{
    memcpy(rows_of, made_rows[size], sizeof rows_of);
    memcpy(requests, made[size], sizeof requests);
    if (count % 2)
        MPI_Startall(count, requests);
    for (int i = 0; i < count && count % 2 == 0; i++)
        MPI_Start(&requests[i]);
}

/* Nobody gave them up, so they are as before. */
static void free_all(void)
{
    for (int size = 0; size < ROOMS; size++)
        for (int i = 0; i < MOST; i++)
            MPI_Request_free(&made[size][i]);
}

/* ---- What came ----------------------------------------------------------------------------- */

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

/* ---- Ways to wait -------------------------------------------------------------------------- */

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

/* Of all at once, which MPI 4.1 has. */
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
static void look_at_all_before(int count)
{
    MPI_Status seen[MOST];
    for (int flag = 0; !flag;)
        MPI_Request_get_status_all(count, requests, &flag, seen);
    MPI_Waitall(count, requests, statuses);
    for (int i = 0, seen_rows, rows; i < count; i++) {
        MPI_Get_count(&seen[i], row, &seen_rows);
        MPI_Get_count(&statuses[i], row, &rows);
        if (seen_rows != rows || seen[i].MPI_TAG != statuses[i].MPI_TAG)
            complain("it was said to be another", i);
    }
}

static void look_at_any_before(int count)
{
    for (int i = 0; i < count; i++) {
        int at, flag = 0;
        MPI_Status seen;
        while (!flag)
            MPI_Request_get_status_any(count, requests, &at, &flag, &seen);
        MPI_Wait(&requests[at], &statuses[at]);
        if (seen.MPI_TAG != at)
            complain("another was said to be over", at);
    }
}

static void look_at_some_before(int count)
{
    int indices[MOST], some = 0;
    for (int ended = 0; ended < count; ended += some) {
        for (some = 0; some == 0;)
            MPI_Request_get_status_some(count, requests, &some, indices, MPI_STATUSES_IGNORE);
        for (int i = 0; i < some; i++)
            MPI_Wait(&requests[indices[i]], &statuses[indices[i]]);
    }
}
#else
#define look_at_all_before look_before_waiting
#define look_at_any_before look_before_waiting
#define look_at_some_before look_before_waiting
#endif

static void receive_another_meanwhile(int count)
{
    MPI_Request extra;
    static double unused[ROWS * STRIDE];
    MPI_Irecv(unused, ROWS, row, 0, MOST, MPI_COMM_WORLD, &extra);
    MPI_Cancel(&extra);
    MPI_Wait(&extra, MPI_STATUS_IGNORE);
    MPI_Waitall(count, requests, statuses);
}

static void (*const ways[])(int) = {wait_for_all,
                                    wait_for_parts,
                                    wait_backwards,
                                    wait_for_any,
                                    wait_for_some,
                                    wait_for_one_then_test_all,
                                    receive_another_meanwhile,
                                    look_before_waiting,
                                    look_at_all_before,
                                    look_at_any_before,
                                    look_at_some_before};
enum { WAYS = sizeof(ways) / sizeof(ways[0]), LOOKING_WAYS = 4 };

/* MPICH 4.2 and 5.0 forget the status of a persistent request that was asked for. */
#ifdef MPICH
enum { WAYS_OF_MADE = WAYS - LOOKING_WAYS };
#else
enum { WAYS_OF_MADE = WAYS };
#endif

/* ---- Errors -------------------------------------------------------------------------------- */

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
static void receive_too_much(void (*begin)(int count, int size))
{
    enum { SIZE = 1 };
    const int lengths[] = {rooms[SIZE], ROWS};
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Send(memory[i], lengths[i], row, 1, i, MPI_COMM_WORLD);
        return;
    }
    begin(2, SIZE);
    int result = MPI_Waitall(2, requests, statuses);
    expect(class_of(result) == MPI_ERR_IN_STATUS, "Waitall does not say that one is too long");
    expect(class_of(statuses[0].MPI_ERROR) == MPI_SUCCESS, "the first is not too long");
    expect(class_of(statuses[1].MPI_ERROR) == MPI_ERR_TRUNCATE, "the second is too long");
}

static void count_error(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    (void)error;
    told++;
}

/* A persistent one that is looked at before it ends; its error is told of as MPI itself does. */
static void start_too_short(void)
{
    MPI_Errhandler counts;
    MPI_Request request;
    int result, flag = 0;
    if (rank == 0) {
        MPI_Send(memory[0], ROWS, row, 1, 0, MPI_COMM_WORLD);
        MPI_Send(memory[0], 1, row, 1, 0, MPI_COMM_WORLD);
        return;
    }
    MPI_Comm_create_errhandler(count_error, &counts);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, counts);
    MPI_Recv_init(memory[0], 64, row, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    for (result = MPI_SUCCESS; result == MPI_SUCCESS && !flag;)
        result = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        /* MPICH 5.0 does not. */
#if !defined MPICH_NUMVERSION || MPICH_NUMVERSION < 50000000
    expect(class_of(result) == MPI_ERR_TRUNCATE && told == 1,
           "one that is too short says so once");
#endif
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&counts);
    if (request == MPI_REQUEST_NULL)
        MPI_Recv_init(memory[0], 64, row, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    expect(MPI_Wait(&request, statuses) == MPI_SUCCESS, "after an error it can be started again");
    rows_of[0] = 1;
    MPI_Request_free(&request);
}

/* Open MPI answers the start of a buffered send with another request, if the last one is still on
 * its way; when that is over, it gives the old one to the next who sends. */
static void start_buffered(void)
{
    enum { STARTS = 2, SENDS = 8, BYTES = ROWS * BLOCK * sizeof(double) };
    static char space[STARTS * (BYTES + MPI_BSEND_OVERHEAD)];
    int size;
    void *attached;
    MPI_Request request;
    write_all(SENDS);
    MPI_Buffer_attach(space, sizeof space);
    if (rank == 0)
        MPI_Bsend_init(memory[0], ROWS, row, 1, MOST, MPI_COMM_WORLD, &request);
    for (int i = 0; i < STARTS && rank == 0; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < STARTS && rank == 1; i++)
        MPI_Recv(memory[0], ROWS, row, 0, MOST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < SENDS && rank == 0; i++)
        MPI_Isend(memory[i], ROWS * STRIDE, MPI_DOUBLE, 1, i, MPI_COMM_WORLD, &requests[i]);
    if (rank == 0)
        MPI_Request_free(&request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Waitall(SENDS, requests, MPI_STATUSES_IGNORE);
    for (int i = SENDS - 1; i >= 0 && rank == 1; i--) {
        MPI_Recv(memory[i], ROWS * STRIDE, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect(memory[i][ROWS] == i * 1e6 + ROWS, "what comes after a buffered send is wrong");
    }
    MPI_Buffer_detach(&attached, &size);
}

/* Started ones that nobody waits for: cancelled, and freed. */
static void give_up_started(void)
{
    MPI_Request request;
    int is_cancelled = 0;
    write_all(1);
    if (rank == 1) {
        MPI_Recv_init(memory[0], 64, row, 0, 0, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 3; i++) {
            MPI_Start(&request);
            MPI_Cancel(&request);
            MPI_Wait(&request, statuses);
            MPI_Test_cancelled(statuses, &is_cancelled);
            expect(is_cancelled, "a receive is cancelled");
        }
        MPI_Start(&request);
        MPI_Request_free(&request);
        expect(request == MPI_REQUEST_NULL, "a request is freed");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Send(memory[0], 64, row, 1, 0, MPI_COMM_WORLD);
    rows_of[0] = 64;
    if (rank == 0)
        MPI_Ssend(memory[1], 1, row, 1, 1, MPI_COMM_WORLD);
    else
        MPI_Recv(memory[1], 1, row, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ----------------------------------------------------------------------------------------------
 */

static void run_round(void (*begin)(int count, int size), int of_ways)
{
    int count = 1 + (int)draw(MOST), size = (int)draw(ROOMS);
    unsigned way = draw((unsigned)of_ways);
    write_all(count);
    for (int i = 0; i < count; i++)
        rows_of[i] = draw_rows(rooms[size]);
    if (rank == 1)
        begin(count, size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        begin(count, size);
    if (rank == 0)
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
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
        run_round(begin_new, WAYS);
    receive_too_much(begin_new);
    make_all();
    for (int i = 0; i < ROUNDS; i++)
        run_round(begin_made, WAYS_OF_MADE);
    free_all();
    start_too_short();
    give_up_started();
    start_buffered();
    MPI_Allreduce(&errors, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Type_free(&block);
    MPI_Type_free(&row);
    MPI_Finalize();
    return all > 0;
}
