/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi_flavour.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/setting.h"
#include "elf_file.h"

/* After this the dynamic linker counts as stuck, and the launcher is asked instead. */
#define LINKER_SECONDS 10

const struct weft_mpi_flavour_info *weft_mpi_flavour_info(enum weft_mpi_flavour flavour)
{
    static const struct weft_mpi_flavour_info infos[] = {
        [WEFT_MPI_ABI] = {"abi", "mpi_abi"},
        [WEFT_MPI_OPENMPI] = {"openmpi", "mpi_openmpi"},
        [WEFT_MPI_MPICH] = {"mpich", "mpi_mpich"},
    };
    return infos[flavour].name ? &infos[flavour] : NULL;
}

/* ---- Finding the program ------------------------------------------------------------------- */

static bool find_in_path(const char *program, char path[PATH_MAX])
{
    char folders[4 * PATH_MAX];
    const char *variable = weft_setting_environment(WEFT_SETTING_ENVIRONMENT_PATH);
    snprintf(folders, sizeof folders, "%s", variable ? variable : "/usr/bin:/bin");
    for (char *rest = folders, *folder; (folder = strsep(&rest, ":"));) {
        snprintf(path, PATH_MAX, "%s/%s", *folder ? folder : ".", program);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

static bool find_program(const char *program, char path[PATH_MAX])
{
    if (!strchr(program, '/'))
        return find_in_path(program, path);
    snprintf(path, PATH_MAX, "%s", program);
    return access(path, X_OK) == 0;
}

/* ---- Its libraries ------------------------------------------------------------------------- */

/* Names of files say nothing: libmpi.so.12 is MPICH's and that of its relatives, libmpi.so.40 Open
 * MPI's, and whoever builds either may call it otherwise. These symbols are what the headers of
 * the two refer to, so all libraries that programs of theirs run with have them; tools that stand
 * between program and MPI, as we do, have MPI_Init but not these. */
static enum weft_mpi_flavour flavour_of_library(const char *path)
{
    /* Behind it is a library of either, but it is the standard that gives it this name. */
    if (strstr(path, "/libmpi_abi.so"))
        return WEFT_MPI_ABI;
    if (weft_elf_defines(path, "ompi_mpi_comm_world"))
        return WEFT_MPI_OPENMPI;
    return weft_elf_defines(path, "MPIR_Dup_fn") ? WEFT_MPI_MPICH : WEFT_MPI_NONE;
}

/* Of a line "NAME => PATH (ADDRESS)" or "PATH (ADDRESS)"; NULL if it has none. */
static const char *path_in(char *line)
{
    char *arrow = strstr(line, " => "), *end = strrchr(line, '(');
    if (!end || end == line)
        return NULL;
    end[-1] = 0;
    const char *path = arrow ? arrow + strlen(" => ") : line + strspn(line, " \t");
    return strchr(path, '/') ? path : NULL;
}

static _Noreturn void be_linker(int out, const char *linker, const char *path)
{
    /* The pipe may be one of the three itself, if the program is started with less. */
    dup2(fcntl(out, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), STDOUT_FILENO);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    signal(SIGALRM, SIG_DFL);
    alarm(LINKER_SECONDS);
    execl(linker, linker, "--list", path, (char *)NULL);
    _exit(127);
}

static enum weft_mpi_flavour read_list(FILE *lines)
{
    char *line = NULL;
    size_t room = 0;
    enum weft_mpi_flavour flavour = WEFT_MPI_NONE;
    while (getline(&line, &room, lines) > 0) {
        const char *path = path_in(line);
        if (path && flavour == WEFT_MPI_NONE)
            flavour = flavour_of_library(path);
    }
    free(line);
    return flavour;
}

/* The dynamic linker itself lists what it would load, in the order in which it looks for symbols,
 * so that its rules and settings hold. The program does not run. */
static enum weft_mpi_flavour ask_linker(const char *linker, const char *path)
{
    int ends[2];
    enum weft_mpi_flavour flavour = WEFT_MPI_NONE;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return flavour;
    pid_t child = fork();
    if (child == 0)
        be_linker(ends[1], linker, path);
    close(ends[1]);
    FILE *lines = fdopen(ends[0], "r");
    if (lines) {
        flavour = read_list(lines);
        fclose(lines);
    } else {
        close(ends[0]);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
    return flavour;
}

/* ---- All of it ----------------------------------------------------------------------------- */

static enum weft_mpi_flavour ask_launcher(void)
{
    if (weft_setting_environment(WEFT_SETTING_ENVIRONMENT_OMPI_COMM_WORLD_SIZE))
        return WEFT_MPI_OPENMPI;
    return weft_setting_environment(WEFT_SETTING_ENVIRONMENT_PMI_FD) ? WEFT_MPI_MPICH
                                                                     : WEFT_MPI_NONE;
}

static enum weft_mpi_flavour flavour_of_file(const char *path)
{
    char linker[PATH_MAX];
    enum weft_mpi_flavour flavour = WEFT_MPI_NONE;
    switch (weft_elf_kind(path, linker)) {
    case WEFT_ELF_STATIC:
        return WEFT_MPI_STATIC;
    case WEFT_ELF_FOREIGN:
        return WEFT_MPI_FOREIGN;
    case WEFT_ELF_DYNAMIC:
        flavour = ask_linker(linker, path);
        if (flavour == WEFT_MPI_NONE && weft_elf_contains(path, "PMPI_Init"))
            return WEFT_MPI_STATIC;
        break;
    case WEFT_ELF_NONE:
        break;
    }
    return flavour;
}

enum weft_mpi_flavour weft_mpi_flavour(const char *program)
{
    char path[PATH_MAX];
    if (!find_program(program, path))
        return WEFT_MPI_MISSING;
    enum weft_mpi_flavour flavour = flavour_of_file(path);
    return flavour == WEFT_MPI_NONE ? ask_launcher() : flavour;
}

bool weft_mpi_is_program(const char *word)
{
    char path[PATH_MAX];
    if (!find_program(word, path))
        return false;
    return weft_mpi_flavour_info(flavour_of_file(path)) != NULL;
}
