/* SPDX-License-Identifier: BSD-3-Clause */
/* Learns of the death of processes: a pidfd of each, all in one epoll. */
#ifndef WEFT_WORLD_SHM_LIVENESS_H
#define WEFT_WORLD_SHM_LIVENESS_H

#include <stdint.h>

/* The descriptor of the whole, or -1 and the log says why. */
int weft_liveness_open(void);

enum weft_liveness_answer {
    WEFT_LIVENESS_FINE,
    WEFT_LIVENESS_DEAD,
    WEFT_LIVENESS_FAILED /* the log says why */
};

/* From now on weft_liveness_dead names `who` once the process is dead, until `pidfd` is closed.
 * The number may have gone to another process before this call, not after it: make sure of who
 * it is afterwards. */
enum weft_liveness_answer weft_liveness_watch(int liveness, uint32_t os_pid, void *who,
                                              int *pidfd);

/* One of those whose process is dead, or NULL. A second call may name the same one. */
void *weft_liveness_dead(int liveness);

#endif
