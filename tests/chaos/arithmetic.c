/* SPDX-License-Identifier: BSD-3-Clause */
#include "chaos/arithmetic.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const struct {
    ptl_datatype_t type;
    size_t size;
    bool is_signed;
} types[ARITHMETIC_TYPES] = {{PTL_INT8_T, 1, true},  {PTL_UINT8_T, 1, false},
                             {PTL_INT16_T, 2, true}, {PTL_UINT16_T, 2, false},
                             {PTL_INT32_T, 4, true}, {PTL_UINT32_T, 4, false},
                             {PTL_INT64_T, 8, true}, {PTL_UINT64_T, 8, false}};

static unsigned index_of(ptl_datatype_t type)
{
    unsigned i = 0;
    while (types[i].type != type)
        i++;
    return i;
}

ptl_datatype_t arithmetic_type(unsigned index)
{
    return types[index].type;
}

size_t arithmetic_size(ptl_datatype_t type)
{
    return types[index_of(type)].size;
}

/* All values are held in 64 bits, extended as their type says. */
static uint64_t load(const unsigned char *bytes, size_t size, bool is_signed)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    if (is_signed && size < 8 && value >> (8 * size - 1))
        value |= ~UINT64_C(0) << (8 * size);
    return value;
}

static void store(unsigned char *bytes, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
}

static bool is_less(uint64_t a, uint64_t b, bool is_signed)
{
    /* Moving the sign bit turns one order into the other. */
    const uint64_t sign = is_signed ? UINT64_C(1) << 63 : 0;
    return (a ^ sign) < (b ^ sign);
}

static uint64_t calculate(ptl_op_t operation, uint64_t target, uint64_t source, bool is_signed)
{
    switch (operation) {
    case PTL_MIN:
        return is_less(source, target, is_signed) ? source : target;
    case PTL_MAX:
        return is_less(target, source, is_signed) ? source : target;
    case PTL_SUM:
        return target + source;
    case PTL_DIFF:
        return target - source;
    case PTL_PROD:
        return target * source;
    case PTL_LOR:
        return target || source;
    case PTL_LAND:
        return target && source;
    case PTL_LXOR:
        return (target != 0) ^ (source != 0);
    case PTL_BOR:
        return target | source;
    case PTL_BAND:
        return target & source;
    case PTL_BXOR:
        return target ^ source;
    default:
        return source; /* PTL_SWAP */
    }
}

/* With o, the operand, on the left. */
static bool swaps(ptl_op_t operation, uint64_t o, uint64_t target, bool is_signed)
{
    bool less = is_less(o, target, is_signed), equal = o == target;
    switch (operation) {
    case PTL_CSWAP:
        return equal;
    case PTL_CSWAP_NE:
        return !equal;
    case PTL_CSWAP_LE:
        return less || equal;
    case PTL_CSWAP_LT:
        return less;
    case PTL_CSWAP_GE:
        return !less;
    default:
        return !less && !equal; /* PTL_CSWAP_GT */
    }
}

void arithmetic_apply(ptl_op_t operation, ptl_datatype_t type, unsigned char *target,
                      const unsigned char *source, size_t bytes, const unsigned char *operand)
{
    unsigned index = index_of(type);
    size_t size = types[index].size;
    bool is_signed = types[index].is_signed,
         has_operand = operation > PTL_SWAP && operation <= PTL_MSWAP;
    uint64_t o = has_operand ? load(operand, size, is_signed) : 0;
    for (size_t at = 0; at + size <= bytes; at += size) {
        uint64_t t = load(target + at, size, is_signed), s = load(source + at, size, is_signed);
        if (operation == PTL_MSWAP)
            t = (t & ~o) | (s & o);
        else if (has_operand)
            t = swaps(operation, o, t, is_signed) ? s : t;
        else
            t = calculate(operation, t, s, is_signed);
        store(target + at, t, size);
    }
}
