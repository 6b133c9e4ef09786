/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For the source of handlers that are loaded as an image (PtlHandlersLoad): the calls that they
 * may make, and the functions that compilers take for granted. Compiled for the host, it is
 * portals4_spin.h; so one source gives native handlers and those of an image. An image is made by
 *
 *     clang --target=riscv64 -march=rv64imc -mabi=lp64 -mno-relax -msmall-data-limit=0 -O2 \
 *         -ffreestanding -nostdlib -static -fuse-ld=lld -Wl,-e,0 handlers.c -o handlers.elf
 *
 * or with riscv64-unknown-elf-gcc and the same options but the first and -fuse-ld=lld; for RV32,
 * with riscv32, rv32imc and ilp32. It has no variables that can be changed: what handlers remember
 * is in HPU memory.
 */
#ifndef PORTALS4_DEVICE_H
#define PORTALS4_DEVICE_H

#include <portals4_spin.h>

/* Where handlers of an image see the hpu_memory of their entry; addresses in it can be prepared. */
#define PTL_DEVICE_MEMORY UINT64_C(0x40000000)

/* X(number, name). A call puts its number into t0, has its arguments where the calling convention
 * wants them, and executes ECALL. */
#define PTL_DEVICE_CALL_MAP(X)                                                                    \
    X(0, PtlHandlerNumHPUs)                                                                       \
    X(1, PtlHandlerMyHPU)                                                                         \
    X(2, PtlHandlerMyVHPU)                                                                        \
    X(3, PtlHandlerHeader)                                                                        \
    X(4, PtlHandlerDMAToHostB)                                                                    \
    X(5, PtlHandlerDMAToHostNB)                                                                   \
    X(6, PtlHandlerDMAFromHostB)                                                                  \
    X(7, PtlHandlerDMAFromHostNB)                                                                 \
    X(8, PtlHandlerDMACASB)                                                                       \
    X(9, PtlHandlerDMACASNB)                                                                      \
    X(10, PtlHandlerDMAFetchAddB)                                                                 \
    X(11, PtlHandlerDMAFetchAddNB)                                                                \
    X(12, PtlHandlerDMATest)                                                                      \
    X(13, PtlHandlerDMAWait)                                                                      \
    X(14, PtlHandlerCAS)                                                                          \
    X(15, PtlHandlerFAdd)                                                                         \
    X(16, PtlHandlerYield)                                                                        \
    X(17, PtlHandlerPutFromHost)                                                                  \
    X(18, PtlHandlerPutFromDevice)                                                                \
    X(19, PtlHandlerGetToHost)                                                                    \
    X(20, PtlHandlerGetToDevice)                                                                  \
    X(21, PtlHandlerAtomicFromHost)                                                               \
    X(22, PtlHandlerAtomicFromDevice)                                                             \
    X(23, PtlHandlerCTInc)                                                                        \
    X(24, PtlHandlerCTGet)                                                                        \
    X(25, PtlHandlerCTSet)

#if defined(__riscv) && !__STDC_HOSTED__

/* Weak, so that several files of an image may include this. */
#define PTL_DEVICE_STUB(number, name)                                                             \
    __asm__(".pushsection .text." #name ",\"ax\",@progbits\n"                                     \
            ".weak " #name "\n"                                                                   \
            ".type " #name ", @function\n" #name ":\n"                                            \
            "li t0, " #number "\n"                                                                \
            "ecall\n"                                                                             \
            "ret\n"                                                                               \
            ".popsection");
PTL_DEVICE_CALL_MAP(PTL_DEVICE_STUB)
#undef PTL_DEVICE_STUB

/* A loop with this is not replaced by a call of what it implements. */
#define PTL_DEVICE_STEP __asm__ volatile("" ::: "memory")
#define PTL_DEVICE_SIZE __SIZE_TYPE__

void *memcpy(void *to, const void *from, PTL_DEVICE_SIZE size);
void *memmove(void *to, const void *from, PTL_DEVICE_SIZE size);
void *memset(void *to, int value, PTL_DEVICE_SIZE size);
int memcmp(const void *a, const void *b, PTL_DEVICE_SIZE size);

