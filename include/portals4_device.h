/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For the source of handlers that are loaded as an image (PtlHandlersLoad): the calls that they
 * may make, and the functions that compilers take for granted. Compiled for the host, it is
 * portals4_spin.h; so one source gives native handlers and those of an image. An image is made by
 *
 *     clang --target=riscv64 -march=rv64imc -mabi=lp64 -O2 -ffreestanding -nostdlib -static \
 *         -fuse-ld=lld -Wl,-e,0 handlers.c -o handlers.elf
 *
 * or with riscv64-unknown-elf-gcc and the same options but the first and -fuse-ld=lld; for RV32,
 * with riscv32, rv32imc and ilp32. It has no variables that can be changed: what handlers remember
 * is in HPU memory.
 */
#ifndef PORTALS4_DEVICE_H
#define PORTALS4_DEVICE_H

#include <portals4_spin.h>

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

#ifdef __riscv

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

#endif

#endif
