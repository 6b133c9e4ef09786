/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/shm/rendezvous.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/deadline.h"
#include "job/locked_file.h"
#include "world/world.h"

#define MAGIC UINT64_C(0x3156444e54464557) /* "WEFTNDV1" */
#define MOST_RECORDS 65536u

struct table_head {
    uint64_t magic;
    uint32_t version;
    uint32_t record_size;
};

static const struct table_head right_head = {MAGIC, 1, sizeof(struct weft_shm_rendezvous_record)};

/* The file, locked, and what is in it. */
struct table {
    int fd;
    size_t count;
    struct weft_shm_rendezvous_record *records; /* with room for one more */
};

bool weft_shm_rendezvous_open(struct weft_shm_rendezvous *rendezvous, const char *path,
                              uint64_t patience)
{
    rendezvous->path = strdup(path);
    rendezvous->patience = patience;
    rendezvous->known = NULL;
    return rendezvous->path != NULL;
}

void weft_shm_rendezvous_close(struct weft_shm_rendezvous *rendezvous)
{
    free(rendezvous->path);
    free(rendezvous->known);
}

static enum weft_shm_rendezvous_answer refuse(const struct weft_shm_rendezvous *rendezvous,
                                              const char *why)
{
    weft_job_locked_refuse(rendezvous->path, why);
    return WEFT_SHM_RENDEZVOUS_FAILED;
}

/* ---- The table ----------------------------------------------------------------------------- */

static enum weft_shm_rendezvous_answer table_read(const struct weft_shm_rendezvous *rendezvous,
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
        return WEFT_SHM_RENDEZVOUS_ABSENT; /* somebody is just making it shorter */
    }
    table->count = count;
    return WEFT_SHM_RENDEZVOUS_FINE;
}

static void table_close(struct table *table)
{
    free(table->records);
    close(table->fd);
}

/* Reads the file that was locked, if it was. */
static enum weft_shm_rendezvous_answer table_open(const struct weft_shm_rendezvous *rendezvous,
                                                  enum weft_job_locked_answer locked,
                                                  struct table *table)
{
    if (locked == WEFT_JOB_LOCKED_ABSENT)
        return WEFT_SHM_RENDEZVOUS_ABSENT;
    if (locked == WEFT_JOB_LOCKED_FAILED)
        return WEFT_SHM_RENDEZVOUS_FAILED;
    enum weft_shm_rendezvous_answer answer = table_read(rendezvous, table);
    if (answer != WEFT_SHM_RENDEZVOUS_FINE)
        close(table->fd);
    return answer;
}

static enum weft_shm_rendezvous_answer table_wait(const struct weft_shm_rendezvous *rendezvous,
                                                  int flags, struct table *table)
{
    uint64_t deadline = weft_deadline_after(rendezvous->patience);
    return table_open(rendezvous,
                      weft_job_locked_open(rendezvous->path, flags, deadline, &table->fd), table);
}

static bool table_write(const struct weft_shm_rendezvous *rendezvous, const struct table *table)
{
    size_t bytes = table->count * sizeof(*table->records);
    if (weft_job_locked_write(table->fd, &right_head, sizeof(right_head), 0) &&
        weft_job_locked_write(table->fd, table->records, bytes, sizeof(right_head)) &&
        ftruncate(table->fd, (off_t)(sizeof(right_head) + bytes)) == 0)
        return true;
    refuse(rendezvous, weft_job_locked_fault(errno));
    return false;
}

static void drop_dead(struct table *table)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++)
        if (weft_shm_segment_is(&table->records[i].id))
            table->records[kept++] = table->records[i];
    table->count = kept;
}

static void drop_key(struct table *table, uint64_t key)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++)
        if (table->records[i].id.key != key)
            table->records[kept++] = table->records[i];
    table->count = kept;
}

static bool has_living(const struct table *table)
{
    size_t i = 0;
    while (i < table->count && !weft_shm_segment_is(&table->records[i].id))
        i++;
    return i < table->count;
}

static const struct weft_shm_rendezvous_record *
find_record(const struct weft_shm_rendezvous_record *records, size_t count,
            struct weft_nic_address address)
{
    for (size_t i = 0; i < count; i++)
        if (weft_nic_address_is(records[i].address, address))
            return &records[i];
    return NULL;
}

static const struct weft_shm_rendezvous_record *table_find(const struct table *table,
                                                           struct weft_nic_address address)
{
    return find_record(table->records, table->count, address);
}

static bool remove_if_unused(const struct weft_shm_rendezvous *rendezvous,
                             const struct table *table)
{
    if (has_living(table))
        return false;
    if (unlink(rendezvous->path) < 0)
        refuse(rendezvous, strerror(errno));
    return true;
}

/* ---- What processes do --------------------------------------------------------------------- */

