/* SPDX-License-Identifier: BSD-3-Clause */
/* forbid COMMAND...: runs it, where it may not read the memory of other processes. */
#include <stdio.h>
#include <unistd.h>

#include "support/forbid_reading.h"

int main(int argc, char **argv)
{
    if (argc < 2 || !forbid_reading())
        return 2;
    execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 127;
}
