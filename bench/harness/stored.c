/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/harness/stored.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MOST_LINE 512

bool stored_read(const struct bench_turns *turns, void (*take)(const char *line, void *context),
                 void *context)
{
    char line[MOST_LINE];
    if (!turns->plot) {
        fprintf(stderr, "weft bench: --from only draws: --plot says into which file\n");
        return false;
    }
    for (const char *const *files = turns->from; *files; files++) {
        FILE *in = fopen(*files, "r");
        if (!in) {
            fprintf(stderr, "weft bench: %s cannot be read: %s\n", *files, strerror(errno));
            return false;
        }
        while (fgets(line, sizeof(line), in))
            take(line, context);
        fclose(in);
    }
    return true;
}
