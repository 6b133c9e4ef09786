/* SPDX-License-Identifier: BSD-3-Clause */
/* Which kernel for which block, and which instruction set for this processor. */
#ifdef WEFT_HAVE_X86_KERNELS
#include <cpuid.h>
#endif

#include "base/log.h"
#include "base/setting.h"
#include "type/kernel.h"

extern const struct weft_type_kernels weft_type_kernels_portable[2];
#ifdef WEFT_HAVE_X86_KERNELS
extern const struct weft_type_kernels weft_type_kernels_avx2[2];
extern const struct weft_type_kernels weft_type_kernels_avx512[2];
#endif

uint8_t weft_type_kernel_choose(uint64_t block)
{
    switch (block) {
#define FIXED(n)                                                                                  \
    case n:                                                                                       \
        return WEFT_TYPE_KERNEL_##n;
        WEFT_TYPE_KERNEL_FIXED_MAP(FIXED)
#undef FIXED
    }
    return block <= 3     ? WEFT_TYPE_KERNEL_UPTO_3
           : block <= 7   ? WEFT_TYPE_KERNEL_UPTO_7
           : block <= 15  ? WEFT_TYPE_KERNEL_UPTO_15
           : block <= 31  ? WEFT_TYPE_KERNEL_UPTO_31
           : block <= 63  ? WEFT_TYPE_KERNEL_UPTO_63
           : block <= 95  ? WEFT_TYPE_KERNEL_UPTO_95
           : block <= 127 ? WEFT_TYPE_KERNEL_UPTO_127
           : block <= 159 ? WEFT_TYPE_KERNEL_UPTO_159
           : block <= 191 ? WEFT_TYPE_KERNEL_UPTO_191
           : block <= 223 ? WEFT_TYPE_KERNEL_UPTO_223
           : block <= 255 ? WEFT_TYPE_KERNEL_UPTO_255
                          : WEFT_TYPE_KERNEL_LARGE;
}

const char *weft_type_kernel_name(uint8_t kernel)
{
    static const char *const names[] = {
#define FIXED(n) [WEFT_TYPE_KERNEL_##n] = #n " B",
        WEFT_TYPE_KERNEL_FIXED_MAP(FIXED)
#undef FIXED
            [WEFT_TYPE_KERNEL_UPTO_3] = "up to 3 B",
        [WEFT_TYPE_KERNEL_UPTO_7] = "up to 7 B",
        [WEFT_TYPE_KERNEL_UPTO_15] = "up to 15 B",
        [WEFT_TYPE_KERNEL_UPTO_31] = "up to 31 B",
        [WEFT_TYPE_KERNEL_UPTO_63] = "up to 63 B",
        [WEFT_TYPE_KERNEL_UPTO_95] = "up to 95 B",
        [WEFT_TYPE_KERNEL_UPTO_127] = "up to 127 B",
        [WEFT_TYPE_KERNEL_UPTO_159] = "up to 159 B",
        [WEFT_TYPE_KERNEL_UPTO_191] = "up to 191 B",
        [WEFT_TYPE_KERNEL_UPTO_223] = "up to 223 B",
        [WEFT_TYPE_KERNEL_UPTO_255] = "up to 255 B",
        [WEFT_TYPE_KERNEL_LARGE] = "large",
    };
    return names[kernel];
}

/* ---- Instruction sets --------------------------------------------------------------------- */

const struct weft_type_kernels *_Atomic weft_type_kernels_chosen;

#ifdef WEFT_HAVE_X86_KERNELS
atomic_bool weft_type_lanes_pay;

/* Intel's processors before Sapphire Rapids leak what they gather, and the microcode that prevents
 * that makes gathering twice as slow as loading block by block; AMD's split a gather into as many
 * loads. No name of a processor tells that, and in a virtual machine the system does not know of
 * the microcode; but the first ones that gather fast brought this extension. */
static bool gathers_fast(void)
{
    enum { LEAF = 7, HAS_AVX512_FP16 = 1 << 23 };
    unsigned a, b, c, d;
    return __get_cpuid_count(LEAF, 0, &a, &b, &c, &d) && (d & HAS_AVX512_FP16);
}

static const struct weft_type_kernels *choose(void)
{
    enum weft_setting_simd wanted = weft_setting(WEFT_SETTING_SIMD);
    bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl") && has_avx2;
    if (wanted != WEFT_SETTING_SIMD_OFF && wanted != WEFT_SETTING_SIMD_AVX2 && has_avx512) {
        atomic_store_explicit(&weft_type_lanes_pay,
                              wanted == WEFT_SETTING_SIMD_AVX512 || gathers_fast(),
                              memory_order_relaxed);
        return weft_type_kernels_avx512;
    }
    if (wanted == WEFT_SETTING_SIMD_AVX512 || (wanted == WEFT_SETTING_SIMD_AVX2 && !has_avx2))
        weft_log(WEFT_LOG_WARN, "this processor lacks what WEFT_SIMD asks for");
    return wanted != WEFT_SETTING_SIMD_OFF && has_avx2 ? weft_type_kernels_avx2
                                                       : weft_type_kernels_portable;
}
#else
static const struct weft_type_kernels *choose(void)
{
    return weft_type_kernels_portable;
}
#endif

const struct weft_type_kernels *weft_type_kernels_choose(void)
{
    const struct weft_type_kernels *both = choose();
    atomic_store_explicit(&weft_type_kernels_chosen, both, memory_order_relaxed);
    return both;
}

const char *weft_type_kernels_name(void)
{
    const struct weft_type_kernels *both = weft_type_kernels(WEFT_TYPE_GATHER);
#ifdef WEFT_HAVE_X86_KERNELS
    if (both == weft_type_kernels_avx512)
        return "avx512";
    if (both == weft_type_kernels_avx2)
        return "avx2";
#endif
    return both == weft_type_kernels_portable ? "portable" : "unknown";
}
