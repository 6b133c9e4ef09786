/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/setting.h"
#include "job/wireup.h"
#include "trace/tracer.h"
#include "world/far.h"
#include "world/mixed.h"
#include "world/shm/rendezvous.h"
#include "world/shm/shm.h"
#include "world/traced.h"

/* ---- The job ------------------------------------------------------------------------------- */

/* Launchers accept a process once, so worlds come and go but this stays, to the last instruction:
 * nothing of it is ever freed. */
static struct {
    bool is_known;
    enum weft_job_status status;
    struct weft_job_wireup *wireup;
    struct weft_job job;
    pid_t owner;
} membership;

static bool is_child_of_member(void)
{
    return membership.wireup && getpid() != membership.owner;
}

/* The launcher would take an end without this for a crash. A destructor runs after all exit
 * handlers, whoever has registered them and when: what they send still has a job. A child of ours
 * that ends is not the end of us. */
__attribute__((destructor)) static void leave_job(void)
{
    weft_trace_end();
    if (membership.wireup && !is_child_of_member())
        weft_job_leave(membership.wireup);
}

static void join_job(void)
{
    if (membership.is_known)
        return;
    membership.is_known = true;
    membership.owner = getpid();
    membership.wireup = weft_job_open(&membership.job, &membership.status);
}

const struct weft_job *weft_world_job(void)
{
    return membership.wireup ? &membership.job : NULL;
}

struct weft_job_wireup *weft_world_wireup(void)
{
    return membership.wireup;
}

int weft_world_address(uint32_t rank, struct weft_nic_address *address)
{
    uint32_t node;
    if (!membership.wireup)
        return -ENOENT;
    int result = weft_job_node(membership.wireup, rank, &node);
    if (result == 0)
        *address = (struct weft_nic_address){node + 1, rank + 1};
    return result;
}

/* ---- The world ----------------------------------------------------------------------------- */

/* Nobody else can put something there. Whoever became another user may still have the variable of
 * the first. */
