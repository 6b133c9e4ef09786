/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Columns of a matrix by calls that are no messages: collectives, one-sided communication, files.
 * An ordinary program that knows nothing of Weft; columns.py runs it with and without. Its
 * arguments are a file for it to write, how many columns lie beside one another, and what is in
 * the names of the calls that are wanted. Each line it prints is a call, bytes and microseconds.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 64, FEWEST = 200, MOST = 20000, CALLS = 20, TURNS = 12, SETTLING = 6 };

static struct {
    int rank, size, rows, columns, next;
    double *matrix, *other;
    MPI_Datatype column;
    MPI_File file;
    MPI_Win window, shared;
} job;

static MPI_Offset place(void)
{
    return (MPI_Offset)job.rank * job.rows * job.columns * (MPI_Offset)sizeof(double);
}

static void bcast(void)
{
    MPI_Bcast(job.matrix, 1, job.column, 0, MPI_COMM_WORLD);
}

static void gather(void)
{
    MPI_Gather(job.matrix, 1, job.column, job.other, 1, job.column, 0, MPI_COMM_WORLD);
}

static void allgather(void)
{
    MPI_Allgather(job.matrix, 1, job.column, job.other, 1, job.column, MPI_COMM_WORLD);
}

static void scatter(void)
{
    MPI_Scatter(job.other, 1, job.column, job.matrix, 1, job.column, 0, MPI_COMM_WORLD);
}

static void put_into(MPI_Win window, int count, MPI_Datatype type)
{
    MPI_Win_fence(0, window);
    MPI_Put(job.matrix, 1, job.column, job.next, 0, count, type, window);
    MPI_Win_fence(0, window);
}

static void put(void)
{
    put_into(job.window, job.rows * job.columns, MPI_DOUBLE);
}

static void put_apart(void)
{
    put_into(job.window, 1, job.column);
}

static void get(void)
{
    MPI_Win_lock_all(0, job.window);
    MPI_Get(job.matrix, 1, job.column, job.next, 0, job.rows * job.columns, MPI_DOUBLE,
            job.window);
    MPI_Win_unlock_all(job.window);
}

/* In a window of shared memory: what both sides call a column, or one of them. */
static void put_shared(void)
{
    put_into(job.shared, 1, job.column);
}

static void put_packed_shared(void)
{
    put_into(job.shared, job.rows * job.columns, MPI_DOUBLE);
}

static void get_shared(void)
{
    MPI_Win_lock_all(0, job.shared);
    MPI_Get(job.matrix, 1, job.column, job.next, 0, 1, job.column, job.shared);
    MPI_Win_unlock_all(job.shared);
}

static void rget_packed_shared(void)
{
    MPI_Request request;
    MPI_Win_lock_all(0, job.shared);
    MPI_Rget(job.matrix, job.rows * job.columns, MPI_DOUBLE, job.next, 0, 1, job.column,
             job.shared, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(job.shared);
}

static void write_at(void)
{
    MPI_File_write_at(job.file, place(), job.matrix, 1, job.column, MPI_STATUS_IGNORE);
}

static void read_at(void)
{
    MPI_File_read_at(job.file, place(), job.matrix, 1, job.column, MPI_STATUS_IGNORE);
}

static void write_at_all(void)
{
    MPI_File_write_at_all(job.file, place(), job.matrix, 1, job.column, MPI_STATUS_IGNORE);
}

static const struct {
    const char *name;
    void (*run)(void);
} calls[] = {
    {"Bcast", bcast},
    {"Gather", gather},
    {"Allgather", allgather},
    {"Scatter", scatter},
    {"Put", put},
    {"Put,into-a-column", put_apart},
    {"Get", get},
    {"Put,shared", put_packed_shared},
    {"Put,shared,into-a-column", put_shared},
    {"Get,shared,from-a-column", get_shared},
    {"Rget,shared,of-a-column", rget_packed_shared},
    {"File_write_at", write_at},
    {"File_read_at", read_at},
    {"File_write_at_all", write_at_all},
};

/* Of the turns after the first ones the fastest: Weft tries its ways first. */
static double time_of(void (*run)(void))
{
    double least = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        for (int i = 0; i < CALLS; i++)
            run();
        double took = (MPI_Wtime() - start) / CALLS;
        if (turn >= SETTLING && (least == 0 || took < least))
            least = took;
    }
    return least;
}

static void open_all(const char *path)
{
    size_t cells = (size_t)job.rows * WIDTH;
    double *memory, *shared;
    MPI_Datatype apart;
    job.matrix = calloc(cells, sizeof(double));
    job.other = calloc(cells, sizeof(double));
    MPI_Type_vector(job.rows, job.columns, WIDTH, MPI_DOUBLE, &apart);
    MPI_Type_create_resized(apart, 0, job.columns * (MPI_Aint)sizeof(double), &job.column);
    MPI_Type_commit(&job.column);
    MPI_Type_free(&apart);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &job.file);
    MPI_Win_allocate((MPI_Aint)(cells * sizeof(double)), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &job.window);
    MPI_Win_allocate_shared((MPI_Aint)(cells * sizeof(double)), 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                            &shared, &job.shared);
}

static void close_all(void)
{
    MPI_File_close(&job.file);
    MPI_Win_free(&job.window);
    MPI_Win_free(&job.shared);
    MPI_Type_free(&job.column);
    free(job.matrix);
    free(job.other);
}

int main(int count, char **arguments)
{
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.size);
    job.next = (job.rank + 1) % job.size;
    job.columns = count == 4 ? (int)strtol(arguments[2], NULL, 10) : 0;
    bool is_right = job.columns > 0 && job.columns * job.size <= WIDTH;
    for (job.rows = FEWEST; is_right && job.rows <= MOST; job.rows *= 10) {
        open_all(arguments[1]);
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
            if (!strstr(calls[i].name, arguments[3]))
                continue;
            double seconds = time_of(calls[i].run);
            if (job.rank == 0)
                printf("%s %zu %.3f\n", calls[i].name,
                       (size_t)job.rows * job.columns * sizeof(double), seconds * 1e6);
        }
        close_all();
    }
    MPI_Finalize();
    return !is_right;
}
