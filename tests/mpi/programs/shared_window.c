/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shared_window: one-sided calls on a window of shared memory, in which Weft copies from layout to
 * layout. What is wrong with a call MPI says, so each line that rank 0 prints, with the class of
 * an error or a sum of the memory that was written, must be the same with and without Weft.
 */
#include "corner.h"

enum { ROWS = 200, WIDTH = 4, TURNS = 100, CELLS = ROWS * WIDTH, LONG_UNIT = 16 };

static int size, next;
static double own[CELLS], *exposed;
static MPI_Datatype column, pair, overlapping, raw;
static MPI_Win window;

static void fill(double *matrix, double first)
{
    for (int i = 0; i < CELLS; i++)
        matrix[i] = first + i;
}

static double sum_of(const double *matrix)
{
    double sum = 0;
    for (int i = 0; i < CELLS; i++)
        sum += matrix[i] * (i % 31 + 1);
    return sum;
}

/* ---- What goes well ------------------------------------------------------------------------ */

static double cell(const double *matrix, int row, int at)
{
    return matrix[WIDTH * row + at];
}

static int holds_column(const double *matrix, int at, const double *from, int from_at)
{
    int is_right = 1;
    for (int i = 0; i < ROWS; i++)
        is_right = is_right && cell(matrix, i, at) == cell(from, i, from_at);
    return is_right;
}

