/* SPDX-License-Identifier: BSD-3-Clause */
/* Every atomic operation on every type against a model that knows numbers but no C types. */
#include "nic/atomic.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/rng.h"
#include "support/tap.h"

#define ITEMS 5u
#define LARGEST 32u
#define ROUNDS 400

__extension__ typedef __int128 wide;

/* ---- What exists: one letter for integers (i), reals (r) and complex numbers (c) ---------- */

static const struct {
    const char *name;
    const char *of;
} operations[PTL_OP_LAST] = {
    [PTL_MIN] = {"MIN", "ir"},
    [PTL_MAX] = {"MAX", "ir"},
    [PTL_SUM] = {"SUM", "irc"},
    [PTL_PROD] = {"PROD", "irc"},
    [PTL_LOR] = {"LOR", "i"},
    [PTL_LAND] = {"LAND", "i"},
    [PTL_BOR] = {"BOR", "i"},
    [PTL_BAND] = {"BAND", "i"},
    [PTL_LXOR] = {"LXOR", "i"},
    [PTL_BXOR] = {"BXOR", "i"},
    [PTL_SWAP] = {"SWAP", "irc"},
    [PTL_CSWAP] = {"CSWAP", "irc"},
    [PTL_CSWAP_NE] = {"CSWAP_NE", "irc"},
    [PTL_CSWAP_LE] = {"CSWAP_LE", "ir"},
    [PTL_CSWAP_LT] = {"CSWAP_LT", "ir"},
    [PTL_CSWAP_GE] = {"CSWAP_GE", "ir"},
    [PTL_CSWAP_GT] = {"CSWAP_GT", "ir"},
    [PTL_MSWAP] = {"MSWAP", "i"},
    [PTL_DIFF] = {"DIFF", "irc"},
};

static const struct type {
    const char *name;
    char kind;
    bool negative; /* integers: the highest bit is the sign */
    size_t part;   /* bytes of a part */
} types[PTL_DATATYPE_LAST] = {
    [PTL_INT8_T] = {"INT8_T", 'i', true, 1},
    [PTL_UINT8_T] = {"UINT8_T", 'i', false, 1},
    [PTL_INT16_T] = {"INT16_T", 'i', true, 2},
    [PTL_UINT16_T] = {"UINT16_T", 'i', false, 2},
    [PTL_INT32_T] = {"INT32_T", 'i', true, 4},
    [PTL_UINT32_T] = {"UINT32_T", 'i', false, 4},
    [PTL_INT64_T] = {"INT64_T", 'i', true, 8},
    [PTL_UINT64_T] = {"UINT64_T", 'i', false, 8},
    [PTL_FLOAT] = {"FLOAT", 'r', true, sizeof(float)},
    [PTL_DOUBLE] = {"DOUBLE", 'r', true, sizeof(double)},
    [PTL_LONG_DOUBLE] = {"LONG_DOUBLE", 'r', true, sizeof(long double)},
    [PTL_FLOAT_COMPLEX] = {"FLOAT_COMPLEX", 'c', true, sizeof(float)},
    [PTL_DOUBLE_COMPLEX] = {"DOUBLE_COMPLEX", 'c', true, sizeof(double)},
    [PTL_LONG_DOUBLE_COMPLEX] = {"LONG_DOUBLE_COMPLEX", 'c', true, sizeof(long double)},
};

static size_t size_of(const struct type *type)
{
    return type->kind == 'c' ? 2 * type->part : type->part;
}

/* ---- Numbers and their bytes -------------------------------------------------------------- */

struct number {
    wide integer;
    long double part[2]; /* real and imaginary */
};

static long double load_real(const unsigned char *bytes, size_t size)
{
    float single;
    double twice;
    long double extended;
    if (size == sizeof single)
        return memcpy(&single, bytes, sizeof single), single;
    if (size == sizeof twice)
        return memcpy(&twice, bytes, sizeof twice), twice;
    return memcpy(&extended, bytes, sizeof extended), extended;
}

/* Leaves the padding of a long double as it is. */
static void store_real(unsigned char *bytes, size_t size, long double value)
{
    float single = (float)value;
    double twice = (double)value;
    if (size == sizeof single)
        memcpy(bytes, &single, sizeof single);
    else if (size == sizeof twice)
        memcpy(bytes, &twice, sizeof twice);
    else
        memcpy(bytes, &value, LDBL_MANT_DIG == 64 ? 10 : sizeof value);
}

/* Where an integer has its byte number `i`, the lowest being 0. */
static size_t byte_at(size_t i, size_t size)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : size - 1 - i;
}

static struct number load(const struct type *type, const unsigned char *bytes)
{
    struct number number = {0, {0, 0}};
    if (type->kind == 'i') {
        for (size_t i = 0; i < type->part; i++)
            number.integer += (wide)bytes[byte_at(i, type->part)] << 8 * i;
        if (type->negative && bytes[byte_at(type->part - 1, type->part)] >> 7)
            number.integer -= (wide)1 << 8 * type->part;
        return number;
    }
    for (size_t i = 0; i < (type->kind == 'c' ? 2 : 1); i++)
        number.part[i] = load_real(bytes + i * type->part, type->part);
    return number;
}

