/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/execution.h"

#include <stdlib.h>
#include <string.h>

/* ---- Memory of the NIC -------------------------------------------------------------------- */

int weft_nic_memory_open(struct weft_nic_ni *ni, uint64_t length, uint32_t *id)
{
    struct weft_nic_hpu_stage *stage = &ni->nic->hpu;
    if (length == 0 || length > ni->handler_limits.max_handler_mem)
        return PTL_ARG_INVALID;
    if (length > stage->memory - stage->memory_used)
        return PTL_NO_SPACE;
    struct weft_nic_memory *memory = weft_pool_take(&ni->memories);
    if (!memory)
        return PTL_NO_SPACE;
    memory->bytes = calloc(1, length);
    if (!memory->bytes) {
        weft_pool_give(&ni->memories, memory);
        return PTL_NO_SPACE;
    }
    memory->length = length;
    stage->memory_used += length;
    *id = memory->slot.id;
    return PTL_OK;
}

int weft_nic_memory_close(struct weft_nic_ni *ni, struct weft_nic_memory *memory)
{
    if (memory->users)
        return PTL_IN_USE;
    ni->nic->hpu.memory_used -= memory->length;
    free(memory->bytes);
    weft_pool_give(&ni->memories, memory);
    return PTL_OK;
}

/* ---- Code ---------------------------------------------------------------------------------- */

int weft_nic_code_open(struct weft_nic_ni *ni, void *content, void (*close)(void *content),
                       uint64_t bytes, uint32_t *id)
{
    struct weft_nic_hpu_stage *stage = &ni->nic->hpu;
    if (bytes > stage->memory - stage->memory_used)
        return PTL_NO_SPACE;
    struct weft_nic_code *code = weft_pool_take(&stage->codes);
    if (!code)
        return PTL_NO_SPACE;
    code->ni = ni;
    code->content = content;
    code->close = close;
    code->bytes = bytes;
    stage->memory_used += bytes;
    *id = code->slot.id;
    return PTL_OK;
}

int weft_nic_code_close(struct weft_nic_code *code)
{
    struct weft_nic_hpu_stage *stage = &code->ni->nic->hpu;
    if (code->users)
        return PTL_IN_USE;
    stage->memory_used -= code->bytes;
    code->close(code->content);
    weft_pool_give(&stage->codes, code);
    return PTL_OK;
}

void weft_nic_code_forget(const struct weft_nic_ni *ni)
{
    struct weft_pool *codes = &ni->nic->hpu.codes;
    for (uint32_t i = 0; i < codes->made; i++) {
        struct weft_nic_code *code = (struct weft_nic_code *)weft_pool_at(codes, i);
        if (code->slot.next == 0 && code->ni == ni)
            weft_nic_code_close(code);
    }
}

/* ---- Handlers of an entry ----------------------------------------------------------------- */

/* Operations that handlers start report to the queue of the portal table entry. */
static void describe(struct weft_nic_entry *entry, struct weft_nic_md *md,
                     struct weft_nic_region region)
{
    *md = (struct weft_nic_md){.ni = entry->ni,
                               .region = region,
                               .eq = entry->ni->pts[entry->pt_index].eq,
                               .ct = entry->ct,
                               .entry = entry};
}

static int open_regions(struct weft_nic_entry *entry, struct weft_nic_execution *execution)
{
    const ptl_handlers_t *handlers = &execution->handlers;
    struct weft_nic_region host = {0}, device = {0};
    enum weft_nic_region_result result = weft_nic_region_open(
        &host, handlers->handler_host_mem_start, handlers->handler_host_mem_length,
        handlers->options & PTL_HANDLER_IOVEC ? PTL_IOVEC : 0,
        (uint64_t)entry->ni->limits.max_iovecs);
    if (result != WEFT_NIC_REGION_OK)
        return result == WEFT_NIC_REGION_INVALID ? PTL_ARG_INVALID : PTL_NO_SPACE;
    if (execution->memory)
        device = (struct weft_nic_region){.start = execution->memory->bytes,
                                          .length = execution->memory->length};
    describe(entry, &execution->mds[WEFT_NIC_MEMORY_ENTRY], entry->region);
    describe(entry, &execution->mds[WEFT_NIC_MEMORY_HOST], host);
    describe(entry, &execution->mds[WEFT_NIC_MEMORY_DEVICE], device);
    return PTL_OK;
}

static void copy_initial_state(struct weft_nic_execution *execution)
{
    const ptl_handlers_t *handlers = &execution->handlers;
    execution->state = execution->memory->bytes;
    if (handlers->hpu_initial_state && handlers->hpu_initial_state_length)
        memcpy(execution->state, handlers->hpu_initial_state, handlers->hpu_initial_state_length);
}

int weft_nic_execution_open(struct weft_nic_entry *entry, const struct weft_nic_entry_spec *spec)
{
    struct weft_nic_execution *execution = calloc(1, sizeof *execution);
    if (!execution)
        return PTL_NO_SPACE;
    execution->handlers = *spec->handlers;
    execution->memory = spec->memory;
    execution->code = spec->code;
    execution->core = spec->core;
    int result = open_regions(entry, execution);
    if (result != PTL_OK) {
        free(execution);
        return result;
    }
    if (execution->memory) {
        execution->memory->users++;
        copy_initial_state(execution);
    }
    if (execution->code)
        execution->code->users++;
    entry->execution = execution;
    return PTL_OK;
}

void weft_nic_execution_close(struct weft_nic_entry *entry)
{
    struct weft_nic_execution *execution = entry->execution;
    if (!execution)
        return;
    entry->execution = NULL;
    if (execution->memory)
        execution->memory->users--;
    if (execution->code)
        execution->code->users--;
    weft_nic_region_close(&execution->mds[WEFT_NIC_MEMORY_HOST].region);
    free(execution->core);
    free(execution);
}
