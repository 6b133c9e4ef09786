/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The copy kernels. Which one fits is decided by the size of the blocks in bytes, whatever their
 * elements are; kernel.c is compiled once for each instruction set, and dispatch.c picks one.
 */
#ifndef WEFT_TYPE_KERNEL_H
#define WEFT_TYPE_KERNEL_H

#include "type/run.h"

/* Blocks whose size the compiler knows. */
#define WEFT_KERNEL_FIXED_MAP(X)                                                                  \
    X(1) X(2) X(4) X(8) X(12) X(16) X(24) X(32) X(40) X(48) X(64)

/* Blocks of up to so many bytes, and of more than the one before, moved by vector moves that
 * overlap in the middle; and larger ones. */
#define WEFT_KERNEL_OTHER_MAP(X)                                                                  \
    X(UPTO_3) X(UPTO_7) X(UPTO_15) X(UPTO_31) X(UPTO_63) X(UPTO_128) X(UPTO_256) X(LARGE)

enum weft_kernel_class {
#define WEFT_KERNEL_ENUM(class) WEFT_KERNEL_##class,
    WEFT_KERNEL_FIXED_MAP(WEFT_KERNEL_ENUM) WEFT_KERNEL_OTHER_MAP(WEFT_KERNEL_ENUM)
#undef WEFT_KERNEL_ENUM
    WEFT_KERNEL_COUNT
};

/* Moves a run between memory and the packed stream at `packed`. */
typedef void (*weft_kernel)(char *packed, const struct weft_run *run);

/* One direction's kernels for one instruction set. */
struct weft_kernels {
    void (*piece)(char *packed, weft_address mem, uint64_t length);
    weft_kernel varied[2][2]; /* [wide_where][wide_end] */
    struct {
        weft_kernel strided;
        weft_kernel listed[2]; /* [wide_where] */
    } of[WEFT_KERNEL_COUNT];
};

enum weft_direction { WEFT_GATHER, WEFT_SCATTER };

uint8_t weft_kernel_choose(uint64_t block);

/* "4 B", "up to 31 B", ... */
const char *weft_kernel_name(uint8_t kernel);

/* The kernels in use, by direction: as WEFT_SIMD says, at best what the processor has. */
const struct weft_kernels *weft_kernels(enum weft_direction direction);

/* "avx512", "avx2" or "portable". */
const char *weft_kernels_name(void);

static inline void weft_kernels_move(const struct weft_kernels *kernels, char *packed,
                                     const struct weft_run *run)
{
    if (run->shape == WEFT_RUN_STRIDED)
        kernels->of[run->kernel].strided(packed, run);
    else if (run->shape == WEFT_RUN_LISTED)
        kernels->of[run->kernel].listed[run->wide_where](packed, run);
    else
        kernels->varied[run->wide_where][run->wide_end](packed, run);
}

#endif
