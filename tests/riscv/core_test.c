/* SPDX-License-Identifier: BSD-3-Clause */
/* What a core may touch and how long it may run: to the byte and to the cycle. */
#include "riscv/assemble.h"
#include "riscv/bench_core.h"
#include "support/tap.h"

#define PLENTY 1000000

/* ---- Windows ------------------------------------------------------------------------------ */

static enum weft_riscv_stop access_at(uint32_t word, unsigned xlen, uint64_t address,
                                      uint64_t *fault)
{
    struct bench_core bench;
    const uint32_t program[] = {word, RETURN};
    bench_core_open(&bench, xlen, "ri5cy", program, sizeof program);
    bench.core.x[S0] = address;
    enum weft_riscv_stop stop = weft_riscv_core_run(&bench.core, PLENTY);
    *fault = bench.core.fault;
    bench_core_close(&bench);
    return stop;
}

static void check_edges(unsigned xlen)
{
    uint64_t fault;
    for (unsigned f3 = 0; f3 < (xlen == 64 ? 4 : 3); f3++) {
        uint32_t load = of_i(0x03, f3, A0, S0, 0), store = of_s(0x23, f3, S0, A0, 0);
        uint64_t last = DATA_BASE + DATA_SIZE - (1u << f3);
        check(access_at(load, xlen, last, &fault) == WEFT_RISCV_RETURNED);
        check(access_at(store, xlen, last, &fault) == WEFT_RISCV_RETURNED);
        check(access_at(load, xlen, last + 1, &fault) == WEFT_RISCV_NO_LOAD && fault == last + 1);
        check(access_at(store, xlen, last + 1, &fault) == WEFT_RISCV_NO_STORE &&
              fault == last + 1);
        check(access_at(load, xlen, DATA_BASE - 1, &fault) == WEFT_RISCV_NO_LOAD);
        check(access_at(load, xlen, 0, &fault) == WEFT_RISCV_NO_LOAD);
        check(access_at(store, xlen, UINT32_MAX, &fault) == WEFT_RISCV_NO_STORE);
    }
}

/* Addresses that would be in the data if some bits did not count. */
static void check_far_addresses(void)
{
    uint64_t fault;
    for (unsigned bit = 32; bit < 64; bit++)
        check(access_at(of_i(0x03, 0, A0, S0, 0), 64, DATA_BASE | UINT64_C(1) << bit, &fault) ==
              WEFT_RISCV_NO_LOAD);
    check(access_at(of_i(0x03, 3, A0, S0, 0), 64, UINT64_MAX - 3, &fault) == WEFT_RISCV_NO_LOAD);
}

static void check_read_only(void)
{
    struct bench_core bench;
    const uint32_t program[] = {load_word(A0, S0, 0), store_word(A0, S0, 0), RETURN};
    bench_core_open(&bench, 64, "ri5cy", program, sizeof program);
    weft_riscv_core_window(&bench.core, DATA_BASE)->writable = 3;
    bench.core.x[S0] = DATA_BASE;
    check(weft_riscv_core_run(&bench.core, PLENTY) == WEFT_RISCV_NO_STORE);
    check_uint(bench.core.pc, TEXT_BASE + 4);
    check(weft_riscv_core_read(&bench.core, DATA_BASE, DATA_SIZE) == bench.data);
    check(!weft_riscv_core_read(&bench.core, DATA_BASE + 1, DATA_SIZE));
    check(weft_riscv_core_write(&bench.core, DATA_BASE, 3) == bench.data);
    check(!weft_riscv_core_write(&bench.core, DATA_BASE, 4));
    check(!weft_riscv_core_read(&bench.core, DATA_BASE + 8, UINT64_MAX));
    bench_core_close(&bench);
}

/* ---- Fetching ----------------------------------------------------------------------------- */

static void check_fetch(unsigned xlen)
{
    const uint32_t away = of_i(0x67, 0, ZERO, S0, 0);
    uint64_t fault;
    check(access_at(away, xlen, DATA_BASE, &fault) == WEFT_RISCV_NO_FETCH && fault == DATA_BASE);
    check(access_at(away, xlen, TEXT_BASE + 8, &fault) == WEFT_RISCV_NO_FETCH);
    check(access_at(away, xlen, TEXT_BASE - 2, &fault) == WEFT_RISCV_NO_FETCH);
    check(access_at(away, xlen, TEXT_BASE + 4, &fault) == WEFT_RISCV_RETURNED);
    /* Behind the end, and half an instruction before it. */
    struct bench_core bench;
    const uint16_t cut[] = {0x0001 /* c.nop */, 0x0513 /* half of addi */};
    for (size_t halves = 1; halves <= 2; halves++) {
        bench_core_open(&bench, xlen, "ri5cy", cut, 2 * halves);
        check(weft_riscv_core_run(&bench.core, PLENTY) == WEFT_RISCV_NO_FETCH);
        check_uint(bench.core.pc, TEXT_BASE + 2);
        bench_core_close(&bench);
    }
}

/* ---- Time --------------------------------------------------------------------------------- */

/* A loop of 3 rounds, whose cycles on ri5cy are counted here by hand: the load waits for nobody
 * but is waited for (2), 1 for the sum, 1 for the count, 3 for each branch back but 1 for the
 * last, and 2 for the return. */
static const uint32_t summing[] = {0x00042503 /* lw a0, 0(s0) */, 0x00a585b3 /* add a1, a1, a0 */,
                                   0xfff60613 /* addi a2, a2, -1 */, 0xfe061ae3 /* bnez a2, -12 */,
                                   RETURN};
#define SUMMING_CYCLES (3 * (2 + 1 + 1) + 3 + 3 + 1 + 2)

