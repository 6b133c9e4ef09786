/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * start [MODE]: columns of matrices, short and long, around a ring of any number of processes,
 * also of one. Each process checks what came and says how many mistakes it found. The mode is
 * something that programs do besides.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WIDTH 3
#define MOST_ROWS 20000
#define THREADS 2

static int rank, size;

struct column {
    double *out, *in;
    int tag, mistakes;
};

static void open_column(struct column *column, int tag)
{
    column->out = malloc(sizeof(double) * WIDTH * MOST_ROWS);
    column->in = malloc(sizeof(double) * WIDTH * MOST_ROWS);
    column->tag = tag;
    column->mistakes = 0;
    if (!column->out || !column->in)
        abort();
}

static void close_column(struct column *column)
{
    free(column->out);
    free(column->in);
}

/* ---- The ring ------------------------------------------------------------------------------ */

static double value(int sender, int place)
{
    return 1000.0 * sender + place;
}

static void check(struct column *column, int rows, int left)
{
    for (int i = 0; i < rows * WIDTH; i++)
        column->mistakes += column->in[i] != (i % WIDTH == 0 ? value(left, i) : -1);
}

static void fill(struct column *column, int rows)
{
    for (int i = 0; i < rows * WIDTH; i++) {
        column->out[i] = value(rank, i);
        column->in[i] = -1;
    }
}

static int is_error(int result)
{
    return result != MPI_SUCCESS;
}

/* From the process that is `distance` to the left to that which is as far to the right. */
static void exchange_with(struct column *column, int distance, int rows)
{
    MPI_Datatype type;
    MPI_Request requests[2];
    int left = (rank + size - distance) % size, right = (rank + distance) % size, is_over;
    MPI_Type_vector(rows, 1, WIDTH, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    fill(column, rows);
    int errors =
        is_error(MPI_Irecv(column->in, 1, type, left, column->tag, MPI_COMM_WORLD, &requests[0]));
    errors += is_error(MPI_Test(&requests[0], &is_over, MPI_STATUS_IGNORE));
    errors += is_error(
        MPI_Isend(column->out, 1, type, right, column->tag, MPI_COMM_WORLD, &requests[1]));
    errors += is_error(MPI_Testall(2, requests, &is_over, MPI_STATUSES_IGNORE));
    errors += is_error(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    column->mistakes += errors;
    check(column, rows, left);
    MPI_Type_free(&type);
}

static void exchange(struct column *column, int rows)
{
    exchange_with(column, 1, rows);
}

static void exchange_all(struct column *column)
{
    for (int rows = 20; rows <= MOST_ROWS; rows *= 10)
        exchange(column, rows);
}

/* ---- What programs do besides -------------------------------------------------------------- */

static struct column column;

static void with_everybody(void)
{
    for (int distance = 1; distance < size; distance++)
        exchange_with(&column, distance, MOST_ROWS);
}

static void *run_thread(void *context)
{
    exchange_all(context);
    return NULL;
}

static void in_threads(void)
{
    pthread_t threads[THREADS];
    struct column columns[THREADS];
    for (int i = 0; i < THREADS; i++) {
        open_column(&columns[i], 10 + i);
        pthread_create(&threads[i], NULL, run_thread, &columns[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        column.mistakes += columns[i].mistakes;
        close_column(&columns[i]);
    }
}

/* A child that ends by itself, and one that becomes another program. */
static void with_children(void)
{
    for (int i = 0; i < 4; i++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0 && i % 2 == 0)
            _exit(0);
        if (child == 0)
            execl("/bin/true", "true", (char *)NULL);
        exchange(&column, MOST_ROWS);
        column.mistakes += waitpid(child, &status, 0) != child || status != 0;
        exchange(&column, MOST_ROWS);
    }
    column.mistakes += system("true") != 0;
    exchange_all(&column);
}

/* In the child, exit handlers and destructors run, too. */
static void with_child_that_exits(void)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0)
        exit(0);
    exchange_all(&column);
    column.mistakes += waitpid(child, &status, 0) != child || status != 0;
    exchange_all(&column);
}

/* Before the end of MPI: a launcher may kill the others as soon as one has failed. */
static void say(void)
{
    printf("rank %d: %d mistakes\n", rank, column.mistakes);
    fflush(stdout);
    close_column(&column);
    MPI_Finalize();
}

static void finish_late(void)
{
    exchange_all(&column);
    say();
    if (column.mistakes != 0)
        _exit(1);
}

#ifdef WITH_DEVICE
/* The stub of a driver: takes this memory for that of a device. */
typedef void claim_call(const void *memory, size_t size);

#ifdef DRIVER
/* As libraries do that can do without a device: others do not see its names. */
static claim_call *find_claim(void)
{
    void *driver = dlopen(DRIVER, RTLD_LAZY | RTLD_LOCAL);
    if (!driver)
        abort();
    return (claim_call *)dlsym(driver, "stub_claim");
}
#else
claim_call stub_claim;

static claim_call *find_claim(void)
{
    return stub_claim;
}
#endif

static void with_device(const char *mode)
{
    size_t bytes = sizeof(double) * WIDTH * MOST_ROWS;
    claim_call *claim = find_claim();
    claim(column.in, bytes);
    if (strcmp(mode, "device") == 0)
        claim(column.out, bytes);
    exchange_all(&column);
}
#else
static void with_device(const char *mode)
{
    fprintf(stderr, "%s: built without a device\n", mode);
    abort();
}
#endif

static void begin(const char *mode)
{
    int level = MPI_THREAD_SINGLE;
    int wanted = strcmp(mode, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    if (wanted == MPI_THREAD_SINGLE)
        MPI_Init(NULL, NULL);
    else
        MPI_Init_thread(NULL, NULL, wanted, &level);
    if (level < wanted)
        MPI_Abort(MPI_COMM_WORLD, 9);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    open_column(&column, 1);
}

static void communicate(const char *mode)
{
    if (strcmp(mode, "threads") == 0)
        in_threads();
    else if (strcmp(mode, "everybody") == 0)
        with_everybody();
    else if (strcmp(mode, "children") == 0)
        with_children();
    else if (strcmp(mode, "exiting child") == 0)
        with_child_that_exits();
    else if (strncmp(mode, "device", 6) == 0)
        with_device(mode);
    else
        exchange_all(&column);
    if (strcmp(mode, "abort") != 0)
        return;
    if (rank == size - 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    /* That of MPICH 4.2 may return before the launcher ends the job. */
    for (;;)
        pause();
}

/* What MPICH has from version 5 on. */
#ifdef ASKS
int MPIX_Request_is_complete(MPI_Request request);
#else
#define MPIX_Request_is_complete(request) 0
#endif

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    begin(mode);
    (void)MPIX_Request_is_complete(MPI_REQUEST_NULL);
    if (strcmp(mode, "errors") == 0)
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    communicate(mode);
    if (strcmp(mode, "late") == 0) {
        atexit(finish_late);
        return 0;
    }
    say();
    if (strcmp(mode, "exec") == 0)
        execl("/bin/true", "true", (char *)NULL);
    return column.mistakes != 0 ? 1 : strcmp(mode, "fail") == 0 ? 4 : 0;
}
