/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The copy kernels. Which one fits is decided by the size of the blocks in bytes, whatever their
 * elements are; kernel.c is compiled once for each instruction set, and dispatch.c picks one.
 */
#ifndef WEFT_TYPE_KERNEL_H
#define WEFT_TYPE_KERNEL_H

#include <stdatomic.h>

#include "type/run.h"

/* Blocks whose size the compiler knows. */
#define WEFT_KERNEL_FIXED_MAP(X)                                                                  \
    X(1) X(2) X(4) X(8) X(12) X(16) X(24) X(32) X(40) X(48) X(64) X(128) X(256) X(512)      \
    X(1024)

/* Blocks of up to so many bytes, and of more than the one before, moved by vector moves that
 * overlap in the middle; and larger ones. */
#define WEFT_KERNEL_OTHER_MAP(X)                                                                  \
    X(UPTO_3) X(UPTO_7) X(UPTO_15) X(UPTO_31) X(UPTO_63) X(UPTO_95) X(UPTO_127) X(UPTO_255)         \
    X(LARGE)

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
        weft_kernel transposed;
        weft_kernel listed[2]; /* [wide_where] */
    } of[WEFT_KERNEL_COUNT];
};

enum weft_direction { WEFT_GATHER, WEFT_SCATTER };

uint8_t weft_kernel_choose(uint64_t block);

/* "4 B", "up to 31 B", ... */
const char *weft_kernel_name(uint8_t kernel);

/* Both directions' kernels in use, or NULL before the first call of weft_kernels_choose. */
extern const struct weft_kernels *_Atomic weft_kernels_chosen;

/* As WEFT_SIMD says, at best what the processor has. */
const struct weft_kernels *weft_kernels_choose(void);

static inline const struct weft_kernels *weft_kernels(enum weft_direction direction)
{
    const struct weft_kernels *both =
        atomic_load_explicit(&weft_kernels_chosen, memory_order_relaxed);
    return (__builtin_expect(!both, 0) ? weft_kernels_choose() : both) + direction;
}

/* "avx512", "avx2" or "portable". */
const char *weft_kernels_name(void);

/*
 * A transposed array: the next row begins within the cache line that a row's piece has touched,
 * while the next piece of the row is far away. Then rows are moved together, so that a line is
 * used up before it is left. The pieces must be disjoint, since their order changes.
 */
static inline bool weft_run_is_transposed(const struct weft_run *run)
{
    int64_t row = run->row_stride, step = run->stride < 0 ? -run->stride : run->stride;
    return run->rows > 1 && row >= (int64_t)run->block && row <= 64 && step >= 256 &&
           (uint64_t)step / run->rows >= (uint64_t)row;
}

static inline void weft_kernels_move(const struct weft_kernels *kernels, char *packed,
                                     const struct weft_run *run)
{
    if (run->shape == WEFT_RUN_STRIDED && weft_run_is_transposed(run))
        kernels->of[run->kernel].transposed(packed, run);
    else if (run->shape == WEFT_RUN_STRIDED)
        kernels->of[run->kernel].strided(packed, run);
    else if (run->shape == WEFT_RUN_LISTED)
        kernels->of[run->kernel].listed[run->wide_where](packed, run);
    else
        kernels->varied[run->wide_where][run->wide_end](packed, run);
}

#endif
