/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 1 asks the MPI library for its calls by name, rank 0 calls as ever, and what they send each
 * other is right. Linked with a tool (by_name_tool.c), which keeps what it has.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "corner.h"

extern int tool_calls;
extern void *tool_found;

struct calls {
    __typeof__(MPI_Send) *send;
    __typeof__(MPI_Recv) *recv;
    __typeof__(MPI_Irecv) *irecv;
    __typeof__(MPI_Wait) *wait;
};

static void *open_object_of(const char *name)
{
    Dl_info info;
    void *found = dlsym(RTLD_DEFAULT, name);
    return found && dladdr(found, &info) ? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
}

static struct calls ask(void *library)
{
    struct calls calls;
    *(void **)&calls.send = dlsym(library, "MPI_Send");
    *(void **)&calls.recv = dlsym(library, "PMPI_Recv");
    *(void **)&calls.irecv = dlsym(library, "MPI_Irecv");
    *(void **)&calls.wait = dlsym(library, "MPI_Wait");
    return calls;
}

/* ---- Messages ------------------------------------------------------------------------------ */

enum { STRIDE = 2 };

static void send_by(const struct calls *calls, int rows)
{
    double *matrix = calloc((size_t)STRIDE * rows, sizeof *matrix);
    MPI_Datatype column = column_of(rows, MPI_DOUBLE);
    for (int i = 0; i < rows; i++)
        matrix[STRIDE * i] = value_of(i);
    calls->send(matrix, 1, column, !rank, 0, MPI_COMM_WORLD);
    MPI_Type_free(&column);
    free(matrix);
}

static void receive_by(const struct calls *calls, int rows, int stride, int is_later)
{
    size_t length = (size_t)stride * rows;
    double *got = malloc(length * sizeof *got);
    MPI_Datatype column = column_of(rows, MPI_DOUBLE);
    MPI_Datatype type = stride == 1 ? MPI_DOUBLE : column;
    int count = stride == 1 ? rows : 1, is_right = 1;
    for (size_t i = 0; i < length; i++)
        got[i] = -1;
    if (is_later) {
        MPI_Request request;
        calls->irecv(got, count, type, !rank, 0, MPI_COMM_WORLD, &request);
        calls->wait(&request, MPI_STATUS_IGNORE);
    } else {
        calls->recv(got, count, type, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (size_t i = 0; i < length; i++)
        is_right = is_right && got[i] == (i % stride ? -1 : value_of((int)i / stride));
    judge(is_right, "a message");
    MPI_Type_free(&column);
    free(got);
}

static void exchange(const struct calls *calls)
{
    static const int rows[] = {5, 9, 100, 1000, 50000};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int form = 0; form < 8; form++)
            if ((form & 1) == rank)
                send_by(calls, rows[i]);
            else
                receive_by(calls, rows[i], form & 2 ? 1 : STRIDE, form & 4);
}

/* ---- Names --------------------------------------------------------------------------------- */

static int is_in(const void *address, const char *path)
{
    Dl_info info;
    return address && dladdr(address, &info) && strcmp(info.dli_fname, path) == 0;
}

static void judge_error(void *handle, const char *path, const char *name)
{
    char expected[4096];
    snprintf(expected, sizeof expected, "%s: undefined symbol: %s", path, name);
    void *found = dlsym(handle, name);
    const char *error = dlerror();
    judge(!found && error && strcmp(error, expected) == 0, expected);
    judge(!dlerror(), "an error is told twice");
}

static void judge_names(const char *program, void *library, const char *path)
{
    void *send = dlsym(RTLD_DEFAULT, "MPI_Send");
    judge(dlsym(RTLD_NEXT, "MPI_Send") == send, "what is behind the program");
    judge(dlsym(library, "MPI_Wait") == tool_found, "what was asked for before main");
    judge(dlsym(library, "no_such_call") == NULL && dlsym(library, "MPI_Send") && !dlerror(),
          "an error outlives a success");
    judge(is_in(dlsym(library, "MPI_Get_version"), path), "a call that nobody stands before");
#ifdef OPEN_MPI
    /* From version 6 on it is in another library. */
    judge(dlsym(library, "ompi_mpi_comm_world") != NULL, "data");
#else
    judge(is_in(dlsym(library, "MPI_UNWEIGHTED"), path), "data");
#endif
    static const char *const missing[] = {"MPI_No_such_call", "no_such_call"};
    for (int i = 0; i < 2; i++) {
        judge_error(library, path, missing[i]);
        judge_error(RTLD_DEFAULT, program, missing[i]);
        judge_error(RTLD_NEXT, program, missing[i]);
    }
}

static void judge_tool(void *library)
{
    Dl_info info;
    void *tool = open_object_of("getppid");
    dladdr(dlsym(tool, "getppid"), &info);
    judge(is_in(dlsym(tool, "MPI_Recv"), info.dli_fname), "a call of the tool");
    judge(dlsym(tool, "MPI_Send") == dlsym(library, "MPI_Send"), "a call behind the tool");
    judge(getppid() == syscall(SYS_getppid) && tool_calls == 1, "what the tool finds behind it");
}

int main(int argc, char **argv)
{
    static const struct calls bound = {MPI_Send, MPI_Recv, MPI_Irecv, MPI_Wait};
    Dl_info info;
    corner_open(&argc, &argv);
    /* Weft does not stand before this call. */
    void *library = open_object_of("MPI_Get_version");
    dladdr(dlsym(library, "MPI_Get_version"), &info);
    struct calls by_name = ask(library);
    exchange(rank ? &by_name : &bound);
    judge_names(argv[0], library, info.dli_fname);
    judge_tool(library);
    return corner_close();
}
