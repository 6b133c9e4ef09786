/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lifetimes HOW: an MPI program of two ranks that ends, or has children, in the way that is named.
 * Every integer that it receives is looked at; the first that is wrong aborts it.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STRIDE 3
#define LONG 100000

static int rank;

static void need(int is_fine, const char *what)
{
    if (is_fine)
        return;
    fprintf(stderr, "rank %d: %s\n", rank, what);
    abort();
}

static MPI_Datatype column_of(int count)
{
    MPI_Datatype column;
    MPI_Type_vector(count, 1, STRIDE, MPI_INT, &column);
    MPI_Type_commit(&column);
    return column;
}

static void exchange(int count, int tag)
{
    int other = rank ^ 1;
    int *out = calloc(STRIDE * (size_t)count, sizeof *out);
    int *in = calloc(STRIDE * (size_t)count, sizeof *in);
    MPI_Datatype column = column_of(count);
    MPI_Request requests[2];
    for (int i = 0; i < count; i++)
        out[STRIDE * i] = i + rank;
    MPI_Irecv(in, 1, column, other, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 1, column, other, tag, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < count; i++)
        need(in[STRIDE * i] == i + other, "what was received is wrong");
    MPI_Type_free(&column);
    free(out);
    free(in);
}

/* Registered before MPI has registered anything, and the first to talk to the other rank. */
static void last_words(void)
{
    exchange(LONG, 1);
    MPI_Finalize();
}

static void have_children(void)
{
    for (int i = 0; i < 9; i++) {
        int status = -1;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            if (i % 3 == 0)
                exit(0);
            if (i % 3 == 1)
                execl("/bin/true", "true", (char *)NULL);
            _exit(0);
        }
        need(waitpid(child, &status, 0) == child && status == 0, "a child failed");
        exchange(LONG, i);
    }
    need(system("true") == 0, "a command failed");
    exchange(LONG, 9);
    MPI_Finalize();
}

static void leave_a_send(void)
{
    static int data[STRIDE * LONG];
    MPI_Request request;
    MPI_Isend(data, 1, column_of(LONG), rank ^ 1, 7, MPI_COMM_WORLD, &request);
    usleep(1000 * (useconds_t)(rank + 1));
}

/* A send that does not wait for its receiver as long as it could must not be the last of it. */
static void send_and_leave(void)
{
    static int data[STRIDE * LONG];
    if (rank == 0) {
        for (int i = 0; i < LONG; i++)
            data[STRIDE * i] = i;
        MPI_Send(data, 1, column_of(LONG), 1, 8, MPI_COMM_WORLD);
    } else {
        usleep(200000);
        MPI_Recv(data, 1, column_of(LONG), 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < LONG; i++)
            need(data[STRIDE * i] == i, "what the other sent last is wrong");
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    alarm(60);
    int is_handler = strcmp(how, "handler") == 0;
    if (is_handler)
        atexit(last_words);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!is_handler)
        exchange(LONG, 0);
    if (strcmp(how, "children") == 0)
        have_children();
    else if (strcmp(how, "busy") == 0)
        leave_a_send();
    else if (strcmp(how, "early") == 0)
        send_and_leave();
    return 0;
}
