/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message to a process that has not opened its net yet would be lost. So all wait for each
 * other, in log2(P) rounds: in round k a process calls the one 2^k ahead, and is called by the one
 * 2^k behind.
 */
#include <time.h>

#include "base/log.h"
#include "base/setting.h"
#include "transfer/request.h"

struct call {
    struct weft_net *net;
    ptl_handle_ct_t ct;
    ptl_handle_md_t md;
    uint64_t tries;
};

static ptl_match_bits_t bits_of(const struct weft_net *net, unsigned round)
{
    return WEFT_NET_MEET | (ptl_match_bits_t)net->generation << 16 | round;
}

static int listen(struct weft_net *net)
{
    ptl_me_t me = {.ct_handle = PTL_CT_NONE,
                   .uid = PTL_UID_ANY,
                   .options = PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE,
                   .match_id = weft_net_process(PTL_RANK_ANY),
                   .match_bits = bits_of(net, 0),
                   .ignore_bits = 63};
    return PtlMEAppend(net->ni, WEFT_NET_CONTROL, &me, PTL_PRIORITY_LIST, NULL, &net->meeting);
}

static int prepare(struct call *call)
{
    struct weft_net *net = call->net;
    int result = listen(net);
    if (result == PTL_OK)
        result = PtlCTAlloc(net->ni, &call->ct);
    ptl_md_t md = {.options = PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_SEND_DISABLE,
                   .eq_handle = PTL_EQ_NONE,
                   .ct_handle = call->ct};
    if (result == PTL_OK)
        result = PtlMDBind(net->ni, &md, &call->md);
    return result;
}

/* One call; true if the other has heard it. */
static bool is_heard(struct call *call, uint32_t rank, unsigned round, unsigned patience)
{
    ptl_ct_event_t before = {0, 0}, after;
    ptl_size_t test = ++call->tries;
    unsigned which;
    PtlCTGet(call->ct, &before);
    return PtlPut(call->md, 0, 0, PTL_CT_ACK_REQ, weft_net_process(rank), WEFT_NET_CONTROL,
                  bits_of(call->net, round), 0, NULL, 0) == PTL_OK &&
           PtlCTPoll(&call->ct, &test, 1, patience, &after, &which) == PTL_OK &&
           after.success > before.success;
}

static int meet(struct call *call)
{
    struct weft_net *net = call->net;
    /* Milliseconds of waiting; what the calls themselves take is not counted. */
    unsigned left = (unsigned)weft_setting(WEFT_SETTING_LAUNCH_TIMEOUT);
    unsigned round = 0;
    for (uint64_t step = 1; step < net->size; step *= 2, round++) {
        uint32_t ahead = (uint32_t)((net->rank + step) % net->size);
        uint32_t behind = (uint32_t)((net->rank + net->size - step) % net->size);
        bool heard = false;
        while (!heard || !(net->met >> round & 1)) {
            heard = heard || is_heard(call, ahead, round, left);
            if (!weft_net_advance(net, 1) && left-- == 0) {
                weft_log(WEFT_LOG_ERROR, "rank %u of the job did not come",
                         heard ? behind : ahead);
                return WEFT_ERR_PEER;
            }
        }
    }
    return WEFT_OK;
}

int weft_net_meet(struct weft_net *net)
{
    struct call call = {.net = net, .ct = PTL_INVALID_HANDLE, .md = PTL_INVALID_HANDLE};
    int error = weft_request_error(prepare(&call));
    if (!error)
        error = meet(&call);
    PtlMDRelease(call.md);
    PtlCTFree(call.ct);
    return error;
}
