/* SPDX-License-Identifier: BSD-3-Clause */
/* Every operator and type, in vectors that handlers combine and in those that atomic operations
 * do, against an oracle that does neither. */
#include <math.h>
#include <string.h>

#include "schedule/machine.h"
#include "support/rng.h"

#define MOST 20000 /* bytes: more than a packet, and than a handler holds at a time */

static const ptl_op_t operators[] = {PTL_MIN,  PTL_MAX,  PTL_SUM, PTL_PROD, PTL_DIFF, PTL_LOR,
                                     PTL_LAND, PTL_LXOR, PTL_BOR, PTL_BAND, PTL_BXOR};
#define OPERATORS (sizeof operators / sizeof *operators)

static bool is_real(ptl_datatype_t type)
{
    return type == PTL_FLOAT || type == PTL_DOUBLE;
}

static bool is_signed(ptl_datatype_t type)
{
    return type == PTL_INT8_T || type == PTL_INT16_T || type == PTL_INT32_T || type == PTL_INT64_T;
}

/* Not for reals. */
static bool is_logical(ptl_op_t operator)
{
    return operator>= PTL_LOR && operator<= PTL_BXOR;
}

/* ---- The oracle: all integers in 64 bits, all reals as the type itself --------------------- */

static uint64_t load(const unsigned char *at, size_t size, bool has_sign)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)at[i] << 8 * i;
    bool is_negative = has_sign && at[size - 1] & 0x80 && size < 8;
    return is_negative ? value | ~(uint64_t)0 << 8 * size : value;
}

static bool is_less(uint64_t a, uint64_t b, bool has_sign)
{
    uint64_t flip = (uint64_t)has_sign << 63;
    return (a ^ flip) < (b ^ flip);
}

static uint64_t integer(ptl_op_t operator, uint64_t t, uint64_t s, bool has_sign)
{
    switch (operator) {
    case PTL_MIN:
        return is_less(s, t, has_sign) ? s : t;
    case PTL_MAX:
        return is_less(t, s, has_sign) ? s : t;
    case PTL_SUM:
        return t + s;
    case PTL_PROD:
        return t * s;
    case PTL_DIFF:
        return t - s;
    case PTL_LOR:
        return (t | s) != 0;
    case PTL_LAND:
        return t != 0 && s != 0;
    case PTL_LXOR:
        return (t != 0) != (s != 0);
    case PTL_BOR:
        return t | s;
    case PTL_BAND:
        return t & s;
    default:
        return t ^ s;
    }
}

#define REAL(name, type)                                                                          \
    static bool name##_is(ptl_op_t operator, const void * before, const void *from,               \
                          const void *after)                                                      \
    {                                                                                             \
        type t, s, is, should = 0;                                                                \
        memcpy(&t, before, sizeof t);                                                             \
        memcpy(&s, from, sizeof s);                                                               \
        memcpy(&is, after, sizeof is);                                                            \
        if (operator== PTL_MIN)                                                                   \
            should = s < t ? s : t;                                                               \
        else if (operator== PTL_MAX)                                                              \
            should = s > t ? s : t;                                                               \
        else if (operator== PTL_SUM)                                                              \
            should = t + s;                                                                       \
        else if (operator== PTL_PROD)                                                             \
            should = t * s;                                                                       \
        else                                                                                      \
            should = t - s;                                                                       \
        return isnan(should) ? isnan(is) : memcmp(&is, &should, sizeof is) == 0;                  \
    }
REAL(float, float)
REAL(double, double)

static bool item_is(ptl_op_t operator, ptl_datatype_t type, const unsigned char *before,
                    const unsigned char *from, const unsigned char *after)
{
    size_t size = weft_schedule_item_size(type);
    bool has_sign = is_signed(type);
    if (type == PTL_FLOAT)
        return float_is(operator, before, from, after);
    if (type == PTL_DOUBLE)
        return double_is(operator, before, from, after);
    uint64_t should =
        integer(operator, load(before, size, has_sign), load(from, size, has_sign), has_sign);
    return memcmp(after, &should, size) == 0;
}

/* ---- Trying ------------------------------------------------------------------------------- */

struct vectors {
    unsigned char *from, *to, *before;
    size_t length;
};

/* Any bits, but many zeroes and equal numbers among them. */
static void fill(struct rng *rng, unsigned char *memory, size_t length, size_t item)
{
    for (size_t i = 0; i < length; i += item) {
        uint64_t bits = rng_next(rng);
        if (rng_below(rng, 4) == 0)
            bits = rng_below(rng, 2) ? ~(uint64_t)0 : 0;
        memcpy(memory + i, &bits, item);
    }
}

static void combine(struct job *job, weft_engine *engine, ptl_op_t operator, ptl_datatype_t type,
                    const struct vectors *v)
{
    size_t item = weft_schedule_item_size(type);
    weft_schedule *schedule = machine_schedule(job, engine, 1);
    memcpy(v->before, v->to, v->length);
    holds(weft_schedule_compute(schedule, operator, type, BYTES(v->from, v->length),
                                BYTES(v->to, v->length)) >= 0);
    fine(weft_schedule_post(schedule));
    fine(weft_schedule_start(schedule));
    fine(machine_wait(job, schedule));
    weft_schedule_free(schedule);
    bool is_right = true;
    for (size_t i = 0; i < v->length; i += item)
        is_right = is_right && item_is(operator, type, v->before + i, v->from + i, v->to + i);
    holds(is_right);
}

BEHAVIOUR("every operator combines every type, in short and in long vectors", ENGINE, .ranks = 1)
{
    weft_engine *engine = machine_open(job);
    struct rng rng = {1};
    unsigned char *memory = job_memory(job, 3 * (MOST + 16));
    for (unsigned i = 0; i < 4 * OPERATORS * PTL_DATATYPE_LAST; i++) {
        ptl_op_t operator= operators[i % OPERATORS];
        ptl_datatype_t type = (ptl_datatype_t)(i / OPERATORS % PTL_DATATYPE_LAST);
        size_t item = weft_schedule_item_size(type);
        if (item > 8 || type == PTL_FLOAT_COMPLEX || (is_real(type) && is_logical(operator)))
            continue;
        size_t most = rng_below(&rng, 2) ? MOST : 1500;
        size_t shift_from = rng_below(&rng, 9), shift_to = rng_below(&rng, 9);
        struct vectors v = {memory + shift_from, memory + MOST + 16 + shift_to,
                            memory + 2 * (MOST + 16), 0};
        v.length = (1 + rng_below(&rng, most / item)) * item;
        fill(&rng, v.from, v.length, item);
        fill(&rng, v.to, v.length, item);
        combine(job, engine, operator, type, &v);
    }
    machine_close(job, engine);
}
