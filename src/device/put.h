/* SPDX-License-Identifier: BSD-3-Clause */
/* How handlers write to the host and count, where one source is for the processor of the host and
 * for the core of a NIC. There, what the host calls an address is an offset in the entry. */
#ifndef WEFT_DEVICE_PUT_H
#define WEFT_DEVICE_PUT_H

#include <portals4_device.h>
#include <string.h>

#if __STDC_HOSTED__
static inline void weft_device_put(uintptr_t to, const void *from, uint64_t size)
{
    memcpy((void *)to, from, size);
}
#else

enum {
#define WEFT_DEVICE_NUMBER(number, name) WEFT_DEVICE_##name = number,
    PTL_DEVICE_CALL_MAP(WEFT_DEVICE_NUMBER)
#undef WEFT_DEVICE_NUMBER
};

/* PtlHandlerDMAToHostNB, whose result nobody asks for, as an instruction of the loop: what does
 * not change from block to block stays in its registers. */
static inline __attribute__((always_inline)) void weft_device_put(uintptr_t to, const void *from,
                                                                  uint64_t size)
{
    ptl_dma_t handle;
    register uintptr_t number __asm__("t0") = WEFT_DEVICE_PtlHandlerDMAToHostNB;
    register uintptr_t a0 __asm__("a0") = (uintptr_t)from;
    register uintptr_t a1 __asm__("a1") = to;
#if __riscv_xlen == 64
    register uintptr_t a2 __asm__("a2") = size;
    register uintptr_t a3 __asm__("a3") = PTL_DMA_NO_EVENT;
    register ptl_dma_t *a4 __asm__("a4") = &handle;
    __asm__ volatile("ecall"
                     : "+r"(a0)
                     : "r"(number), "r"(a1), "r"(a2), "r"(a3), "r"(a4)
                     : "memory");
#else
    register uintptr_t a2 __asm__("a2") = 0;
    register uintptr_t a3 __asm__("a3") = (uintptr_t)size;
    register uintptr_t a4 __asm__("a4") = (uintptr_t)(size >> 32);
    register uintptr_t a5 __asm__("a5") = PTL_DMA_NO_EVENT;
    register ptl_dma_t *a6 __asm__("a6") = &handle;
    __asm__ volatile("ecall"
                     : "+r"(a0)
                     : "r"(number), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a6)
                     : "memory");
#endif
}
#endif

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
