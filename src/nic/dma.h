/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The only code that touches the memory of programs. Each call checks that the range lies inside
 * the region, whatever was checked before, and does nothing and says so if it does not.
 */
#ifndef WEFT_NIC_DMA_H
#define WEFT_NIC_DMA_H

#include <portals4.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/rare.h"
#include "nic/region.h"

/* Shorter ranges are copied as fast as they are found. */
#define WEFT_NIC_DMA_LONG 4096u

bool weft_nic_dma_read(const struct weft_nic_region *region, uint64_t offset, void *to,
                       size_t size);

/* Where a range is that is worth moving without a copy: long, and in one block. Else NULL. */
static inline unsigned char *weft_nic_dma_block(const struct weft_nic_region *region,
                                                uint64_t offset, size_t size)
{
    bool is_block =
        size >= WEFT_NIC_DMA_LONG && !region->pieces && weft_nic_region_has(region, offset, size);
    return is_block ? weft_nic_region_at(region, offset) : NULL;
}

/* Into the pieces or the layout of a region that is known to have the range. */
void weft_nic_dma_scatter(const struct weft_nic_region *region, uint64_t offset, const void *from,
                          size_t size);

static inline bool weft_nic_dma_write(const struct weft_nic_region *region, uint64_t offset,
                                      const void *from, size_t size)
{
    if (!weft_nic_region_has(region, offset, size))
        return false;
    if (size == 0)
        return true;
    if (weft_rare(region->pieces != NULL))
        weft_nic_dma_scatter(region, offset, from, size);
    else /* what a process puts to itself may overlap with where it goes */
        memmove(weft_nic_region_at(region, offset), from, size);
    return true;
}

/* Applies an atomic operation to the range; see nic/atomic.h. */
bool weft_nic_dma_atomic(const struct weft_nic_region *region, uint64_t offset, const void *from,
                         size_t size, ptl_op_t operation, ptl_datatype_t type,
                         const void *operand);

#endif
