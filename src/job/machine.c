/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/machine.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"

enum { BOOT_ID = 36 }; /* characters of it */

bool weft_job_machine_learn(struct weft_job_machine *host)
{
    struct stat network, processes;
    *host = (struct weft_job_machine){0};
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, host->boot, sizeof host->boot);
    if (fd >= 0)
        close(fd);
    if (got < BOOT_ID || stat("/proc/self/ns/net", &network) < 0 ||
        stat("/proc/self/ns/pid", &processes) < 0)
        return false;
    host->network = network.st_ino;
    host->processes = processes.st_ino;
    return true;
}

bool weft_job_machine_is_same(const struct weft_job_machine *a, const struct weft_job_machine *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

uint64_t weft_job_machine_of_processes(const struct weft_job_machine *host)
{
    uint64_t hash = host->processes;
    for (unsigned i = 0; i < sizeof host->boot; i++)
        hash = weft_hash_mix(hash, host->boot[i]);
    return hash;
}
