/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random programs on the interpreter and on the oracle: registers, memory, the reason to stop and
 * the cycles of ri5cy must be equal, and a program that was run in slices must end as one that was
 * not.
 *
 *     random_programs --seed 1 --count 20000
 *     random_programs --seed 1 --first 4711 --count 1     replays a program
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "riscv/oracle.h"
#include "riscv/program.h"
#include "support/tap.h"

/* Of one program. After each stop both go on behind the instruction that was the reason. */
#define MOST_STOPS 60
#define MOST_STEPS 200

/* Every instruction takes one tick, so that a budget is a number of instructions. */
#define COUNTING                                                                                  \
    "ri5cy,multiply_high=1,divide=1,divide_zero=0,load_use=0,misaligned=0,jump=1,taken=0"

struct trial {
    struct rng rng;
    struct oracle oracle;
    unsigned char data[DATA_SIZE]; /* of the oracle */
    uint64_t steps;
    struct bench_core counted, timed;
};

static enum oracle_end run_oracle(struct trial *trial)
{
    enum oracle_end end = ORACLE_RUNS;
    for (unsigned steps = 0; end == ORACLE_RUNS && steps < MOST_STEPS; steps++) {
        end = oracle_step(&trial->oracle);
        trial->steps += end == ORACLE_RUNS || end == ORACLE_ECALL;
    }
    return end;
}

/* A jump to where functions return to is no failure, even if it is one by chance. */
static enum weft_riscv_stop stop_of(const struct oracle *oracle, enum oracle_end end)
{
    if (end == ORACLE_FETCH && oracle->pc == WEFT_RISCV_RETURN)
        return WEFT_RISCV_RETURNED;
    static const enum weft_riscv_stop stops[] = {
        [ORACLE_RUNS] = WEFT_RISCV_PAUSED,    [ORACLE_ECALL] = WEFT_RISCV_CALLED,
        [ORACLE_LOAD] = WEFT_RISCV_NO_LOAD,   [ORACLE_STORE] = WEFT_RISCV_NO_STORE,
        [ORACLE_FETCH] = WEFT_RISCV_NO_FETCH, [ORACLE_ILLEGAL] = WEFT_RISCV_NO_INSTRUCTION};
    return stops[end];
}

static bool is_same(const struct oracle *oracle, const struct bench_core *bench)
{
    uint64_t mask = oracle->xlen == 32 ? UINT32_MAX : UINT64_MAX;
    for (unsigned i = 0; i < 32; i++)
        if ((oracle->x[i] & mask) != bench->core.x[i])
            return false;
    return oracle->pc == bench->core.pc && memcmp(bench->data, oracle->data, DATA_SIZE) == 0;
}

/* The same instructions with the same effect. */
static bool agrees(struct trial *trial, enum oracle_end end)
{
    struct weft_riscv_core *core = &trial->counted.core;
    enum weft_riscv_stop stop = weft_riscv_core_run(core, trial->steps);
    if (stop == WEFT_RISCV_PAUSED && end != ORACLE_RUNS)
        stop = weft_riscv_core_run(core, trial->steps + 1);
    return stop == stop_of(&trial->oracle, end) && core->spent == trial->steps &&
           is_same(&trial->oracle, &trial->counted);
}

/* More than any instruction takes: one that fails must be paid for before that is seen. */
#define MOST_CYCLES 80

/* The same cycles, in slices. */
static bool agrees_in_time(struct trial *trial, enum oracle_end end)
{
    struct weft_riscv_core *core = &trial->timed.core;
    uint64_t budget = core->spent;
    enum weft_riscv_stop stop = WEFT_RISCV_PAUSED;
    while (stop == WEFT_RISCV_PAUSED && budget <= trial->oracle.cycles + MOST_CYCLES) {
        budget += 1 + rng_below(&trial->rng, 40);
        stop = weft_riscv_core_run(core, budget);
    }
    return stop == stop_of(&trial->oracle, end) && core->spent == trial->oracle.cycles &&
           is_same(&trial->oracle, &trial->timed);
}

static void go_on(struct trial *trial, enum oracle_end end)
{
    struct oracle *oracle = &trial->oracle;
    if (end == ORACLE_FETCH)
        oracle->pc = TEXT_BASE + 2 * rng_below(&trial->rng, PROGRAM_SIZE / 2);
    else if (end != ORACLE_ECALL)
        oracle->pc += (oracle->code[oracle->pc - TEXT_BASE] & 3) == 3 ? 4 : 2;
    oracle->loaded = 0;
    trial->counted.core.pc = trial->timed.core.pc = oracle->pc;
}

static void open_core(struct bench_core *bench, const struct program *program, unsigned xlen,
                      const char *profile)
{
    bench_core_open(bench, xlen, profile, program->code, PROGRAM_SIZE);
    memcpy(bench->data, program->data, DATA_SIZE);
    memcpy(bench->core.x, program->x, sizeof program->x);
}

static void open_trial(struct trial *trial, const struct program *program, unsigned xlen)
{
    memcpy(trial->data, program->data, DATA_SIZE);
    trial->steps = 0;
    trial->oracle = (struct oracle){.xlen = xlen,
                                    .pc = TEXT_BASE,
                                    .code = program->code,
                                    .code_base = TEXT_BASE,
                                    .code_size = PROGRAM_SIZE,
                                    .data = trial->data,
                                    .data_base = DATA_BASE,
                                    .data_size = DATA_SIZE};
    for (unsigned i = 0; i < 32; i++)
        trial->oracle.x[i] = xlen == 32 ? (uint64_t)(int32_t)program->x[i] : program->x[i];
    open_core(&trial->counted, program, xlen, COUNTING);
    open_core(&trial->timed, program, xlen, "ri5cy");
}

static bool try_program(uint64_t seed, uint64_t index, unsigned xlen, uint64_t *steps)
{
    struct trial trial = {.rng = rng_stream(seed, index)};
    struct program program;
    program_make(&program, xlen, &trial.rng);
    open_trial(&trial, &program, xlen);
    bool right = true;
    enum oracle_end end = ORACLE_ECALL;
    for (unsigned stops = 0; right && end != ORACLE_RUNS && stops < MOST_STOPS; stops++) {
        end = run_oracle(&trial);
        right = agrees(&trial, end) && (end == ORACLE_RUNS || agrees_in_time(&trial, end));
        if (right)
            go_on(&trial, end);
    }
    if (!right)
        tap_note("replay: random_programs --seed %llu --first %llu --count 1, RV%u at %#llx",
                 (unsigned long long)seed, (unsigned long long)index, xlen,
                 (unsigned long long)trial.oracle.pc);
    *steps += trial.steps;
    bench_core_close(&trial.counted);
    bench_core_close(&trial.timed);
    return right;
}

static uint64_t argument(int argc, char **argv, const char *name, uint64_t fallback)
{
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], name) == 0)
            return strtoull(argv[i + 1], NULL, 10);
    return fallback;
}

int main(int argc, char **argv)
{
    uint64_t seed = argument(argc, argv, "--seed", 1), first = argument(argc, argv, "--first", 0);
    uint64_t count = argument(argc, argv, "--count", 20000);
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        uint64_t steps = 0, wrong = 0;
        for (uint64_t i = first; i < first + count && wrong < 3; i++)
            wrong += !try_program(seed, i, xlen, &steps);
        check_uint(wrong, 0);
        tap_note("RV%u: %llu programs, %llu instructions", xlen, (unsigned long long)count,
                 (unsigned long long)steps);
    }
    return tap_done();
}
