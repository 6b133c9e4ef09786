/* SPDX-License-Identifier: BSD-3-Clause */
/* What each instruction computes, by hand: the corners of the manual. */
#include <string.h>

#include "riscv/assemble.h"
#include "riscv/bench_core.h"
#include "riscv/decode.h"
#include "riscv/oracle.h"
#include "support/tap.h"

#define ALL_ONES UINT64_MAX
#define MIN_64 (UINT64_C(1) << 63)
#define MIN_32 UINT64_C(0xffffffff80000000)
#define R(code, f3, f7) of_r(code, f3, f7, A0, A1, A2)
#define I(f3, value) of_i(0x13, f3, A0, A1, value)
#define IW(f3, value) of_i(0x1b, f3, A0, A1, value)

/* A1 is `a`, A2 is `b`, and A0 becomes `expected`; all of them cut to the width of the core. */
static const struct row {
    const char *name;
    uint32_t word;
    uint64_t a, b, expected;
    unsigned only; /* xlen; 0: both */
} rows[] = {
    {"lui", of_u(0x37, A0, 0x80000), 0, 0, MIN_32, 0},
    {"auipc", of_u(0x17, A0, 1), 0, 0, TEXT_BASE + 0x1000, 0},
    {"addi", I(0, -2048), 1, 0, (uint64_t)-2047, 0},
    {"slti", I(2, -1), (uint64_t)-2, 0, 1, 0},
    {"slti", I(2, -2), (uint64_t)-2, 0, 0, 0},
    {"sltiu", I(3, -1), 5, 0, 1, 0},
    {"sltiu", I(3, 1), 1, 0, 0, 0},
    {"xori", I(4, -1), 0xf0, 0, (uint64_t)~0xf0, 0},
    {"ori", I(6, 0x0f), 0xf0, 0, 0xff, 0},
    {"andi", I(7, -16), 0xff, 0, 0xf0, 0},
    {"slli", I(1, 31), 1, 0, UINT64_C(1) << 31, 0},
    {"slli", I(1, 63), 1, 0, MIN_64, 64},
    {"srli", I(5, 4), MIN_64 | 0x70, 0, UINT64_C(1) << 59 | 7, 64},
    {"srli", I(5, 4), UINT64_C(0x80000070), 0, 0x08000007, 0},
    {"srai", I(5, 4 | 0x400), MIN_64, 0, UINT64_C(0xf800000000000000), 64},
    {"srai", I(5, 4 | 0x400), MIN_32, 0, UINT64_C(0xfffffffff8000000), 0},
    {"add", R(0x33, 0, 0), ALL_ONES, 2, 1, 0},
    {"sub", R(0x33, 0, 0x20), 1, 2, ALL_ONES, 0},
    {"sll", R(0x33, 1, 0), 1, 65, 2, 0},
    {"slt", R(0x33, 2, 0), ALL_ONES, 0, 1, 0},
    {"sltu", R(0x33, 3, 0), ALL_ONES, 0, 0, 0},
    {"sltu", R(0x33, 3, 0), 0, ALL_ONES, 1, 0},
    {"xor", R(0x33, 4, 0), 0xff, 0x0f, 0xf0, 0},
    {"srl", R(0x33, 5, 0), 0x100, 72, 1, 0},
    {"sra", R(0x33, 5, 0x20), ALL_ONES - 15, 66, ALL_ONES - 3, 0},
    {"or", R(0x33, 6, 0), 0xf0, 0x0f, 0xff, 0},
    {"and", R(0x33, 7, 0), 0xff, 0x3c, 0x3c, 0},
    {"addiw", IW(0, 1), INT32_MAX, 0, MIN_32, 64},
    {"slliw", IW(1, 31), 3, 0, MIN_32, 64},
    {"srliw", IW(5, 1), ALL_ONES, 0, INT32_MAX, 64},
    {"sraiw", IW(5, 1 | 0x400), UINT64_C(0x80000000), 0, UINT64_C(0xffffffffc0000000), 64},
    {"addw", R(0x3b, 0, 0), INT32_MAX, 1, MIN_32, 64},
    {"subw", R(0x3b, 0, 0x20), 0, UINT64_C(0x100000001), ALL_ONES, 64},
    {"sllw", R(0x3b, 1, 0), 1, 63, MIN_32, 64},
    {"srlw", R(0x3b, 5, 0), MIN_32, 33, 0x40000000, 64},
    {"sraw", R(0x3b, 5, 0x20), MIN_32, 33, UINT64_C(0xffffffffc0000000), 64},
    {"mul", R(0x33, 0, 1), (uint64_t)-3, 5, (uint64_t)-15, 0},
    {"mulh", R(0x33, 1, 1), MIN_64, MIN_64, UINT64_C(1) << 62, 64},
    {"mulh", R(0x33, 1, 1), ALL_ONES, ALL_ONES, 0, 0},
    {"mulhsu", R(0x33, 2, 1), ALL_ONES, ALL_ONES, ALL_ONES, 0},
    {"mulhu", R(0x33, 3, 1), ALL_ONES, ALL_ONES, ALL_ONES - 1, 0},
    {"div", R(0x33, 4, 1), (uint64_t)-7, 2, (uint64_t)-3, 0},
    {"div", R(0x33, 4, 1), 7, 0, ALL_ONES, 0},
    {"div", R(0x33, 4, 1), MIN_64, ALL_ONES, MIN_64, 64},
    {"div", R(0x33, 4, 1), MIN_32, ALL_ONES, MIN_32, 32},
    {"divu", R(0x33, 5, 1), ALL_ONES, 0, ALL_ONES, 0},
    {"divu", R(0x33, 5, 1), ALL_ONES, ALL_ONES, 1, 0},
    {"rem", R(0x33, 6, 1), (uint64_t)-7, 2, ALL_ONES, 0},
    {"rem", R(0x33, 6, 1), (uint64_t)-7, 0, (uint64_t)-7, 0},
    {"rem", R(0x33, 6, 1), MIN_64, ALL_ONES, 0, 64},
    {"remu", R(0x33, 7, 1), 7, 0, 7, 0},
    {"remu", R(0x33, 7, 1), ALL_ONES, 10, 5, 0},
    {"mulw", R(0x3b, 0, 1), 0x10000, 0x8000, MIN_32, 64},
    {"divw", R(0x3b, 4, 1), MIN_32, ALL_ONES, MIN_32, 64},
    {"divw", R(0x3b, 4, 1), 1, UINT64_C(1) << 32, ALL_ONES, 64},
    {"divuw", R(0x3b, 5, 1), ALL_ONES, 1, ALL_ONES, 64},
    {"remw", R(0x3b, 6, 1), MIN_32, ALL_ONES, 0, 64},
    {"remw", R(0x3b, 6, 1), MIN_32, 0, MIN_32, 64},
    {"remuw", R(0x3b, 7, 1), UINT64_C(0x80000000), 0, MIN_32, 64},
    {"lb", of_i(0x03, 0, A0, S0, 0), 0, 0, (uint64_t)-128, 0},
    {"lbu", of_i(0x03, 4, A0, S0, 0), 0, 0, 0x80, 0},
    {"lh", of_i(0x03, 1, A0, S0, 0), 0, 0, UINT64_C(0xffffffffffff8180), 0},
    {"lhu", of_i(0x03, 5, A0, S0, 0), 0, 0, 0x8180, 0},
    {"lw", of_i(0x03, 2, A0, S0, 0), 0, 0, UINT64_C(0xffffffff83828180), 0},
    {"lwu", of_i(0x03, 6, A0, S0, 0), 0, 0, 0x83828180, 64},
    {"ld", of_i(0x03, 3, A0, S0, 0), 0, 0, UINT64_C(0x8786858483828180), 64},
    {"fence", 0x0ff0000f, 0, 0, 0, 0},
};

