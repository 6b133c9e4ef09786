/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/core.h"

static ptl_handler_result_t run_steadily(struct weft_nic_core *core,
                                         const struct weft_nic_call *call,
                                         struct weft_nic_run *run)
{
    run->clock += ((const struct weft_nic_core_steady *)core)->time;
    return weft_nic_core_call(call);
}

/* It is for NICs with stages, which do not ask a core for DMA. */
struct weft_nic_core_steady weft_nic_core_steady(uint64_t time)
{
    return (struct weft_nic_core_steady){{run_steadily, NULL}, time};
}
