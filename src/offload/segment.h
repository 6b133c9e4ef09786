/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A resumable iterator over a normal form, as MPITypes calls it a segment: a stack of levels, each
 * with the child that it is at. It goes through the packed stream block by block. To get to a byte
 * before its position it must begin again; to get to one behind, it passes the blocks between
 * without writing, which is the catch-up phase of [DiG19], section 3.2.4.
 *
 * The innermost level is one whose child is contiguous, and its blocks are gone through as in a
 * specialised handler. Displacements count from the type's first packed byte, and nodes are named
 * by their distance from the root, so that a segment serves receives into any memory and belongs
 * to the image wherever that lies. A segment of zeros has not begun.
 */
#ifndef WEFT_OFFLOAD_SEGMENT_H
#define WEFT_OFFLOAD_SEGMENT_H

#include <assert.h>

#include <weft.h>

#include "type/node.h"
#include "type/run.h"

struct weft_offload_segment_level {
    int64_t node;
    int64_t at;
    uint64_t i;    /* the child */
    uint64_t copy; /* of it, in a list whose entries have several */
};

struct weft_offload_segment {
    uint64_t position; /* packed bytes done */
    uint64_t skip;     /* of the current block */
    uint64_t depth;    /* levels in use; 0: not begun, or at the end */
    struct weft_offload_segment_level level[];
};

static_assert(sizeof(struct weft_offload_segment_level) == 32, "layout");
static_assert(sizeof(struct weft_offload_segment) == 24, "layout");

/* Bytes of a segment of any form. */
#define WEFT_OFFLOAD_SEGMENT_LARGEST                                                              \
    (sizeof(struct weft_offload_segment) +                                                        \
     WEFT_MAX_DEPTH * sizeof(struct weft_offload_segment_level))

uint32_t weft_offload_segment_bytes(const struct weft_type_node *root);

/* To the begin of the stream. */
void weft_offload_segment_reset(struct weft_offload_segment *segment,
                                const struct weft_type_node *root);

/* Passes `length` bytes. */
void weft_offload_segment_pass(struct weft_offload_segment *segment,
                               const struct weft_type_node *root, uint64_t length);

/* Passes `length` bytes, writing them to where they belong; the first packed byte is at mem. */
void weft_offload_segment_write(struct weft_offload_segment *segment,
                                const struct weft_type_node *root, weft_type_address mem,
                                const unsigned char *data, uint64_t length);

#endif
