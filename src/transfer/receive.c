/* SPDX-License-Identifier: BSD-3-Clause */
#include "transfer/direct.h"

/* ---- What has come ------------------------------------------------------------------------ */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Says how much of the message is in its place. */
static size_t take(struct weft_request *request, const ptl_event_t *event)
{
    size_t length = least(event->mlength, request->layout.length);
    if (event->type == PTL_EVENT_PUT_OVERFLOW)
        weft_net_layout_write(&request->layout, event->start, length);
    return length;
}

/* The sender still has what is missing. */
int weft_net_receive_pull(struct weft_request *request, size_t begin)
{
    request->pull = (struct weft_net_pull){
        .from = (uint32_t)request->status.source,
        .pt = WEFT_NET_PULLS,
        .bits = request->number,
        .begin = begin,
        .end = request->status.bytes,
    };
    return weft_net_direct_begin(request) ? WEFT_OK : weft_net_receive_packets(request);
}

int weft_net_receive_packets(struct weft_request *request)
{
    const struct weft_net_pull *pull = &request->pull;
    return pull->end - pull->begin <= request->net->chunk ? weft_net_pull_one(request)
                                                          : weft_net_pull_chain(request);
}

void weft_net_receive_arrived(struct weft_request *request, const ptl_event_t *event)
{
    struct weft_net *net = request->net;
    uint32_t source = event->initiator.rank;
    size_t whole = event->remote_offset;
    request->is_posted = false;
    weft_net_watch_end(request);
    request->me = PTL_INVALID_HANDLE;
    request->number = event->hdr_data;
    request->status.source = (int)source;
    request->status.tag = (int)event->match_bits;
    request->status.bytes = least(whole, request->layout.length);
    if (event->ni_fail_type != PTL_NI_OK) {
        weft_net_request_end(request, WEFT_ERR_PEER);
        return;
    }
    if (whole > request->layout.length)
        request->status.error = WEFT_ERR_TRUNCATED;
    size_t here = take(request, event);
    bool sender_waits = event->rlength < whole || event->mlength < event->rlength;
    if (here < request->status.bytes) {
        int error = weft_net_receive_pull(request, here);
        if (error)
            weft_net_receive_pulled(request, error);
        return;
    }
    if (sender_waits) {
        weft_net_tell_end(request, WEFT_NET_DONE, WEFT_OK);
        return;
    }
    if (event->type == PTL_EVENT_PUT_OVERFLOW)
        weft_net_peer_owe(net, source);
    weft_net_request_end(request, WEFT_OK);
}

void weft_net_receive_pulled(struct weft_request *request, int error)
{
    const struct weft_net_pull *pull = &request->pull;
    ptl_match_bits_t taken = pull->is_direct ? WEFT_NET_READ : WEFT_NET_DONE;
    if (pull->is_told)
        weft_net_request_end(request, error);
    else
        weft_net_tell_end(request, error ? WEFT_NET_REFUSED : taken, error);
}

/* ---- The calls ---------------------------------------------------------------------------- */

int weft_net_receive_post(struct weft_request *request, ptl_match_bits_t bits,
                          ptl_match_bits_t ignored)
{
    struct weft_net *net = request->net;
    struct weft_net_layout_view view;
    weft_net_layout_show(&request->layout, &view);
    ptl_me_t me =
        weft_net_layout_entry(&view, PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_MANAGE_LOCAL |
                                         PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE);
    me.match_id = weft_net_process(request->peer < net->size ? request->peer : PTL_RANK_ANY);
    me.match_bits = bits;
    me.ignore_bits = ignored;
    request->is_posted = true;
    weft_net_watch_begin(request);
    return weft_net_request_error(
        PtlMEAppend(net->ni, WEFT_NET_MESSAGES, &me, PTL_PRIORITY_LIST, request, &request->me));
}

static int check(const struct weft_net *net, int source, int tag)
{
    bool knows_source =
        net && (source == WEFT_ANY_SOURCE || (source >= 0 && (uint32_t)source < net->size));
    return knows_source && tag >= WEFT_ANY_TAG ? WEFT_OK : WEFT_ERR_ARGUMENT;
}

int weft_irecv(weft_net *net, const weft_type *type, size_t count, void *base, int source, int tag,
               weft_request **out)
{
    int error = out ? check(net, source, tag) : WEFT_ERR_ARGUMENT;
    if (error)
        return error;
    struct weft_request *request;
    pthread_mutex_lock(&net->lock);
    error = weft_net_request_new(net, WEFT_NET_REQUEST_RECEIVE,
                                 source < 0 ? net->size : (uint32_t)source, type, count, base,
                                 &request);
    if (!error) {
        error =
            weft_net_receive_post(request, tag < 0 ? 0 : (uint64_t)tag, tag < 0 ? UINT32_MAX : 0);
        if (error)
            weft_net_request_drop(request);
        else
            *out = request;
    }
    pthread_mutex_unlock(&net->lock);
    return error;
}

int weft_recv(weft_net *net, const weft_type *type, size_t count, void *base, int source, int tag,
              struct weft_status *status)
{
    weft_request *request;
    int error = weft_irecv(net, type, count, base, source, tag, &request);
    return error ? error : weft_wait(&request, -1, status);
}
