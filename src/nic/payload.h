/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets on their way to payload handlers: which of them go there, on which virtual HPU, and
 * which have to wait. activation.c says when.
 */
#ifndef WEFT_NIC_PAYLOAD_H
#define WEFT_NIC_PAYLOAD_H

#include "nic/activation.h"
#include "nic/core.h"
#include "nic/hpu.h"

/* What became of so many bytes. */
static inline void weft_nic_payload_result(struct weft_nic_activation *activation,
                                           ptl_handler_result_t result, uint64_t length)
{
    if (result == PTL_HANDLER_SUCCESS)
        return;
    if (result == PTL_HANDLER_DROP)
        activation->dropped += length;
    else
        weft_nic_activation_fail(activation,
                                 result == PTL_HANDLER_SEGV ? PTL_NI_SEGV : PTL_NI_HANDLER);
}

/* Sequences of packets go in turn to virtual HPUs; without that policy, nobody waits. */
static inline uint32_t weft_nic_payload_vhpu(const struct weft_nic_activation *activation)
{
    const ptl_handlers_t *handlers = weft_nic_activation_handlers(activation);
    if (handlers->policy == PTL_SCHED_DEFAULT)
        return UINT32_MAX;
    return activation->packets / handlers->delta_p % handlers->vhpus;
}

/* The way of most packets: without HPUs, nobody waits and nobody keeps time. */
WEFT_INLINE void weft_nic_payload_call(struct weft_nic_activation *activation,
                                       const ptl_payload_t *whole)
{
    const struct weft_nic_execution *execution = activation->delivery.execution;
    ptl_payload_t payload = weft_nic_hpu_payload(activation, whole);
    if (payload.length == 0)
        return;
    struct weft_nic_run run = {.activation = activation,
                               .nic = weft_nic_activation_nic(activation),
                               .vhpu = weft_nic_payload_vhpu(activation),
                               .owns_nic = true};
    const struct weft_nic_call call = {.handler = WEFT_NIC_HANDLER_PAYLOAD,
                                       .function.payload = execution->handlers.payload_handler,
                                       .argument.payload = &payload,
                                       .state = execution->state};
    ptl_handler_result_t result = weft_nic_core_run(NULL, &call, &run);
    if (weft_rare(run.fault != PTL_NI_OK))
        weft_nic_activation_fail(activation, run.fault);
    weft_nic_payload_result(activation, result, payload.length);
}

/* Whether all that a packet of the message needs is a call. */
static inline bool weft_nic_payload_is_direct(const struct weft_nic_activation *activation)
{
    const struct weft_nic_delivery *delivery = &activation->delivery;
    return delivery->ni->nic->is_plain && !delivery->execution->core && !activation->is_dropped &&
           !activation->is_default && weft_nic_activation_handlers(activation)->payload_handler &&
           delivery->ni->handler_limits.max_cycles_per_byte == PTL_CYCLES_UNLIMITED;
}

static inline bool weft_nic_payload_is_misaligned(const ptl_payload_t *payload)
{
    return (uintptr_t)payload->base % WEFT_PACKET_ALIGNMENT;
}

/* A packet that is not simply given to a handler: it is copied, waits, or goes elsewhere. */
void weft_nic_payload_arrange(struct weft_nic_activation *activation,
                              const ptl_payload_t *payload);

WEFT_INLINE void weft_nic_payload_take(struct weft_nic_activation *activation,
                                       const ptl_payload_t *payload)
{
    if (payload->length == 0)
        return;
    if (activation->is_direct && !weft_rare(weft_nic_payload_is_misaligned(payload))) {
        weft_nic_payload_call(activation, payload);
        activation->packets++;
    } else {
        weft_nic_payload_arrange(activation, payload);
    }
}

/* Tasks that waited for the header handler, or for their virtual HPU. */
void weft_nic_payload_release_held(struct weft_nic_activation *activation);

#endif
