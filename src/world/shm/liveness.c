/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/shm/liveness.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"

int weft_liveness_open(void)
{
    int liveness = epoll_create1(EPOLL_CLOEXEC);
    if (liveness < 0)
        weft_log(WEFT_LOG_ERROR, "cannot watch other processes: %s", strerror(errno));
    return liveness;
}

enum weft_liveness_answer weft_liveness_watch(int liveness, uint32_t os_pid, void *who, int *pidfd)
{
    /* Always close-on-exec. The C library of some systems does not have the call. */
    *pidfd = (int)syscall(SYS_pidfd_open, os_pid, 0);
    if (*pidfd < 0 && (errno == ESRCH || errno == EINVAL))
        return WEFT_LIVENESS_DEAD;
    /* Edge-triggered: one death is told once, though the descriptor stays ready. */
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = who};
    if (*pidfd >= 0 && epoll_ctl(liveness, EPOLL_CTL_ADD, *pidfd, &event) == 0)
        return WEFT_LIVENESS_FINE;
    weft_log(WEFT_LOG_ERROR, "cannot watch process %u: %s%s", os_pid, strerror(errno),
             errno == EMFILE ? "; raise the limit of open files" : "");
    if (*pidfd >= 0)
        close(*pidfd);
    *pidfd = -1;
    return WEFT_LIVENESS_FAILED;
}

void *weft_liveness_dead(int liveness)
{
    struct epoll_event event;
    return epoll_wait(liveness, &event, 1, 0) == 1 ? event.data.ptr : NULL;
}
