/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/payload.h"

#include "nic/match.h"
#include "nic/scatter.h"
#include "nic/sched.h"
#include "nic/stages.h"

static bool is_busy(const struct weft_nic_activation *activation, uint32_t vhpu)
{
    if (vhpu == UINT32_MAX)
        return false;
    for (const struct weft_list *link = activation->at_work.next; link != &activation->at_work;
         link = link->next)
        if (weft_list_object(link, struct weft_nic_task, at_work)->vhpu == vhpu)
            return true;
    return false;
}

static void deposit(struct weft_nic_activation *activation, const ptl_payload_t *payload)
{
    struct weft_nic *nic = weft_nic_activation_nic(activation);
    if (!weft_nic_sched_write(&activation->delivery, weft_nic_activation_region(activation),
                              payload->offset, payload->base, payload->length))
        weft_nic_activation_fail(activation, PTL_NI_SEGV);
    if (weft_rare(nic->timing != NULL))
        weft_nic_stages_write(nic, activation, nic->world->ops->now(nic->world), payload->length);
}

/* Whether a payload handler takes it; else it is dealt with here. The header handler is done. */
static bool wants_payload(struct weft_nic_activation *activation, const ptl_payload_t *payload)
{
    if (activation->is_dropped) {
        activation->dropped += payload->length;
        return false;
    }
    if (activation->is_default || !weft_nic_activation_handlers(activation)->payload_handler) {
        bool is_kept =
            weft_nic_activation_is_put(activation) || weft_nic_activation_is_reply(activation);
        if (is_kept && !weft_nic_scatter_submit(activation, payload))
            deposit(activation, payload);
        return false;
    }
    return payload->offset + payload->length >
           weft_nic_activation_handlers(activation)->user_hdr_size;
}

/* No context is left: the sender is told, and so is everybody who waits for this message. */
static void stop(struct weft_nic_activation *activation, uint64_t missing)
{
    activation->dropped += missing;
    if (activation->flow_control)
        return;
    activation->flow_control = true;
    weft_nic_activation_fail(activation, weft_nic_match_disable(&activation->delivery));
}

/* The match has found a context for the first packet, and the header handler may be in it. */
static bool has_context(const struct weft_nic_activation *activation)
{
    return activation->packets == 0 ||
           (!activation->flow_control &&
            weft_nic_hpu_has_context(weft_nic_activation_nic(activation),
                                     activation->delivery.pt));
}

static void submit_later(struct weft_nic_activation *activation, const ptl_payload_t *payload)
{
    struct weft_nic_task *task = NULL;
    if (has_context(activation))
        task = weft_nic_hpu_context(activation, WEFT_NIC_HANDLER_PAYLOAD, payload);
    if (!task) {
        stop(activation, payload->length);
        return;
    }
    task->vhpu = weft_nic_payload_vhpu(activation);
    if (activation->phase == WEFT_NIC_PHASE_HEADER || is_busy(activation, task->vhpu))
        weft_list_append(&activation->held, &task->link);
    else
        weft_nic_hpu_submit(task);
}

static void take_aligned(struct weft_nic_activation *activation, const ptl_payload_t *payload)
{
    if (activation->is_direct) {
        weft_nic_payload_call(activation, payload);
        activation->packets++;
        return;
    }
    bool is_held = activation->phase == WEFT_NIC_PHASE_HEADER;
    if (is_held || wants_payload(activation, payload)) {
        if (weft_nic_hpu_is_inline(weft_nic_activation_nic(activation)))
            weft_nic_hpu_submit(&(struct weft_nic_task){.activation = activation,
                                                        .handler = WEFT_NIC_HANDLER_PAYLOAD,
                                                        .vhpu = weft_nic_payload_vhpu(activation),
                                                        .payload = *payload});
        else
            submit_later(activation, payload);
    }
    activation->packets++;
}

/* Frames of some worlds lie one behind the other, and a swap has its operand before its data. With
 * HPUs the payload is copied into its context anyway. */
static __attribute__((noinline)) void take_moved(struct weft_nic_activation *activation,
                                                 const ptl_payload_t *payload)
{
    struct weft_nic_task *task =
        weft_nic_hpu_context(activation, WEFT_NIC_HANDLER_PAYLOAD, payload);
    if (!task) {
        stop(activation, payload->length);
        return;
    }
    take_aligned(activation, &task->payload);
    weft_nic_hpu_release(task);
}

void weft_nic_payload_arrange(struct weft_nic_activation *activation, const ptl_payload_t *payload)
{
    bool is_inline = weft_nic_hpu_is_inline(weft_nic_activation_nic(activation));
    if (is_inline && weft_nic_payload_is_misaligned(payload))
        take_moved(activation, payload);
    else
        take_aligned(activation, payload);
}

void weft_nic_payload_release_held(struct weft_nic_activation *activation)
{
    struct weft_list *link = activation->held.next;
    while (link != &activation->held) {
        struct weft_nic_task *task = weft_list_object(link, struct weft_nic_task, link);
        link = link->next;
        if (is_busy(activation, task->vhpu))
            continue;
        weft_list_remove(&task->link);
        if (wants_payload(activation, &task->payload))
            weft_nic_hpu_submit(task);
        else
            weft_nic_hpu_release(task);
    }
}
