/* SPDX-License-Identifier: BSD-3-Clause */
#include "preload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Beside the command as it is installed, or as it is built. */
bool preload_find(const char *name, char path[PATH_MAX])
{
    static const char *const folders[] = {WEFT_PRELOAD, "../../src"};
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return false;
    self[length] = 0;
    char *slash = strrchr(self, '/');
    *slash = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char wish[3 * PATH_MAX];
        snprintf(wish, sizeof wish, "%s/%s/libweft_%s.so", self, folders[i], name);
        if (realpath(wish, path))
            return true;
    }
    return false;
}

bool preload_is_ours(const char *path)
{
    return strstr(path, "/libweft_mpi_") || strstr(path, "/libweft_heap.");
}
