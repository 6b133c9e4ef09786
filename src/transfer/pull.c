/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The receiver gets at the pace at which it can take (paper "Fast networks and slow memories",
 * section 3.3): chunk c + i is triggered by the arrival of i + 1 chunks, so that no more than c
 * are on their way, and no processor has to look in between two of them.
 */
#include "transfer/request.h"

/* Gets of one chain that wait for their trigger. */
#define AHEAD 1024u

int weft_pull_one(struct weft_request *request)
{
    const struct weft_pull *pull = &request->pull;
    ptl_handle_md_t md = request->md;
    ptl_size_t offset = 0;
    int error = WEFT_OK;
    if (md == PTL_INVALID_HANDLE)
        error = weft_request_bind(request, &md, &offset);
    if (error)
        return error;
    return weft_request_error(PtlGet(md, offset + pull->begin, pull->end - pull->begin,
                                     weft_net_process(pull->from), pull->pt, pull->bits,
                                     pull->shift + pull->begin, request));
}

void weft_pull_ended(struct weft_request *request, int error)
{
    if (weft_request_is_message(request))
        weft_receive_pulled(request, error);
    else
        weft_expose_pulled(request, error);
}

void weft_pull_packets(struct weft_request *request)
{
    int error = weft_request_is_message(request) ? weft_receive_packets(request)
                                                 : weft_expose_packets(request);
    if (error)
        weft_request_end(request, error);
}

void weft_pull_replied(struct weft_request *request, const ptl_event_t *event)
{
    struct weft_net *net = request->net;
    if (event->ni_fail_type == PTL_NI_OK) {
        weft_pull_ended(request, WEFT_OK);
    } else if (event->ni_fail_type == PTL_NI_DROPPED && request->kind == WEFT_REQUEST_RECEIVE) {
        /* The sender does not know yet that its message found no room here. */
        weft_list_append(&net->retries, &request->link);
    } else {
        uint32_t from = request->pull.from;
        bool is_lost = event->ni_fail_type == PTL_NI_UNDELIVERABLE;
        weft_pull_ended(request, is_lost ? WEFT_ERR_PEER : WEFT_ERR_REGION);
        if (is_lost)
            weft_peer_lost(net, from);
    }
}

/* ---- Chains ------------------------------------------------------------------------------- */

static int issue(struct weft_request *request)
{
    struct weft_pull *pull = &request->pull;
    const struct weft_net *net = request->net;
    uint64_t at = pull->begin + pull->issued * net->chunk;
    uint64_t length = pull->end - at < net->chunk ? pull->end - at : net->chunk;
    uint64_t threshold = pull->issued < net->chunks ? 0 : pull->issued - net->chunks + 1;
    int result = PtlTriggeredGet(request->md, at, length, weft_net_process(pull->from), pull->pt,
                                 pull->bits, pull->shift + at, request, request->ct, threshold);
    pull->issued += result == PTL_OK;
    return result;
}

static int issue_end(struct weft_request *request)
{
    const struct weft_pull *pull = &request->pull;
    bool is_message = weft_request_is_message(request);
    struct weft_net *net = request->net;
    return PtlTriggeredPut(net->loud, 0, 0, PTL_NO_ACK_REQ,
                           weft_net_process(is_message ? pull->from : net->rank), WEFT_NET_CONTROL,
                           is_message ? WEFT_NET_DONE : WEFT_NET_PING, 0, request, request->number,
                           request->ct, pull->chunks);
}

/* Issues what may be; the rest waits until some have come, or others have left room. */
void weft_pull_feed(struct weft_request *request)
{
    struct weft_pull *pull = &request->pull;
    ptl_ct_event_t come;
    if (PtlCTGet(request->ct, &come) != PTL_OK)
        return;
    while (pull->issued < pull->chunks && pull->issued < come.success + come.failure + AHEAD)
        if (issue(request) != PTL_OK)
            return;
    if (pull->issued == pull->chunks && issue_end(request) == PTL_OK)
        weft_list_remove(&request->link);
}

static int bind_counted(struct weft_request *request)
{
    struct weft_net *net = request->net;
    struct weft_layout_view view;
    weft_layout_show(&request->layout, &view);
    ptl_md_t md = {.start = view.start,
                   .length = view.length,
                   .options = view.options | PTL_MD_EVENT_CT_REPLY,
                   .eq_handle = PTL_EQ_NONE};
    int result = PtlCTAlloc(net->ni, &request->ct);
    md.ct_handle = request->ct;
    if (result == PTL_OK)
        result = PtlMDBind(net->ni, &md, &request->md);
    return weft_request_error(result);
}

int weft_pull_chain(struct weft_request *request)
{
    struct weft_pull *pull = &request->pull;
    struct weft_net *net = request->net;
    int error = bind_counted(request);
    if (error)
        return error;
    pull->is_chain = true;
    pull->chunks = (pull->end - pull->begin + net->chunk - 1) / net->chunk;
    weft_list_append(&net->unfed, &request->link);
    weft_pull_feed(request);
    return WEFT_OK;
}

/* Failed gets count as well as others, so a chain always comes to its end. */
void weft_pull_sent(struct weft_request *request)
{
    bool ends_chain = (weft_request_is_message(request) || request->kind == WEFT_REQUEST_GET) &&
                      request->pull.is_chain;
    if (!ends_chain)
        return;
    struct weft_net *net = request->net;
    uint32_t from = request->pull.from;
    ptl_ct_event_t come = {0, 1};
    PtlCTGet(request->ct, &come);
    weft_pull_ended(request, come.failure ? WEFT_ERR_PEER : WEFT_OK);
    if (come.failure)
        weft_peer_lost(net, from);
}
