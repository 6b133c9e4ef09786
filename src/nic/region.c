/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/region.h"

#include <portals4.h>
#include <stdlib.h>

static enum weft_nic_region_result open_pieces(struct weft_nic_region *region,
                                               const ptl_iovec_t *vector, uint64_t count)
{
    struct weft_nic_piece *pieces = malloc((count + 1) * sizeof *pieces);
    if (!pieces)
        return WEFT_NIC_REGION_NO_MEMORY;
    uint64_t total = 0;
    for (uint64_t i = 0; i < count; i++) {
        pieces[i] = (struct weft_nic_piece){vector[i].iov_base, total};
        if (vector[i].iov_len > INT64_MAX - total || (!vector[i].iov_base && vector[i].iov_len)) {
            free(pieces);
            return WEFT_NIC_REGION_INVALID;
        }
        total += vector[i].iov_len;
    }
    pieces[count] = (struct weft_nic_piece){NULL, total};
    *region = (struct weft_nic_region){.length = total, .pieces = pieces, .piece_count = count};
    return WEFT_NIC_REGION_OK;
}

/* The end mark alone: whoever asks for a piece is told that there is none. */
static enum weft_nic_region_result open_layout(struct weft_nic_region *region,
                                               const ptl_layout_t *layout)
{
    if (!layout || !layout->gather || !layout->scatter)
        return WEFT_NIC_REGION_INVALID;
    struct weft_nic_piece *end = calloc(1, sizeof *end);
    ptl_layout_t *copy = malloc(sizeof *copy);
    if (!end || !copy) {
        free(end);
        free(copy);
        return WEFT_NIC_REGION_NO_MEMORY;
    }
    *copy = *layout;
    *region = (struct weft_nic_region){.length = layout->length, .pieces = end, .layout = copy};
    return WEFT_NIC_REGION_OK;
}

enum weft_nic_region_result weft_nic_region_open(struct weft_nic_region *region, void *start,
                                                 uint64_t length, unsigned options, uint64_t most)
{
    bool vector = options & PTL_IOVEC;
    if (options & PTL_LAYOUT)
        return vector ? WEFT_NIC_REGION_INVALID : open_layout(region, start);
    if (vector && (length > most || (!start && length)))
        return WEFT_NIC_REGION_INVALID;
    if (vector)
        return open_pieces(region, start, length);
    *region = (struct weft_nic_region){.start = start, .length = length};
    return WEFT_NIC_REGION_OK;
}

void weft_nic_region_close(struct weft_nic_region *region)
{
    free(region->pieces);
    free(region->layout);
    region->pieces = NULL;
    region->layout = NULL;
}
