/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/dma.h"

#include <string.h>

#include "nic/atomic.h"
#include "packet/packet.h"

/* Calls `move` for each part of the range that lies in one piece. */
static void for_pieces(const struct weft_nic_region *region, uint64_t offset, unsigned char *other,
                       size_t size, void (*move)(unsigned char *, unsigned char *, size_t))
{
    uint64_t i = weft_nic_region_piece(region, offset);
    while (size > 0) {
        const struct weft_nic_piece *piece = &region->pieces[i++];
        uint64_t part = piece[1].begin - offset;
        if (part > size)
            part = size;
        move(piece->base + (offset - piece->begin), other, part);
        offset += part;
        other += part;
        size -= part;
    }
}

static void copy_out(unsigned char *memory, unsigned char *other, size_t size)
{
    memcpy(other, memory, size);
}

static void copy_in(unsigned char *memory, unsigned char *other, size_t size)
{
    memcpy(memory, other, size);
}

bool weft_nic_dma_read(const struct weft_nic_region *region, uint64_t offset, void *to,
                       size_t size)
{
    if (!weft_nic_region_has(region, offset, size))
        return false;
    if (size == 0)
        return true;
    if (!region->pieces)
        memcpy(to, weft_nic_region_at(region, offset), size);
    else if (region->layout)
        region->layout->gather(region->layout->context, offset, to, size);
    else
        for_pieces(region, offset, to, size, copy_out);
    return true;
}

void weft_nic_dma_scatter(const struct weft_nic_region *region, uint64_t offset, const void *from,
                          size_t size)
{
    if (region->layout)
        region->layout->scatter(region->layout->context, offset, from, size);
    else
        for_pieces(region, offset, (unsigned char *)from, size, copy_in);
}

bool weft_nic_dma_atomic(const struct weft_nic_region *region, uint64_t offset, const void *from,
                         size_t size, ptl_op_t operation, ptl_datatype_t type, const void *operand)
{
    if (!weft_nic_region_has(region, offset, size))
        return false;
    if (!region->pieces) {
        weft_nic_atomic_apply(operation, type, weft_nic_region_at(region, offset), from, size,
                              operand);
        return true;
    }
    /* An item may lie in two pieces, so the items are brought together first. */
    unsigned char items[WEFT_PACKET_ATOMIC_MAX];
    if (size > sizeof items)
        return false;
    weft_nic_dma_read(region, offset, items, size);
    weft_nic_atomic_apply(operation, type, items, from, size, operand);
    return weft_nic_dma_write(region, offset, items, size);
}
