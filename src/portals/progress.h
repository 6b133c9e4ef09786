/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread that looks after the NIC of a program that does something else. */
#ifndef WEFT_PORTALS_PROGRESS_H
#define WEFT_PORTALS_PROGRESS_H

#include <stdbool.h>

struct weft_portals_process;

/* True also if WEFT_PROGRESS says that there shall be none. */
bool weft_portals_progress_start(struct weft_portals_process *process);

/* The lock is held; it is let go of while the thread ends. */
void weft_portals_progress_stop(struct weft_portals_process *process);

#endif
