/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/shm/rendezvous.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/setting.h"
#include "world/shm/clock.h"
#include "world/world.h"

#define MAGIC UINT64_C(0x3156444e54464557) /* "WEFTNDV1" */
#define MOST_RECORDS 65536u

struct table_head {
    uint64_t magic;
    uint32_t version;
    uint32_t record_size;
};

static const struct table_head right_head = {MAGIC, 1, sizeof(struct weft_rendezvous_record)};

/* The file, locked, and what is in it. */
struct table {
    int fd;
    size_t count;
    struct weft_rendezvous_record *records; /* with room for one more */
};

bool weft_rendezvous_open(struct weft_rendezvous *rendezvous, uint64_t patience)
{
    const char *path = weft_setting_text(WEFT_SETTING_RENDEZVOUS);
    char usual[64];
    snprintf(usual, sizeof(usual), "/tmp/weft-%u", (unsigned)geteuid());
    rendezvous->path = strdup(*path ? path : usual);
    rendezvous->patience = patience;
    return rendezvous->path != NULL;
}

void weft_rendezvous_close(struct weft_rendezvous *rendezvous)
{
    free(rendezvous->path);
}

/* ---- Locking ------------------------------------------------------------------------------- */

static enum weft_rendezvous_answer refuse(const struct weft_rendezvous *rendezvous,
                                          const char *why)
{
    weft_log(WEFT_LOG_ERROR, "cannot use the rendezvous file %s: %s; name another with %s",
             rendezvous->path, why, weft_setting_info(WEFT_SETTING_RENDEZVOUS)->name);
    return WEFT_RENDEZVOUS_FAILED;
}

/* A record names memory that we are going to map: nobody else may have a hand in it. */
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
static bool is_still_there(const struct weft_rendezvous *rendezvous, int fd)
{
    struct stat ours, there;
    return fstat(fd, &ours) == 0 && lstat(rendezvous->path, &there) == 0 &&
           ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

/* Opens the file and tries once to lock it: ABSENT if there is none or somebody else has it. */
static enum weft_rendezvous_answer try_lock(const struct weft_rendezvous *rendezvous, int flags,
                                            int lock, int *result)
{
    int fd = open(rendezvous->path, flags | O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0 && errno == ENOENT && !(flags & O_CREAT))
        return WEFT_RENDEZVOUS_ABSENT;
    if (fd < 0)
        return refuse(rendezvous, errno == ELOOP ? "it is a symbolic link" : strerror(errno));
    const char *why = distrust(fd);
    if (!why && flock(fd, lock | LOCK_NB) == 0) {
        if (is_still_there(rendezvous, fd)) {
            *result = fd;
            return WEFT_RENDEZVOUS_FINE;
        }
    } else if (!why && errno != EWOULDBLOCK && errno != EINTR) {
        why = strerror(errno);
    }
    close(fd);
    return why ? refuse(rendezvous, why) : WEFT_RENDEZVOUS_ABSENT;
}

static enum weft_rendezvous_answer wait_for_lock(const struct weft_rendezvous *rendezvous,
                                                 int flags, int *fd)
{
    uint64_t deadline = weft_clock_now() + rendezvous->patience;
    for (;;) {
        enum weft_rendezvous_answer answer = try_lock(rendezvous, flags, LOCK_EX, fd);
        if (answer != WEFT_RENDEZVOUS_ABSENT)
            return answer;
        if (!(flags & O_CREAT) && access(rendezvous->path, F_OK) != 0)
            return WEFT_RENDEZVOUS_ABSENT;
        if (weft_clock_now() >= deadline)
            return refuse(rendezvous, "another process holds its lock and does not go on");
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
}

/* ---- The table ----------------------------------------------------------------------------- */

static enum weft_rendezvous_answer table_read(const struct weft_rendezvous *rendezvous,
                                              struct table *table)
{
    struct stat status;
    struct table_head head = right_head;
    if (fstat(table->fd, &status) < 0)
        return refuse(rendezvous, strerror(errno));
    size_t bytes = (size_t)status.st_size;
    if (bytes && (pread(table->fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
                  memcmp(&head, &right_head, sizeof(head)) != 0))
        return refuse(rendezvous, "it holds something else, or was made by another version");
    size_t count = bytes ? (bytes - sizeof(head)) / sizeof(*table->records) : 0;
    if (count > MOST_RECORDS)
        return refuse(rendezvous, "it is too large");
    table->records = malloc((count + 1) * sizeof(*table->records));
    if (!table->records)
        return refuse(rendezvous, "there is not enough memory");
    bytes = count * sizeof(*table->records);
    if (pread(table->fd, table->records, bytes, sizeof(head)) != (ssize_t)bytes) {
        free(table->records);
        return refuse(rendezvous, "it cannot be read");
    }
    table->count = count;
    return WEFT_RENDEZVOUS_FINE;
}

static void table_close(struct table *table)
{
    free(table->records);
    close(table->fd);
}

/* Takes a lock that somebody holds for writing, and reads. */
static enum weft_rendezvous_answer table_open(const struct weft_rendezvous *rendezvous, int flags,
                                              struct table *table)
{
    enum weft_rendezvous_answer answer = wait_for_lock(rendezvous, flags, &table->fd);
    if (answer != WEFT_RENDEZVOUS_FINE)
        return answer;
    answer = table_read(rendezvous, table);
    if (answer != WEFT_RENDEZVOUS_FINE)
        close(table->fd);
    return answer;
}

static bool table_write(const struct weft_rendezvous *rendezvous, const struct table *table)
{
    size_t bytes = table->count * sizeof(*table->records);
    if (pwrite(table->fd, &right_head, sizeof(right_head), 0) == (ssize_t)sizeof(right_head) &&
        pwrite(table->fd, table->records, bytes, sizeof(right_head)) == (ssize_t)bytes &&
        ftruncate(table->fd, (off_t)(sizeof(right_head) + bytes)) == 0)
        return true;
    refuse(rendezvous, strerror(errno));
    return false;
}

static void drop_dead(struct table *table)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++)
        if (weft_segment_is(&table->records[i].id))
            table->records[kept++] = table->records[i];
    table->count = kept;
}

static const struct weft_rendezvous_record *table_find(const struct table *table,
                                                       struct weft_address address)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->records[i].address.nid == address.nid &&
            table->records[i].address.pid == address.pid)
            return &table->records[i];
    return NULL;
}

