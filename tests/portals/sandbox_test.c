/* SPDX-License-Identifier: BSD-3-Clause */
/* When handlers of images end, by the clock of their HPU: whatever stops them does so at its
 * cycle. A cycle of ri5cy takes a nanosecond. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "portals/sandbox.h"
#include "riscv/assemble.h"
#include "riscv/elf_file.h"
#include "support/tap.h"

#define BEGIN 1000000
#define BYTES 64

/* A NIC with one entry, whose DMA takes a while. */
static struct station {
    struct weft_nic nic;
    struct weft_nic_ni ni;
    struct weft_nic_execution execution;
    struct weft_nic_activation activation;
    unsigned char entry[BYTES];
} station;

static void open_station(uint64_t cycles_per_byte)
{
    station.nic.hpu.config.dma = 300;
    station.ni.nic = &station.nic;
    station.ni.handler_limits.max_cycles_per_byte = cycles_per_byte;
    station.execution.mds[WEFT_NIC_MEMORY_ENTRY].region =
        (struct weft_nic_region){.start = station.entry, .length = BYTES};
    station.activation.delivery.ni = &station.ni;
    station.activation.delivery.execution = &station.execution;
}

static struct weft_portals_sandbox *
open_sandbox(struct weft_riscv_image *image, const uint32_t *words, size_t count, const char *core)
{
    static const struct elf_function functions[] = {{"handler", 0}, {NULL, 0}};
    struct elf_file file;
    struct weft_riscv_profile profile;
    const char *why;
    elf_file_make(&file, words, count, functions);
    if (!weft_riscv_profile_read(core, &profile) ||
        weft_riscv_image_open(image, &file, sizeof file, 1 << 20, &profile, &why))
        abort();
    struct weft_portals_sandbox *sandbox = weft_portals_sandbox_open(image);
    if (!sandbox)
        abort();
    sandbox->functions[WEFT_NIC_HANDLER_PAYLOAD] = weft_riscv_image_find(image, "handler");
    return sandbox;
}

struct outcome {
    ptl_handler_result_t result;
    ptl_ni_fail_t fault;
    uint64_t nanoseconds;
};

static struct outcome run(struct weft_portals_sandbox *sandbox)
{
    static const unsigned char packet[BYTES];
    const ptl_payload_t payload = {BYTES, 0, packet};
    struct weft_nic_run run = {.activation = &station.activation,
                               .nic = &station.nic,
                               .vhpu = UINT32_MAX,
                               .clock = BEGIN};
    const struct weft_nic_call call = {.handler = WEFT_NIC_HANDLER_PAYLOAD,
                                       .argument.payload = &payload};
    ptl_handler_result_t result = weft_nic_core_run(&sandbox->core, &call, &run);
    return (struct outcome){result, run.fault, run.clock - BEGIN};
}

static struct outcome try_words(const uint32_t *words, size_t count, uint64_t cycles_per_byte,
                                const char *core)
{
    struct weft_riscv_image image;
    open_station(cycles_per_byte);
    struct weft_portals_sandbox *sandbox = open_sandbox(&image, words, count, core);
    struct outcome outcome = run(sandbox);
    free(sandbox);
    weft_riscv_image_close(&image);
    return outcome;
}

#define TRY(cycles_per_byte, core, ...)                                                           \
    try_words((const uint32_t[]){__VA_ARGS__},                                                    \
              sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), cycles_per_byte, core)

#define nop addi(ZERO, ZERO, 0)
#define IS(outcome, what, time)                                                                   \
    check((outcome).result == (what) && (outcome).nanoseconds == (time))

