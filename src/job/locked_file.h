/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file that processes of one user share: whoever reads or changes it holds its lock, and the
 * last one removes it.
 */
#ifndef WEFT_JOB_LOCKED_FILE_H
#define WEFT_JOB_LOCKED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weft_job_locked_answer {
    WEFT_JOB_LOCKED_FINE,
    WEFT_JOB_LOCKED_ABSENT, /* there is no file, or its lock was not to be had at once */
    WEFT_JOB_LOCKED_FAILED  /* the log says why */
};

/* For readers who can tell what is half written. */
#define WEFT_JOB_LOCKED_NOT 0

/* Opens the file, made if `flags` has O_CREAT, and tries once to lock it. `lock` is that of
 * flock, LOCK_SH or LOCK_EX, or WEFT_JOB_LOCKED_NOT. */
enum weft_job_locked_answer weft_job_locked_try(const char *path, int flags, int lock, int *fd);

/* The same with LOCK_EX, but waits for the lock until the deadline: ABSENT only if there is no
 * file. */
enum weft_job_locked_answer weft_job_locked_open(const char *path, int flags, uint64_t deadline,
                                                 int *fd);

/* Writes all of it, or sets errno. */
bool weft_job_locked_write(int fd, const void *bytes, size_t size, size_t at);

/* What an error of writing means for the user. */
const char *weft_job_locked_fault(int error);

/* Logs that the file is of no use, and why. */
void weft_job_locked_refuse(const char *path, const char *why);

#endif
