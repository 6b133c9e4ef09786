/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens the world in which this process lives, in real time, as the settings choose it. */
#ifndef WEFT_WORLD_WORLD_H
#define WEFT_WORLD_WORLD_H

#include <stdint.h>

#include "nic/world.h"

/* The lowest pid from 1 that no process of the host has. */
#define WEFT_PID_ANY UINT32_MAX

enum weft_world_status {
    WEFT_WORLD_OK,
    WEFT_WORLD_PID_IN_USE,
    WEFT_WORLD_FAILED /* the log says why */
};

/* NULL unless `status` is WEFT_WORLD_OK. A process that opens a world must not fork and go on
 * using it in the child. */
struct weft_world *weft_world_open(uint32_t pid, enum weft_world_status *status);

#endif