static uint64_t cut(uint64_t value, unsigned xlen)
{
    return xlen == 32 ? (uint32_t)value : value;
}

static void prepare(struct bench_core *bench, const struct row *row, unsigned xlen)
{
    const uint32_t program[] = {row->word, RETURN};
    bench_core_open(bench, xlen, "ri5cy", program, sizeof program);
    bench->core.x[S0] = DATA_BASE;
    bench->core.x[A1] = cut(row->a, xlen);
    bench->core.x[A2] = cut(row->b, xlen);
    for (unsigned i = 0; i < DATA_SIZE; i++)
        bench->data[i] = (unsigned char)(0x80 + i);
}

static void try_row(const struct row *row, unsigned xlen)
{
    struct bench_core bench;
    if (row->only && row->only != xlen)
        return;
    prepare(&bench, row, xlen);
    enum weft_riscv_stop stop = weft_riscv_core_run(&bench.core, 1000);
    if (!check(stop == WEFT_RISCV_RETURNED && bench.core.x[A0] == cut(row->expected, xlen)))
        tap_note("%s on RV%u: %#llx", row->name, xlen, (unsigned long long)bench.core.x[A0]);
    bench_core_close(&bench);
}

/* ---- Stores ------------------------------------------------------------------------------- */

static void try_store(unsigned f3, unsigned xlen)
{
    struct bench_core bench;
    const uint32_t program[] = {of_s(0x23, f3, S0, A1, 8), RETURN};
    bench_core_open(&bench, xlen, "ri5cy", program, sizeof program);
    bench.core.x[S0] = DATA_BASE;
    bench.core.x[A1] = cut(UINT64_C(0x1122334455667788), xlen);
    check(weft_riscv_core_run(&bench.core, 1000) == WEFT_RISCV_RETURNED);
    static const unsigned char value[] = {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};
    static const unsigned char nothing[DATA_SIZE];
    size_t width = (size_t)1 << f3;
    check(memcmp(bench.data, nothing, 8) == 0 && memcmp(bench.data + 8, value, width) == 0 &&
          memcmp(bench.data + 8 + width, nothing, DATA_SIZE - 8 - width) == 0);
    bench_core_close(&bench);
}

