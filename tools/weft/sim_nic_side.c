/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_nic_side.h"

#include <stdio.h>

#include "sim_nic_image.h"

bool sim_nic_side_need(const struct sim_nic_side *side, int result, const char *what)
{
    if (result != PTL_OK && !side->fault->what)
        side->fault->what = what;
    return result == PTL_OK;
}

bool sim_nic_side_open(struct sim_nic_side *side, struct sim_nic_fault *fault, void *sends,
                       size_t length)
{
    ptl_md_t md = {
        .start = sends, .length = length, .eq_handle = PTL_EQ_NONE, .ct_handle = PTL_CT_NONE};
    side->fault = fault;
    return sim_nic_side_need(side, sim_nic_open(&side->ni), "PtlNIInit") &&
           sim_nic_side_need(side, PtlCTAlloc(side->ni, &side->bytes), "PtlCTAlloc") &&
           sim_nic_side_need(side,
                             PtlPTAlloc(side->ni, 0, PTL_EQ_NONE, SIM_NIC_ENTRY, &side->index),
                             "PtlPTAlloc") &&
           (!sends || sim_nic_side_need(side, PtlMDBind(side->ni, &md, &side->md), "PtlMDBind"));
}

ptl_me_t sim_nic_side_entry(const struct sim_nic_side *side, void *start, size_t length)
{
    ptl_me_t me = sim_nic_entry(start, length);
    me.ct_handle = side->bytes;
    me.options |= PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_CT_BYTES;
    return me;
}

bool sim_nic_side_append(const struct sim_nic_side *side, const ptl_me_t *me,
                         const ptl_handlers_t *handlers)
{
    ptl_handle_me_t handle;
    int result = handlers
                     ? PtlMEAppendHandlers(side->ni, side->index, me, handlers, PTL_PRIORITY_LIST,
                                           NULL, &handle)
                     : PtlMEAppend(side->ni, side->index, me, PTL_PRIORITY_LIST, NULL, &handle);
    return sim_nic_side_need(side, result, "PtlMEAppend");
}

bool sim_nic_side_append_image(const struct sim_nic_side *side, const ptl_me_t *me,
                               ptl_image_handlers_t *image, ptl_handlers_t *handlers)
{
    handlers->image = image;
    return sim_nic_side_need(
               side, PtlHandlersLoad(side->ni, sim_nic_stock, sim_nic_stock_length, &image->image),
               "PtlHandlersLoad") &&
           sim_nic_side_need(
               side,
               PtlHPUAllocMem(handlers->hpu_initial_state_length, side->ni, &handlers->hpu_memory),
               "PtlHPUAllocMem") &&
           sim_nic_side_append(side, me, handlers);
}

ptl_process_t sim_nic_side_node(unsigned node)
{
    return (ptl_process_t){.phys = {node + 1, WEFT_SIM_PID}};
}

bool sim_nic_side_put(const struct sim_nic_side *side, unsigned to, size_t length)
{
    return sim_nic_side_need(side,
                             PtlPut(side->md, 0, length, PTL_NO_ACK_REQ, sim_nic_side_node(to),
                                    SIM_NIC_ENTRY, 0, 0, NULL, 0),
                             "PtlPut");
}

bool sim_nic_side_await(const struct sim_nic_side *side, size_t bytes)
{
    ptl_ct_event_t count;
    return sim_nic_side_need(side, PtlCTWait(side->bytes, bytes, &count), "PtlCTWait") &&
           sim_nic_side_need(side, count.failure ? PTL_FAIL : PTL_OK, "a message failed");
}

bool sim_nic_side_simulate(const struct weft_sim_config *config,
                           void (*program)(unsigned node, void *argument), void *argument,
                           const struct sim_nic_fault *fault)
{
    bool is_good = weft_portals_simulate(config, program, argument) == 0 && !fault->what;
    if (!is_good)
        fprintf(stderr, "weft sim nic: %s\n", fault->what ? fault->what : "the simulation failed");
    return is_good;
}
