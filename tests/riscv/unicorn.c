/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random programs on the interpreter and on Unicorn, instruction by instruction: all registers
 * after each, all memory at the end. unicorn.sh builds and runs this; it is no part of the build,
 * for Unicorn's licence is not ours. What RV32IMC and RV64IMC do not have, Unicorn may, so what
 * the interpreter refuses is left out on both sides.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unicorn/unicorn.h>

#include "riscv/program.h"

#define PAGE 4096
#define STEPS 200 /* of one program at the most */
#define COUNTING                                                                                  \
    "ri5cy,multiply_high=1,divide=1,divide_zero=0,load_use=0,misaligned=0,jump=1,taken=0"

/* Both see pages of which the program and its data are the beginning: Unicorn knows no less. */
struct machine {
    unsigned xlen;
    uc_engine *unicorn;
    unsigned char text[PAGE], data[PAGE];
    struct bench_core bench;
};

static void expect(uc_err error)
{
    if (error == UC_ERR_OK)
        return;
    fprintf(stderr, "unicorn: %s\n", uc_strerror(error));
    exit(2);
}

static void open_machine(struct machine *machine, unsigned xlen)
{
    *machine = (struct machine){.xlen = xlen};
    expect(
        uc_open(UC_ARCH_RISCV, xlen == 64 ? UC_MODE_RISCV64 : UC_MODE_RISCV32, &machine->unicorn));
    expect(uc_mem_map(machine->unicorn, TEXT_BASE, PAGE, UC_PROT_READ | UC_PROT_EXEC));
    expect(uc_mem_map(machine->unicorn, DATA_BASE, PAGE, UC_PROT_READ | UC_PROT_WRITE));
}

static void set_register(struct machine *machine, int which, uint64_t value)
{
    expect(uc_reg_write(machine->unicorn, which, &value));
}

static void load(struct machine *machine, const struct program *program)
{
    memset(machine->text, 0, PAGE);
    memset(machine->data, 0, PAGE);
    memcpy(machine->text, program->code, PROGRAM_SIZE);
    memcpy(machine->data, program->data, DATA_SIZE);
    expect(uc_mem_write(machine->unicorn, TEXT_BASE, machine->text, PAGE));
    expect(uc_mem_write(machine->unicorn, DATA_BASE, machine->data, PAGE));
    expect(uc_ctl_remove_cache(machine->unicorn, TEXT_BASE, TEXT_BASE + PAGE));
    bench_core_open(&machine->bench, machine->xlen, COUNTING, machine->text, PAGE);
    struct weft_riscv_window *window = weft_riscv_core_window(&machine->bench.core, DATA_BASE);
    window->bytes = machine->data;
    window->readable = window->writable = PAGE;
    memcpy(machine->bench.core.x, program->x, sizeof program->x);
    for (int i = 1; i < 32; i++)
        set_register(machine, UC_RISCV_REG_X0 + i, program->x[i]);
}

/* Behind the instruction that the interpreter refused. */
static void skip(struct machine *machine, enum weft_riscv_stop stop)
{
    struct weft_riscv_core *core = &machine->bench.core;
    if (stop != WEFT_RISCV_CALLED)
        core->pc += (machine->text[core->pc - TEXT_BASE] & 3) == 3 ? 4 : 2;
}

static bool registers_agree(struct machine *machine)
{
    static int which[32];
    uint64_t values[32] = {0}, mask = machine->xlen == 32 ? UINT32_MAX : UINT64_MAX, pc = 0;
    void *places[32];
    for (int i = 0; i < 32; i++) {
        which[i] = UC_RISCV_REG_X0 + i;
        places[i] = &values[i];
    }
    expect(uc_reg_read_batch(machine->unicorn, which, places, 32));
    expect(uc_reg_read(machine->unicorn, UC_RISCV_REG_PC, &pc));
    for (int i = 0; i < 32; i++)
        if ((values[i] & mask) != machine->bench.core.x[i])
            return false;
    return (pc & mask) == machine->bench.core.pc;
}

/* One instruction; `*is_over` if the program has left its text. */
static bool step(struct machine *machine, uint64_t *executed, bool *is_over)
{
    struct weft_riscv_core *core = &machine->bench.core;
    uint64_t before = core->pc, spent = core->spent;
    *is_over = before - TEXT_BASE >= PAGE - 4;
    if (*is_over)
        return true;
    enum weft_riscv_stop stop = weft_riscv_core_run(core, spent + 1);
    if (core->spent == spent || stop == WEFT_RISCV_CALLED) {
        skip(machine, stop);
        return true;
    }
    ++*executed;
    uc_err error = uc_emu_start(machine->unicorn, before, UINT64_MAX, 0, 1);
    if (core->pc - TEXT_BASE < PAGE) /* or else it has looked at what comes next */
        expect(error);
    return registers_agree(machine);
}

static bool try_program(struct machine *machine, uint64_t seed, uint64_t index, uint64_t *executed)
{
    struct rng rng = rng_stream(seed, index);
    struct program program;
    unsigned char data[PAGE];
    program_make(&program, machine->xlen, &rng);
    load(machine, &program);
    bool agrees = true, is_over = false;
    for (unsigned i = 0; i < STEPS && agrees && !is_over; i++)
        agrees = step(machine, executed, &is_over);
    expect(uc_mem_read(machine->unicorn, DATA_BASE, data, PAGE));
    agrees = agrees && memcmp(data, machine->data, PAGE) == 0;
    if (!agrees)
        printf("# program %llu of seed %llu differs on RV%u at %#llx\n", (unsigned long long)index,
               (unsigned long long)seed, machine->xlen,
               (unsigned long long)machine->bench.core.pc);
    bench_core_close(&machine->bench);
    return agrees;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t wanted = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000000;
    bool all_agree = true;
    printf("1..2\n");
    for (unsigned xlen = 32; xlen <= 64; xlen += 32) {
        static struct machine machine;
        uint64_t executed = 0, index = 0;
        bool agrees = true;
        open_machine(&machine, xlen);
        for (; executed < wanted / 2 && agrees; index++)
            agrees = try_program(&machine, seed, index, &executed);
        printf("%sok %u - %llu instructions of RV%u in %llu programs are as Unicorn's\n",
               agrees ? "" : "not ", xlen / 32, (unsigned long long)executed, xlen,
               (unsigned long long)index);
        uc_close(machine.unicorn);
        all_agree &= agrees;
    }
    return all_agree ? 0 : 1;
}