/* Displacements are multiples of a double. */
static void put_and_get(int turn)
{
    static double got[CELLS];
    MPI_Request request;
    fill(own, 1000.0 * rank + turn);
    fill(got, 0);
    MPI_Win_lock_all(0, window);
    MPI_Put(own, 1, column, next, 1, 1, column, window);
    MPI_Win_flush(next, window);
    MPI_Get(got, 1, column, next, 1, 1, column, window);
    MPI_Win_flush_local(next, window);
    judge(holds_column(got, 0, own, 0), "MPI_Put and MPI_Get of a column");
    MPI_Rput(own, ROWS, MPI_DOUBLE, next, 2, 1, column, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    judge(request == MPI_REQUEST_NULL, "the request of MPI_Rput");
    MPI_Win_flush(next, window);
    MPI_Rget(got, 1, column, next, 2, 1, column, window, &request);
    int is_over = 0;
    while (!is_over)
        MPI_Test(&request, &is_over, MPI_STATUS_IGNORE);
    MPI_Win_flush(next, window);
    int is_right = 1;
    for (int i = 0; i < ROWS; i++)
        is_right = is_right && cell(got, i, 0) == own[i];
    judge(is_right, "MPI_Rput from what lies together, and MPI_Rget");
    MPI_Win_unlock_all(window);
}

/* Two structs of one signature, whose bytes lie apart in two ways. */
static void put_pairs(void)
{
    MPI_Win_fence(0, window);
    MPI_Put(own, 10, pair, next, 100, 5, raw, window);
    MPI_Win_fence(0, window);
}

/* What one process has put, another reads by itself when MPI says that it may. */
static void see_by_loads(int turn)
{
    MPI_Win_fence(0, window);
    fill(own, 7.0 * turn + rank);
    MPI_Put(own, 1, column, next, 3, 1, column, window);
    MPI_Win_fence(0, window);
    int is_right = 1, before = (rank + size - 1) % size;
    for (int i = 0; i < ROWS; i++)
        is_right = is_right && cell(exposed, i, 3) == 7.0 * turn + before + WIDTH * i;
    judge(is_right, "what others have put is there behind a fence");
    MPI_Win_fence(0, window);
}

/* ---- What MPI must judge ------------------------------------------------------------------- */

static void tell(const char *what, int error)
{
    if (rank == 0)
        printf("%s: %d\n", what, error_class(error));
}

/* Nobody goes on, and puts more there, before all have looked. */
static void tell_bytes(const char *what, const double *memory)
{
    double mine = sum_of(memory), all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: %.0f\n", what, all);
}

static void tell_errors(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype uncommitted;
    MPI_Type_vector(ROWS, 1, WIDTH, MPI_DOUBLE, &uncommitted);
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, window);
    tell("a rank that is not there", MPI_Put(own, 1, column, size, 0, 1, column, window));
    tell("no rank", MPI_Put(own, 1, column, -77, 0, 1, column, window));
    tell("nobody", MPI_Put(own, 1, column, MPI_PROC_NULL, 0, 1, column, window));
    tell("nobody, with a request",
         MPI_Rget(own, 1, column, MPI_PROC_NULL, 0, 1, column, window, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tell("a count below 0", MPI_Put(own, -1, column, next, 0, 1, column, window));
    tell("a count of the target below 0", MPI_Get(own, 1, column, next, 0, -1, column, window));
    tell("nothing", MPI_Put(own, 0, column, next, 0, 0, column, window));
    tell("an origin that is not committed",
         MPI_Put(own, 1, uncommitted, next, 0, 1, column, window));
    tell("a target that is not committed",
         MPI_Get(own, 1, column, next, 0, 1, uncommitted, window));
    tell("no type", MPI_Put(own, 1, column, next, 0, 1, MPI_DATATYPE_NULL, window));
    tell("a displacement below 0", MPI_Put(own, 1, column, next, -1, 1, column, window));
    tell("a target whose bytes overlap",
         MPI_Put(own, 2, MPI_DOUBLE, next, 0, 1, overlapping, window));
    MPI_Win_unlock(next, window);
    MPI_Type_free(&uncommitted);
}

/* Open MPI 4.1.4 does not notice. */
static void tell_of_no_epoch(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    tell("no epoch", MPI_Put(own, 1, column, next, 0, 1, column, window));
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The part of a process is followed by that of the next, as the window is of one piece. */
static void reach_beyond(void)
{
    MPI_Win_fence(0, window);
    if (rank == 0)
        tell("beyond the part of a process",
             MPI_Put(own, 1, column, 0, CELLS / 2, 1, column, window));
    MPI_Win_fence(0, window);
    tell_bytes("what lies there", exposed);
}

/* Of a process to itself: another column of the same matrix, and the same rows further on. */
static void copy_within(void)
{
    MPI_Win_fence(0, window);
    fill(exposed, 0.5 * rank);
    MPI_Put(exposed, 1, column, rank, 1, 1, column, window);
    MPI_Win_fence(0, window);
    judge(holds_column(exposed, 1, exposed, 0), "a column beside another");
    tell_bytes("within one matrix", exposed);
}

#if MPI_VERSION >= 4
static void put_large(void)
{
    MPI_Win_fence(0, window);
    MPI_Put_c(own, 1, column, next, 0, 1, column, window);
    MPI_Win_fence(0, window);
    tell_bytes("MPI_Put_c", exposed);
}
#else
static void put_large(void)
{
}
#endif

/* Windows of which a process has nothing, and whose units differ; a handle may come again. */
static void use_other_windows(void)
{
    for (int i = 0; i < 20; i++) {
        double *memory;
        int is_there = (rank + i) % 2, unit = rank % 2 ? LONG_UNIT : 1;
        MPI_Win other;
        MPI_Win_allocate_shared(is_there ? (MPI_Aint)sizeof own : 0, unit, MPI_INFO_NULL,
                                MPI_COMM_WORLD, &memory, &other);
        MPI_Win_fence(0, other);
        if ((next + i) % 2)
            MPI_Put(own, 1, column, next, next % 2 ? 1 : LONG_UNIT, 1, column, other);
        MPI_Win_fence(0, other);
        int is_right = 1;
        for (int row = 0; is_there && row < ROWS; row++)
            is_right = is_right && memory[WIDTH * row + LONG_UNIT / (int)sizeof(double)] ==
                                       own[WIDTH * row] + (rank + size - 1) % size - rank;
        judge(is_right, "a window of other units");
        MPI_Win_fence(0, other);
        MPI_Win_free(&other);
        MPI_Win_create(own, sizeof own, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other);
        MPI_Win_free(&other);
    }
}

static void make_types(void)
{
    int lengths[] = {1, 1};
    MPI_Aint places[] = {0, 24};
    MPI_Datatype types[] = {MPI_DOUBLE, MPI_DOUBLE}, narrow;
    MPI_Type_vector(ROWS, 1, WIDTH, MPI_DOUBLE, &column);
    MPI_Type_create_struct(2, lengths, places, types, &narrow);
    MPI_Type_create_resized(narrow, 0, 40, &pair);
    MPI_Type_free(&narrow);
    MPI_Type_vector(4, 1, 3, MPI_DOUBLE, &raw);
    MPI_Type_create_indexed_block(2, 1, (int[]){0, 0}, MPI_DOUBLE, &overlapping);
    MPI_Type_commit(&column);
    MPI_Type_commit(&pair);
    MPI_Type_commit(&raw);
    MPI_Type_commit(&overlapping);
}

int main(int argc, char **argv)
{
    corner_open(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    make_types();
    MPI_Win_allocate_shared(sizeof own, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &exposed,
                            &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    fill(exposed, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int turn = 0; turn < TURNS; turn++) {
        put_and_get(turn);
        MPI_Barrier(MPI_COMM_WORLD);
        see_by_loads(turn);
    }
    put_pairs();
    tell_bytes("pairs", exposed);
    tell_errors();
    tell_of_no_epoch();
    reach_beyond();
    copy_within();
    put_large();
    fill(own, rank);
    use_other_windows();
    MPI_Win_free(&window);
    MPI_Type_free(&column);
    MPI_Type_free(&pair);
    MPI_Type_free(&raw);
    MPI_Type_free(&overlapping);
    return corner_close();
}
