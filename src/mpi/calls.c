/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/calls.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "base/log.h"

#ifdef OPEN_MPI
#define LIBRARY "libmpi.so.40"
#else
#define LIBRARY "libmpich.so.12"
#endif

struct weft_mpi_calls mpi;
#ifdef OPEN_MPI
struct weft_mpi_objects weft_mpi_objects;
#endif
static bool has_all;

/* Python loads MPI so that nobody else sees it: then it has to be named. */
static void *find(void *scope, const char *name)
{
    void *found = dlsym(scope, name);
    if (found)
        return found;
    void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
    return library ? dlsym(library, name) : NULL;
}

static bool load(void)
{
    has_all = true;
#define FIND(name)                                                                                \
    *(void **)&mpi.name = find(RTLD_NEXT, "PMPI_" #name);                                         \
    has_all = mpi.name && has_all;
    WEFT_MPI_CALLS(FIND)
#undef FIND
/* The program itself may have them: then its own are those that all use. */
#define FIND(name)                                                                                \
    weft_mpi_objects.name = find(RTLD_DEFAULT, #name);                                            \
    has_all = weft_mpi_objects.name && has_all;
    WEFT_MPI_OBJECTS(FIND)
#undef FIND
    return has_all;
}

__attribute__((constructor)) static void load_early(void)
{
    load();
}

void weft_mpi_load(void)
{
    if (has_all || load())
        return;
    weft_log(WEFT_LOG_ERROR, "cannot find the calls of " LIBRARY ": run the program without weft");
    abort();
}
