/* SPDX-License-Identifier: BSD-3-Clause */
/* How many instructions a second the interpreter runs, with cycles charged; and what a call
 * takes. Prints, and judges nothing: `--least N` fails below N million a second. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "riscv/assemble.h"
#include "riscv/bench_core.h"
#include "support/tap.h"

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Loads, adds, stores and mixes words: 11 instructions of 12 in a round are executed. */

#define ROUNDS 20000000

static double rate_of(unsigned xlen, const char *profile)
{
    const uint32_t program[] = {
        load_word(A4, A0, 0),         /* 0 */
        load_word(A5, A0, 4),         /* 4 */
        add(A3, A3, A4),              /* 8 */
        store_word(A3, A0, 8),        /* 12 */
        of_r(0x33, 4, 0, A2, A3, A5), /* xor */
        of_i(0x13, 5, A6, A2, 7),     /* srli */
        of_r(0x33, 7, 0, A6, A6, A3), /* and */
        store_word(A6, A0, 4),
        of_b(7, A6, ZERO, 8), /* bgeu: always */
        addi(A7, A7, 1),
        addi(A1, A1, -1),
        branch_not_equal(A1, ZERO, -44),
        RETURN,
    };
    struct bench_core bench;
    bench_core_open(&bench, xlen, profile, program, sizeof program);
    bench.core.x[A0] = DATA_BASE;
    bench.core.x[A1] = ROUNDS;
    double begin = seconds();
    check(weft_riscv_core_run(&bench.core, UINT64_MAX) == WEFT_RISCV_RETURNED);
    double rate = 11.0 * ROUNDS / (seconds() - begin) / 1e6;
    tap_note("RV%u %s: %.0f million instructions a second, %.2f ticks each", xlen, profile, rate,
             (double)bench.core.spent / 11 / ROUNDS);
    bench_core_close(&bench);
    return rate;
}

static void time_calls(void)
{
    const uint32_t program[] = {RETURN};
    struct bench_core bench;
    bench_core_open(&bench, 64, "ri5cy", program, sizeof program);
    double begin = seconds();
    bool all = true;
    for (int i = 0; i < ROUNDS; i++) {
        bench.core.pc = TEXT_BASE;
        all &= weft_riscv_core_run(&bench.core, UINT64_MAX) == WEFT_RISCV_RETURNED;
    }
    check(all);
    tap_note("an empty function: %.1f ns", (seconds() - begin) / ROUNDS * 1e9);
    bench_core_close(&bench);
}

int main(int argc, char **argv)
{
    double least = argc == 3 && strcmp(argv[1], "--least") == 0 ? atof(argv[2]) : 0;
    check(rate_of(64, "ri5cy") >= least);
    check(rate_of(32, "ri5cy") >= least);
    check(rate_of(64, "a15") >= least);
    time_calls();
    return tap_done();
}
