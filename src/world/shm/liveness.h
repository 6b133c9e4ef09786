/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Learns of the death of processes: a pidfd of each, all in one epoll. Some systems, and valgrind,
 * do not have the call; and the descriptors belong to the program, which may need them or have
 * none left. So whoever asks must be able to do without.
 */
#ifndef WEFT_WORLD_SHM_LIVENESS_H
#define WEFT_WORLD_SHM_LIVENESS_H

#include <stdbool.h>
#include <stdint.h>

struct weft_shm_liveness {
    int epoll;
    uint64_t room; /* so many descriptors may still be taken */
};

/* Or false, and the log says why. */
bool weft_shm_liveness_open(struct weft_shm_liveness *liveness);
void weft_shm_liveness_close(struct weft_shm_liveness *liveness);

enum weft_shm_liveness_answer {
    WEFT_SHM_LIVENESS_FINE,
    WEFT_SHM_LIVENESS_DEAD,
    WEFT_SHM_LIVENESS_BLIND /* its death will not be told: look at it now and then */
};

/* From now on weft_shm_liveness_dead names `who` once the process is dead, until it is unwatched.
 * The number may have gone to another process before this call, not after it: make sure of who
 * it is afterwards. `pidfd` is -1 unless the answer is FINE. */
enum weft_shm_liveness_answer weft_shm_liveness_watch(struct weft_shm_liveness *liveness,
                                                      uint32_t os_pid, void *who, int *pidfd);

/* Makes it -1; it may be that already. */
void weft_shm_liveness_unwatch(struct weft_shm_liveness *liveness, int *pidfd);

/* One of those whose process is dead, or NULL. A second call may name the same one. */
void *weft_shm_liveness_dead(const struct weft_shm_liveness *liveness);

#endif
