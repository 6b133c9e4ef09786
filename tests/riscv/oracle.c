/* SPDX-License-Identifier: BSD-3-Clause */
#include "riscv/oracle.h"

/* ---- Numbers ------------------------------------------------------------------------------ */

static uint64_t extended(uint64_t value, unsigned bits)
{
    uint64_t sign = UINT64_C(1) << (bits - 1);
    if (bits == 64)
        return value;
    value &= (sign << 1) - 1;
    return value & sign ? value | ~((sign << 1) - 1) : value;
}

static uint64_t lower(uint64_t value, unsigned bits)
{
    return bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

static bool is_negative(uint64_t value, unsigned bits)
{
    return value >> (bits - 1) & 1;
}

static bool is_less(uint64_t a, uint64_t b)
{
    return (int64_t)a < (int64_t)b;
}

/* The upper half of a product by school multiplication of 32-bit digits. */
static uint64_t upper_product(uint64_t a, uint64_t b, unsigned bits)
{
    if (bits == 32)
        return lower(a, 32) * lower(b, 32) >> 32;
    uint64_t a0 = lower(a, 32), a1 = a >> 32, b0 = lower(b, 32), b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t other = a0 * b1 + lower(middle, 32);
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

/* That of numbers with a sign differs by the other factor for each that is negative. */
static uint64_t upper_signed(uint64_t a, uint64_t b, unsigned bits, bool b_has_sign)
{
    uint64_t upper = upper_product(a, b, bits);
    if (is_negative(a, bits))
        upper -= b;
    if (b_has_sign && is_negative(b, bits))
        upper -= a;
    return upper;
}

static uint64_t magnitude(uint64_t value, unsigned bits)
{
    return lower(is_negative(value, bits) ? 0 - value : value, bits);
}

static uint64_t divided(uint64_t n, uint64_t d, unsigned bits, bool is_signed, bool remainder)
{
    n = lower(n, bits);
    d = lower(d, bits);
    if (d == 0)
        return remainder ? n : UINT64_MAX;
    if (!is_signed)
        return remainder ? n % d : n / d;
    uint64_t quotient = magnitude(n, bits) / magnitude(d, bits);
    uint64_t rest = magnitude(n, bits) % magnitude(d, bits);
    if (remainder)
        return is_negative(n, bits) ? 0 - rest : rest;
    return is_negative(n, bits) != is_negative(d, bits) ? 0 - quotient : quotient;
}

static unsigned zeros_before(uint64_t value, unsigned bits)
{
    unsigned zeros = 0;
    while (zeros < bits && !(value >> (bits - 1 - zeros) & 1))
        zeros++;
    return zeros;
}

/* ---- Instructions ------------------------------------------------------------------------- */

static uint64_t basic(uint64_t a, uint64_t b, unsigned f3, bool is_other, unsigned bits)
{
    unsigned shift = (unsigned)(b & (bits - 1));
    switch (f3) {
    case 0:
        return is_other ? a - b : a + b;
    case 1:
        return a << shift;
    case 2:
        return is_less(a, b);
    case 3:
        return a < b;
    case 4:
        return a ^ b;
    case 5:
        if (is_other)
            return lower(a, bits) >> shift |
                   (is_negative(a, bits) && shift ? ~UINT64_C(0) << (bits - shift) : 0);
        return lower(a, bits) >> shift;
    case 6:
        return a | b;
    default:
        return a & b;
    }
}

static uint64_t product(struct oracle *oracle, uint64_t a, uint64_t b, unsigned f3, unsigned bits)
{
    if (f3 >= 4) {
        bool is_signed = f3 == 4 || f3 == 6;
        uint64_t divisor = is_signed ? magnitude(b, bits) : lower(b, bits);
        oracle->cycles += 2 + zeros_before(divisor, bits);
        return divided(a, b, bits, is_signed, f3 >= 6);
    }
    oracle->cycles += f3 == 0 ? 0 : 4;
    if (f3 == 0)
        return a * b;
    return f3 == 3 ? upper_product(a, b, bits) : upper_signed(a, b, bits, f3 == 1);
}

static bool register_operation_exists(unsigned code, unsigned f3, unsigned f7)
{
    bool is_word = code == 0x3b;
    if (f7 == 1)
        return !is_word || f3 == 0 || f3 >= 4;
    if (f7 == 0)
        return !is_word || f3 == 0 || f3 == 1 || f3 == 5;
    return f7 == 0x20 && (f3 == 0 || f3 == 5);
}

static bool shift_exists(unsigned f3, uint32_t word, unsigned bits)
{
    uint32_t above = word >> (bits == 64 ? 26 : 25);
    return above == 0 || (f3 == 5 && above == (bits == 64 ? 0x10u : 0x20u));
}

static enum oracle_end set(struct oracle *oracle, unsigned rd, uint64_t value, uint64_t length)
{
    if (rd)
        oracle->x[rd] = extended(value, oracle->xlen);
    oracle->pc = lower(oracle->pc + length, oracle->xlen);
    oracle->cycles++;
    return ORACLE_RUNS;
}

static unsigned char *find(unsigned char *bytes, uint64_t base, uint64_t size, uint64_t address,
                           unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        if (address + i < base || address + i >= base + size)
            return NULL;
    return bytes + (address - base);
}

static enum oracle_end load(struct oracle *oracle, uint32_t word, unsigned length)
{
    unsigned f3 = word >> 12 & 7, width = 1u << (f3 & 3), rd = word >> 7 & 31;
    if (f3 == 7 || (oracle->xlen == 32 && (f3 == 3 || f3 == 6)))
        return ORACLE_ILLEGAL;
    uint64_t address = lower(oracle->x[word >> 15 & 31] + extended(word >> 20, 12), oracle->xlen);
    const unsigned char *from =
        find(oracle->data, oracle->data_base, oracle->data_size, address, width);
    if (!from)
        return ORACLE_LOAD;
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++)
        value |= (uint64_t)from[i] << 8 * i;
    oracle->cycles += address % width != 0;
    oracle->loaded = rd;
    return set(oracle, rd, f3 & 4 ? value : extended(value, 8 * width), length);
}

static enum oracle_end store(struct oracle *oracle, uint32_t word, unsigned length)
{
    unsigned f3 = word >> 12 & 7, width = 1u << f3;
    if (f3 > 3 || (oracle->xlen == 32 && f3 == 3))
        return ORACLE_ILLEGAL;
    uint64_t offset = extended(word >> 25 << 5 | (word >> 7 & 31), 12);
    uint64_t address = lower(oracle->x[word >> 15 & 31] + offset, oracle->xlen);
    unsigned char *to = find(oracle->data, oracle->data_base, oracle->data_size, address, width);
    if (!to)
        return ORACLE_STORE;
    for (unsigned i = 0; i < width; i++)
        to[i] = (unsigned char)(oracle->x[word >> 20 & 31] >> 8 * i);
    oracle->cycles += address % width != 0;
    return set(oracle, 0, 0, length);
}

static enum oracle_end branch(struct oracle *oracle, uint32_t word, unsigned length)
{
    uint64_t a = oracle->x[word >> 15 & 31], b = oracle->x[word >> 20 & 31];
    unsigned f3 = word >> 12 & 7;
    bool taken;
    if (f3 == 2 || f3 == 3)
        return ORACLE_ILLEGAL;
    taken = f3 < 2 ? a == b : f3 < 6 ? is_less(a, b) : a < b;
    if (f3 & 1)
        taken = !taken;
    if (!taken)
        return set(oracle, 0, 0, length);
    uint64_t distance = extended((word >> 31) << 12 | (word >> 7 & 1) << 11 |
                                     (word >> 25 & 63) << 5 | (word >> 8 & 15) << 1,
                                 13);
    oracle->cycles += 2;
    return set(oracle, 0, 0, distance);
}

static enum oracle_end jump(struct oracle *oracle, uint32_t word, uint64_t target, unsigned length)
{
    set(oracle, word >> 7 & 31, oracle->pc + length, 0);
    oracle->pc = lower(target & ~UINT64_C(1), oracle->xlen);
    oracle->cycles++;
    return ORACLE_RUNS;
}

static enum oracle_end immediate(struct oracle *oracle, uint32_t word, unsigned length)
{
    unsigned f3 = word >> 12 & 7;
    unsigned bits = word & 8 ? 32 : oracle->xlen;
    bool is_shift = f3 == 1 || f3 == 5;
    if (word & 8 && (oracle->xlen == 32 || (f3 != 0 && !is_shift)))
        return ORACLE_ILLEGAL;
    if (is_shift && !shift_exists(f3, word, bits))
        return ORACLE_ILLEGAL;
    uint64_t b = is_shift ? word >> 20 & 63 : extended(word >> 20, 12);
    uint64_t value = basic(oracle->x[word >> 15 & 31], b, f3, is_shift && word >> 30 & 1, bits);
    return set(oracle, word >> 7 & 31, extended(value, bits), length);
}

static enum oracle_end between_registers(struct oracle *oracle, uint32_t word, unsigned length)
{
    unsigned f3 = word >> 12 & 7, f7 = word >> 25;
    unsigned bits = word & 8 ? 32 : oracle->xlen;
    if ((word & 8 && oracle->xlen == 32) || !register_operation_exists(word & 0x7f, f3, f7))
        return ORACLE_ILLEGAL;
    uint64_t a = oracle->x[word >> 15 & 31], b = oracle->x[word >> 20 & 31];
    uint64_t value = f7 == 1 ? product(oracle, a, b, f3, bits) : basic(a, b, f3, f7, bits);
    return set(oracle, word >> 7 & 31, extended(value, bits), length);
}

static enum oracle_end execute(struct oracle *oracle, uint32_t word, unsigned length)
{
    unsigned f3 = word >> 12 & 7, rd = word >> 7 & 31;
    uint64_t upper = extended(word & 0xfffff000, 32);
    switch (word & 0x7f) {
    case 0x37:
        return set(oracle, rd, upper, length);
    case 0x17:
        return set(oracle, rd, oracle->pc + upper, length);
    case 0x6f:
        return jump(oracle, word,
                    oracle->pc + extended((word >> 31) << 20 | (word >> 12 & 255) << 12 |
                                              (word >> 20 & 1) << 11 | (word >> 21 & 1023) << 1,
                                          21),
                    length);
    case 0x67:
        return f3 ? ORACLE_ILLEGAL
                  : jump(oracle, word, oracle->x[word >> 15 & 31] + extended(word >> 20, 12),
                         length);
    case 0x63:
        return branch(oracle, word, length);
    case 0x03:
        return load(oracle, word, length);
    case 0x23:
        return store(oracle, word, length);
    case 0x13:
    case 0x1b:
        return immediate(oracle, word, length);
    case 0x33:
    case 0x3b:
        return between_registers(oracle, word, length);
    case 0x0f:
        return f3 ? ORACLE_ILLEGAL : set(oracle, 0, 0, length);
    case 0x73:
        if (word != 0x73)
            return ORACLE_ILLEGAL;
        set(oracle, 0, 0, length);
        return ORACLE_ECALL;
    default:
        return ORACLE_ILLEGAL;
    }
}

/* Whether the instruction needs what the one before it has loaded. */
static bool waits(const struct oracle *oracle, uint32_t word)
{
    bool has_one = true, has_two = false;
    switch (word & 0x7f) {
    case 0x37:
    case 0x17:
    case 0x6f:
    case 0x0f:
    case 0x73:
        has_one = false;
        break;
    case 0x63:
    case 0x23:
    case 0x33:
    case 0x3b:
        has_two = true;
    }
    return oracle->loaded && ((has_one && (word >> 15 & 31) == oracle->loaded) ||
                              (has_two && (word >> 20 & 31) == oracle->loaded));
}

static enum oracle_end wait_and_execute(struct oracle *oracle, uint32_t word, unsigned length)
{
    bool waited = waits(oracle, word);
    oracle->loaded = 0;
    enum oracle_end end = execute(oracle, word, length);
    oracle->cycles += waited && end != ORACLE_ILLEGAL;
    return end;
}

enum oracle_end oracle_step(struct oracle *oracle)
{
    uint64_t at = oracle->pc - oracle->code_base;
    if (oracle->pc < oracle->code_base || at + 2 > oracle->code_size)
        return ORACLE_FETCH;
    uint32_t word = oracle->code[at] | (uint32_t)oracle->code[at + 1] << 8;
    if ((word & 3) != 3) {
        word = oracle_expand(word, oracle->xlen);
        return word ? wait_and_execute(oracle, word, 2) : ORACLE_ILLEGAL;
    }
    if (at + 4 > oracle->code_size)
        return ORACLE_FETCH;
    word |= (uint32_t)oracle->code[at + 2] << 16 | (uint32_t)oracle->code[at + 3] << 24;
    return wait_and_execute(oracle, word, 4);
}
