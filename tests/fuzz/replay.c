/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a fuzz target over the files of a folder, without a fuzzer. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/use.h"
#include "support/model.h"
#include "support/tap.h"

#define LARGEST ((size_t)1 << 16)

static void replay(const char *folder, const char *name)
{
    char path[1000];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        abort();
    unsigned char *data = model_alloc(LARGEST, 1);
    size_t size = fread(data, 1, LARGEST, file);
    fclose(file);
    tap_note("%s", name);
    check(size > 0 && LLVMFuzzerTestOneInput(data, size) == 0);
    free(data);
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (!folder) {
        fprintf(stderr, "usage: replay_<target> FOLDER\n");
        return 2;
    }
    for (struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            replay(argv[1], entry->d_name);
    closedir(folder);
    return tap_done();
}
