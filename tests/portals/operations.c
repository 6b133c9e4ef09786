/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/operations.h"

#include <complex.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool is_complex(ptl_datatype_t type)
{
    return type == PTL_FLOAT_COMPLEX || type == PTL_DOUBLE_COMPLEX ||
           type == PTL_LONG_DOUBLE_COMPLEX;
}

static bool is_integer(ptl_datatype_t type)
{
    return !is_complex(type) && type != PTL_FLOAT && type != PTL_DOUBLE && type != PTL_LONG_DOUBLE;
}

bool is_atomic(ptl_op_t operation, ptl_datatype_t type)
{
    switch (operation) {
    case PTL_SUM:
    case PTL_PROD:
    case PTL_DIFF:
        return true;
    case PTL_MIN:
    case PTL_MAX:
        return !is_complex(type);
    case PTL_LOR:
    case PTL_LAND:
    case PTL_LXOR:
    case PTL_BOR:
    case PTL_BAND:
    case PTL_BXOR:
        return is_integer(type);
    default:
        return false;
    }
}

bool is_swap(ptl_op_t operation, ptl_datatype_t type)
{
    switch (operation) {
    case PTL_SWAP:
    case PTL_CSWAP:
    case PTL_CSWAP_NE:
        return true;
    case PTL_CSWAP_LE:
    case PTL_CSWAP_LT:
    case PTL_CSWAP_GE:
    case PTL_CSWAP_GT:
        return !is_complex(type);
    case PTL_MSWAP:
        return is_integer(type);
    default:
        return false;
    }
}

bool has_operand(ptl_op_t operation)
{
    return operation >= PTL_CSWAP && operation <= PTL_MSWAP;
}

/* ---- One set of functions for each type --------------------------------------------------- */

struct item_ops {
    size_t size;
    void (*set)(void *item, int real, int imaginary);
    bool (*equal)(const void *a, const void *b);
    void (*apply)(ptl_op_t operation, void *target, const void *data, const void *operand);
};

/* t: the target's item, d: the data, o: the operand. */
#define ARITHMETIC_CASES(C)                                                                       \
    case PTL_SUM:                                                                                 \
        t = (C)(t + d);                                                                           \
        break;                                                                                    \
    case PTL_PROD:                                                                                \
        t = (C)(1u * t * d); /* not as int, which two of uint16_t would overflow */               \
        break;                                                                                    \
    case PTL_DIFF:                                                                                \
        t = (C)(t - d);                                                                           \
        break;                                                                                    \
    case PTL_SWAP:                                                                                \
        t = d;                                                                                    \
        break;                                                                                    \
    case PTL_CSWAP:                                                                               \
        t = o == t ? d : t;                                                                       \
        break;                                                                                    \
    case PTL_CSWAP_NE:                                                                            \
        t = o != t ? d : t;                                                                       \
        break;
#define ORDER_CASES                                                                               \
    case PTL_MIN:                                                                                 \
        t = d < t ? d : t;                                                                        \
        break;                                                                                    \
    case PTL_MAX:                                                                                 \
        t = d > t ? d : t;                                                                        \
        break;                                                                                    \
    case PTL_CSWAP_LE:                                                                            \
        t = o <= t ? d : t;                                                                       \
        break;                                                                                    \
    case PTL_CSWAP_LT:                                                                            \
        t = o < t ? d : t;                                                                        \
        break;                                                                                    \
    case PTL_CSWAP_GE:                                                                            \
        t = o >= t ? d : t;                                                                       \
        break;                                                                                    \
    case PTL_CSWAP_GT:                                                                            \
        t = o > t ? d : t;                                                                        \
        break;
#define BIT_CASES(C)                                                                              \
    case PTL_LOR:                                                                                 \
        t = t || d;                                                                               \
        break;                                                                                    \
    case PTL_LAND:                                                                                \
        t = t && d;                                                                               \
        break;                                                                                    \
    case PTL_LXOR:                                                                                \
        t = !t != !d;                                                                             \
        break;                                                                                    \
    case PTL_BOR:                                                                                 \
        t = (C)(t | d);                                                                           \
        break;                                                                                    \
    case PTL_BAND:                                                                                \
        t = (C)(t & d);                                                                           \
        break;                                                                                    \
    case PTL_BXOR:                                                                                \
        t = (C)(t ^ d);                                                                           \
        break;                                                                                    \
    case PTL_MSWAP:                                                                               \
        t = (C)((d & o) | (t & ~o));                                                              \
        break;

