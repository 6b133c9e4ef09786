/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The core that runs handlers of an image. To a handler, memory is what the table of windows in
 * sandbox.c says: there is no address of this process in it, so a handler cannot learn one, and
 * does the same wherever it runs.
 */
#ifndef WEFT_PORTALS_SANDBOX_H
#define WEFT_PORTALS_SANDBOX_H

#include <stdalign.h>

#include "nic/core.h"
#include "riscv/image.h"

#define WEFT_PORTALS_SANDBOX_HANDLERS (WEFT_NIC_HANDLER_OUTBOUND + 1)
#define WEFT_PORTALS_SANDBOX_STACK ((uint64_t)16 << 10)

/* Of one entry. */
struct weft_portals_sandbox {
    struct weft_nic_core core; /* first: the NIC knows no more */
    const struct weft_riscv_image *image;
    uint64_t functions[WEFT_PORTALS_SANDBOX_HANDLERS]; /* 0: none */
    uint64_t most_cycles;                              /* of any handler */
};

/* NULL without memory; who closes the execution frees it. */
struct weft_portals_sandbox *weft_portals_sandbox_open(const struct weft_riscv_image *image);

/* One handler that runs. */
struct weft_portals_session {
    const struct weft_portals_sandbox *sandbox;
    struct weft_nic_run *run;
    struct weft_riscv_core cpu;
    uint64_t budget;     /* ticks */
    uint64_t charged;    /* ticks that are on the clock of the run */
    uint64_t reached;    /* accesses to far memory that are */
    uint32_t stall;      /* per mille that cycles are longer */
    uint64_t moved;      /* bytes by calls */
    uint32_t operations; /* that it has started */
    alignas(16) unsigned char arguments[128];
    alignas(16) unsigned char stack[WEFT_PORTALS_SANDBOX_STACK];
};

/* Handlers find zeros in their stack, but few use much of it: it becomes theirs from the end down,
 * when they come there. False if they may not have the address. */
bool weft_portals_session_open_stack(struct weft_portals_session *session, uint64_t address);

/* Brings the clock of the run to where the core is. */
void weft_portals_session_charge(struct weft_portals_session *session);

#endif
