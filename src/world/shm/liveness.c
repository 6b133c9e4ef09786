/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/shm/liveness.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"

/* The part of the descriptors of this process that is taken from the program, at most. */
#define SHARE 8u

bool weft_shm_liveness_open(struct weft_shm_liveness *liveness)
{
    struct rlimit files;
    liveness->room = getrlimit(RLIMIT_NOFILE, &files) == 0 ? files.rlim_cur / SHARE : 0;
    liveness->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (liveness->epoll < 0)
        weft_log(WEFT_LOG_ERROR, "cannot watch other processes: %s%s", strerror(errno),
                 errno == EMFILE ? "; raise the limit of open files" : "");
    return liveness->epoll >= 0;
}

void weft_shm_liveness_close(struct weft_shm_liveness *liveness)
{
    if (liveness->epoll >= 0)
        close(liveness->epoll);
}

static enum weft_shm_liveness_answer go_without(uint32_t os_pid, const char *why)
{
    weft_log(WEFT_LOG_INFO, "no pidfd for process %u, it is looked at now and then: %s", os_pid,
             why);
    return WEFT_SHM_LIVENESS_BLIND;
}

enum weft_shm_liveness_answer weft_shm_liveness_watch(struct weft_shm_liveness *liveness,
                                                      uint32_t os_pid, void *who, int *pidfd)
{
    *pidfd = -1;
    if (liveness->room == 0)
        return go_without(os_pid, "the program may need the other descriptors");
    /* Always close-on-exec. The C library of some systems does not have the call. */
    int fd = (int)syscall(SYS_pidfd_open, os_pid, 0);
    if (fd < 0)
        return errno == ESRCH || errno == EINVAL ? WEFT_SHM_LIVENESS_DEAD
                                                 : go_without(os_pid, strerror(errno));
    /* Edge-triggered: one death is told once, though the descriptor stays ready. */
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = who};
    if (epoll_ctl(liveness->epoll, EPOLL_CTL_ADD, fd, &event) < 0) {
        int error = errno;
        close(fd);
        return go_without(os_pid, strerror(error));
    }
    liveness->room--;
    *pidfd = fd;
    return WEFT_SHM_LIVENESS_FINE;
}

void weft_shm_liveness_unwatch(struct weft_shm_liveness *liveness, int *pidfd)
{
    if (*pidfd < 0)
        return;
    close(*pidfd);
    *pidfd = -1;
    liveness->room++;
}

void *weft_shm_liveness_dead(const struct weft_shm_liveness *liveness)
{
    struct epoll_event event;
    return epoll_wait(liveness->epoll, &event, 1, 0) == 1 ? event.data.ptr : NULL;
}
