/* SPDX-License-Identifier: BSD-3-Clause */
/* forbid CALL... -- COMMAND...: runs it where these calls of the system are not to be had. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "support/forbid.h"

static const struct {
    const char *name;
    long number;
    int error;
} calls[] = {
    {"process_vm_readv", SYS_process_vm_readv, EPERM},
    {"memfd_create", SYS_memfd_create, ENOSYS},
    {"pidfd_open", SYS_pidfd_open, ENOSYS},
};

static bool forbid_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i].name, name) == 0)
            return forbid(calls[i].number, calls[i].error);
    return false;
}

int main(int argc, char **argv)
{
    int i = 1;
    for (; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!forbid_by_name(argv[i]))
            return 2;
    if (++i >= argc)
        return 2;
    execvp(argv[i], argv + i);
    perror(argv[i]);
    return 127;
}
