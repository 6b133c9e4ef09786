/* SPDX-License-Identifier: BSD-3-Clause */
#include "launcher.h"

#include <string.h>

/* Debian adds whose it is: mpirun.mpich. */
static bool is_called(const char *name, const char *launcher)
{
    size_t length = strlen(launcher);
    return strncmp(name, launcher, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

bool launcher_is(const char *program)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun", "srun"};
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_called(name, names[i]))
            return true;
    return false;
}
