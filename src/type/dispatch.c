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
extern const struct weft_type_kernels weft_type_kernels_avx512vl[2]; /* in halves of registers */
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

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
}

/*
 * Registers of 512 bits cost what a benchmark that only copies does not see: Intel's processors
 * from Skylake to Cascade Lake lower the clock of their core for them, and leave it low for most
 * of a millisecond, whatever runs then. A program that packs once in a while would compute more
 * slowly, by 12 % (`weft bench clock`). AVX-512's instructions for half of such a register cost
 * nothing.
 *
 * Nor do Intel's before Sapphire Rapids gather a register fast: what they gather leaks, and the
 * microcode that prevents it makes that twice as slow as loading block by block. AMD's split a
 * gather into as many loads. In a virtual machine the system does not know of the microcode; but
 * the first processors that do both without loss brought this extension. Those between, Ice Lake
 * and AMD's, of which nothing was measured, get halves of registers, too.
 */
static bool wide_registers_pay(void)
{
    enum { LEAF = 7, HAS_AVX512_FP16 = 1 << 23 };
    unsigned a, b, c, d;
    return __get_cpuid_count(LEAF, 0, &a, &b, &c, &d) && (d & HAS_AVX512_FP16);
}

static enum weft_setting_simd best(void)
{
    if (!has_avx512())
        return has_avx2() ? WEFT_SETTING_SIMD_AVX2 : WEFT_SETTING_SIMD_OFF;
    return wide_registers_pay() ? WEFT_SETTING_SIMD_AVX512 : WEFT_SETTING_SIMD_AVX512VL;
}

#else

static enum weft_setting_simd best(void)
{
    return WEFT_SETTING_SIMD_OFF;
}

#endif

const struct weft_type_kernels *weft_type_kernels_of(enum weft_setting_simd simd)
{
    switch (simd) {
    case WEFT_SETTING_SIMD_AUTO:
        return weft_type_kernels_of(best());
    case WEFT_SETTING_SIMD_OFF:
        return weft_type_kernels_portable;
#ifdef WEFT_HAVE_X86_KERNELS
    case WEFT_SETTING_SIMD_AVX2:
        return has_avx2() ? weft_type_kernels_avx2 : NULL;
    case WEFT_SETTING_SIMD_AVX512VL:
        return has_avx512() ? weft_type_kernels_avx512vl : NULL;
    case WEFT_SETTING_SIMD_AVX512:
        return has_avx512() ? weft_type_kernels_avx512 : NULL;
#endif
    default:
        return NULL;
    }
}

const struct weft_type_kernels *weft_type_kernels_choose(void)
{
    const struct weft_type_kernels *both = weft_type_kernels_of(weft_setting(WEFT_SETTING_SIMD));
    if (!both) {
        weft_log(WEFT_LOG_WARN, "this processor lacks what WEFT_SIMD asks for");
        both = weft_type_kernels_of(WEFT_SETTING_SIMD_AUTO);
    }
    atomic_store_explicit(&weft_type_kernels_chosen, both, memory_order_relaxed);
    return both;
}

const char *weft_type_kernels_name_of(enum weft_setting_simd simd)
{
    static const char *const names[] = {
        [WEFT_SETTING_SIMD_OFF] = "portable",
        [WEFT_SETTING_SIMD_AVX2] = "avx2",
        [WEFT_SETTING_SIMD_AVX512VL] = "avx512vl",
        [WEFT_SETTING_SIMD_AVX512] = "avx512",
    };
    return names[simd];
}

const char *weft_type_kernels_name(void)
{
    const struct weft_type_kernels *both = weft_type_kernels(WEFT_TYPE_GATHER);
    enum weft_setting_simd simd = WEFT_SETTING_SIMD_AVX512;
    while (simd > WEFT_SETTING_SIMD_OFF && weft_type_kernels_of(simd) != both)
        simd--;
    return weft_type_kernels_name_of(simd);
}
