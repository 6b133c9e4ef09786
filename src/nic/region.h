/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of the program that the NIC may touch: one block, the pieces of a ptl_iovec_t, or what a
 * ptl_layout_t knows. Pieces are found by binary search over prefix sums, so any byte range can be
 * moved on its own.
 */
#ifndef WEFT_NIC_REGION_H
#define WEFT_NIC_REGION_H

#include <portals4_layout.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rare.h"

struct weft_nic_piece {
    unsigned char *base;
    uint64_t begin; /* bytes before it */
};

struct weft_nic_region {
    unsigned char *start;
    uint64_t length;
    struct weft_nic_piece *pieces; /* NULL: one block at `start` */
    uint64_t piece_count;          /* one more piece marks the end; 0 of a layout */
    ptl_layout_t *layout;          /* NULL: pieces; else only functions know where the bytes are */
};

enum weft_nic_region_result {
    WEFT_NIC_REGION_OK,
    WEFT_NIC_REGION_INVALID,
    WEFT_NIC_REGION_NO_MEMORY
};

/* `options`: PTL_IOVEC, if `start` is an array of `length` ptl_iovec_t, of at most `most`;
 * PTL_LAYOUT, if it is a ptl_layout_t. */
enum weft_nic_region_result weft_nic_region_open(struct weft_nic_region *region, void *start,
                                                 uint64_t length, unsigned options, uint64_t most);
void weft_nic_region_close(struct weft_nic_region *region);

static inline bool weft_nic_region_has(const struct weft_nic_region *region, uint64_t offset,
                                       uint64_t size)
{
    return offset <= region->length && size <= region->length - offset;
}

/* Which piece has a byte: the last that begins at or before it. There must be pieces. */
static inline uint64_t weft_nic_region_piece(const struct weft_nic_region *region, uint64_t offset)
{
    uint64_t low = 0, high = region->piece_count;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (region->pieces[middle].begin <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Where a byte is; NULL if there are no pieces, or a layout. */
static inline unsigned char *weft_nic_region_at(const struct weft_nic_region *region,
                                                uint64_t offset)
{
    /* As numbers: all memory begins at NULL, to which no pointer may be added. */
    if (!weft_rare(region->pieces != NULL))
        return (unsigned char *)((uintptr_t)region->start + offset);
    if (region->piece_count == 0)
        return NULL;
    const struct weft_nic_piece *piece = &region->pieces[weft_nic_region_piece(region, offset)];
    return piece->base + (offset - piece->begin);
}

#endif
