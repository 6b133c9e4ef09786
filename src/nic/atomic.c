/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/atomic.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

/* X(operation, name, C type, the type to calculate in, type of a part).
 * Unsigned calculation wraps where signed overflow would be undefined, and in 64 bits no operand
 * is promoted to int. Complex numbers have two parts. */
#define INTEGERS(X, operation)                                                                    \
    X(operation, INT8_T, int8_t, uint64_t, int8_t)                                                \
    X(operation, UINT8_T, uint8_t, uint64_t, uint8_t)                                             \
    X(operation, INT16_T, int16_t, uint64_t, int16_t)                                             \
    X(operation, UINT16_T, uint16_t, uint64_t, uint16_t)                                          \
    X(operation, INT32_T, int32_t, uint64_t, int32_t)                                             \
    X(operation, UINT32_T, uint32_t, uint64_t, uint32_t)                                          \
    X(operation, INT64_T, int64_t, uint64_t, int64_t)                                             \
    X(operation, UINT64_T, uint64_t, uint64_t, uint64_t)

#define REALS(X, operation)                                                                       \
    X(operation, FLOAT, float, float, float)                                                      \
    X(operation, DOUBLE, double, double, double)                                                  \
    X(operation, LONG_DOUBLE, long double, long double, long double)

#define COMPLEXES(X, operation)                                                                   \
    X(operation, FLOAT_COMPLEX, float _Complex, float _Complex, float)                            \
    X(operation, DOUBLE_COMPLEX, double _Complex, double _Complex, double)                        \
    X(operation, LONG_DOUBLE_COMPLEX, long double _Complex, long double _Complex, long double)

#define ORDERED(X, operation) INTEGERS(X, operation) REALS(X, operation)
#define ALL(X, operation) ORDERED(X, operation) COMPLEXES(X, operation)

/* What exists for which types. */
#define CALCULATIONS(X)                                                                           \
    ORDERED(X, MIN)                                                                               \
    ORDERED(X, MAX)                                                                               \
    ALL(X, SUM)                                                                                   \
    ALL(X, PROD)                                                                                  \
    ALL(X, DIFF)                                                                                  \
    INTEGERS(X, LOR)                                                                              \
    INTEGERS(X, LAND)                                                                             \
    INTEGERS(X, LXOR)                                                                             \
    INTEGERS(X, BOR)                                                                              \
    INTEGERS(X, BAND)                                                                             \
    INTEGERS(X, BXOR)                                                                             \
    INTEGERS(X, MSWAP)

#define SWAPS(X)                                                                                  \
    ALL(X, SWAP)                                                                                  \
    ALL(X, CSWAP)                                                                                 \
    ALL(X, CSWAP_NE)                                                                              \
    ORDERED(X, CSWAP_LE)                                                                          \
    ORDERED(X, CSWAP_LT)                                                                          \
    ORDERED(X, CSWAP_GE)                                                                          \
    ORDERED(X, CSWAP_GT)

/* The result of a calculation with t of the target, s of the source and o, the operand; W is the
 * type to calculate in. */
#define RESULT_MIN(W) (s < t ? s : t)
#define RESULT_MAX(W) (s > t ? s : t)
#define RESULT_SUM(W) ((W)t + (W)s)
#define RESULT_PROD(W) ((W)t * (W)s)
#define RESULT_DIFF(W) ((W)t - (W)s)
#define RESULT_LOR(W) (t || s)
#define RESULT_LAND(W) (t && s)
#define RESULT_LXOR(W) (!t != !s)
#define RESULT_BOR(W) (t | s)
#define RESULT_BAND(W) (t & s)
#define RESULT_BXOR(W) (t ^ s)
#define RESULT_MSWAP(W) ((t & ~o) | (s & o))

