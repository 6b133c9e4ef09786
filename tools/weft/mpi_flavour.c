/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi_flavour.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/setting.h"

/* ---- Finding the program ------------------------------------------------------------------- */

static bool find_in_path(const char *program, char path[PATH_MAX])
{
    char folders[4 * PATH_MAX];
    const char *variable = weft_environment(WEFT_ENVIRONMENT_PATH);
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

/* ---- Looking into it ----------------------------------------------------------------------- */

enum file_kind { SCRIPT, DYNAMIC, STATIC };

static enum file_kind kind_of(const char *path)
{
    Elf64_Ehdr head;
    Elf64_Phdr part;
    enum file_kind kind = SCRIPT;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return SCRIPT;
    if (pread(fd, &head, sizeof head, 0) == (ssize_t)sizeof head &&
        memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64) {
        kind = STATIC;
        for (unsigned i = 0; i < head.e_phnum; i++) {
            off_t at = (off_t)(head.e_phoff + (Elf64_Off)i * head.e_phentsize);
            if (pread(fd, &part, sizeof part, at) == (ssize_t)sizeof part &&
                part.p_type == PT_INTERP)
                kind = DYNAMIC;
        }
    }
    close(fd);
    return kind;
}

/* The dynamic linker lists what it would load, instead of running the program. */
static enum weft_mpi_flavour ask_linker(const char *path)
{
    int ends[2];
    char line[PATH_MAX];
    enum weft_mpi_flavour flavour = WEFT_MPI_NONE;
    if (pipe(ends) != 0)
        return flavour;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
        execl(path, path, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *lines = fdopen(ends[0], "r");
    while (lines && fgets(line, sizeof line, lines)) {
        if (strstr(line, "libmpi.so."))
            flavour = WEFT_MPI_OPENMPI;
        else if (strstr(line, "libmpich.so."))
            flavour = WEFT_MPI_MPICH;
    }
    if (lines)
        fclose(lines);
    waitpid(child, NULL, 0);
    return flavour;
}

static enum weft_mpi_flavour ask_launcher(void)
{
    if (weft_environment(WEFT_ENVIRONMENT_OMPI_COMM_WORLD_SIZE))
        return WEFT_MPI_OPENMPI;
    return weft_environment(WEFT_ENVIRONMENT_PMI_FD) ? WEFT_MPI_MPICH : WEFT_MPI_NONE;
}

enum weft_mpi_flavour weft_mpi_flavour(const char *program)
{
    char path[PATH_MAX];
    if (!find_program(program, path))
        return WEFT_MPI_NONE;
    enum file_kind kind = kind_of(path);
    if (kind == STATIC)
        return WEFT_MPI_STATIC;
    enum weft_mpi_flavour flavour = kind == DYNAMIC ? ask_linker(path) : WEFT_MPI_NONE;
    return flavour == WEFT_MPI_NONE ? ask_launcher() : flavour;
}