static void store(const struct type *type, unsigned char *bytes, const struct number *number)
{
    if (type->kind == 'i')
        for (size_t i = 0; i < type->part; i++)
            bytes[byte_at(i, type->part)] = (unsigned char)(number->integer >> 8 * i);
    else
        for (size_t i = 0; i < (type->kind == 'c' ? 2 : 1); i++)
            store_real(bytes + i * type->part, type->part, number->part[i]);
}

/* ---- The model ---------------------------------------------------------------------------- */

static bool equal(const struct number *a, const struct number *b)
{
    return a->integer == b->integer && a->part[0] == b->part[0] && a->part[1] == b->part[1];
}

/* Of numbers that have only one part. */
static bool less(const struct number *a, const struct number *b)
{
    return a->integer < b->integer || a->part[0] < b->part[0];
}

static bool swap_happens(ptl_op_t operation, const struct number *operand,
                         const struct number *target)
{
    bool same = equal(operand, target);
    switch (operation) {
    case PTL_SWAP:
        return true;
    case PTL_CSWAP:
        return same;
    case PTL_CSWAP_NE:
        return !same;
    case PTL_CSWAP_LE:
        return same || less(operand, target);
    case PTL_CSWAP_LT:
        return less(operand, target);
    case PTL_CSWAP_GE:
        return same || less(target, operand);
    case PTL_CSWAP_GT:
        return less(target, operand);
    default:
        return false;
    }
}

static wide calculate_logical(ptl_op_t operation, wide target, wide source, wide operand)
{
    switch (operation) {
    case PTL_LOR:
        return target != 0 || source != 0;
    case PTL_LAND:
        return target != 0 && source != 0;
    case PTL_LXOR:
        return (target != 0) + (source != 0) == 1;
    case PTL_BOR:
        return target | source;
    case PTL_BAND:
        return target & source;
    case PTL_BXOR:
        return (target | source) - (target & source);
    default: /* MSWAP */
        return target ^ ((target ^ source) & operand);
    }
}

static struct number multiply(const struct number *a, const struct number *b, bool complex)
{
    struct number result = {0, {a->part[0] * b->part[0], 0}};
    /* 128 bits overflow, 64 bits of the product do not care. */
    result.integer = (wide)((uint64_t)a->integer * (uint64_t)b->integer);
    if (complex) {
        result.part[0] -= a->part[1] * b->part[1];
        result.part[1] = a->part[0] * b->part[1] + a->part[1] * b->part[0];
    }
    return result;
}

static struct number calculate(ptl_op_t operation, const struct type *type, struct number target,
                               struct number source, struct number operand)
{
    int sign = operation == PTL_DIFF ? -1 : 1;
    switch (operation) {
    case PTL_MIN:
        return less(&source, &target) ? source : target;
    case PTL_MAX:
        return less(&target, &source) ? source : target;
    case PTL_SUM:
    case PTL_DIFF:
        target.integer += sign * source.integer;
        target.part[0] += (long double)sign * source.part[0];
        target.part[1] += (long double)sign * source.part[1];
        return target;
    case PTL_PROD:
        return multiply(&target, &source, type->kind == 'c');
    default:
        target.integer =
            calculate_logical(operation, target.integer, source.integer, operand.integer);
        return target;
    }
}

static bool is_swap(ptl_op_t operation)
{
    return operation >= PTL_SWAP && operation <= PTL_CSWAP_GT;
}

static void model(ptl_op_t operation, const struct type *type, unsigned char *target,
                  const unsigned char *source, const unsigned char *operand)
{
    struct number t = load(type, target), s = load(type, source), o = load(type, operand);
    if (is_swap(operation)) {
        if (swap_happens(operation, &o, &t))
            memcpy(target, source, size_of(type));
        return;
    }
    struct number result = calculate(operation, type, t, s, o);
    store(type, target, &result);
}

/* ---- Values ------------------------------------------------------------------------------- */

static wide some_integer(struct rng *rng, size_t size)
{
    uint64_t highest = UINT64_C(1) << (8 * size - 1);
    const uint64_t edges[] = {0, 1, 2, highest - 1, highest, highest + 1, UINT64_MAX};
    if (rng_one_in(rng, 2))
        return (wide)edges[rng_below(rng, sizeof edges / sizeof *edges)];
    return (wide)rng_next(rng);
}

/* Few bits, so that the model's extended results are exact and rounded once, as the type's. */
static long double some_real(struct rng *rng, size_t size, bool plain)
{
    const long double edges[3][6] = {
        {FLT_MAX, FLT_TRUE_MIN, FLT_MIN, HUGE_VALL, NAN, 0},
        {DBL_MAX, DBL_TRUE_MIN, DBL_MIN, HUGE_VALL, NAN, 0},
        {LDBL_MAX, LDBL_TRUE_MIN, LDBL_MIN, HUGE_VALL, NAN, 0},
    };
    int row = size == sizeof(float) ? 0 : size == sizeof(double) ? 1 : 2;
    long double value = (long double)rng_between(rng, 0, 1000) / 64;
    if (plain && rng_one_in(rng, 4))
        value = 0;
    if (!plain && rng_one_in(rng, 2))
        value = edges[row][rng_below(rng, 6)];
    return rng_one_in(rng, 2) ? -value : value;
}

