/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * staged FILE: one-sided communication and files, of columns of a matrix. Whenever MPI says that a
 * call has ended, memory is the program's again: it is overwritten, and what came is looked at.
 */
#include "corner.h"

enum { ROWS = 300, WIDTH = 3, TURNS = 120, MANY = 1500, BLANK = -7 };

static int size;
static double own[ROWS * WIDTH], got[ROWS * WIDTH];
static double *exposed; /* the memory of a window: a column that others write to */
static MPI_Datatype column;
static MPI_Win window;

static double number(int who, int turn, int row)
{
    return who * 1000003.0 + turn * 1009.0 + row;
}

static void blank(double *matrix)
{
    for (int i = 0; i < ROWS * WIDTH; i++)
        matrix[i] = BLANK;
}

static void write_column(double *matrix, int who, int turn)
{
    blank(matrix);
    for (int i = 0; i < ROWS; i++)
        matrix[WIDTH * i] = number(who, turn, i);
}

/* Whether it has so many rows of what was written, and is blank elsewhere. */
static int holds(const double *matrix, int who, int turn, int rows)
{
    for (int i = 0; i < ROWS * WIDTH; i++)
        if (matrix[i] !=
            (i % WIDTH == 0 && i / WIDTH < rows ? number(who, turn, i / WIDTH) : BLANK))
            return 0;
    return 1;
}

static int left(void)
{
    return (rank + size - 1) % size;
}

static int right(void)
{
    return (rank + 1) % size;
}

/* What MPICH 4.0.2 gets wrong by itself: the request of MPI_Rget ends before the data have come,
 * and a read behind the end of a file is said to be complete. And Open MPI 4.1.4: a flush to
 * nobody crashes. */
#ifdef OPEN_MPI
enum { BUG_RGET = 0, BUG_READ_BEHIND_END = 0, BUG_FLUSH_NOBODY = 1 };
#else
enum { BUG_RGET = 1, BUG_READ_BEHIND_END = 1, BUG_FLUSH_NOBODY = 0 };
#endif

/* ---- One-sided ----------------------------------------------------------------------------- */

enum synchronisation { FENCE, LOCK, LOCK_ALL, FLUSH, FLUSH_LOCAL, FLUSH_LOCAL_ALL, START, WAYS };

static MPI_Group group_of(int who)
{
    MPI_Group all, one;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &who, &one);
    MPI_Group_free(&all);
    return one;
}

static void begin(enum synchronisation way)
{
    MPI_Group targets = group_of(right()), origins = group_of(left());
    MPI_Barrier(MPI_COMM_WORLD);
    if (way == FENCE) {
        MPI_Win_fence(0, window);
    } else if (way == LOCK) {
        MPI_Win_lock(MPI_LOCK_SHARED, right(), 0, window);
    } else if (way == START) {
        MPI_Win_post(origins, 0, window);
        MPI_Win_start(targets, 0, window);
    } else {
        MPI_Win_lock_all(0, window);
    }
    MPI_Group_free(&targets);
    MPI_Group_free(&origins);
}

/* The origin may be used again. */
static void end_here(enum synchronisation way)
{
    if (way == FENCE)
        MPI_Win_fence(0, window);
    else if (way == LOCK)
        MPI_Win_unlock(right(), window);
    else if (way == LOCK_ALL)
        MPI_Win_unlock_all(window);
    else if (way == FLUSH)
        MPI_Win_flush(right(), window);
    else if (way == FLUSH_LOCAL)
        MPI_Win_flush_local(right(), window);
    else if (way == FLUSH_LOCAL_ALL)
        MPI_Win_flush_local_all(window);
    else
        MPI_Win_complete(window);
}