/* Three instructions, and what the last one of the handler takes. */
static void check_ends(void)
{
    struct outcome outcome =
        TRY(PTL_CYCLES_UNLIMITED, "ri5cy", nop, nop, addi(A0, ZERO, PTL_HANDLER_DROP), RETURN);
    IS(outcome, PTL_HANDLER_DROP, 3 + 2);
    outcome = TRY(PTL_CYCLES_UNLIMITED, "ri5cy", nop, nop, nop, load_word(A0, ZERO, 0), RETURN);
    IS(outcome, PTL_HANDLER_SEGV, 3);
    outcome = TRY(PTL_CYCLES_UNLIMITED, "ri5cy", nop, nop, nop, store_word(A0, ZERO, 0), RETURN);
    IS(outcome, PTL_HANDLER_SEGV, 3);
    outcome = TRY(PTL_CYCLES_UNLIMITED, "ri5cy", nop, nop, nop, of_j(ZERO, -64));
    IS(outcome, PTL_HANDLER_SEGV, 3 + 2);
    outcome = TRY(PTL_CYCLES_UNLIMITED, "ri5cy", nop, nop, nop, EBREAK);
    IS(outcome, PTL_HANDLER_FAIL, 3);
    outcome = TRY(PTL_CYCLES_UNLIMITED, "ri5cy", addi(T0, ZERO, 99), nop, ECALL);
    IS(outcome, PTL_HANDLER_FAIL, 3);
}

/* At the cycle that ran out, though a branch of 3 cycles would have gone beyond it. */
static void check_budgets(void)
{
    for (uint64_t per_byte = 1; per_byte <= 5; per_byte++) {
        struct outcome outcome =
            TRY(per_byte, "ri5cy", addi(A0, ZERO, 1), branch_not_equal(A0, ZERO, 0));
        IS(outcome, PTL_HANDLER_FAIL, per_byte * BYTES);
    }
    struct outcome outcome = TRY(PTL_CYCLES_UNLIMITED, "ri5cy", of_j(ZERO, 0));
    IS(outcome, PTL_HANDLER_FAIL, 16 << 20);
}

/* Two instructions take a cycle of 1.25 ns. */
static void check_other_core(void)
{
    struct outcome outcome = TRY(PTL_CYCLES_UNLIMITED, "a15", nop, nop, nop, nop, nop, nop, nop,
                                 addi(A0, ZERO, 0), RETURN);
    IS(outcome, PTL_HANDLER_SUCCESS, 5);
    outcome = TRY(1, "a15", of_j(ZERO, 0));
    IS(outcome, PTL_HANDLER_FAIL, BYTES * 5 / 4);
}

/* A blocking DMA takes its time, but no cycles of the budget. */
static void check_dma(void)
{
    struct outcome outcome =
        TRY(1, "ri5cy", of_u(0x37, A0, 0x30000), addi(A1, ZERO, 0), addi(A2, ZERO, 8),
            addi(A3, ZERO, 0), addi(T0, ZERO, 4), ECALL, addi(A0, ZERO, 0), RETURN);
    IS(outcome, PTL_HANDLER_SUCCESS, 5 + 1 + 300 + 1 + 2);
    outcome = TRY(1, "ri5cy", of_u(0x37, A0, 0x30000), addi(A1, ZERO, BYTES), addi(A2, ZERO, 1),
                  addi(A3, ZERO, 0), addi(T0, ZERO, 4), ECALL, addi(A0, ZERO, 0), RETURN);
    IS(outcome, PTL_HANDLER_SUCCESS, 5 + 1 + 1 + 2);
    check(outcome.fault == PTL_NI_SEGV);
}

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* What a handler costs that does nothing. */
static void print_cost(void)
{
    enum { CALLS = 200000 };
    static const uint32_t words[] = {addi(A0, ZERO, 0), RETURN};
    struct weft_riscv_image image;
    open_station(PTL_CYCLES_UNLIMITED);
    struct weft_portals_sandbox *sandbox = open_sandbox(&image, words, 2, "ri5cy");
    double begin = seconds();
    bool all = true;
    for (int i = 0; i < CALLS; i++)
        all &= run(sandbox).nanoseconds == 3;
    check(all);
    tap_note("an empty handler takes %.0f ns of this processor",
             (seconds() - begin) / CALLS * 1e9);
    free(sandbox);
    weft_riscv_image_close(&image);
}

int main(void)
{
    check_ends();
    check_budgets();
    check_other_core();
    check_dma();
    print_cost();
    return tap_done();
}
