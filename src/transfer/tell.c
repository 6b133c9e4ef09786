/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process that has no memory fails its operations, and must be able to say so: others wait for
 * it. What cannot be told at once is told later. A request stays until its news is told, so that
 * nothing needs to be allocated for it.
 */
#include "base/deadline.h"
#include "base/log.h"
#include "base/setting.h"
#include "transfer/request.h"

bool weft_net_tell(struct weft_net *net, uint32_t rank, ptl_match_bits_t what, uint64_t data)
{
    return PtlPut(net->quiet, 0, 0, PTL_NO_ACK_REQ, weft_net_process(rank), WEFT_NET_CONTROL, what,
                  0, NULL, data) == PTL_OK;
}

void weft_net_tell_credit(struct weft_net *net, uint32_t rank)
{
    struct weft_net_peer_state *peer = &net->peers[rank];
    if (weft_net_tell(net, rank, WEFT_NET_CREDIT, peer->owed))
        peer->owed = 0;
    else
        net->owes = true;
}

static bool tell_news(const struct weft_request *request)
{
    return weft_net_tell(request->net, (uint32_t)request->status.source, request->news,
                         request->number);
}

void weft_net_tell_end(struct weft_request *request, ptl_match_bits_t news, int error)
{
    request->news = news;
    if (tell_news(request)) {
        weft_net_request_end(request, error);
        return;
    }
    if (error)
        request->status.error = error;
    request->tell_until = weft_deadline_of(WEFT_SETTING_TIMEOUT);
    weft_list_remove(&request->link);
    weft_list_append(&request->net->untold, &request->link);
}

void weft_net_tell_of(struct weft_net *net, uint32_t rank, ptl_match_bits_t news, uint64_t number)
{
    struct weft_request *note;
    if (weft_net_request_new(net, WEFT_NET_REQUEST_NOTE, rank, NULL, 0, NULL, &note) != WEFT_OK) {
        weft_net_tell(net, rank, news, number);
        return;
    }
    note->is_detached = true;
    note->number = number;
    note->status.source = (int)rank;
    weft_net_tell_end(note, news, WEFT_OK);
}

/* ---- Again -------------------------------------------------------------------------------- */

bool weft_net_tell_is_due(const struct weft_net *net)
{
    return net->owes || !weft_list_is_empty(&net->untold);
}

static void give_up(struct weft_request *request)
{
    struct weft_net *net = request->net;
    uint32_t rank = (uint32_t)request->status.source;
    weft_log(WEFT_LOG_ERROR, "no memory to tell rank %u what became of its message: it is lost",
             rank);
    weft_net_request_end(request, WEFT_OK);
    weft_net_peer_lost(net, rank);
}

static void tell_all_news(struct weft_net *net)
{
    while (!weft_list_is_empty(&net->untold)) {
        struct weft_request *request =
            weft_list_object(net->untold.next, struct weft_request, link);
        if (tell_news(request))
            weft_net_request_end(request, WEFT_OK);
        else if (weft_deadline_left(request->tell_until) == 0)
            give_up(request);
        else
            break;
    }
}

static void tell_all_credits(struct weft_net *net)
{
    net->owes = false;
    for (uint32_t rank = 0; rank < net->size; rank++)
        if (net->peers[rank].owed >= WEFT_NET_RETURN)
            weft_net_tell_credit(net, rank);
}

void weft_net_tell_again(struct weft_net *net)
{
    if (net->owes)
        tell_all_credits(net);
    tell_all_news(net);
}
