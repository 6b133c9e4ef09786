/* SPDX-License-Identifier: BSD-3-Clause */
/* How handlers write to the host and count, where one source is for the processor of the host and for the
 * core of a NIC. There, what the host calls an address is an offset in the entry. */
#ifndef WEFT_DEVICE_PUT_H
#define WEFT_DEVICE_PUT_H

#include <portals4_spin.h>
#include <string.h>

static inline __attribute__((always_inline)) void weft_device_put(uintptr_t to, const void *from,
                                                                  uint64_t size)
{
#if __STDC_HOSTED__
    memcpy((void *)to, from, size);
#else
    ptl_dma_t handle;
    PtlHandlerDMAToHostNB(from, to, size, PTL_DMA_NO_EVENT, &handle);
#endif
}

/* What several HPUs count. On a core one may be lost: they are for statistics. */
static inline void weft_device_count(uint32_t *count)
{
#if __STDC_HOSTED__
    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
#else
    (*count)++;
#endif
}

#endif
