/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/scatter.h"

#include "nic/hpu.h"
#include "nic/sched.h"

bool weft_nic_scatter_submit(struct weft_nic_activation *activation, const ptl_payload_t *payload)
{
    const struct weft_nic *nic = weft_nic_activation_nic(activation);
    if (!nic->hpu.scatters || !weft_nic_activation_region(activation)->layout ||
        weft_nic_hpu_is_full(nic, activation->delivery.pt))
        return false;
    struct weft_nic_task *task =
        weft_nic_hpu_context(activation, WEFT_NIC_HANDLER_SCATTER, payload);
    if (!task)
        return false;
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