/* Whether a swap happens. */
#define HAPPENS_SWAP true
#define HAPPENS_CSWAP (o == t)
#define HAPPENS_CSWAP_NE (o != t)
#define HAPPENS_CSWAP_LE (o <= t)
#define HAPPENS_CSWAP_LT (o < t)
#define HAPPENS_CSWAP_GE (o >= t)
#define HAPPENS_CSWAP_GT (o > t)

/* An x87 long double is 10 bytes; the rest of its 16 is padding, which a variable on the stack
 * fills with whatever was there. */
#define SIGNIFICANT_BYTES(part)                                                                   \
    (sizeof(part) == sizeof(long double) && LDBL_MANT_DIG == 64 ? 10 : sizeof(part))

static inline void store(unsigned char *item, const void *value, size_t size, size_t part_size,
                         size_t significant)
{
    for (size_t at = 0; at < size; at += part_size)
        memcpy(item + at, (const unsigned char *)value + at, significant);
}

/* Every memcpy has the constant size of the type, so that items of 1, 2, 4 and 8 bytes are loaded
 * and stored in one go: a thread of the host that looks at an aligned one meanwhile sees it whole,
 * old or new, as it would with a NIC that writes through the bus. */
#define DEFINE_CALCULATION(operation, name, T, W, part)                                           \
    static void operation##_##name(unsigned char *target, const unsigned char *source,            \
                                   size_t bytes, const void *operand)                             \
    {                                                                                             \
        T t, s, o = 0;                                                                            \
        if (PTL_##operation == PTL_MSWAP)                                                         \
            memcpy(&o, operand, sizeof o);                                                        \
        for (size_t at = 0; at < bytes; at += sizeof t) {                                         \
            memcpy(&t, target + at, sizeof t);                                                    \
            memcpy(&s, source + at, sizeof s);                                                    \
            t = (T)RESULT_##operation(W);                                                         \
            store(target + at, &t, sizeof t, sizeof(part), SIGNIFICANT_BYTES(part));              \
        }                                                                                         \
    }

#define DEFINE_SWAP(operation, name, T, W, part)                                                  \
    static void operation##_##name(unsigned char *target, const unsigned char *source,            \
                                   size_t bytes, const void *operand)                             \
    {                                                                                             \
        T t, o = 0;                                                                               \
        if (PTL_##operation != PTL_SWAP)                                                          \
            memcpy(&o, operand, sizeof o);                                                        \
        for (size_t at = 0; at < bytes; at += sizeof t) {                                         \
            memcpy(&t, target + at, sizeof t);                                                    \
            if (HAPPENS_##operation)                                                              \
                memcpy(target + at, source + at, sizeof t);                                       \
        }                                                                                         \
    }

CALCULATIONS(DEFINE_CALCULATION)
SWAPS(DEFINE_SWAP)

typedef void apply_items(unsigned char *target, const unsigned char *source, size_t bytes,
                         const void *operand);

static apply_items *const table[PTL_OP_LAST][PTL_DATATYPE_LAST] = {
#define ENTRY(operation, name, T, W, part) [PTL_##operation][PTL_##name] = operation##_##name,
    CALCULATIONS(ENTRY) SWAPS(ENTRY)
#undef ENTRY
};

size_t weft_nic_atomic_size(ptl_datatype_t type)
{
    static const unsigned char sizes[PTL_DATATYPE_LAST] = {
#define SIZE(unused, name, T, W, part) [PTL_##name] = sizeof(T),
        ALL(SIZE, )
#undef SIZE
    };
    return (unsigned)type < PTL_DATATYPE_LAST ? sizes[type] : 0;
}

bool weft_nic_atomic_exists(ptl_op_t operation, ptl_datatype_t type)
{
    return (unsigned)operation < PTL_OP_LAST && (unsigned)type < PTL_DATATYPE_LAST &&
           table[operation][type];
}

void weft_nic_atomic_apply(ptl_op_t operation, ptl_datatype_t type, void *target,
                           const void *source, size_t bytes, const void *operand)
{
    table[operation][type](target, source, bytes, operand);
}
