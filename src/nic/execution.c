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

int weft_nic_execution_open(struct weft_nic_entry *entry, const ptl_handlers_t *handlers,
                            struct weft_nic_memory *memory)
{
    struct weft_nic_execution *execution = calloc(1, sizeof *execution);
    if (!execution)
        return PTL_NO_SPACE;
    execution->handlers = *handlers;
    execution->memory = memory;
    int result = open_regions(entry, execution);
    if (result != PTL_OK) {
        free(execution);
        return result;
    }
    if (memory) {
        memory->users++;
        execution->state = memory->bytes;
    }
    if (memory && handlers->hpu_initial_state && handlers->hpu_initial_state_length)
        memcpy(memory->bytes, handlers->hpu_initial_state, handlers->hpu_initial_state_length);
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
    weft_nic_region_close(&execution->mds[WEFT_NIC_MEMORY_HOST].region);
    free(execution);
}
