/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of the program that the NIC may touch: one block, or the pieces of a ptl_iovec_t. Pieces
 * are found by binary search over prefix sums, so any byte range can be moved on its own.
 */
#ifndef WEFT_NIC_REGION_H
#define WEFT_NIC_REGION_H

#include <stdbool.h>
#include <stdint.h>

struct weft_piece {
    unsigned char *base;
    uint64_t begin; /* bytes before it */
};

struct weft_region {
    unsigned char *start;
    uint64_t length;
    struct weft_piece *pieces; /* NULL: one block at `start` */
    uint64_t piece_count;      /* one more piece marks the end */
};

enum weft_region_result { WEFT_REGION_OK, WEFT_REGION_INVALID, WEFT_REGION_NO_MEMORY };

/* `vector`: `start` is an array of `length` ptl_iovec_t, of at most `most`. */
enum weft_region_result weft_region_open(struct weft_region *region, void *start, uint64_t length,
                                         bool vector, uint64_t most);
void weft_region_close(struct weft_region *region);

/* Where a byte is. */
unsigned char *weft_region_at(const struct weft_region *region, uint64_t offset);

/* Which piece has a byte: the last that begins at or before it. There must be pieces. */
uint64_t weft_region_piece(const struct weft_region *region, uint64_t offset);

#endif
