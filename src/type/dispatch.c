/* SPDX-License-Identifier: BSD-3-Clause */
/* Which kernel for which block, and which instruction set for this processor. */
#include "base/log.h"
#include "base/setting.h"
#include "type/kernel.h"

#include <stdatomic.h>

extern const struct weft_kernels weft_kernels_portable[2];
#ifdef WEFT_HAVE_X86_KERNELS
extern const struct weft_kernels weft_kernels_avx2[2];
extern const struct weft_kernels weft_kernels_avx512[2];
#endif

uint8_t weft_kernel_choose(uint64_t block)
{
    switch (block) {
#define FIXED(n)                                                                                  \
    case n:                                                                                       \
        return WEFT_KERNEL_##n;
        WEFT_KERNEL_FIXED_MAP(FIXED)
#undef FIXED
    }
    return block <= 3     ? WEFT_KERNEL_UPTO_3
           : block <= 7   ? WEFT_KERNEL_UPTO_7
           : block <= 15  ? WEFT_KERNEL_UPTO_15
           : block <= 31  ? WEFT_KERNEL_UPTO_31
           : block <= 63  ? WEFT_KERNEL_UPTO_63
           : block <= 128 ? WEFT_KERNEL_UPTO_128
           : block <= 256 ? WEFT_KERNEL_UPTO_256
                          : WEFT_KERNEL_LARGE;
}

const char *weft_kernel_name(uint8_t kernel)
{
    static const char *const names[] = {
#define FIXED(n) [WEFT_KERNEL_##n] = #n " B",
        WEFT_KERNEL_FIXED_MAP(FIXED)
#undef FIXED
        [WEFT_KERNEL_UPTO_3] = "up to 3 B",
        [WEFT_KERNEL_UPTO_7] = "up to 7 B",
        [WEFT_KERNEL_UPTO_15] = "up to 15 B",
        [WEFT_KERNEL_UPTO_31] = "up to 31 B",
        [WEFT_KERNEL_UPTO_63] = "up to 63 B",
        [WEFT_KERNEL_UPTO_128] = "up to 128 B",
        [WEFT_KERNEL_UPTO_256] = "up to 256 B",
        [WEFT_KERNEL_LARGE] = "large",
    };
    return names[kernel];
}

/* ---- Instruction sets --------------------------------------------------------------------- */

struct set {
    const char *name;
    const struct weft_kernels *kernels; /* by direction */
};

static const struct set portable = {"portable", weft_kernels_portable};

#ifdef WEFT_HAVE_X86_KERNELS
static const struct set avx2 = {"avx2", weft_kernels_avx2};
static const struct set avx512 = {"avx512", weft_kernels_avx512};

static const struct set *choose(void)
{
    enum { AUTO, OFF, AVX2, AVX512 } wanted; /* in the order of the choices of WEFT_SIMD */
    wanted = weft_setting(WEFT_SETTING_SIMD);
    bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl") && has_avx2;
    if (wanted != OFF && wanted != AVX2 && has_avx512)
        return &avx512;
    if (wanted == AVX512 || (wanted == AVX2 && !has_avx2))
        weft_log(WEFT_LOG_WARN, "this processor lacks what WEFT_SIMD asks for");
    return wanted != OFF && has_avx2 ? &avx2 : &portable;
}
#else
static const struct set *choose(void)
{
    return &portable;
}
#endif

static const struct set *in_use(void)
{
    static const struct set *_Atomic chosen;
    const struct set *set = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (__builtin_expect(!set, 0)) {
        set = choose();
        atomic_store_explicit(&chosen, set, memory_order_relaxed);
    }
    return set;
}

const struct weft_kernels *weft_kernels(enum weft_direction direction)
{
    return &in_use()->kernels[direction];
}

const char *weft_kernels_name(void)
{
    return in_use()->name;
}
