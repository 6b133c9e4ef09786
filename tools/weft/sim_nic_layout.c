/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_nic_layout.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "bench/layouts/layouts.h"

static bool open_vector(size_t blocks, size_t block, struct ddt_layout *layout)
{
    weft_type *type;
    if (weft_type_vector(blocks, block, (ptrdiff_t)(2 * block), weft_basic(WEFT_BYTE), &type) !=
            WEFT_OK ||
        weft_type_commit(type) != WEFT_OK)
        return false;
    *layout = (struct ddt_layout){.type = type,
                                  .count = 1,
                                  .bytes = blocks * block,
                                  .window = (2 * blocks - 1) * block,
                                  .pieces = blocks};
    return true;
}

bool sim_nic_layout_open(const struct sim_nic_study *study, struct ddt_layout *layout)
{
    size_t size = (size_t)study->size, block = (size_t)study->block;
    if (!study->layout[0])
        return open_vector(size / block, block, layout);
    const struct layout_entry *entry = layout_entry_find(study->layout);
    return ddt_layout_open(study->layout, entry && !layout_entry_is_parametric(entry) ? 1 : size,
                           layout);
}

bool sim_nic_layout_is_known(const struct sim_nic_study *study)
{
    struct ddt_layout layout;
    if (!study->layout[0])
        return true;
    if (!sim_nic_layout_open(study, &layout))
        return false;
    ddt_layout_close(&layout);
    return true;
}

bool sim_nic_layout_holds(const struct ddt_layout *layout, const unsigned char *memory,
                          const unsigned char *packed)
{
    unsigned char *again = malloc(layout->bytes);
    size_t written = 0;
    bool is_right = again &&
                    weft_pack(layout->type, layout->count, memory + layout->origin, 0, again,
                              layout->bytes) == WEFT_OK &&
                    memcmp(again, packed, layout->bytes) == 0;
    for (size_t i = 0; i < layout->window; i++)
        written += memory[i] != 0;
    free(again);
    return is_right && written == layout->bytes;
}

void sim_nic_layout_each(const struct ddt_layout *layout,
                         void (*visit)(void *self, const struct sim_nic_piece *piece), void *self)
{
    struct iovec list[256];
    size_t used, bytes;
    const uintptr_t memory = 4096; /* nobody looks there */
    for (size_t at = 0; at < layout->bytes; at += bytes) {
        const void *base = (const void *)(memory + layout->origin);
        if (weft_iov(layout->type, layout->count, base, at, layout->bytes - at, list,
                     sizeof list / sizeof *list, &used, &bytes) != WEFT_OK)
            return;
        size_t offset = at;
        for (size_t i = 0; i < used; offset += list[i++].iov_len)
            visit(self, &(struct sim_nic_piece){(uintptr_t)list[i].iov_base - memory, offset,
                                                list[i].iov_len});
    }
}
