/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that stands before the MPI library and libc, and goes on to them: see by_name.c. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <unistd.h>

int tool_calls;
void *tool_found;

/* Libraries behind that of Weft begin before it. */
__attribute__((constructor)) static void ask_early(void)
{
    Dl_info info;
    if (dladdr(dlsym(RTLD_DEFAULT, "MPI_Get_version"), &info))
        tool_found = dlsym(dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD), "MPI_Wait");
}

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    return PMPI_Recv(buffer, count, type, from, tag, comm, status);
}

pid_t getppid(void)
{
    pid_t (*next)(void);
    *(void **)&next = dlsym(RTLD_NEXT, "getppid");
    tool_calls++;
    return next && next != getppid ? next() : -1;
}
