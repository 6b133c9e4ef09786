/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file through which processes of one user on one host find each other: a table of who has
 * which address and where its segment is. Whoever changes it holds its lock; the last one, when
 * only records of dead processes are left, removes the file. Readers need no lock: whatever a
 * record leads to is asked for its key.
 */
#ifndef WEFT_WORLD_SHM_RENDEZVOUS_H
#define WEFT_WORLD_SHM_RENDEZVOUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nic/world_ops.h"
#include "world/shm/segment.h"

struct weft_shm_rendezvous_record;

struct weft_shm_rendezvous {
    char *path;
    uint64_t patience;                        /* nanoseconds to wait for the lock */
    struct weft_shm_rendezvous_record *known; /* once it is settled: all that there are */
    size_t known_count;
};

struct weft_shm_rendezvous_record {
    struct weft_nic_address address;
    struct weft_shm_segment_id id;
};

enum weft_shm_rendezvous_answer {
    WEFT_SHM_RENDEZVOUS_FINE,
    WEFT_SHM_RENDEZVOUS_ABSENT, /* or the lock was not to be had at once */
    WEFT_SHM_RENDEZVOUS_IN_USE,
    WEFT_SHM_RENDEZVOUS_FAILED /* the log says why */
};

/* False without memory. */
bool weft_shm_rendezvous_open(struct weft_shm_rendezvous *rendezvous, const char *path,
                              uint64_t patience);
void weft_shm_rendezvous_close(struct weft_shm_rendezvous *rendezvous);

/* Removes those files of a folder whose names begin like that and whose processes are all dead. */
void weft_shm_rendezvous_sweep(const char *folder, const char *prefix);

/* Registers a process; the pid WEFT_WORLD_PID_ANY is replaced by the lowest free one from 1. */
enum weft_shm_rendezvous_answer
weft_shm_rendezvous_enter(const struct weft_shm_rendezvous *rendezvous,
                          struct weft_shm_rendezvous_record *record);
void weft_shm_rendezvous_leave(const struct weft_shm_rendezvous *rendezvous, uint64_t key);

/* When all have entered who ever will: remembers what the file says, which is not needed from
 * then on. One process removes it when all have settled, so that it stays behind nobody. */
bool weft_shm_rendezvous_settle(struct weft_shm_rendezvous *rendezvous);
void weft_shm_rendezvous_remove(const struct weft_shm_rendezvous *rendezvous);

/* Finds the record of an address. Does not wait. */
enum weft_shm_rendezvous_answer
weft_shm_rendezvous_find(const struct weft_shm_rendezvous *rendezvous,
                         struct weft_nic_address address,
                         struct weft_shm_rendezvous_record *record);

#endif
