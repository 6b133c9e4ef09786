/* SPDX-License-Identifier: BSD-3-Clause */
/* Hosts by name, numbered in the order of a list: "alpha,beta,gamma". */
#ifndef WEFT_JOB_HOSTS_H
#define WEFT_JOB_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

struct weft_job_host;

struct weft_job_hosts {
    uint32_t count;
    char *names;             /* the list, with zeros for commas */
    struct weft_job_host *order; /* by name */
};

/* False if the list is empty or there is no memory. */
bool weft_job_hosts_open(struct weft_job_hosts *hosts, const char *list);
bool weft_job_hosts_find(const struct weft_job_hosts *hosts, const char *name, uint32_t *number);
void weft_job_hosts_close(struct weft_job_hosts *hosts);

#endif
