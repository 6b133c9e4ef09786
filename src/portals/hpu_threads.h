/* SPDX-License-Identifier: BSD-3-Clause */
/* HPUs in real time: threads of the library that run handlers, and step the NIC when they have
 * none to run. */
#ifndef WEFT_PORTALS_HPU_THREADS_H
#define WEFT_PORTALS_HPU_THREADS_H

#include <stdbool.h>

struct weft_portals_process;

/* True also if WEFT_HPUS says that there shall be none. */
bool weft_portals_hpu_threads_start(struct weft_portals_process *process);

/* The lock is held; it is let go of while the threads end. */
void weft_portals_hpu_threads_stop(struct weft_portals_process *process);

/* Takes the lock of the process; callers that only poll make way. */
void weft_portals_hpu_lock(struct weft_portals_process *process);

#endif
