/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/sandbox.h"

#include <portals4_device.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/setting.h"
#include "portals/sandbox_call.h"

/* ---- What a handler sees ------------------------------------------------------------------ */

/* Windows. The image, where it was linked for, is in the first. */
#define WINDOW(number) ((uint64_t)(number) << WEFT_RISCV_WINDOW_BITS)
#define STACK WINDOW(1)
#define ARGUMENTS WINDOW(2)
#define PACKET WINDOW(3)
#define MEMORY PTL_DEVICE_MEMORY

static void open_window(struct weft_portals_session *session, uint64_t base, const void *bytes,
                        uint64_t readable, uint64_t writable)
{
    *weft_riscv_core_window(&session->cpu, base) = (struct weft_riscv_window){
        .base = base, .bytes = (unsigned char *)bytes, .readable = readable, .writable = writable};
}

static const struct weft_nic_memory *memory_of(const struct weft_portals_session *session)
{
    return weft_nic_run_delivery(session->run)->execution->memory;
}

#define FIRST_STACK 512 /* a part of the whole by a power of 2 */

bool weft_portals_session_open_stack(struct weft_portals_session *session, uint64_t address)
{
    const uint64_t end = STACK + WEFT_PORTALS_SANDBOX_STACK;
    uint64_t open = weft_riscv_core_window(&session->cpu, STACK)->readable;
    if (address < STACK || address >= end - open)
        return false;
    uint64_t wanted = open ? open : FIRST_STACK;
    while (wanted < end - address)
        wanted *= 2;
    unsigned char *bytes = session->stack + (WEFT_PORTALS_SANDBOX_STACK - wanted);
    memset(bytes, 0, wanted - open);
    open_window(session, end - wanted, bytes, wanted, wanted);
    return true;
}

/* Where memory takes time, and cores are in each other's way. */
static void slow_down(struct weft_portals_session *session,
                      const struct weft_nic_memories *memories)
{
    struct weft_riscv_window *window = weft_riscv_core_window(&session->cpu, MEMORY);
    window->latency = memories->latency * session->cpu.text->profile.ticks;
    window->near = memories->near;
    session->stall = weft_nic_stages_stall(session->run);
}

static void open_memory(struct weft_portals_session *session)
{
    const struct weft_nic_memory *memory = memory_of(session);
    session->cpu.windows[0] = weft_riscv_image_window(session->sandbox->image);
    weft_portals_session_open_stack(session, STACK + WEFT_PORTALS_SANDBOX_STACK - 1);
    if (memory)
        open_window(session, MEMORY, memory->bytes, memory->length, memory->length);
    if (weft_rare(session->run->nic->timing != NULL))
        slow_down(session, &session->run->nic->timing->stages.memories);
}

/* ---- Arguments ---------------------------------------------------------------------------- */

/* Addresses have 32 bits, so that a pointer of this host whose upper half is 0 is one of RV32 and
 * its padding; all else has the same place on cores of both widths. */
_Static_assert(sizeof(ptl_payload_t) == 24 && offsetof(ptl_payload_t, base) == 16, "layout");
_Static_assert(sizeof(ptl_header_t) == 72 && offsetof(ptl_header_t, user_hdr) == 56, "layout");
_Static_assert(offsetof(ptl_header_t, user_hdr_length) == 64, "layout");

static void give_header(struct weft_portals_session *session, ptl_header_t header)
{
    open_window(session, PACKET, header.user_hdr, header.user_hdr_length, 0);
    header.user_hdr = (const void *)(uintptr_t)PACKET;
    memcpy(session->arguments, &header, sizeof header);
    open_window(session, ARGUMENTS, session->arguments, sizeof header, 0);
}

static void give_payload(struct weft_portals_session *session, ptl_payload_t payload)
{
    open_window(session, PACKET, payload.base, payload.length, 0);
    payload.base = (const unsigned char *)(uintptr_t)PACKET;
    memcpy(session->arguments, &payload, sizeof payload);
    open_window(session, ARGUMENTS, session->arguments, sizeof payload, 0);
}

/* By the calling convention, 64 bits are two registers of RV32. */
static uint64_t *give_number(const struct weft_portals_session *session, uint64_t *a,
                             uint64_t number)
{
    if (session->cpu.text->xlen == 64) {
        *a = number;
        return a + 1;
    }
    a[0] = (uint32_t)number;
    a[1] = number >> 32;
    return a + 2;
}

static void give_arguments(struct weft_portals_session *session, const struct weft_nic_call *call)
{
    uint64_t *a = session->cpu.x + WEFT_RISCV_A0;
    if (call->handler == WEFT_NIC_HANDLER_COMPLETION) {
        a = give_number(session, a, call->argument.completion.dropped);
        *a++ = (uint64_t)(call->argument.completion.flow_control != 0);
    } else {
        if (call->handler == WEFT_NIC_HANDLER_HEADER)
            give_header(session, *call->argument.header);
        else
            give_payload(session, *call->argument.payload);
        *a++ = ARGUMENTS;
    }
    *a = memory_of(session) ? MEMORY : 0;
}

