/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The receiver gets at the pace at which it can take ([Sch17], section 3.3): chunk c + i is
 * triggered by the arrival of i + 1 chunks, so that no more than c are on their way, and no
 * processor has to look in between two of them.
 */
#include "transfer/request.h"

/* Gets of one chain that wait for their trigger. */
#define AHEAD 1024u
/* Tries in vain, after which the sender is asked whether it still has the message. */
#define TRIES 8u

int weft_net_pull_one(struct weft_request *request)
{
    const struct weft_net_pull *pull = &request->pull;
    ptl_handle_md_t md = request->md;
    ptl_size_t offset = 0;
    int error = WEFT_OK;
    if (md == PTL_INVALID_HANDLE)
        error = weft_net_request_bind(request, &md, &offset);
    if (error)
        return error;
    return weft_net_request_error(PtlGet(md, offset + pull->begin, pull->end - pull->begin,
                                         weft_net_process(pull->from), pull->pt, pull->bits,
                                         pull->shift + pull->begin, request));
}

void weft_net_pull_ended(struct weft_request *request, int error)
{
    if (weft_net_request_is_message(request))
        weft_net_receive_pulled(request, error);
    else
        weft_net_expose_pulled(request, error);
}

void weft_net_pull_packets(struct weft_request *request)
{
    int error = weft_net_request_is_message(request) ? weft_net_receive_packets(request)
                                                     : weft_net_expose_packets(request);
    if (error)
        weft_net_pull_ended(request, error);
}

/* Each question is an event at the sender, who may not look for long: they become rare. */
static bool is_time_to_ask(unsigned tries)
{
    return tries >= TRIES && (tries & (tries - 1)) == 0;
}

void weft_net_pull_again(struct weft_request *request)
{
    struct weft_net_pull *pull = &request->pull;
    if (is_time_to_ask(++pull->tries))
        weft_net_tell(request->net, pull->from, WEFT_NET_ASK, pull->bits);
    int error = weft_net_pull_one(request);
    if (error)
        weft_net_pull_ended(request, error);
}

void weft_net_pull_gone(struct weft_net *net, uint32_t rank, uint64_t number)
{
    for (struct weft_list *link = net->pending.next; link != &net->pending; link = link->next) {
        struct weft_request *request = weft_list_object(link, struct weft_request, all);
        if (weft_net_request_is_message(request) && request->pull.from == rank &&
            request->pull.bits == number)
            request->pull.is_gone = true;
    }
}

void weft_net_pull_replied(struct weft_request *request, const ptl_event_t *event)
{
    struct weft_net *net = request->net;
    if (event->ni_fail_type == PTL_NI_OK) {
        weft_net_pull_ended(request, WEFT_OK);
    } else if (request->pull.is_gone) {
        weft_net_pull_ended(request, WEFT_ERR_MEMORY);
    } else if (event->ni_fail_type == PTL_NI_DROPPED &&
               request->kind == WEFT_NET_REQUEST_RECEIVE) {
        /* The sender does not know yet that its message found no room here. */
        weft_list_append(&net->retries, &request->link);
    } else {
        uint32_t from = request->pull.from;
        bool is_lost = event->ni_fail_type == PTL_NI_UNDELIVERABLE;
        weft_net_pull_ended(request, is_lost ? WEFT_ERR_PEER : WEFT_ERR_REGION);
        if (is_lost)
            weft_net_peer_lost(net, from);
    }
}

/* ---- Chains ------------------------------------------------------------------------------- */

/* When none is under way there is nothing to wait for: then no memory for a trigger is needed. */
static int issue(struct weft_request *request, bool is_now)
{
    struct weft_net_pull *pull = &request->pull;
    const struct weft_net *net = request->net;
    ptl_process_t from = weft_net_process(pull->from);
    uint64_t at = pull->begin + pull->issued * net->chunk;
    uint64_t length = pull->end - at < net->chunk ? pull->end - at : net->chunk;
    uint64_t threshold = pull->issued < net->chunks ? 0 : pull->issued - net->chunks + 1;
    int result = is_now ? PtlGet(request->md, at, length, from, pull->pt, pull->bits,
                                 pull->shift + at, request)
                        : PtlTriggeredGet(request->md, at, length, from, pull->pt, pull->bits,
                                          pull->shift + at, request, request->ct, threshold);
    pull->issued += result == PTL_OK;
    return result;
}

