/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting for packets, by threads that do not own the NIC and so must not call libfabric. They
 * wait for the descriptor of the completion queue where there is one. Some providers' descriptors
 * are always ready, or stay so until libfabric is asked something: such waits turn into naps.
 */
#ifndef WEFT_WORLD_DOZE_H
#define WEFT_WORLD_DOZE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct weft_world_doze {
    int bell; /* an eventfd */
    int wait; /* of the completion queue; or -1 */
    /* Completions that were read, and how many it were when the descriptor last was ready. */
    _Atomic uint64_t progress;
    _Atomic uint64_t seen;
};

/* False if it fails, and the log says why. */
bool weft_world_doze_open(struct weft_world_doze *doze, int wait);
void weft_world_doze_close(struct weft_world_doze *doze);

void weft_world_doze_until(struct weft_world_doze *doze, uint64_t until);
void weft_world_doze_wake(struct weft_world_doze *doze);

/* Something has come. Only the owner of the NIC says so; sleepers look at it. */
static inline void weft_world_doze_progress(struct weft_world_doze *doze)
{
    uint64_t progress = atomic_load_explicit(&doze->progress, memory_order_relaxed);
    atomic_store_explicit(&doze->progress, progress + 1, memory_order_relaxed);
}

#endif