/* ---- Time --------------------------------------------------------------------------------- */

static uint64_t nanoseconds(const struct weft_portals_session *session, uint64_t ticks)
{
    const struct weft_riscv_profile *profile = &session->sandbox->image->text.profile;
    return ticks * profile->picoseconds / profile->ticks * (1000 + session->stall) / 1000000;
}

void weft_portals_session_charge(struct weft_portals_session *session)
{
    struct weft_nic_run *run = session->run;
    const uint64_t from = run->clock;
    run->clock +=
        nanoseconds(session, session->cpu.spent) - nanoseconds(session, session->charged);
    session->charged = session->cpu.spent;
    if (weft_rare(run->nic->timing != NULL))
        weft_nic_stages_reach(run, from, session->cpu.far - session->reached);
    session->reached = session->cpu.far;
}

/* In ticks. All handlers have a bound: who is not trusted must not keep the NIC for ever. */
static uint64_t budget_of(const struct weft_portals_session *session,
                          const struct weft_nic_call *call)
{
    const struct weft_portals_sandbox *sandbox = session->sandbox;
    uint64_t per_byte =
        weft_nic_run_delivery(session->run)->ni->handler_limits.max_cycles_per_byte;
    uint64_t cycles = sandbox->most_cycles;
    if (call->handler == WEFT_NIC_HANDLER_PAYLOAD) {
        uint64_t length = call->argument.payload->length;
        if (length == 0 || per_byte < cycles / length)
            cycles = per_byte * length;
    }
    return cycles * sandbox->image->text.profile.ticks;
}

/* ---- Running ------------------------------------------------------------------------------ */

static const char *const reasons[] = {
    [WEFT_RISCV_PAUSED] = "has used up its time at",
    [WEFT_RISCV_NO_LOAD] = "may not read from",
    [WEFT_RISCV_NO_STORE] = "may not write to",
    [WEFT_RISCV_NO_FETCH] = "has no code at",
    [WEFT_RISCV_NO_INSTRUCTION] = "has no instruction at",
};

static ptl_handler_result_t result_of(struct weft_portals_session *session,
                                      enum weft_riscv_stop stop)
{
    struct weft_riscv_core *cpu = &session->cpu;
    if (stop == WEFT_RISCV_RETURNED)
        return (ptl_handler_result_t)(uint32_t)cpu->x[WEFT_RISCV_A0];
    if (stop == WEFT_RISCV_PAUSED) {
        cpu->spent = session->budget;
        cpu->fault = cpu->pc;
    }
    weft_log(WEFT_LOG_INFO, "a handler of an image is stopped at %#llx: it %s %#llx",
             (unsigned long long)cpu->pc, reasons[stop], (unsigned long long)cpu->fault);
    bool is_wild =
        stop == WEFT_RISCV_NO_LOAD || stop == WEFT_RISCV_NO_STORE || stop == WEFT_RISCV_NO_FETCH;
    return is_wild ? PTL_HANDLER_SEGV : PTL_HANDLER_FAIL;
}

/* Whether the handler has stopped for something that it is given. */
static bool goes_on(struct weft_portals_session *session, enum weft_riscv_stop *stop)
{
    if (*stop == WEFT_RISCV_CALLED)
        return weft_portals_sandbox_call(session, stop);
    return (*stop == WEFT_RISCV_NO_LOAD || *stop == WEFT_RISCV_NO_STORE) &&
           weft_portals_session_open_stack(session, session->cpu.fault);
}

static ptl_handler_result_t run_handler(struct weft_nic_core *core,
                                        const struct weft_nic_call *call, struct weft_nic_run *run)
{
    const struct weft_portals_sandbox *sandbox = (const struct weft_portals_sandbox *)core;
    struct weft_portals_session session;
    memset(&session, 0, offsetof(struct weft_portals_session, stack));
    session.sandbox = sandbox;
    session.run = run;
    session.cpu.text = &sandbox->image->text;
    session.cpu.pc = sandbox->functions[call->handler];
    session.cpu.x[WEFT_RISCV_RA] = WEFT_RISCV_RETURN;
    session.cpu.x[WEFT_RISCV_SP] = STACK + WEFT_PORTALS_SANDBOX_STACK;
    session.budget = budget_of(&session, call);
    open_memory(&session);
    give_arguments(&session, call);
    enum weft_riscv_stop stop;
    do
        stop = weft_riscv_core_run(&session.cpu, session.budget);
    while (goes_on(&session, &stop));
    ptl_handler_result_t result = result_of(&session, stop);
    weft_portals_session_charge(&session);
    return result;
}

struct weft_portals_sandbox *weft_portals_sandbox_open(const struct weft_riscv_image *image)
{
    struct weft_portals_sandbox *sandbox = calloc(1, sizeof *sandbox);
    if (!sandbox)
        return NULL;
    sandbox->core.run = run_handler;
    sandbox->image = image;
    sandbox->most_cycles = weft_setting(WEFT_SETTING_HANDLER_CYCLES);
    return sandbox;
}
