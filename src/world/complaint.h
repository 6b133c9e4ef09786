/* SPDX-License-Identifier: BSD-3-Clause */
/* What the log is told of strangers: now and then, because they must not fill it. */
#ifndef WEFT_WORLD_COMPLAINT_H
#define WEFT_WORLD_COMPLAINT_H

#include "world/fabric.h"

struct weft_world_complaint {
    uint64_t at;                   /* when the log was last told; 0: never */
    struct weft_world_counts told; /* what it knows */
};

void weft_world_complain(struct weft_world_complaint *complaint,
                         const struct weft_world_counts *counts, uint64_t now);

#endif