/* ---- What processes do --------------------------------------------------------------------- */

static enum weft_rendezvous_answer enter(const struct weft_rendezvous *rendezvous,
                                         struct table *table,
                                         struct weft_rendezvous_record *record)
{
    drop_dead(table);
    if (record->address.pid == WEFT_PID_ANY) {
        record->address.pid = 1;
        while (table_find(table, record->address))
            record->address.pid++;
    } else if (table_find(table, record->address)) {
        return WEFT_RENDEZVOUS_IN_USE;
    }
    if (table->count == MOST_RECORDS)
        return refuse(rendezvous, "too many processes use it");
    table->records[table->count++] = *record;
    return table_write(rendezvous, table) ? WEFT_RENDEZVOUS_FINE : WEFT_RENDEZVOUS_FAILED;
}

enum weft_rendezvous_answer weft_rendezvous_enter(const struct weft_rendezvous *rendezvous,
                                                  struct weft_rendezvous_record *record)
{
    struct table table;
    enum weft_rendezvous_answer answer = table_open(rendezvous, O_CREAT, &table);
    if (answer != WEFT_RENDEZVOUS_FINE)
        return answer;
    answer = enter(rendezvous, &table, record);
    table_close(&table);
    return answer;
}

void weft_rendezvous_leave(const struct weft_rendezvous *rendezvous, uint64_t key)
{
    struct table table;
    if (table_open(rendezvous, 0, &table) != WEFT_RENDEZVOUS_FINE)
        return;
    for (size_t i = 0; i < table.count; i++)
        if (table.records[i].id.key == key)
            table.records[i].id.key = 0; /* what a segment never has: dead */
    drop_dead(&table);
    if (table.count)
        table_write(rendezvous, &table);
    else if (unlink(rendezvous->path) < 0)
        refuse(rendezvous, strerror(errno));
    table_close(&table);
}

enum weft_rendezvous_answer weft_rendezvous_find(const struct weft_rendezvous *rendezvous,
                                                 struct weft_address address,
                                                 struct weft_rendezvous_record *record)
{
    struct table table;
    enum weft_rendezvous_answer answer = try_lock(rendezvous, 0, LOCK_SH, &table.fd);
    if (answer != WEFT_RENDEZVOUS_FINE)
        return answer;
    answer = table_read(rendezvous, &table);
    if (answer != WEFT_RENDEZVOUS_FINE) {
        close(table.fd);
        return answer;
    }
    const struct weft_rendezvous_record *found = table_find(&table, address);
    if (found)
        *record = *found;
    table_close(&table);
    return found ? WEFT_RENDEZVOUS_FINE : WEFT_RENDEZVOUS_ABSENT;
}
