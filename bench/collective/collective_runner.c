/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes of an MPI that do collectives, an ordinary program that knows nothing of Weft. Rank 0
 * reads what `weft bench collective` asks for, one request a line:
 *
 *   turn COLLECTIVE COURSE BYTES COUNT MICROSECONDS
 *
 * and answers "turn one=MICROSECONDS busy=MICROSECONDS more=MICROSECONDS", or "wrong WHY".
 */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#include "bench/collective/collective_turn.h"
#include "bench/harness/word.h"

static struct collective_calls calls;
static MPI_Request under_way;

static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static double *data_of(unsigned root)
{
    return calls.rank == root ? calls.sources : calls.results;
}

static void block(const struct collective_turn *turn, unsigned root)
{
    int count = (int)(turn->bytes / sizeof(double));
    if (turn->kind == COLLECTIVE_BCAST)
        MPI_Bcast(data_of(root), count, MPI_DOUBLE, (int)root, MPI_COMM_WORLD);
    else if (turn->kind == COLLECTIVE_ALLREDUCE)
        MPI_Allreduce(calls.sources, calls.results, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else
        MPI_Barrier(MPI_COMM_WORLD);
}

static void begin(const struct collective_turn *turn, unsigned root)
{
    int count = (int)(turn->bytes / sizeof(double));
    if (turn->kind == COLLECTIVE_BCAST)
        MPI_Ibcast(data_of(root), count, MPI_DOUBLE, (int)root, MPI_COMM_WORLD, &under_way);
    else if (turn->kind == COLLECTIVE_ALLREDUCE)
        MPI_Iallreduce(calls.sources, calls.results, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                       &under_way);
    else
        MPI_Ibarrier(MPI_COMM_WORLD, &under_way);
}

static void end(void)
{
    MPI_Wait(&under_way, MPI_STATUS_IGNORE);
}

static void open_turn(const struct collective_turn *turn)
{
    (void)turn;
}

static void close_turn(void)
{
}

/* ---- Requests ----------------------------------------------------------------------------- */

/* False at the end of all requests. */
static bool read_request(struct collective_turn *turn)
{
    char line[256], kind[16], course[16];
    double microseconds;
    if (!fgets(line, sizeof(line), stdin))
        return false;
    if (sscanf(line, "turn %15s %15s %zu %zu %lf", kind, course, &turn->bytes, &turn->count,
               &microseconds) != 5)
        return false;
    int which = word_find(collective_kind_names, COLLECTIVE_COMPARED, kind);
    int how = word_find(collective_course_names, COLLECTIVE_COURSES, course);
    turn->kind = (enum collective_kind)which;
    turn->course = (enum collective_course)how;
    turn->compute = microseconds * 1e-6;
    return which >= 0 && how >= 0 && turn->count > 0 && turn->bytes <= COLLECTIVE_MOST_BYTES;
}

/* Others may be at work now: who waits for a request must leave them the processors. */
static bool next_request(struct collective_turn *turn)
{
    const struct timespec nap = {.tv_nsec = 2000000};
    MPI_Request told;
    int is_there = 0, goes_on = calls.rank == 0 && read_request(turn);
    struct {
        struct collective_turn turn;
        int goes_on;
    } all = {*turn, goes_on};
    MPI_Ibcast(&all, sizeof(all), MPI_BYTE, 0, MPI_COMM_WORLD, &told);
    for (MPI_Test(&told, &is_there, MPI_STATUS_IGNORE); !is_there;
         MPI_Test(&told, &is_there, MPI_STATUS_IGNORE))
        nanosleep(&nap, NULL);
    *turn = all.turn;
    return all.goes_on;
}

static void serve(const struct collective_turn *turn)
{
    struct collective_times times;
    int is_right = collective_turn_run(&calls, turn, &times), all_right;
    MPI_Reduce(&is_right, &all_right, 1, MPI_INT, MPI_LAND, 0, MPI_COMM_WORLD);
    if (calls.rank > 0)
        return;
    if (all_right)
        printf("turn one=%.4f busy=%.4f more=%.4f\n", times.one * 1e6, times.busy * 1e6,
               times.more * 1e6);
    else
        printf("wrong the data that came is not what it must be\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const struct collective_ops ops = {meet, open_turn, block, begin, end, close_turn};
    int rank, size;
    struct collective_turn turn = {.count = 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    calls = collective_calls_open(&ops, (unsigned)rank, (unsigned)size);
    while (next_request(&turn))
        serve(&turn);
    collective_calls_close(&calls);
    MPI_Finalize();
    return 0;
}
