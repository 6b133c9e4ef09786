/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/action.h"

#include "nic/core.h"
#include "nic/dma.h"
#include "nic/trace.h"

/* Nanoseconds of an HPU for one look at a handle. */
#define LOOK 10

_Thread_local struct weft_nic_run *weft_nic_run_current;

struct weft_nic_md *weft_nic_run_memory(const struct weft_nic_run *run, unsigned options)
{
    if (run->outbound)
        return run->outbound;
    struct weft_nic_execution *execution = weft_nic_run_delivery(run)->execution;
    return &execution->mds[options & PTL_HANDLER_HOST_MEM ? WEFT_NIC_MEMORY_HOST
                                                          : WEFT_NIC_MEMORY_ENTRY];
}

int weft_nic_action_fault(struct weft_nic_run *run)
{
    if (run->fault == PTL_NI_OK)
        run->fault = PTL_NI_SEGV;
    return PTL_ARG_INVALID;
}

/* ---- Time --------------------------------------------------------------------------------- */

/* When a transfer that begins now is done. */
static uint64_t end_of(const struct weft_nic_run *run, enum weft_trace_dma direction,
                       uint64_t length)
{
    weft_nic_trace(run->nic, WEFT_TRACE_DMA, run->activation ? run->activation->peer : NULL,
                   direction | (uint64_t)run->hpu << 8, length);
    return weft_nic_core_dma(run, direction, length);
}

bool weft_nic_action_test(struct weft_nic_run *run, uint64_t end)
{
    if (run->clock >= end)
        return true;
    run->clock += LOOK;
    return false;
}

void weft_nic_action_wait(struct weft_nic_run *run, uint64_t end)
{
    if (run->clock >= end)
        return;
    if (run->nic->timing)
        run->nic->timing->waited += end - run->clock;
    run->clock = end;
}

/* ---- Memory ------------------------------------------------------------------------------- */

int weft_nic_action_write(struct weft_nic_run *run, const void *local, uint64_t offset,
                          uint64_t length, unsigned options, uint64_t *end)
{
    const struct weft_nic_region *region = &weft_nic_run_memory(run, options)->region;
    if (!weft_nic_dma_write(region, offset, local, length))
        return weft_nic_action_fault(run);
    *end = end_of(run, WEFT_TRACE_DMA_TO_HOST, length);
    return PTL_OK;
}

int weft_nic_action_read(struct weft_nic_run *run, uint64_t offset, void *local, uint64_t length,
                         unsigned options, uint64_t *end)
{
    const struct weft_nic_region *region = &weft_nic_run_memory(run, options)->region;
    if (!weft_nic_dma_read(region, offset, local, length))
        return weft_nic_action_fault(run);
    *end = end_of(run, WEFT_TRACE_DMA_FROM_HOST, length);
    return PTL_OK;
}

/* ---- Atomic operations -------------------------------------------------------------------- */

/* Where a value of so many bytes is; NULL if it is not aligned, or not in one piece. The caller
 * has checked the range. */
static void *value_at(const struct weft_nic_region *region, uint64_t offset, uint64_t size)
{
    unsigned char *first = weft_nic_region_at(region, offset);
    if ((uintptr_t)first % size ||
        weft_nic_region_at(region, offset + size - 1) != first + size - 1)
        return NULL;
    return first;
}

int weft_nic_action_compare_and_swap(struct weft_nic_run *run, uint64_t offset, uint64_t *compare,
                                     uint64_t swap, unsigned options, uint64_t *end)
{
    const struct weft_nic_region *region = &weft_nic_run_memory(run, options)->region;
    if (!weft_nic_region_has(region, offset, sizeof swap))
        return weft_nic_action_fault(run);
    uint64_t *value = value_at(region, offset, sizeof swap);
    if (!value)
        return PTL_ARG_INVALID;
    __atomic_compare_exchange_n(value, compare, swap, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    *end = end_of(run, WEFT_TRACE_DMA_ATOMIC, sizeof swap);
    return PTL_OK;
}

static uint64_t fetch_add(void *value, uint64_t increment, size_t size)
{
    switch (size) {
    case 1:
        return __atomic_fetch_add((uint8_t *)value, (uint8_t)increment, __ATOMIC_SEQ_CST);
    case 2:
        return __atomic_fetch_add((uint16_t *)value, (uint16_t)increment, __ATOMIC_SEQ_CST);
    case 4:
        return __atomic_fetch_add((uint32_t *)value, (uint32_t)increment, __ATOMIC_SEQ_CST);
    default:
        return __atomic_fetch_add((uint64_t *)value, increment, __ATOMIC_SEQ_CST);
    }
}

static size_t integer_size(ptl_datatype_t datatype)
{
    switch (datatype) {
    case PTL_INT8_T:
    case PTL_UINT8_T:
        return 1;
    case PTL_INT16_T:
    case PTL_UINT16_T:
        return 2;
    case PTL_INT32_T:
    case PTL_UINT32_T:
        return 4;
    case PTL_INT64_T:
    case PTL_UINT64_T:
        return 8;
    default:
        return 0;
    }
}

int weft_nic_action_fetch_add(struct weft_nic_run *run, uint64_t offset, uint64_t increment,
                              uint64_t *before, ptl_datatype_t datatype, unsigned options,
                              uint64_t *end)
{
    const struct weft_nic_region *region = &weft_nic_run_memory(run, options)->region;
    size_t size = integer_size(datatype);
    if (size == 0)
        return PTL_ARG_INVALID;
    if (!weft_nic_region_has(region, offset, size))
        return weft_nic_action_fault(run);
    void *value = value_at(region, offset, size);
    if (!value)
        return PTL_ARG_INVALID;
    *before = fetch_add(value, increment, size);
    *end = end_of(run, WEFT_TRACE_DMA_ATOMIC, size);
    return PTL_OK;
}