static bool is_private(const char *folder)
{
    struct stat status;
    return folder && *folder == '/' && stat(folder, &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == geteuid() && !(status.st_mode & (S_IRWXG | S_IRWXO));
}

/* Of processes without a job. Anybody can guess this name, and in /tmp take it before them: then
 * it is refused. */
static void name_common_rendezvous(char *path, size_t room)
{
    const char *folder = weft_setting_environment(WEFT_SETTING_ENVIRONMENT_XDG_RUNTIME_DIR);
    bool is_short = folder && strlen(folder) < room - sizeof("/weft-4294967295");
    snprintf(path, room, "%s/weft-%u", is_short && is_private(folder) ? folder : "/tmp",
             (unsigned)geteuid());
}

/* Each job has a file of its own on each host. The number of the host is part of the name, in case
 * hosts share the folder. A job that is killed leaves its file behind: the next one removes it. */
static void name_rendezvous(char *path, size_t room)
{
    const struct weft_job *job = &membership.job;
    char prefix[64];
    struct stat processes = {0};
    name_common_rendezvous(path, room);
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
        weft_shm_rendezvous_sweep("/tmp", prefix);
}

static struct weft_nic_address own_address(uint32_t pid)
{
    const struct weft_job *job = weft_world_job();
    return job ? (struct weft_nic_address){job->node + 1, job->rank + 1}
               : (struct weft_nic_address){1, pid};
}

/* Which hosts the processes of the job are on, as far as is known now. */
enum spread { ONE_HOST, PERHAPS_MORE, MORE_HOSTS };

static enum spread spread_of_job(void)
{
    enum spread spread = ONE_HOST;
    for (uint32_t rank = 0; membership.wireup && rank < membership.job.size; rank++) {
        uint32_t node;
        int result = weft_job_node(membership.wireup, rank, &node);
        if (result == 0 && node != membership.job.node)
            return MORE_HOSTS;
        if (result == -EAGAIN)
            spread = PERHAPS_MORE;
    }
    return spread;
}

/* In the order of the choices of WEFT_WORLD. */
enum choice { AUTO, SHM, OFI, TCP };

static bool all_are_far(void)
{
    return weft_setting(WEFT_SETTING_WORLD) >= OFI;
}

bool weft_world_has_room(void)
{
    const struct weft_job *job = &membership.job;
    uint64_t most = weft_setting(WEFT_SETTING_SHM_PEERS);
    uint32_t count = 0, first = UINT32_MAX, node;
    if (!membership.wireup || all_are_far())
        return true;
    for (uint32_t rank = 0; rank < job->size; rank++) {
        bool is_near = !weft_job_node(membership.wireup, rank, &node) && node == job->node;
        count += is_near;
        if (is_near && rank < first)
            first = rank;
    }
    if (count > most)
        weft_log(first == job->rank ? WEFT_LOG_ERROR : WEFT_LOG_INFO,
                 "%u processes of the job are on this host, and %s=%llu: set it to at least that, "
                 "for all of them",
                 count, weft_setting_info(WEFT_SETTING_SHM_PEERS)->name, (unsigned long long)most);
    return count <= most;
}

/* The youngest; NULL if all processes are reached as those of other hosts are. */
static struct weft_nic_world *near_world;

bool weft_world_settle(void)
{
    return !near_world || weft_shm_settle(near_world);
}

void weft_world_remove_file(void)
{
    if (near_world)
        weft_shm_forget_file(near_world);
}

static struct weft_nic_world *open_near(struct weft_nic_address self,
                                        enum weft_world_status *status)
{
    char usual[128];
    *status = WEFT_WORLD_FAILED;
    if (!weft_world_has_room())
        return NULL;
    name_rendezvous(usual, sizeof(usual));
    /* Jobs that have the same environment must not meet: theirs is never the one that is named. */
    const char *named = weft_setting_text(WEFT_SETTING_RENDEZVOUS);
    near_world = weft_shm_open(self, *named && !membership.wireup ? named : usual, status);
    return near_world;
}

static enum weft_world_far kind_of_far(void)
{
    switch (weft_setting(WEFT_SETTING_WORLD)) {
    case OFI:
        return WEFT_WORLD_FAR_OFI;
    case TCP:
        return WEFT_WORLD_FAR_TCP;
    default:
        return weft_world_far_choose();
    }
}

static struct weft_nic_world *open_far(enum weft_world_status *status)
{
    struct weft_nic_world *far = NULL;
    if (membership.wireup)
        far = weft_world_far_open(&membership.job, membership.wireup, kind_of_far());
    else
        weft_log(WEFT_LOG_ERROR,
                 "%s=%s is for processes that a launcher has started; by hand: set %s, %s and %s",
                 weft_setting_info(WEFT_SETTING_WORLD)->name,
                 weft_setting(WEFT_SETTING_WORLD) == TCP ? "tcp" : "ofi",
                 weft_setting_info(WEFT_SETTING_RANK)->name,
                 weft_setting_info(WEFT_SETTING_SIZE)->name,
                 weft_setting_info(WEFT_SETTING_RENDEZVOUS)->name);
    *status = far ? WEFT_WORLD_OK : WEFT_WORLD_FAILED;
    return far;
}

static struct weft_nic_world *open_as_needed(struct weft_nic_address self,
                                             enum weft_world_status *status)
{
    enum spread spread = spread_of_job();
    struct weft_nic_world *near = open_near(self, status), *far;
    if (!near || spread == ONE_HOST)
        return near;
    far = weft_world_far_open(&membership.job, membership.wireup, kind_of_far());
    if (!far && spread == PERHAPS_MORE) {
        weft_log(WEFT_LOG_WARN, "only processes of this host can be reached");
        return near;
    }
    if (!far) {
        near->ops->close(near);
        *status = WEFT_WORLD_FAILED;
        return NULL;
    }
    struct weft_nic_world *both = weft_world_mixed_open(near, far);
    *status = both ? WEFT_WORLD_OK : WEFT_WORLD_FAILED;
    return both;
}

static struct weft_nic_world *open_chosen(struct weft_nic_address self,
                                          enum weft_world_status *status)
{
    if (all_are_far())
        return open_far(status);
    return weft_setting(WEFT_SETTING_WORLD) == SHM ? open_near(self, status)
                                                   : open_as_needed(self, status);
}

struct weft_nic_world *weft_world_open(uint32_t pid, enum weft_world_status *status)
{
    *status = WEFT_WORLD_FAILED;
    join_job();
    if (membership.status == WEFT_JOB_FAILED)
        return NULL;
    if (is_child_of_member()) {
        weft_log(WEFT_LOG_ERROR,
                 "this process was forked by rank %u of the job and is none of its "
                 "ranks: open worlds in processes that the launcher starts",
                 membership.job.rank);
        return NULL;
    }
    struct weft_nic_address self = own_address(pid);
    if (pid != WEFT_WORLD_PID_ANY && pid != self.pid) {
        weft_log(WEFT_LOG_ERROR,
                 "the launcher made this rank %u, so its pid is %u and not %u: ask for any pid, "
                 "or set %s=none",
                 membership.job.rank, self.pid, pid,
                 weft_setting_info(WEFT_SETTING_LAUNCHER)->name);
        return NULL;
    }
    struct weft_nic_world *world = open_chosen(self, status);
    if (world)
        weft_world_trace(world, weft_world_job());
    return world;
}