static void open_summing(struct bench_core *bench, const char *profile)
{
    bench_core_open(bench, 64, profile, summing, sizeof summing);
    bench->core.x[S0] = DATA_BASE;
    bench->core.x[A2] = 3;
    bench->data[0] = 7;
}

static void check_budget(void)
{
    struct bench_core bench;
    open_summing(&bench, "ri5cy");
    check(weft_riscv_core_run(&bench.core, SUMMING_CYCLES) == WEFT_RISCV_RETURNED);
    check_uint(bench.core.spent, SUMMING_CYCLES);
    check_uint(bench.core.x[A1], 21);
    bench_core_close(&bench);

    open_summing(&bench, "ri5cy");
    check(weft_riscv_core_run(&bench.core, SUMMING_CYCLES - 1) == WEFT_RISCV_PAUSED);
    check_uint(bench.core.pc, TEXT_BASE + 16);
    check_uint(bench.core.spent, SUMMING_CYCLES - 2);
    check(weft_riscv_core_run(&bench.core, 0) == WEFT_RISCV_PAUSED);
    check(weft_riscv_core_run(&bench.core, SUMMING_CYCLES) == WEFT_RISCV_RETURNED);
    check_uint(bench.core.spent, SUMMING_CYCLES);
    bench_core_close(&bench);
}

static void check_latency(void)
{
    struct bench_core bench;
    open_summing(&bench, "ri5cy");
    weft_riscv_core_window(&bench.core, DATA_BASE)->latency = 20;
    check(weft_riscv_core_run(&bench.core, PLENTY) == WEFT_RISCV_RETURNED);
    check_uint(bench.core.spent, SUMMING_CYCLES + 3 * 20);
    check_uint(bench.core.far, 3);
    bench_core_close(&bench);
    open_summing(&bench, "ri5cy");
    weft_riscv_core_window(&bench.core, DATA_BASE)->latency = 20;
    weft_riscv_core_window(&bench.core, DATA_BASE)->near = 1;
    check(weft_riscv_core_run(&bench.core, PLENTY) == WEFT_RISCV_RETURNED);
    check_uint(bench.core.spent, SUMMING_CYCLES);
    check_uint(bench.core.far, 0);
    bench_core_close(&bench);
    open_summing(&bench, "ri5cy");
    bench.core.x[S0] = DATA_BASE + 1;
    check(weft_riscv_core_run(&bench.core, PLENTY) == WEFT_RISCV_RETURNED);
    check_uint(bench.core.spent, SUMMING_CYCLES + 3);
    bench_core_close(&bench);
}

static void check_profiles(void)
{
    struct bench_core bench;
    struct weft_riscv_profile profile;
    open_summing(&bench, "a15");
    check(weft_riscv_core_run(&bench.core, PLENTY) == WEFT_RISCV_RETURNED);
    check_uint(bench.core.spent, 3 * 4 + 1);
    bench_core_close(&bench);
    check(weft_riscv_profile_read("ri5cy,load=4,taken=0", &profile));
    check_uint(profile.load, 4);
    check_uint(profile.taken, 0);
    check_uint(profile.jump, 2);
    check(!weft_riscv_profile_read("", &profile));
    check(!weft_riscv_profile_read("ri5c", &profile));
    check(!weft_riscv_profile_read("ri5cy,", &profile));
    check(!weft_riscv_profile_read("ri5cy,loads=1", &profile));
    check(!weft_riscv_profile_read("ri5cy,load=", &profile));
    check(!weft_riscv_profile_read("ri5cy,load=-1", &profile));
    check(!weft_riscv_profile_read("ri5cy,load=1x", &profile));
    check(!weft_riscv_profile_read("ri5cy,load=70000", &profile));
    check(!weft_riscv_profile_read("ri5cy,ticks=0", &profile));
}

static void check_division_time(void)
{
    struct bench_core bench;
    const uint32_t program[] = {of_r(0x33, 4, 1, A0, A1, A2), RETURN};
    static const uint64_t divisors[] = {0, 1, 2, UINT64_MAX, UINT64_C(1) << 63};
    static const uint64_t cycles[] = {3 + 64, 3 + 63, 3 + 62, 3 + 63, 3};
    for (size_t i = 0; i < 5; i++) {
        bench_core_open(&bench, 64, "ri5cy", program, sizeof program);
        bench.core.x[A2] = divisors[i];
        check(weft_riscv_core_run(&bench.core, 2 + cycles[i] - 3) == WEFT_RISCV_PAUSED);
        check_uint(bench.core.spent, 0);
        check(weft_riscv_core_run(&bench.core, PLENTY) == WEFT_RISCV_RETURNED);
        check_uint(bench.core.spent, cycles[i] + 2);
        bench_core_close(&bench);
    }
}

/* ---- Calls -------------------------------------------------------------------------------- */

static void check_call(void)
{
    struct bench_core bench;
    const uint32_t program[] = {ECALL, addi(A0, A0, 1), RETURN};
    bench_core_open(&bench, 32, "ri5cy", program, sizeof program);
    check(weft_riscv_core_run(&bench.core, PLENTY) == WEFT_RISCV_CALLED);
    check_uint(bench.core.pc, TEXT_BASE + 4);
    bench.core.x[A0] = 41;
    check(weft_riscv_core_run(&bench.core, PLENTY) == WEFT_RISCV_RETURNED);
    check_uint(bench.core.x[A0], 42);
    bench_core_close(&bench);
}

int main(void)
{
    check_edges(64);
    check_edges(32);
    check_far_addresses();
    check_read_only();
    check_fetch(64);
    check_fetch(32);
    check_budget();
    check_latency();
    check_profiles();
    check_division_time();
    check_call();
    return tap_done();
}