/* Words where both sides are aligned, as most of what handlers copy is. */
__attribute__((weak)) void *memcpy(void *to, const void *from, PTL_DEVICE_SIZE size)
{
    typedef PTL_DEVICE_SIZE __attribute__((may_alias)) word;
    unsigned char *out = (unsigned char *)to;
    const unsigned char *in = (const unsigned char *)from;
    if ((((PTL_DEVICE_SIZE)out | (PTL_DEVICE_SIZE)in) & (sizeof(word) - 1)) == 0)
        for (; size >= sizeof(word); size -= sizeof(word)) {
            *(word *)(void *)out = *(const word *)(const void *)in;
            out += sizeof(word);
            in += sizeof(word);
            PTL_DEVICE_STEP;
        }
    for (; size; size--) {
        *out++ = *in++;
        PTL_DEVICE_STEP;
    }
    return to;
}

__attribute__((weak)) void *memmove(void *to, const void *from, PTL_DEVICE_SIZE size)
{
    unsigned char *out = (unsigned char *)to;
    const unsigned char *in = (const unsigned char *)from;
    if ((PTL_DEVICE_SIZE)out - (PTL_DEVICE_SIZE)in >= size)
        return memcpy(to, from, size);
    for (; size; size--) {
        out[size - 1] = in[size - 1];
        PTL_DEVICE_STEP;
    }
    return to;
}

__attribute__((weak)) void *memset(void *to, int value, PTL_DEVICE_SIZE size)
{
    unsigned char *out = (unsigned char *)to;
    for (; size; size--) {
        *out++ = (unsigned char)value;
        PTL_DEVICE_STEP;
    }
    return to;
}

__attribute__((weak)) int memcmp(const void *a, const void *b, PTL_DEVICE_SIZE size)
{
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    for (; size; size--, x++, y++) {
        if (*x != *y)
            return *x < *y ? -1 : 1;
        PTL_DEVICE_STEP;
    }
    return 0;
}

/* Atomic operations of C on 64 bits: cores have no instructions for them, but the NIC has calls.
 */
uint64_t ptl_device_load(uint64_t *value, int order) __asm__("__atomic_load_8");
void ptl_device_store(uint64_t *value, uint64_t desired, int order) __asm__("__atomic_store_8");
uint64_t ptl_device_fetch_add(uint64_t *value, uint64_t increment,
                              int order) __asm__("__atomic_fetch_add_8");
_Bool ptl_device_compare_exchange(uint64_t *value, uint64_t *expected, uint64_t desired,
                                  int success, int failure) __asm__("__atomic_compare_exchange_8");

__attribute__((weak)) uint64_t ptl_device_fetch_add(uint64_t *value, uint64_t increment, int order)
{
    uint64_t before = 0;
    (void)order;
    PtlHandlerFAdd(value, &before, increment);
    return before;
}

__attribute__((weak)) uint64_t ptl_device_load(uint64_t *value, int order)
{
    return ptl_device_fetch_add(value, 0, order);
}

__attribute__((weak)) _Bool ptl_device_compare_exchange(uint64_t *value, uint64_t *expected,
                                                        uint64_t desired, int success, int failure)
{
    if (PtlHandlerCAS(value, *expected, desired))
        return 1;
    (void)success;
    *expected = ptl_device_load(value, failure);
    return 0;
}

__attribute__((weak)) void ptl_device_store(uint64_t *value, uint64_t desired, int order)
{
    while (!PtlHandlerCAS(value, ptl_device_load(value, order), desired))
        PtlHandlerYield();
}

#if __riscv_xlen == 32
uint64_t __udivdi3(uint64_t n, uint64_t d);
uint64_t __umoddi3(uint64_t n, uint64_t d);

/* The remainder; the quotient is left where it is wanted. */
static inline uint64_t ptl_device_divide(uint64_t n, uint64_t d, uint64_t *quotient)
{
    uint64_t rest = 0;
    *quotient = 0;
    for (int bit = 63; bit >= 0; bit--) {
        rest = rest << 1 | (n >> bit & 1);
        if (rest >= d) {
            rest -= d;
            *quotient |= (uint64_t)1 << bit;
        }
    }
    return rest;
}

__attribute__((weak)) uint64_t __udivdi3(uint64_t n, uint64_t d)
{
    uint64_t quotient;
    ptl_device_divide(n, d, &quotient);
    return quotient;
}

__attribute__((weak)) uint64_t __umoddi3(uint64_t n, uint64_t d)
{
    uint64_t quotient;
    return ptl_device_divide(n, d, &quotient);
}
#endif

#endif

#endif