static void some_item(struct rng *rng, const struct type *type, unsigned char *bytes)
{
    /* Products of complex numbers that are not finite are a matter of taste: see C11, annex G. */
    bool plain = type->kind == 'c';
    for (size_t i = 0; i < size_of(type); i++)
        bytes[i] = (unsigned char)rng_next(rng);
    struct number number = {0, {0, 0}};
    if (type->kind == 'i')
        number.integer = some_integer(rng, type->part);
    else
        for (int i = 0; i < 2; i++)
            number.part[i] = some_real(rng, type->part, plain);
    store(type, bytes, &number);
}

/* ---- Comparing ---------------------------------------------------------------------------- */

/* Bit by bit, but one NaN is as good as another. */
static bool same_items(const struct type *type, const unsigned char *a, const unsigned char *b)
{
    unsigned char left[LARGEST], right[LARGEST];
    struct number zero = {0, {0, 0}};
    memcpy(left, a, size_of(type));
    memcpy(right, b, size_of(type));
    if (type->kind == 'r' && isnan(load(type, a).part[0]) && isnan(load(type, b).part[0])) {
        store(type, left, &zero);
        store(type, right, &zero);
    }
    return memcmp(left, right, size_of(type)) == 0;
}

static bool agrees(ptl_op_t operation, const struct type *type, ptl_datatype_t datatype,
                   struct rng *rng)
{
    unsigned char target[ITEMS * LARGEST + 2], expected[sizeof target], before[sizeof target];
    unsigned char source[ITEMS * LARGEST + 1] = {0}, operand[LARGEST + 1];
    size_t size = size_of(type), shift = rng_below(rng, 2), items = rng_below(rng, ITEMS + 1);
    memset(target, 0x5a, sizeof target);
    for (size_t i = 0; i < items; i++) {
        some_item(rng, type, target + shift + i * size);
        some_item(rng, type, source + 1 + i * size);
    }
    some_item(rng, type, operand + 1);
    if (items && rng_one_in(rng, 2))
        memcpy(operand + 1, target + shift + rng_below(rng, items) * size, size);
    memcpy(before, target, sizeof target);
    memcpy(expected, target, sizeof target);
    for (size_t i = 0; i < items; i++)
        model(operation, type, expected + shift + i * size, source + 1 + i * size, operand + 1);
    bool needs_operand = operation == PTL_MSWAP || (is_swap(operation) && operation != PTL_SWAP);
    weft_nic_atomic_apply(operation, datatype, target + shift, source + 1, items * size,
                          needs_operand ? operand + 1 : NULL);

    for (size_t i = 0; i < items; i++)
        if (!same_items(type, target + shift + i * size, expected + shift + i * size))
            return false;
    size_t end = shift + items * size;
    return memcmp(target, before, shift) == 0 &&
           memcmp(target + end, before + end, sizeof target - end) == 0;
}

static void check_pair(int operation, int type)
{
    char what[80];
    const char *name = operations[operation].name;
    if (!strchr(operations[operation].of, types[type].kind)) {
        snprintf(what, sizeof what, "no %s of %s", name, types[type].name);
        tap_check(!weft_nic_atomic_exists(operation, type), __FILE__, __LINE__, what);
        return;
    }
    bool holds = weft_nic_atomic_exists(operation, type);
    for (unsigned round = 0; holds && round < ROUNDS; round++) {
        struct rng rng = rng_stream((uint64_t)(operation * PTL_DATATYPE_LAST + type), round);
        holds = agrees(operation, &types[type], type, &rng);
        if (!holds)
            tap_note("round %u", round);
    }
    snprintf(what, sizeof what, "%s of %s", name, types[type].name);
    tap_check(holds, __FILE__, __LINE__, what);
}

int main(void)
{
    for (int type = 0; type < PTL_DATATYPE_LAST; type++) {
        check_uint(weft_nic_atomic_size(type), size_of(&types[type]));
        for (int operation = 0; operation < PTL_OP_LAST; operation++)
            check_pair(operation, type);
    }
    check_uint(weft_nic_atomic_size(PTL_DATATYPE_LAST), 0);
    check_uint(weft_nic_atomic_size((ptl_datatype_t)-1), 0);
    check(!weft_nic_atomic_exists(PTL_OP_LAST, PTL_INT8_T));
    check(!weft_nic_atomic_exists((ptl_op_t)-1, PTL_INT8_T));
    check(!weft_nic_atomic_exists(PTL_SUM, PTL_DATATYPE_LAST));
    check(!weft_nic_atomic_exists(PTL_SUM, (ptl_datatype_t)-1));
    return tap_done();
}
