/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/locked_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/setting.h"
#include "world/clock.h"

void weft_locked_refuse(const char *path, const char *why)
{
    weft_log(WEFT_LOG_ERROR, "cannot use the rendezvous file %s: %s; name another with %s", path,
             why, weft_setting_info(WEFT_SETTING_RENDEZVOUS)->name);
}

static enum weft_locked_answer refuse(const char *path, const char *why)
{
    weft_locked_refuse(path, why);
    return WEFT_LOCKED_FAILED;
}

/* What is in it is relied on: nobody else may have a hand in it. */
static const char *distrust(int fd)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return strerror(errno);
    if (!S_ISREG(status.st_mode))
        return "it is not a regular file";
    if (status.st_uid != geteuid())
        return "it belongs to another user";
    if (status.st_mode & (S_IWGRP | S_IWOTH))
        return "other users may write to it";
    return NULL;
}

/* The last process removes the file; whoever waited for the lock then holds that of a file that
 * nobody else will find. */
static bool is_still_there(const char *path, int fd)
{
    struct stat ours, there;
    return fstat(fd, &ours) == 0 && lstat(path, &there) == 0 && ours.st_dev == there.st_dev &&
           ours.st_ino == there.st_ino;
}

enum weft_locked_answer weft_locked_try(const char *path, int flags, int lock, int *result)
{
    int fd = open(path, flags | O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0 && errno == ENOENT && !(flags & O_CREAT))
        return WEFT_LOCKED_ABSENT;
    if (fd < 0)
        return refuse(path, errno == ELOOP ? "it is a symbolic link" : strerror(errno));
    const char *why = distrust(fd);
    if (!why && flock(fd, lock | LOCK_NB) == 0) {
        if (is_still_there(path, fd)) {
            *result = fd;
            return WEFT_LOCKED_FINE;
        }
    } else if (!why && errno != EWOULDBLOCK && errno != EINTR) {
        why = strerror(errno);
    }
    close(fd);
    return why ? refuse(path, why) : WEFT_LOCKED_ABSENT;
}

enum weft_locked_answer weft_locked_open(const char *path, int flags, uint64_t patience, int *fd)
{
    uint64_t deadline = weft_clock_now() + patience;
    for (;;) {
        enum weft_locked_answer answer = weft_locked_try(path, flags, LOCK_EX, fd);
        if (answer != WEFT_LOCKED_ABSENT)
            return answer;
        if (!(flags & O_CREAT) && access(path, F_OK) != 0)
            return WEFT_LOCKED_ABSENT;
        if (weft_clock_now() >= deadline)
            return refuse(path, "another process holds its lock and does not go on");
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
}