/* ---- Branches and jumps ------------------------------------------------------------------- */

static const struct branch_row {
    unsigned f3;
    uint64_t a, b;
    bool is_taken;
} branches[] = {
    {0, 1, 1, true},        {0, 1, 2, false},        {1, 1, 2, true},  {1, 1, 1, false},
    {4, ALL_ONES, 0, true}, {4, 0, ALL_ONES, false}, {4, 1, 1, false}, {5, 0, ALL_ONES, true},
    {5, 1, 1, true},        {5, ALL_ONES, 0, false}, {6, 0, 1, true},  {6, ALL_ONES, 0, false},
    {7, ALL_ONES, 0, true}, {7, 1, 1, true},         {7, 0, 1, false},
};

static void try_branch(const struct branch_row *row, unsigned xlen)
{
    struct bench_core bench;
    const uint32_t program[] = {of_b(row->f3, A1, A2, 8), addi(A0, A0, 1), RETURN};
    bench_core_open(&bench, xlen, "ri5cy", program, sizeof program);
    bench.core.x[A1] = cut(row->a, xlen);
    bench.core.x[A2] = cut(row->b, xlen);
    check(weft_riscv_core_run(&bench.core, 1000) == WEFT_RISCV_RETURNED);
    if (!check_uint(bench.core.x[A0], row->is_taken ? 0 : 1))
        tap_note("branch %u on RV%u", row->f3, xlen);
    bench_core_close(&bench);
}

