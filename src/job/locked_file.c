/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/locked_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/deadline.h"
#include "base/log.h"
#include "base/setting.h"
#include "base/shortage.h"

#define SHORTEST_NAP (WEFT_CLOCK_MILLISECOND / 5)

void weft_job_locked_refuse(const char *path, const char *why)
{
    weft_log(WEFT_LOG_ERROR, "cannot use the rendezvous file %s: %s; name another with %s", path,
             why, weft_setting_info(WEFT_SETTING_RENDEZVOUS)->name);
}

const char *weft_job_locked_fault(int error)
{
    return error == ENOSPC || error == EDQUOT ? "its folder is full: make room there"
                                              : strerror(error);
}

bool weft_job_locked_write(int fd, const void *bytes, size_t size, size_t at)
{
    ssize_t written = pwrite(fd, bytes, size, (off_t)at);
    if (written >= 0 && written < (ssize_t)size)
        errno = ENOSPC; /* the rest found no room */
    return written == (ssize_t)size;
}

static enum weft_job_locked_answer refuse(const char *path, const char *why)
{
    weft_job_locked_refuse(path, why);
    return WEFT_JOB_LOCKED_FAILED;
}

/* What is in it is relied on, and may be the key of the job: nobody else may have a hand in it,
 * nor an eye. Such a file is refused before anything is written, also if it is still empty. */
static const char *distrust(int fd)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return strerror(errno);
    if (!S_ISREG(status.st_mode))
        return "it is not a regular file";
    if (status.st_uid != geteuid())
        return "it belongs to another user";
    if (status.st_mode & (S_IRWXG | S_IRWXO))
        return "other users may read or write it: remove it, and it is made anew";
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

static bool take(int fd, int lock)
{
    return lock == WEFT_JOB_LOCKED_NOT || flock(fd, lock | LOCK_NB) == 0;
}

enum weft_job_locked_answer weft_job_locked_try(const char *path, int flags, int lock, int *result)
{
    int fd = open(path, flags | O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0 && errno == ENOENT && !(flags & O_CREAT))
        return WEFT_JOB_LOCKED_ABSENT;
    /* One who needs no lock comes again. */
    if (fd < 0 && lock == WEFT_JOB_LOCKED_NOT && weft_shortage_is(errno))
        return WEFT_JOB_LOCKED_ABSENT;
    if (fd < 0)
        return refuse(path,
                      errno == ELOOP ? "it is a symbolic link" : weft_job_locked_fault(errno));
    const char *why = distrust(fd);
    if (!why && take(fd, lock)) {
        if (is_still_there(path, fd)) {
            *result = fd;
            return WEFT_JOB_LOCKED_FINE;
        }
    } else if (!why && errno != EWOULDBLOCK && errno != EINTR) {
        why = strerror(errno);
    }
    close(fd);
    return why ? refuse(path, why) : WEFT_JOB_LOCKED_ABSENT;
}

enum weft_job_locked_answer weft_job_locked_open(const char *path, int flags, uint64_t deadline,
                                                 int *fd)
{
    for (uint64_t nap = SHORTEST_NAP;; nap = weft_clock_nap(nap)) {
        enum weft_job_locked_answer answer = weft_job_locked_try(path, flags, LOCK_EX, fd);
        if (answer != WEFT_JOB_LOCKED_ABSENT)
            return answer;
        if (!(flags & O_CREAT) && access(path, F_OK) != 0)
            return WEFT_JOB_LOCKED_ABSENT;
        if (weft_deadline_is_over(deadline))
            return refuse(path, "another process holds its lock and does not go on");
    }
}