static enum weft_shm_rendezvous_answer enter(const struct weft_shm_rendezvous *rendezvous,
                                             struct table *table,
                                             struct weft_shm_rendezvous_record *record)
{
    if (record->address.pid == WEFT_WORLD_PID_ANY || table_find(table, record->address) ||
        table->count == MOST_RECORDS)
        drop_dead(table);
    if (record->address.pid == WEFT_WORLD_PID_ANY) {
        record->address.pid = 1;
        while (table_find(table, record->address))
            record->address.pid++;
    } else if (table_find(table, record->address)) {
        return WEFT_SHM_RENDEZVOUS_IN_USE;
    }
    if (table->count == MOST_RECORDS)
        return refuse(rendezvous, "too many processes use it");
    table->records[table->count++] = *record;
    return table_write(rendezvous, table) ? WEFT_SHM_RENDEZVOUS_FINE : WEFT_SHM_RENDEZVOUS_FAILED;
}

enum weft_shm_rendezvous_answer
weft_shm_rendezvous_enter(const struct weft_shm_rendezvous *rendezvous,
                          struct weft_shm_rendezvous_record *record)
{
    struct table table;
    enum weft_shm_rendezvous_answer answer = table_wait(rendezvous, O_CREAT, &table);
    if (answer != WEFT_SHM_RENDEZVOUS_FINE)
        return answer;
    answer = enter(rendezvous, &table, record);
    if (answer == WEFT_SHM_RENDEZVOUS_FAILED) {
        drop_key(&table, record->id.key);
        remove_if_unused(rendezvous, &table);
    }
    table_close(&table);
    return answer;
}

void weft_shm_rendezvous_leave(const struct weft_shm_rendezvous *rendezvous, uint64_t key)
{
    struct table table;
    if (rendezvous->known || table_wait(rendezvous, 0, &table) != WEFT_SHM_RENDEZVOUS_FINE)
        return;
    drop_key(&table, key);
    if (!remove_if_unused(rendezvous, &table))
        table_write(rendezvous, &table);
    table_close(&table);
}

bool weft_shm_rendezvous_settle(struct weft_shm_rendezvous *rendezvous)
{
    struct table table;
    if (table_wait(rendezvous, 0, &table) != WEFT_SHM_RENDEZVOUS_FINE)
        return false;
    rendezvous->known = table.records;
    rendezvous->known_count = table.count;
    close(table.fd);
    return true;
}

void weft_shm_rendezvous_remove(const struct weft_shm_rendezvous *rendezvous)
{
    if (unlink(rendezvous->path) < 0)
        refuse(rendezvous, strerror(errno));
}

static enum weft_shm_rendezvous_answer find_known(const struct weft_shm_rendezvous *rendezvous,
                                                  struct weft_nic_address address,
                                                  struct weft_shm_rendezvous_record *record)
{
    const struct weft_shm_rendezvous_record *found =
        find_record(rendezvous->known, rendezvous->known_count, address);
    if (found)
        *record = *found;
    return found ? WEFT_SHM_RENDEZVOUS_FINE : WEFT_SHM_RENDEZVOUS_ABSENT;
}

enum weft_shm_rendezvous_answer
weft_shm_rendezvous_find(const struct weft_shm_rendezvous *rendezvous,
                         struct weft_nic_address address,
                         struct weft_shm_rendezvous_record *record)
{
    struct table table;
    if (rendezvous->known)
        return find_known(rendezvous, address, record);
    /* Without the lock, or hundreds of readers would keep those away who enter: a record that is
     * half written does not have the key of the segment that it leads to. */
    enum weft_shm_rendezvous_answer answer = table_open(
        rendezvous, weft_job_locked_try(rendezvous->path, 0, WEFT_JOB_LOCKED_NOT, &table.fd),
        &table);
    if (answer != WEFT_SHM_RENDEZVOUS_FINE)
        return answer;
    const struct weft_shm_rendezvous_record *found = table_find(&table, address);
    if (found)
        *record = *found;
    table_close(&table);
    return found ? WEFT_SHM_RENDEZVOUS_FINE : WEFT_SHM_RENDEZVOUS_ABSENT;
}

static void remove_if_dead(const char *folder, const char *name)
{
    char path[512];
    struct weft_shm_rendezvous rendezvous = {.path = path};
    struct table table;
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    enum weft_job_locked_answer locked = weft_job_locked_try(path, 0, LOCK_EX, &table.fd);
    if (table_open(&rendezvous, locked, &table) != WEFT_SHM_RENDEZVOUS_FINE)
        return;
    drop_dead(&table);
    if (table.count == 0 && unlink(path) < 0)
        refuse(&rendezvous, strerror(errno));
    table_close(&table);
}

void weft_shm_rendezvous_sweep(const char *folder, const char *prefix)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    while (entries && (entry = readdir(entries)))
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            remove_if_dead(folder, entry->d_name);
    if (entries)
        closedir(entries);
}