static int issue_end(struct weft_request *request)
{
    const struct weft_net_pull *pull = &request->pull;
    bool is_message = weft_net_request_is_message(request);
    struct weft_net *net = request->net;
    return PtlTriggeredPut(net->loud, 0, 0, PTL_NO_ACK_REQ,
                           weft_net_process(is_message ? pull->from : net->rank), WEFT_NET_CONTROL,
                           is_message ? WEFT_NET_DONE : WEFT_NET_PING, 0, request, request->number,
                           request->ct, pull->chunks);
}

/* Failed gets count as well as others, so a chain always comes to its end. */
static void end_chain(struct weft_request *request)
{
    struct weft_net *net = request->net;
    uint32_t from = request->pull.from;
    ptl_ct_event_t come = {0, 1};
    PtlCTGet(request->ct, &come);
    weft_net_pull_ended(request, come.failure ? WEFT_ERR_PEER : WEFT_OK);
    if (come.failure)
        weft_net_peer_lost(net, from);
}

/* No memory to go on as usual: those that are under way come first, then one at a time. */
static void feed_without_memory(struct weft_request *request, uint64_t come)
{
    struct weft_net_pull *pull = &request->pull;
    if (come < pull->issued)
        return;
    if (come == pull->chunks)
        end_chain(request);
    else if (issue(request, true) != PTL_OK)
        weft_net_pull_ended(request, WEFT_ERR_MEMORY);
}

/* Issues what may be; the rest waits until some have come, or others have left room. */
void weft_net_pull_feed(struct weft_request *request)
{
    struct weft_net_pull *pull = &request->pull;
    ptl_ct_event_t come;
    if (PtlCTGet(request->ct, &come) != PTL_OK)
        return;
    uint64_t all = come.success + come.failure;
    int result = PTL_OK;
    while (result == PTL_OK && pull->issued < pull->chunks && pull->issued < all + AHEAD)
        result = issue(request, false);
    if (result == PTL_OK && pull->issued == pull->chunks) {
        result = issue_end(request);
        if (result == PTL_OK)
            weft_list_remove(&request->link);
    }
    if (result != PTL_OK)
        feed_without_memory(request, all);
}

static int bind_counted(struct weft_request *request)
{
    struct weft_net *net = request->net;
    struct weft_net_layout_view view;
    weft_net_layout_show(&request->layout, &view);
    ptl_md_t md = {.start = view.start,
                   .length = view.length,
                   .options = view.options | PTL_MD_EVENT_CT_REPLY,
                   .eq_handle = PTL_EQ_NONE};
    int result = PtlCTAlloc(net->ni, &request->ct);
    md.ct_handle = request->ct;
    if (result == PTL_OK)
        result = PtlMDBind(net->ni, &md, &request->md);
    return weft_net_request_error(result);
}

int weft_net_pull_chain(struct weft_request *request)
{
    struct weft_net_pull *pull = &request->pull;
    struct weft_net *net = request->net;
    int error = bind_counted(request);
    if (error)
        return error;
    pull->is_chain = true;
    pull->chunks = (pull->end - pull->begin + net->chunk - 1) / net->chunk;
    weft_list_append(&net->unfed, &request->link);
    weft_net_pull_feed(request);
    return WEFT_OK;
}

void weft_net_pull_sent(struct weft_request *request, const ptl_event_t *event)
{
    bool ends_chain =
        (weft_net_request_is_message(request) || request->kind == WEFT_NET_REQUEST_GET) &&
        request->pull.is_chain;
    if (!ends_chain)
        return;
    request->pull.is_told = event->ni_fail_type == PTL_NI_OK;
    end_chain(request);
}
