/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * killed WHEN FILE: rank 0 offers a long message of gaps and is killed, `before` rank 1 takes any
 * of it, or in the `middle`. Rank 1 must hear of it within some seconds, as an error of MPI, or has
 * the whole message. It writes which to the file: launchers lose what is printed after a death.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCKS 4000000
#define FEW_BLOCKS 20000

static int rank;
static MPI_Datatype column;
static int *memory;

static void die_after(unsigned milliseconds)
{
    if (fork() == 0) {
        usleep(milliseconds * 1000);
        kill(getppid(), SIGKILL);
        _exit(0);
    }
}

static void fill(void)
{
    for (int i = 0; i < 2 * BLOCKS; i++)
        memory[i] = rank == 0 ? i : -1;
}

static int is_whole(void)
{
    for (int i = 0; i < 2 * BLOCKS - 1; i++)
        if (memory[i] != (i % 2 ? -1 : i))
            return 0;
    return 1;
}

/* So that the two know each other. */
static void begin(void)
{
    MPI_Datatype few;
    MPI_Type_vector(FEW_BLOCKS, 1, 2, MPI_INT, &few);
    MPI_Type_commit(&few);
    if (rank == 0)
        MPI_Send(memory, 1, few, 1, 4, MPI_COMM_WORLD);
    else
        MPI_Recv(memory, 1, few, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&few);
}

static void tell(int result, const char *path)
{
    const char *what = result ? "an error" : is_whole() ? "no error, whole" : "no error, torn";
    char text[MPI_MAX_ERROR_STRING];
    int length;
    FILE *file = fopen(path, "w");
    MPI_Error_string(result, text, &length);
    fprintf(file, "%s: %s\n", what, text);
    fclose(file);
    /* MPI_Finalize would wait for the dead. */
    _exit(result ? 0 : 1);
}

static void send_and_die(const char *when)
{
    MPI_Request request;
    MPI_Isend(memory, 1, column, 1, 5, MPI_COMM_WORLD, &request);
    /* Not earlier: a barrier without its other half never ends. */
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(when, "before") == 0)
        raise(SIGKILL);
    die_after(3);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    pause();
}

static void receive(const char *when, const char *path)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(when, "before") == 0)
        usleep(300000);
    tell(MPI_Recv(memory, 1, column, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE), path);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc != 3)
        return 2;
    const char *when = argv[1];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    memory = calloc(2 * BLOCKS, sizeof *memory);
    fill();
    begin();
    MPI_Type_vector(BLOCKS, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    if (rank == 0)
        send_and_die(when);
    else
        receive(when, argv[2]);
    return 1;
}
