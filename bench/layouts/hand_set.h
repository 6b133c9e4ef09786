/* SPDX-License-Identifier: BSD-3-Clause */
/* The same loops, compiled for several sets of instructions: what is installed on one machine may
 * run on another. */
#ifndef WEFT_BENCH_LAYOUTS_HAND_SET_H
#define WEFT_BENCH_LAYOUTS_HAND_SET_H

#include "bench/layouts/hand_copy.h"
#include "bench/layouts/hand_table.h"

typedef void hand_copy_call(char *to, const struct hand_pieces *t, const char *from,
                            const struct hand_pieces *f, size_t bytes);

/* X(name, whether this machine has all of its instructions), the best ones first */
#if defined(__x86_64__)
#define HAND_SET_MAP(X)                                                                           \
    X(v4, HAND_HAS_V3 &&__builtin_cpu_supports("avx512f") &&                                      \
              __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&         \
              __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))           \
    X(v3, HAND_HAS_V3)                                                                            \
    X(portable, true)
#define HAND_HAS_V3                                                                               \
    (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&                          \
     __builtin_cpu_supports("fma"))
#else
#define HAND_SET_MAP(X) X(portable, true)
#endif

struct hand_set {
    const struct hand_table *scalar, *vectorised;
    hand_copy_call *copy;
};

#define HAND_DECLARE(name, has)                                                                   \
    extern const struct hand_table hand_table_##name##_scalar, hand_table_##name##_vectorised;    \
    extern hand_copy_call hand_copy_##name;
HAND_SET_MAP(HAND_DECLARE)
#undef HAND_DECLARE

/* The best that this machine can run. */
const struct hand_set *hand_set(void);

#endif
