/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/region.h"

#include <portals4.h>
#include <stdlib.h>

static enum weft_region_result open_pieces(struct weft_region *region, const ptl_iovec_t *vector,
                                           uint64_t count)
{
    struct weft_piece *pieces = malloc((count + 1) * sizeof *pieces);
    if (!pieces)
        return WEFT_REGION_NO_MEMORY;
    uint64_t total = 0;
    for (uint64_t i = 0; i < count; i++) {
        pieces[i] = (struct weft_piece){vector[i].iov_base, total};
        if (vector[i].iov_len > INT64_MAX - total || (!vector[i].iov_base && vector[i].iov_len)) {
            free(pieces);
            return WEFT_REGION_INVALID;
        }
        total += vector[i].iov_len;
    }
    pieces[count] = (struct weft_piece){NULL, total};
    *region = (struct weft_region){NULL, total, pieces, count};
    return WEFT_REGION_OK;
}

enum weft_region_result weft_region_open(struct weft_region *region, void *start, uint64_t length,
                                         bool vector, uint64_t most)
{
    if (vector && (length > most || (!start && length)))
        return WEFT_REGION_INVALID;
    if (vector)
        return open_pieces(region, start, length);
    *region = (struct weft_region){start, length, NULL, 0};
    return WEFT_REGION_OK;
}

void weft_region_close(struct weft_region *region)
{
    free(region->pieces);
    region->pieces = NULL;
}