/* Over an instruction, back to it, and through a register whose lowest bit does not count. */
static void check_jumps(unsigned xlen)
{
    struct bench_core bench;
    const uint32_t program[] = {of_j(T0, 8), RETURN, addi(T0, T0, 1), of_i(0x67, 0, T0, T0, 0)};
    bench_core_open(&bench, xlen, "ri5cy", program, sizeof program);
    check(weft_riscv_core_run(&bench.core, 1000) == WEFT_RISCV_RETURNED);
    check_uint(bench.core.x[T0], TEXT_BASE + sizeof program);
    check_uint(bench.core.spent, 2 + 1 + 2 + 2);
    bench_core_close(&bench);
}

static void check_zero_stays(unsigned xlen)
{
    struct bench_core bench;
    const uint32_t program[] = {addi(ZERO, ZERO, 5), load_word(ZERO, S0, 0), add(A0, ZERO, ZERO),
                                RETURN};
    bench_core_open(&bench, xlen, "ri5cy", program, sizeof program);
    bench.core.x[S0] = DATA_BASE;
    bench.data[0] = 1;
    check(weft_riscv_core_run(&bench.core, 1000) == WEFT_RISCV_RETURNED);
    check_uint(bench.core.x[A0], 0);
    bench_core_close(&bench);
}

/* ---- Words -------------------------------------------------------------------------------- */

static bool is_same(struct weft_riscv_instruction a, struct weft_riscv_instruction b)
{
    return a.operation == b.operation && a.rd == b.rd && a.rs1 == b.rs1 && a.rs2 == b.rs2 &&
           a.immediate == b.immediate;
}

/* All of them: each is what it stands for, or nothing. */
static void check_short_instructions(unsigned xlen)
{
    uint32_t wrong = 0;
    for (uint32_t half = 0; half <= UINT16_MAX; half++) {
        if (weft_riscv_is_long(half))
            continue;
        uint32_t word = oracle_expand(half, xlen);
        struct weft_riscv_instruction instruction = weft_riscv_decode_short(half, xlen);
        bool is_right = word ? is_same(instruction, weft_riscv_decode(word, xlen))
                             : instruction.operation == WEFT_RISCV_ILLEGAL;
        wrong += !is_right || instruction.halves != 1;
    }
    check_uint(wrong, 0);
}

static void check_illegal(unsigned xlen)
{
    const uint32_t words[] = {EBREAK,
                              0xc0001073 /* csrrw */,
                              0x0000100f /* fence.i */,
                              0x1005202f /* lr.w */,
                              0x02007053 /* fadd */,
                              0x30200073 /* mret */,
                              0x10500073 /* wfi */,
                              UINT32_MAX,
                              of_r(0x33, 0, 2, A0, A1, A2)};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        check_int(weft_riscv_decode(words[i], xlen).operation, WEFT_RISCV_ILLEGAL);
}

static void check_only_64(void)
{
    const uint32_t words[] = {of_i(0x03, 3, A0, A1, 0),
                              of_i(0x03, 6, A0, A1, 0),
                              of_s(0x23, 3, A0, A1, 0),
                              IW(0, 1),
                              R(0x3b, 0, 0),
                              R(0x3b, 4, 1),
                              I(1, 32),
                              I(5, 33 | 0x400)};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        check(weft_riscv_decode(words[i], 64).operation != WEFT_RISCV_ILLEGAL);
        check(weft_riscv_decode(words[i], 32).operation == WEFT_RISCV_ILLEGAL);
    }
}

static void check_width(unsigned xlen)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        try_row(&rows[i], xlen);
    for (unsigned f3 = 0; f3 < (xlen == 64 ? 4 : 3); f3++)
        try_store(f3, xlen);
    for (size_t i = 0; i < sizeof branches / sizeof branches[0]; i++)
        try_branch(&branches[i], xlen);
    check_jumps(xlen);
    check_zero_stays(xlen);
    check_short_instructions(xlen);
    check_illegal(xlen);
}

int main(void)
{
    check_width(64);
    check_width(32);
    check_only_64();
    return tap_done();
}
