/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/scatter.h"

#include "nic/hpu.h"
#include "nic/room.h"
#include "nic/sched.h"

static struct weft_nic_task *context_of(struct weft_nic_activation *activation,
                                        const ptl_layout_t *layout, const ptl_payload_t *payload)
{
    struct weft_nic *nic = weft_nic_activation_nic(activation);
    if (weft_nic_hpu_is_full(nic, activation->delivery.pt) ||
        !weft_nic_room_take(nic, &activation->room, layout, &activation->running))
        return NULL;
    return weft_nic_hpu_context(activation, WEFT_NIC_HANDLER_SCATTER, payload);
}

bool weft_nic_scatter_submit(struct weft_nic_activation *activation, const ptl_payload_t *payload)
{
    const ptl_layout_t *layout = weft_nic_activation_region(activation)->layout;
    if (!weft_nic_activation_nic(activation)->hpu.scatters || !layout)
        return false;
    struct weft_nic_task *task = context_of(activation, layout, payload);
    if (!task) {
        activation->delivery.ni->status[PTL_SR_HPU_REFUSED]++;
        return false;
    }
    task->vhpu = UINT32_MAX;
    weft_nic_hpu_submit(task);
    return true;
}

ptl_handler_result_t weft_nic_scatter_run(const struct weft_nic_task *task)
{
    const struct weft_nic_activation *activation = task->activation;
    const ptl_payload_t *payload = &task->payload;
    bool is_written =
        weft_nic_sched_write(&activation->delivery, weft_nic_activation_region(activation),
                             payload->offset, payload->base, payload->length);
    return is_written ? PTL_HANDLER_SUCCESS : PTL_HANDLER_SEGV;
}
