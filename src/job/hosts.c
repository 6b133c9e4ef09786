/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/hosts.h"

#include <stdlib.h>
#include <string.h>

struct weft_job_host {
    const char *name;
    uint32_t number;
};

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct weft_job_host *)a)->name,
                  ((const struct weft_job_host *)b)->name);
}

bool weft_job_hosts_open(struct weft_job_hosts *hosts, const char *list)
{
    *hosts = (struct weft_job_hosts){.count = 1, .names = strdup(list)};
    for (const char *at = list; (at = strchr(at, ',')); at++)
        hosts->count++;
    hosts->order = calloc(hosts->count, sizeof(*hosts->order));
    if (!*list || !hosts->names || !hosts->order) {
        weft_job_hosts_close(hosts);
        return false;
    }
    char *name = hosts->names;
    for (uint32_t i = 0; i < hosts->count; i++) {
        size_t length = strcspn(name, ",");
        name[length] = '\0';
        hosts->order[i] = (struct weft_job_host){name, i};
        name += length + 1;
    }
    qsort(hosts->order, hosts->count, sizeof(*hosts->order), compare);
    return true;
}

bool weft_job_hosts_find(const struct weft_job_hosts *hosts, const char *name, uint32_t *number)
{
    const struct weft_job_host wanted = {.name = name};
    const struct weft_job_host *found =
        hosts->count == 0
            ? NULL
            : bsearch(&wanted, hosts->order, hosts->count, sizeof(*hosts->order), compare);
    if (found)
        *number = found->number;
    return found != NULL;
}

void weft_job_hosts_close(struct weft_job_hosts *hosts)
{
    free(hosts->names);
    free(hosts->order);
    *hosts = (struct weft_job_hosts){0};
}
