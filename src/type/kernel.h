/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The copy kernels. Which one fits is decided by the size of the blocks in bytes, whatever their
 * elements are; kernel.c is compiled once for each instruction set, and dispatch.c picks one.
 */
#ifndef WEFT_TYPE_KERNEL_H
#define WEFT_TYPE_KERNEL_H

#include <stdatomic.h>

#include "base/setting.h"
#include "type/run.h"

/* clang-format off */

/* Blocks whose size the compiler knows: up to 128 bytes all that floats and doubles make. */
#define WEFT_TYPE_KERNEL_FIXED_MAP(X)                                                             \
    X(1) X(2) X(4) X(8) X(12) X(16) X(20) X(24) X(28) X(32) X(36) X(40) X(44) X(48) X(52) X(56)   \
    X(60) X(64) X(68) X(72) X(76) X(80) X(84) X(88) X(92) X(96) X(100) X(104) X(108) X(112)       \
    X(116) X(120) X(124) X(128) X(256) X(512) X(768) X(1024)

/* Blocks of up to so many bytes, and of more than the one before; and larger ones. */
#define WEFT_TYPE_KERNEL_OTHER_MAP(X)                                                             \
    X(UPTO_3) X(UPTO_7) X(UPTO_15) X(UPTO_31) X(UPTO_63) X(UPTO_95) X(UPTO_127) X(UPTO_159)       \
    X(UPTO_191) X(UPTO_223) X(UPTO_255) X(LARGE)

enum weft_type_kernel_class {
#define WEFT_TYPE_KERNEL_ENUM(class) WEFT_TYPE_KERNEL_##class,
    WEFT_TYPE_KERNEL_FIXED_MAP(WEFT_TYPE_KERNEL_ENUM)
    WEFT_TYPE_KERNEL_OTHER_MAP(WEFT_TYPE_KERNEL_ENUM)
#undef WEFT_TYPE_KERNEL_ENUM
    WEFT_TYPE_KERNEL_COUNT,
    WEFT_TYPE_KERNEL_ANY = WEFT_TYPE_KERNEL_COUNT /* any size: what is rare enough */
};

/* clang-format on */

/* Moves a run between memory and the packed stream at `packed`. */
typedef void (*weft_type_kernel)(char *packed, const struct weft_type_run *run);

/* The sink of packing and unpacking. */
struct weft_type_mover {
    struct weft_type_sink sink;
    char *packed; /* where the next byte goes or comes from */
};

/* One direction's kernels for one instruction set. */
struct weft_type_kernels {
    struct weft_type_sink mover; /* callbacks of a weft_type_mover */
    void (*piece)(char *packed, weft_type_address mem, uint64_t length);
    struct {
        weft_type_kernel strided;
        weft_type_kernel listed;
    } of[WEFT_TYPE_KERNEL_COUNT];
    weft_type_kernel transposed_4, transposed_8, transposed_16, transposed_any;
    weft_type_kernel listed_wide; /* 64-bit displacements */
    weft_type_kernel varied;
    weft_type_kernel varied_wide; /* 64-bit displacements or ends */

    /* From layout to layout (pair.h); the same of both directions. */
    const struct weft_type_pair_kernels *pairs;
};

enum weft_type_direction { WEFT_TYPE_GATHER, WEFT_TYPE_SCATTER };

uint8_t weft_type_kernel_choose(uint64_t block);

/* "4 B", "up to 31 B", ... */
const char *weft_type_kernel_name(uint8_t kernel);

/* Both directions' kernels in use, or NULL before the first call of weft_type_kernels_choose. */
extern const struct weft_type_kernels *_Atomic weft_type_kernels_chosen;

/* NULL: this processor lacks the instructions. WEFT_SETTING_SIMD_AUTO: the best for it. */
const struct weft_type_kernels *weft_type_kernels_of(enum weft_setting_simd simd);
/* As WEFT_SIMD says, if the processor has that. */
const struct weft_type_kernels *weft_type_kernels_choose(void);

static inline const struct weft_type_kernels *weft_type_kernels(enum weft_type_direction direction)
{
    const struct weft_type_kernels *both =
        atomic_load_explicit(&weft_type_kernels_chosen, memory_order_relaxed);
    return (__builtin_expect(!both, 0) ? weft_type_kernels_choose() : both) + direction;
}

/* "avx512", "avx512vl", "avx2" or "portable": of those in use, or of a set. */
const char *weft_type_kernels_name(void);
const char *weft_type_kernels_name_of(enum weft_setting_simd simd);

/*
 * A transposed array: the next row begins within the cache line that a row's piece has touched,
 * while the next piece of the row is far away. Then rows are moved together, so that a line is
 * used up before it is left. The pieces must be disjoint, since their order changes.
 */
static inline bool weft_type_run_is_transposed(const struct weft_type_run *run)
{
    int64_t row = run->row_stride, step = run->stride < 0 ? -run->stride : run->stride;
    return run->rows > 1 && row >= (int64_t)run->block && row <= 64 && step >= 256 &&
           (uint64_t)step / run->rows >= (uint64_t)row;
}

static inline weft_type_kernel
weft_type_kernels_transposed(const struct weft_type_kernels *kernels, uint64_t block)
{
    return block == 4    ? kernels->transposed_4
           : block == 8  ? kernels->transposed_8
           : block == 16 ? kernels->transposed_16
                         : kernels->transposed_any;
}

static inline void weft_type_kernels_move(const struct weft_type_kernels *kernels, char *packed,
                                          const struct weft_type_run *run)
{
    weft_type_kernel kernel;
    if (run->shape == WEFT_TYPE_RUN_STRIDED)
        kernel = weft_type_run_is_transposed(run)
                     ? weft_type_kernels_transposed(kernels, run->block)
                     : kernels->of[run->kernel].strided;
    else if (run->shape == WEFT_TYPE_RUN_LISTED)
        kernel = run->wide_where ? kernels->listed_wide : kernels->of[run->kernel].listed;
    else
        kernel = run->wide_where || run->wide_end ? kernels->varied_wide : kernels->varied;
    kernel(packed, run);
}

#endif
