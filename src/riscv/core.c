/* SPDX-License-Identifier: BSD-3-Clause */
#include "riscv/core.h"

#include "riscv/run.h"

static void *find(struct weft_riscv_core *core, uint64_t address, uint64_t size, bool writes)
{
    const struct weft_riscv_window *window = weft_riscv_core_window(core, address);
    uint64_t room = writes ? window->writable : window->readable;
    uint64_t offset = address - window->base;
    if (offset <= room && size <= room - offset && window->bytes)
        return window->bytes + offset;
    core->fault = address;
    return NULL;
}

const void *weft_riscv_core_read(struct weft_riscv_core *core, uint64_t address, uint64_t size)
{
    return find(core, address, size, false);
}

void *weft_riscv_core_write(struct weft_riscv_core *core, uint64_t address, uint64_t size)
{
    return find(core, address, size, true);
}

enum weft_riscv_stop weft_riscv_core_run(struct weft_riscv_core *core, uint64_t budget)
{
    return core->text->xlen == 32 ? weft_riscv_run32(core, budget)
                                  : weft_riscv_run64(core, budget);
}