/* And the target has it. */
static void end_there(enum synchronisation way)
{
    if (way == START)
        MPI_Win_wait(window);
    else if (way != FENCE && way != LOCK && way != LOCK_ALL)
        MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* What others have written is seen after this. */
static void look_at_own(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
}

static void leave_own(void)
{
    MPI_Win_unlock(rank, window);
}

/* A target, which lies apart as its origin does, or not: only then is that packed. */
#define TARGET(is_apart) (is_apart) ? 1 : ROWS, (is_apart) ? column : MPI_DOUBLE

static double *exposed_row(int row, int is_apart)
{
    return &exposed[is_apart ? WIDTH * row : row];
}

static void expose(int turn, int is_apart)
{
    look_at_own();
    blank(exposed);
    for (int i = 0; i < ROWS; i++)
        *exposed_row(i, is_apart) = number(rank, turn, i);
    leave_own();
}

/* Whether all rows are those of a process, and, in a sum, also those of another turn of ours. */
static int is_exposed(int who, int turn, int is_apart, const int *summed)
{
    int is_right = 1;
    look_at_own();
    for (int i = 0; i < ROWS; i++)
        is_right = is_right && *exposed_row(i, is_apart) ==
                                   number(who, turn, i) + (summed ? number(rank, *summed, i) : 0);
    leave_own();
    return is_right;
}

static void put(int turn, enum synchronisation way, int is_apart)
{
    look_at_own();
    blank(exposed);
    leave_own();
    write_column(own, rank, turn);
    begin(way);
    MPI_Put(own, 1, column, right(), 0, TARGET(is_apart), window);
    end_here(way);
    blank(own);
    end_there(way);
    judge(is_exposed(left(), turn, is_apart, NULL), "MPI_Put");
}

static int is_of_locks(enum synchronisation way)
{
    return way != FENCE && way != LOCK && way != START;
}

static void get(int turn, enum synchronisation way)
{
    expose(turn, 0);
    blank(got);
    begin(way);
    MPI_Get(got, 1, column, right(), 0, TARGET(0), window);
    if (is_of_locks(way) && !BUG_FLUSH_NOBODY)
        MPI_Win_flush(MPI_PROC_NULL, window);
    end_here(way);
    judge(holds(got, right(), turn, ROWS), "MPI_Get");
    end_there(way);
}

static void accumulate(int turn, enum synchronisation way, int is_apart)
{
    expose(turn, is_apart);
    write_column(own, rank, turn + 1);
    begin(way);
    MPI_Accumulate(own, 1, column, right(), 0, TARGET(is_apart), MPI_SUM, window);
    end_here(way);
    blank(own);
    end_there(way);
    judge(is_exposed(left(), turn + 1, is_apart, &turn), "MPI_Accumulate");
}

/* The request may come to an end before or after a synchronisation. */
static void request(int turn)
{
    MPI_Request requests[2];
    int is_early = turn % 2 && !BUG_RGET;
    expose(turn, 0);
    blank(got);
    begin(LOCK_ALL);
    MPI_Rget(got, 1, column, right(), 0, TARGET(0), window, &requests[0]);
    if (is_early)
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    else
        MPI_Win_flush(right(), window);
    judge(holds(got, right(), turn, ROWS), "MPI_Rget");
    blank(got);
    if (!is_early)
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    judge(got[0] == BLANK, "MPI_Rget writes once");
    end_here(LOCK_ALL);
    end_there(LOCK_ALL);

    write_column(own, rank, turn + 1);
    write_column(got, rank, turn + 2);
    begin(LOCK_ALL);
    MPI_Rput(own, 1, column, right(), 0, TARGET(0), window, &requests[0]);
    MPI_Raccumulate(got, 1, column, left(), (MPI_Aint)sizeof own, TARGET(0), MPI_REPLACE, window,
                    &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    blank(own);
    blank(got);
    end_here(LOCK_ALL);
    end_there(LOCK_ALL);
    judge(is_exposed(left(), turn + 1, 0, NULL), "MPI_Rput");
    look_at_own();
    judge(exposed[ROWS * WIDTH] == number(right(), turn + 2, 0), "MPI_Raccumulate");
    leave_own();
}

/* More calls than Weft keeps copies of. */
static void put_many(void)
{
    look_at_own();
    blank(exposed);
    leave_own();
    begin(FENCE);
    for (int i = 0; i < MANY; i++) {
        if (i == 0)
            write_column(own, rank, 0);
        MPI_Put(own, 1, column, right(), 0, TARGET(0), window);
    }
    MPI_Put(own, 1, column, MPI_PROC_NULL, 0, TARGET(0), window);
    end_here(FENCE);
    end_there(FENCE);
    judge(is_exposed(left(), 0, 0, NULL), "many of MPI_Put");
}

static void move_one_sided(void)
{
    MPI_Win_allocate((MPI_Aint)(2 * sizeof own), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &exposed,
                     &window);
    for (int turn = 0; turn < TURNS; turn++) {
        enum synchronisation way = (enum synchronisation)(turn % WAYS);
        int is_apart = turn % 3 == 0;
        put(turn, way, is_apart);
        get(turn, way);
        accumulate(turn, way, is_apart);
        request(turn);
    }
    put_many();
    MPI_Win_free(&window);
}

/* ---- Files --------------------------------------------------------------------------------- */

static MPI_File file;

static MPI_Offset place(int who)
{
    return (MPI_Offset)(who * ROWS * (int)sizeof(double));
}

static int count_of(MPI_Status *status)
{
    int count = -1;
    MPI_Get_count(status, MPI_DOUBLE, &count);
    return count;
}

static void read_and_compare(int turn, const char *what)
{
    MPI_Status status;
    blank(got);
    MPI_File_read_at(file, place(rank), got, 1, column, &status);
    judge(count_of(&status) == ROWS && holds(got, rank, turn, ROWS), what);
}

static void write_and_read(int turn)
{
    MPI_Status status;
    MPI_Request request;
    write_column(own, rank, turn);
    MPI_File_write_at(file, place(rank), own, 1, column, &status);
    judge(count_of(&status) == ROWS, "the status of MPI_File_write_at");
    read_and_compare(turn, "MPI_File_write_at");
    write_column(own, rank, turn + 1);
    MPI_File_write_at_all(file, place(rank), own, 1, column, MPI_STATUS_IGNORE);
    blank(got);
    MPI_File_read_at_all(file, place(rank), got, 1, column, &status);
    judge(count_of(&status) == ROWS && holds(got, rank, turn + 1, ROWS), "MPI_File_read_at_all");
    write_column(own, rank, turn + 2);
    MPI_File_seek(file, place(rank), MPI_SEEK_SET);
    MPI_File_iwrite(file, own, 1, column, &request);
    MPI_Wait(&request, &status);
    judge(count_of(&status) == ROWS, "the status of MPI_File_iwrite");
    blank(own);
    blank(got);
    MPI_File_iread_at(file, place(rank), got, 1, column, &request);
    MPI_Wait(&request, &status);
    judge(count_of(&status) == ROWS && holds(got, rank, turn + 2, ROWS), "MPI_File_iread_at");
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Others call in between, and the memory of a read is not looked at before its end. */
static void write_and_read_in_halves(int turn)
{
    MPI_Status status;
    write_column(own, rank, turn + 3);
    MPI_File_write_at_all_begin(file, place(rank), own, 1, column);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_write_at_all_end(file, own, &status);
    judge(count_of(&status) == ROWS, "the status of MPI_File_write_at_all_end");
    blank(own);
    blank(got);
    MPI_File_seek(file, place(rank), MPI_SEEK_SET);
    MPI_File_read_all_begin(file, got, 1, column);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_all_end(file, got, &status);
    judge(count_of(&status) == ROWS && holds(got, rank, turn + 3, ROWS), "MPI_File_read_all_end");
}

/* Behind the end of a file nothing is read, and memory stays as it is. */
static void read_too_much(void)
{
    MPI_Status status;
    MPI_Offset end = place(size);
    write_column(own, 0, 5);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_set_size(file, end);
    if (rank == 0)
        MPI_File_write_at(file, end, own, ROWS / 2, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    blank(got);
    MPI_File_read_at(file, end, got, 1, column, &status);
    int is_right = count_of(&status) == ROWS / 2;
    for (int i = 0; i < ROWS; i++)
        is_right = is_right && got[WIDTH * i] == (i < ROWS / 2 ? own[i] : BLANK);
    judge(is_right, "MPI_File_read_at behind the end");
}

/* Other representations depend on the type, and are MPI's. */
static void write_foreign(void)
{
    unsigned char bytes[sizeof(double)], one[] = {0x3f, 0xf0, 0, 0, 0, 0, 0, 0};
    if (MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "external32", MPI_INFO_NULL) ==
        MPI_SUCCESS) {
        blank(own);
        for (int i = 0; i < ROWS; i++)
            own[WIDTH * i] = 1;
        MPI_File_write_at(file, rank * ROWS, own, 1, column, MPI_STATUS_IGNORE);
        MPI_File_sync(file);
        MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
        MPI_File_read_at(file, place(rank), bytes, sizeof bytes, MPI_BYTE, MPI_STATUS_IGNORE);
        judge(memcmp(bytes, one, sizeof one) == 0, "external32");
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void move_files(const char *path)
{
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    for (int turn = 0; turn < TURNS; turn++) {
        write_and_read(turn);
        write_and_read_in_halves(turn);
    }
    if (!BUG_READ_BEHIND_END)
        read_too_much();
    write_foreign();
    judge(MPI_File_close(&file) == MPI_SUCCESS && file == MPI_FILE_NULL, "to close");
}

int main(int argc, char **argv)
{
    MPI_Datatype narrow;
    corner_open(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Type_vector(ROWS, 1, WIDTH, MPI_DOUBLE, &narrow);
    MPI_Type_create_resized(narrow, 0, sizeof own, &column);
    MPI_Type_commit(&column);
    MPI_Type_free(&narrow);
    move_one_sided();
    move_files(argv[1]);
    MPI_Type_free(&column);
    return corner_close();
}
