/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message to a process that has not opened its net yet would be lost. So all wait for each
 * other in a dissemination barrier, of log2(P) rounds: in round k a process calls the one 2^k
 * ahead, and is called by the one 2^k behind.
 */
#include "base/log.h"
#include "base/setting.h"
#include "transfer/patience.h"
#include "transfer/request.h"

/* Milliseconds: whoever waits for an answer also looks at what others say, so often. */
#define SLICE 20u

struct call {
    struct weft_net *net;
    ptl_handle_ct_t ct;
    ptl_handle_md_t md;
    ptl_size_t calls; /* made */
    ptl_size_t heard;
    bool is_under_way;
};

static ptl_match_bits_t bits_of(const struct weft_net *net, unsigned round)
{
    return WEFT_NET_BARRIER | (ptl_match_bits_t)net->generation << 16 | round;
}

static int listen(struct weft_net *net)
{
    ptl_me_t me = {.ct_handle = PTL_CT_NONE,
                   .uid = PTL_UID_ANY,
                   .options = PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE,
                   .match_id = weft_net_process(PTL_RANK_ANY),
                   .match_bits = bits_of(net, 0),
                   .ignore_bits = 63};
    return PtlMEAppend(net->ni, WEFT_NET_CONTROL, &me, PTL_PRIORITY_LIST, NULL, &net->barrier);
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

/* Calls, unless the last call is still on its way; true if the other has heard it. */
static bool is_heard(struct call *call, uint32_t rank, unsigned round,
                     struct weft_net_patience *patience)
{
    unsigned which, slice = weft_net_patience_slice(patience, SLICE);
    ptl_ct_event_t answers;
    if (!call->is_under_way &&
        PtlPut(call->md, 0, 0, PTL_CT_ACK_REQ, weft_net_process(rank), WEFT_NET_CONTROL,
               bits_of(call->net, round), 0, NULL, 0) != PTL_OK)
        return false;
    call->calls += !call->is_under_way;
    call->is_under_way = PtlCTPoll(&call->ct, &call->calls, 1, slice, &answers, &which) != PTL_OK;
    if (call->is_under_way) {
        weft_net_patience_waited(patience, slice);
        return false;
    }
    bool is_new = answers.success > call->heard;
    call->heard = answers.success;
    return is_new;
}

static bool has_called(const struct weft_net *net, unsigned round)
{
    return net->met >> round & 1;
}

static int give_up(uint32_t rank)
{
    const struct weft_setting_info *setting = weft_setting_info(WEFT_SETTING_LAUNCH_TIMEOUT);
    weft_log(WEFT_LOG_ERROR,
             "rank %u of the job did not come within %llu ms: does it run, and open a net? %s "
             "gives it more time",
             rank, (unsigned long long)weft_setting(WEFT_SETTING_LAUNCH_TIMEOUT), setting->name);
    return WEFT_ERR_PEER;
}

static int pass_round(struct call *call, unsigned round, struct weft_net_patience *patience)
{
    struct weft_net *net = call->net;
    uint64_t step = UINT64_C(1) << round;
    uint32_t ahead = (uint32_t)((net->rank + step) % net->size);
    uint32_t behind = (uint32_t)((net->rank + net->size - step) % net->size);
    bool heard = false;
    for (;;) {
        heard = heard || is_heard(call, ahead, round, patience);
        if (heard && has_called(net, round))
            return WEFT_OK;
        if (!weft_net_advance(net, 1))
            weft_net_patience_waited(patience, 1);
        if (weft_net_patience_slice(patience, 1) == 0)
            return give_up(heard ? behind : ahead);
    }
}

static int pass(struct call *call)
{
    struct weft_net_patience patience =
        weft_net_patience_of(weft_deadline_span(WEFT_SETTING_LAUNCH_TIMEOUT));
    int error = WEFT_OK;
    for (unsigned round = 0; !error && UINT64_C(1) << round < call->net->size; round++)
        error = pass_round(call, round, &patience);
    return error;
}

int weft_net_barrier(struct weft_net *net)
{
    struct call call = {.net = net, .ct = PTL_INVALID_HANDLE, .md = PTL_INVALID_HANDLE};
    int error = weft_net_request_error(prepare(&call));
    if (!error)
        error = pass(&call);
    PtlMDRelease(call.md);
    PtlCTFree(call.ct);
    return error;
}
