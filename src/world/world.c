/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/setting.h"
#include "world/shm/rendezvous.h"
#include "world/shm/shm.h"
#include "world/wireup/wireup.h"

/* ---- The job ------------------------------------------------------------------------------- */

/* Launchers accept a process once, so worlds come and go but this stays. */
static struct {
    bool is_known;
    enum weft_wireup_status status;
    struct weft_wireup *wireup;
    struct weft_job job;
    pid_t owner;
} membership;

/* A child of ours that ends is not the end of us. */
static void leave_job(void)
{
    if (getpid() == membership.owner)
        weft_wireup_close(membership.wireup);
}

static void join_job(void)
{
    if (membership.is_known)
        return;
    membership.is_known = true;
    membership.owner = getpid();
    membership.wireup = weft_wireup_open(&membership.job, &membership.status);
    /* The launcher would take an end without this for a crash. */
    if (membership.wireup && atexit(leave_job) != 0)
        weft_log(WEFT_LOG_WARN, "cannot tell the launcher of the end of this process");
}

const struct weft_job *weft_world_job(void)
{
    return membership.wireup ? &membership.job : NULL;
}

struct weft_wireup *weft_world_wireup(void)
{
    return membership.wireup;
}

int weft_world_address(uint32_t rank, struct weft_address *address)
{
    uint32_t node;
    if (!membership.wireup)
        return -ENOENT;
    int result = weft_wireup_node(membership.wireup, rank, &node);
    if (result == 0)
        *address = (struct weft_address){node + 1, rank + 1};
    return result;
}

/* ---- The world ----------------------------------------------------------------------------- */

/* In the order of the choices of WEFT_WORLD. */
static struct weft_world *(*const openers[])(struct weft_address self, const char *rendezvous,
                                             enum weft_world_status *status) = {
    weft_shm_open,
};

/* Each job has a file of its own on each host. The number of the host is part of the name, in case
 * hosts share the folder. A job that is killed leaves its file behind: the next one removes it. */
static void name_rendezvous(char *path, size_t room)
{
    const struct weft_job *job = &membership.job;
    char prefix[64];
    struct stat processes = {0};
    snprintf(path, room, "/tmp/weft-%u", (unsigned)geteuid());
    if (!membership.wireup)
        return;
    /* Elsewhere, processes that we see as dead may live. */
    stat("/proc/self/ns/pid", &processes);
    snprintf(prefix, sizeof(prefix), "weft-%u-%llu-", (unsigned)geteuid(),
             (unsigned long long)processes.st_ino);
    int at = snprintf(path, room, "/tmp/%s", prefix);
    for (unsigned i = 0; i < sizeof(job->id); i++)
        at += snprintf(path + at, room - (size_t)at, "%02x", job->id[i]);
    snprintf(path + at, room - (size_t)at, "-%u", job->node);
    if (access(path, F_OK) != 0)
        weft_rendezvous_sweep("/tmp", prefix);
}

static struct weft_address own_address(uint32_t pid)
{
    const struct weft_job *job = weft_world_job();
    return job ? (struct weft_address){job->node + 1, job->rank + 1}
               : (struct weft_address){1, pid};
}

struct weft_world *weft_world_open(uint32_t pid, enum weft_world_status *status)
{
    *status = WEFT_WORLD_FAILED;
    join_job();
    if (membership.status == WEFT_WIREUP_FAILED)
        return NULL;
    struct weft_address self = own_address(pid);
    if (pid != WEFT_PID_ANY && pid != self.pid) {
        weft_log(WEFT_LOG_ERROR,
                 "the launcher made this rank %u, so its pid is %u and not %u: ask for any pid, "
                 "or set %s=none",
                 membership.job.rank, self.pid, pid,
                 weft_setting_info(WEFT_SETTING_LAUNCHER)->name);
        return NULL;
    }
    char usual[128];
    name_rendezvous(usual, sizeof(usual));
    /* Jobs that have the same environment must not meet: theirs is never the one that is named. */
    const char *named = weft_setting_text(WEFT_SETTING_RENDEZVOUS);
    return openers[weft_setting(WEFT_SETTING_WORLD)](
        self, *named && !membership.wireup ? named : usual, status);
}