#define ITEM(name, C, VALUE, CASES)                                                               \
    static void name##_set(void *item, int real, int imaginary)                                   \
    {                                                                                             \
        C value = VALUE;                                                                          \
        (void)imaginary;                                                                          \
        memcpy(item, &value, sizeof value);                                                       \
    }                                                                                             \
    static bool name##_equal(const void *a, const void *b)                                        \
    {                                                                                             \
        C x, y;                                                                                   \
        memcpy(&x, a, sizeof x);                                                                  \
        memcpy(&y, b, sizeof y);                                                                  \
        return x == y;                                                                            \
    }                                                                                             \
    static void name##_apply(ptl_op_t operation, void *target, const void *data,                  \
                             const void *operand)                                                 \
    {                                                                                             \
        C t, d, o = 0;                                                                            \
        memcpy(&t, target, sizeof t);                                                             \
        memcpy(&d, data, sizeof d);                                                               \
        if (operand)                                                                              \
            memcpy(&o, operand, sizeof o);                                                        \
        switch (operation) {                                                                      \
            CASES default : abort();                                                              \
        }                                                                                         \
        memcpy(target, &t, sizeof t);                                                             \
    }

#define INTEGER_ITEM(name, C) ITEM(name, C, (C)real, ARITHMETIC_CASES(C) ORDER_CASES BIT_CASES(C))
#define REAL_ITEM(name, C) ITEM(name, C, (C)real, ARITHMETIC_CASES(C) ORDER_CASES)
#define COMPLEX_ITEM(name, C) ITEM(name, C, (C)(real + imaginary * I), ARITHMETIC_CASES(C))

INTEGER_ITEM(int8, int8_t)
INTEGER_ITEM(uint8, uint8_t)
INTEGER_ITEM(int16, int16_t)
INTEGER_ITEM(uint16, uint16_t)
INTEGER_ITEM(int32, int32_t)
INTEGER_ITEM(uint32, uint32_t)
INTEGER_ITEM(int64, int64_t)
INTEGER_ITEM(uint64, uint64_t)
REAL_ITEM(single, float)
REAL_ITEM(twofold, double)
REAL_ITEM(extended, long double)
COMPLEX_ITEM(single_complex, float _Complex)
COMPLEX_ITEM(twofold_complex, double _Complex)
COMPLEX_ITEM(extended_complex, long double _Complex)

static const struct item_ops items[] = {
#define ITEM_OPS(name, C)                                                                         \
    {                                                                                             \
        sizeof(C), name##_set, name##_equal, name##_apply                                         \
    }
    [PTL_INT8_T] = ITEM_OPS(int8, int8_t),
    [PTL_UINT8_T] = ITEM_OPS(uint8, uint8_t),
    [PTL_INT16_T] = ITEM_OPS(int16, int16_t),
    [PTL_UINT16_T] = ITEM_OPS(uint16, uint16_t),
    [PTL_INT32_T] = ITEM_OPS(int32, int32_t),
    [PTL_UINT32_T] = ITEM_OPS(uint32, uint32_t),
    [PTL_FLOAT] = ITEM_OPS(single, float),
    [PTL_INT64_T] = ITEM_OPS(int64, int64_t),
    [PTL_UINT64_T] = ITEM_OPS(uint64, uint64_t),
    [PTL_DOUBLE] = ITEM_OPS(twofold, double),
    [PTL_FLOAT_COMPLEX] = ITEM_OPS(single_complex, float _Complex),
    [PTL_DOUBLE_COMPLEX] = ITEM_OPS(twofold_complex, double _Complex),
    [PTL_LONG_DOUBLE] = ITEM_OPS(extended, long double),
    [PTL_LONG_DOUBLE_COMPLEX] = ITEM_OPS(extended_complex, long double _Complex),
#undef ITEM_OPS
};

size_t type_size(ptl_datatype_t type)
{
    return items[type].size;
}

void item_set(ptl_datatype_t type, void *item, int real, int imaginary)
{
    items[type].set(item, real, imaginary);
}

bool item_equal(ptl_datatype_t type, const void *a, const void *b)
{
    return items[type].equal(a, b);
}

void model_apply(ptl_op_t operation, ptl_datatype_t type, void *target, const void *data,
                 const void *operand)
{
    items[type].apply(operation, target, data, operand);
}
