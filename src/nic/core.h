/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What runs handlers, and what that costs: the one place that calls them. The NIC says which
 * function is to run on what. A core runs it to its end at once and moves on the clock of the run
 * by the time that it takes; so a simulated core decides by itself how its instructions are
 * carried out. Without a core, this processor calls the function, which takes no virtual time.
 */
#ifndef WEFT_NIC_CORE_H
#define WEFT_NIC_CORE_H

#include "base/inline.h"
#include "base/rare.h"
#include "nic/stages.h"

/* A handler and its arguments. */
struct weft_nic_call {
    enum weft_nic_handler handler;
    union {
        ptl_header_handler_t header;
        ptl_payload_handler_t payload;
        ptl_completion_handler_t completion;
        ptl_outbound_handler_t outbound;
    } function;
    union {
        const ptl_header_t *header;
        const ptl_payload_t *payload;
        const ptl_outbound_t *outbound;
        struct {
            ptl_size_t dropped;
            int flow_control;
        } completion;
    } argument;
    void *state;
};

/* A core puts its own fields behind this. Called by the owner of the NIC, or by the threads that
 * run its handlers. */
struct weft_nic_core {
    /* What the handler returns. Its calls of the interface find `run` by themselves. */
    ptl_handler_result_t (*run)(struct weft_nic_core *core, const struct weft_nic_call *call,
                                struct weft_nic_run *run);

    /* When a transfer between the NIC and the host that begins by the clock of the run is done. A
     * NIC with stages does not ask. */
    uint64_t (*dma)(struct weft_nic_core *core, const struct weft_nic_run *run,
                    enum weft_trace_dma direction, uint64_t length);
};

/* A core that takes the same time for every handler, which this processor calls. */
struct weft_nic_core_steady {
    struct weft_nic_core core;
    uint64_t time; /* nanoseconds */
};

struct weft_nic_core_steady weft_nic_core_steady(uint64_t time);

WEFT_INLINE ptl_handler_result_t weft_nic_core_call(const struct weft_nic_call *call)
{
    switch (call->handler) {
    case WEFT_NIC_HANDLER_HEADER:
        return call->function.header(call->argument.header, call->state);
    case WEFT_NIC_HANDLER_PAYLOAD:
        return call->function.payload(call->argument.payload, call->state);
    case WEFT_NIC_HANDLER_COMPLETION:
        return call->function.completion(call->argument.completion.dropped,
                                         call->argument.completion.flow_control, call->state);
    default:
        return call->function.outbound(call->argument.outbound, call->state);
    }
}

/* `core` is that of the NIC, and the constant NULL where it is known to have none: that spares
 * each packet a test. */
WEFT_INLINE ptl_handler_result_t weft_nic_core_run(struct weft_nic_core *core,
                                                   const struct weft_nic_call *call,
                                                   struct weft_nic_run *run)
{
    struct weft_nic_run *outer = weft_nic_run_enter(run);
    ptl_handler_result_t result = core ? core->run(core, call, run) : weft_nic_core_call(call);
    weft_nic_run_leave(outer);
    return result;
}

static inline uint64_t weft_nic_core_dma(const struct weft_nic_run *run,
                                         enum weft_trace_dma direction, uint64_t length)
{
    struct weft_nic_core *core = run->nic->core;
    const struct weft_nic_hpus *hpus = &run->nic->hpu.config;
    if (weft_rare(run->nic->timing != NULL))
        return weft_nic_stages_dma(run, direction, length);
    if (core)
        return core->dma(core, run, direction, length);
    return run->clock + hpus->dma + (hpus->dma_rate ? length * 1000 / hpus->dma_rate : 0);
}

#endif
