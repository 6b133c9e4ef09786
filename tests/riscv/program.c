/* SPDX-License-Identifier: BSD-3-Clause */
#include "riscv/program.h"

#include <string.h>

#include "riscv/assemble.h"

static uint32_t any(struct rng *rng, uint32_t limit)
{
    return (uint32_t)rng_below(rng, limit);
}

/* Pointers stay what they are, most of the time. */
static uint32_t destination(struct rng *rng)
{
    uint32_t rd = any(rng, 32);
    return (rd == SP || rd == S0 || rd == S1) && !rng_one_in(rng, 16) ? A0 : rd;
}

static uint32_t pointer(struct rng *rng)
{
    static const uint32_t pointers[] = {SP, S0, S1};
    return rng_one_in(rng, 16) ? any(rng, 32) : pointers[any(rng, 3)];
}

static int32_t short_way(struct rng *rng)
{
    return 2 * (int32_t)rng_between(rng, -16, 24);
}

/* Of an instruction, drawn one after the other. */
struct fields {
    uint32_t f3, rd, rs1, rs2, base;
};

static struct fields any_fields(struct rng *rng)
{
    struct fields fields;
    fields.f3 = any(rng, 8);
    fields.rd = destination(rng);
    fields.rs1 = any(rng, 32);
    fields.rs2 = any(rng, 32);
    fields.base = pointer(rng);
    return fields;
}

static uint32_t between_registers(struct rng *rng)
{
    static const uint32_t codes[] = {0x33, 0x3b}, f7[] = {0, 0x20, 1, 1};
    struct fields fields = any_fields(rng);
    uint32_t code = codes[any(rng, 2)];
    return of_r(code, fields.f3, f7[any(rng, 4)], fields.rd, fields.rs1, fields.rs2);
}

static uint32_t with_immediate(struct rng *rng)
{
    static const uint32_t codes[] = {0x13, 0x13, 0x1b};
    struct fields fields = any_fields(rng);
    int32_t value = (int32_t)any(rng, 4096);
    if ((fields.f3 == 1 || fields.f3 == 5) && !rng_one_in(rng, 16))
        value &= 0x43f;
    return of_i(codes[any(rng, 3)], fields.f3, fields.rd, fields.rs1, value);
}

/* What is rare: environment calls, jumps to registers, fences, anything. */
static uint32_t any_rare(struct rng *rng)
{
    struct fields fields = any_fields(rng);
    if (rng_one_in(rng, 8))
        return ECALL;
    if (rng_one_in(rng, 8))
        return of_i(0x67, 0, fields.rd, fields.rs1, (int32_t)any(rng, 4096));
    return rng_one_in(rng, 4) ? 0x0ff0000fu : (uint32_t)rng_next(rng) | 3;
}

static uint32_t any_upper(struct rng *rng, uint32_t rd)
{
    uint32_t code = rng_one_in(rng, 2) ? 0x37 : 0x17;
    return of_u(code, rd, any(rng, 1 << 20));
}

static uint32_t any_long(struct rng *rng)
{
    int32_t way = short_way(rng);
    int32_t offset = (int32_t)rng_between(rng, -36, 36);
    struct fields fields = any_fields(rng);
    switch (any(rng, 10)) {
    case 0:
    case 1:
    case 2:
        return between_registers(rng);
    case 3:
    case 4:
        return with_immediate(rng);
    case 5:
        return of_i(0x03, fields.f3, fields.rd, fields.base, offset);
    case 6:
        return of_s(0x23, any(rng, 5), fields.base, fields.rs2, offset);
    case 7:
        return of_b(fields.f3, fields.rs1, fields.rs2, way);
    case 8:
        return rng_one_in(rng, 2) ? of_j(fields.rd, way) : any_upper(rng, fields.rd);
    default:
        return any_rare(rng);
    }
}

static uint64_t any_value(struct rng *rng)
{
    static const uint64_t corners[] = {
        0, 1, UINT64_MAX, INT64_MAX, UINT64_C(1) << 63, INT32_MAX, UINT64_C(1) << 31, UINT32_MAX};
    if (rng_one_in(rng, 3))
        return corners[any(rng, 8)];
    uint64_t value = rng_next(rng);
    return value >> any(rng, 64);
}

void program_make(struct program *program, unsigned xlen, struct rng *rng)
{
    for (size_t at = 0; at < PROGRAM_SIZE;) {
        bool is_long = at + 4 <= PROGRAM_SIZE && !rng_one_in(rng, 3);
        uint32_t word = is_long ? any_long(rng) : (uint32_t)rng_next(rng) & 0xffff;
        memcpy(program->code + at, &word, is_long ? 4 : 2);
        at += is_long ? 4 : 2;
    }
    for (size_t i = 0; i < DATA_SIZE; i++)
        program->data[i] = (unsigned char)rng_next(rng);
    for (unsigned i = 1; i < 32; i++)
        program->x[i] = xlen == 32 ? (uint32_t)any_value(rng) : any_value(rng);
    program->x[0] = 0;
    program->x[SP] = DATA_BASE;
    program->x[S0] = DATA_BASE + DATA_SIZE / 2;
    program->x[S1] = DATA_BASE + any(rng, DATA_SIZE);
}
