/* SPDX-License-Identifier: BSD-3-Clause */
#include "info_mpi.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "json.h"
#include "mpi_flavour.h"
#include "preload.h"

/* A library that has not been loaded by then is not listed. */
#define LOAD_SECONDS 10

enum { LONGEST_VERSION = 8192 }; /* of MPI_Get_library_version, in both */

/* The names under which programs ask for it: of Open MPI since 4, of MPICH and its relatives, of
 * MPICH in Debian, and of the standard ABI. */
static const char *const names[] = {"libmpi.so.40", "libmpi.so.12", "libmpich.so.12",
                                    "libmpi_abi.so.1"};

enum { LIBRARIES = sizeof names / sizeof *names };

static struct library {
    char path[PATH_MAX]; /* empty: there is none */
    char version[128];
    enum weft_mpi_flavour flavour;
} libraries[LIBRARIES];

/* ---- Looking ------------------------------------------------------------------------------- */

/* Up to the first comma or line: MPICH goes on with how it was built. */
static void read_version(void *handle, struct library *library)
{
    static char text[LONGEST_VERSION];
    int length = 0, (*ask)(char *, int *);
    *(void **)&ask = dlsym(handle, "MPI_Get_library_version");
    if (ask)
        ask(text, &length);
    for (char *at = text; *at; at++)
        if (*at == '\t')
            *at = ' ';
    snprintf(library->version, sizeof library->version, "%.*s", (int)strcspn(text, ",\n"), text);
}

/* Behind the standard ABI may be a library with the symbols of either. */
static enum weft_mpi_flavour flavour_of(void *handle)
{
    int major = -1, minor = -1, (*ask)(int *, int *);
    *(void **)&ask = dlsym(handle, "MPI_Abi_get_version");
    if (ask && ask(&major, &minor) == 0 && major > 0)
        return WEFT_MPI_ABI;
    if (dlsym(handle, "ompi_mpi_comm_world"))
        return WEFT_MPI_OPENMPI;
    return dlsym(handle, "MPIR_Dup_fn") ? WEFT_MPI_MPICH : WEFT_MPI_NONE;
}

static void load(const char *name, struct library *library)
{
    struct link_map *map;
    void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
        return;
    library->flavour = flavour_of(handle);
    read_version(handle, library);
    if (!weft_mpi_flavour_info(library->flavour) || !realpath(map->l_name, library->path))
        library->path[0] = 0;
}

static _Noreturn void be_loader(const char *name, int out)
{
    struct library library = {0};
    signal(SIGALRM, SIG_DFL);
    alarm(LOAD_SECONDS);
    load(name, &library);
    bool is_told = write(out, &library, sizeof library) == (ssize_t)sizeof library;
    _exit(!is_told);
}

/* Two MPI libraries in one process would be in each other's way, and what they do when they are
 * loaded is not ours to suffer from. */
static void look_for(const char *name, struct library *library)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    pid_t child = fork();
    if (child == 0)
        be_loader(name, ends[1]);
    close(ends[1]);
    if (read(ends[0], library, sizeof *library) != (ssize_t)sizeof *library)
        *library = (struct library){0};
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
}

/* Several names may lead to one file. */
static void drop_if_known(struct library *library)
{
    for (const struct library *other = libraries; other < library; other++)
        if (strcmp(other->path, library->path) == 0)
            library->path[0] = 0;
}

void info_mpi_look(void)
{
    fflush(NULL);
    for (size_t i = 0; i < LIBRARIES; i++) {
        look_for(names[i], &libraries[i]);
        drop_if_known(&libraries[i]);
    }
}

/* ---- Telling ------------------------------------------------------------------------------- */

/* Empty if it is not installed. */
static const char *preload_for(const struct library *library, char path[PATH_MAX])
{
    return preload_find(weft_mpi_flavour_info(library->flavour)->preload, path) ? path : "";
}

void info_mpi_print(void)
{
    bool has_any = false;
    printf("\nMPI libraries:\n");
    for (const struct library *library = libraries; library < libraries + LIBRARIES; library++) {
        char path[PATH_MAX];
        if (!*library->path)
            continue;
        has_any = true;
        printf("  %s\n    %s\n", library->version, library->path);
        if (*preload_for(library, path))
            printf("    weft run loads %s\n", path);
        else
            printf("    weft run has no library for it: build Weft where its headers are\n");
    }
    if (!has_any)
        printf("  none that the dynamic linker finds, see LD_LIBRARY_PATH\n");
}

void info_mpi_json(void)
{
    weft_json_open("mpi", '[');
    for (const struct library *library = libraries; library < libraries + LIBRARIES; library++) {
        char path[PATH_MAX];
        if (!*library->path)
            continue;
        weft_json_open(NULL, '{');
        weft_json_string("version", library->version);
        weft_json_string("flavour", weft_mpi_flavour_info(library->flavour)->name);
        weft_json_string("path", library->path);
        weft_json_string("preload", preload_for(library, path));
        weft_json_close('}');
    }
    weft_json_close(']');
}
