/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/ofi/devices.h"

#include <dirent.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>

static bool has_entries(const char *folder)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry = NULL;
    if (!entries)
        return false;
    do
        entry = readdir(entries);
    while (entry && entry->d_name[0] == '.');
    closedir(entries);
    return entry;
}

/* Those of Slingshot have a class of their own; of all others (InfiniBand, RoCE, Omni-Path, EFA)
 * verbs know. */
bool weft_ofi_devices_exist(const char *classes)
{
    static const char *const names[] = {"cxi", "infiniband"};
    char folder[PATH_MAX];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(folder, sizeof folder, "%s/%s", classes, names[i]);
        if (has_entries(folder))
            return true;
    }
    return false;
}
