/* SPDX-License-Identifier: BSD-3-Clause */
/* Pack and unpack: a walk whose sink hands every run to a kernel. */
#include "type/pack.h"

#include "type/kernel.h"
#include "type/range.h"
#include "type/walk.h"

static inline int move(enum weft_type_direction direction, const weft_type *type, size_t count,
                       const void *base, size_t offset, char *packed, size_t length)
{
    int rc = weft_type_range_check(type, count, offset, length);
    if (rc || !length)
        return rc;
    struct weft_type_mover mover = {weft_type_kernels(direction)->mover, packed};
    weft_type_range_walk(type, count, base, offset, length, &mover.sink);
    return WEFT_OK;
}

int weft_pack(const weft_type *type, size_t count, const void *base, size_t offset, void *packed,
              size_t length)
{
    return move(WEFT_TYPE_GATHER, type, count, base, offset, packed, length);
}

int weft_unpack(const weft_type *type, size_t count, void *base, size_t offset, const void *packed,
                size_t length)
{
    return move(WEFT_TYPE_SCATTER, type, count, base, offset, (char *)packed, length);
}

void weft_type_scatter(const struct weft_type_node *node, weft_type_address mem, uint64_t offset,
                       const void *packed, uint64_t length)
{
    struct weft_type_mover mover = {weft_type_kernels(WEFT_TYPE_SCATTER)->mover, (char *)packed};
    weft_type_walk(node, mem, offset, length, &mover.sink);
}
