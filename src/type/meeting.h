/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of the source meets what a walk of the destination finds. */
#ifndef WEFT_TYPE_MEETING_H
#define WEFT_TYPE_MEETING_H

#include "type/pair.h"

/* The sink of the destination's walk, over as many bytes as the run has. The walk ends early where
 * copying straight would not pay. */
struct weft_type_meeting {
    struct weft_type_sink sink;
    struct weft_type_feed from;
    uint64_t copied; /* bytes, from the start of the run */
    /* Of what was not copied. */
    uint64_t refused;    /* bytes that belong together */
    uint64_t turned_row; /* bytes of a row of a transposed array, or 0 */
};

struct weft_type_meeting weft_type_meeting(const struct weft_type_run *from);

#endif
