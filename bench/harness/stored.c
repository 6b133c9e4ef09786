/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/harness/stored.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MOST_LINE 512

bool stored_read(const char *const *files, void (*take)(const char *line))
{
    char line[MOST_LINE];
    for (; *files; files++) {
        FILE *in = fopen(*files, "r");
        if (!in) {
            fprintf(stderr, "weft bench: %s cannot be read: %s\n", *files, strerror(errno));
            return false;
        }
        while (fgets(line, sizeof(line), in))
            take(line);
        fclose(in);
    }
    return true;
}
