/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message that nobody has asked for costs its receiver a header. So a process may have only so
 * many waiting at another, and further ones wait at home, in order: nothing is ever refused, and
 * nothing can overtake. The acknowledgement of a message that was expected returns its place; that
 * of an unexpected one comes back later, together with some others, or with the news that it has
 * been pulled.
 */
#include "base/deadline.h"
#include "base/log.h"
#include "transfer/request.h"

static void send_to_all(struct weft_net *net)
{
    for (uint32_t rank = 0; rank < net->size && net->waiting < net->window; rank++)
        weft_net_send_queued(net, rank);
}

void weft_net_peer_returned(struct weft_net *net, uint32_t rank, uint64_t count)
{
    struct weft_net_peer_state *peer = &net->peers[rank];
    bool was_full = net->waiting >= net->window;
    if (count > peer->waiting)
        count = peer->waiting;
    peer->waiting = (uint16_t)(peer->waiting - count);
    net->waiting -= count;
    if (was_full)
        send_to_all(net);
    else
        weft_net_send_queued(net, rank);
}

void weft_net_peer_owe(struct weft_net *net, uint32_t rank)
{
    if (++net->peers[rank].owed >= WEFT_NET_RETURN)
        weft_net_tell_credit(net, rank);
}

void weft_net_peer_followed(const struct weft_request *request)
{
    if (request->bits & WEFT_NET_FOLLOWS)
        request->net->peers[request->peer].followers -= (uint32_t)request->layout.length;
}

void weft_net_peer_unannounced(const struct weft_request *request)
{
    if (!(request->bits & WEFT_NET_FOLLOWS))
        return;
    weft_net_peer_followed(request);
    weft_net_peer_returned(request->net, request->peer, 1);
}

/* ---- Death -------------------------------------------------------------------------------- */

/* Who must do something next; net->size: nobody in particular. */
static uint32_t awaited(const struct weft_request *request)
{
    if (request->kind == WEFT_NET_REQUEST_RECEIVE && !request->is_posted)
        return request->pull.from;
    return request->peer;
}

/* What is under way in the NIC ends by itself. */
static bool would_wait_for_ever(struct weft_request *request)
{
    if (request->kind == WEFT_NET_REQUEST_OFFER)
        return true;
    if (request->kind == WEFT_NET_REQUEST_SEND)
        return request->is_queued || request->is_acked;
    if (request->kind != WEFT_NET_REQUEST_RECEIVE)
        return false;
    if (!request->is_posted) /* waits for the sender to expose its message */
        return !request->pull.is_chain && !weft_list_is_empty(&request->link);
    if (PtlMEUnlink(request->me) != PTL_OK)
        return false;
    request->me = PTL_INVALID_HANDLE;
    return true;
}

void weft_net_peer_lost(struct weft_net *net, uint32_t rank)
{
    net->peers[rank].is_lost = true;
    for (struct weft_list *link = net->pending.next, *next; link != &net->pending; link = next) {
        struct weft_request *request = weft_list_object(link, struct weft_request, all);
        next = link->next;
        if (awaited(request) == rank && would_wait_for_ever(request))
            weft_net_request_end(request, WEFT_ERR_PEER);
    }
    weft_net_peer_returned(net, rank, net->peers[rank].waiting);
}

static int ask(struct weft_net *net, uint32_t rank)
{
    struct weft_request *ping;
    int error = weft_net_request_new(net, WEFT_NET_REQUEST_PING, rank, NULL, 0, NULL, &ping);
    if (error)
        return error;
    ping->is_detached = true;
    if (PtlPut(net->memory, 0, 0, PTL_ACK_REQ, weft_net_process(rank), WEFT_NET_CONTROL,
               WEFT_NET_PING, 0, ping, 0) == PTL_OK)
        return WEFT_OK;
    weft_net_request_end(ping, WEFT_OK);
    return WEFT_ERR_MEMORY;
}

/* Without memory to ask, there is none either to hear of one who sends for the first time. */
static void lose_in_time(struct weft_net *net, uint32_t rank)
{
    if (!weft_deadline_expires(&net->ask_until, weft_deadline_span(WEFT_SETTING_TIMEOUT)))
        return;
    weft_log(WEFT_LOG_ERROR, "no memory to ask whether rank %u lives: it counts as dead", rank);
    weft_net_peer_lost(net, rank);
}

/* Portals tells of a death only those who have an operation under way with the dead. */
void weft_net_peer_ping(struct weft_request *request)
{
    struct weft_net *net = request->net;
    uint32_t rank = awaited(request);
    if (rank >= net->size || net->pinged < net->size)
        return;
    int error = ask(net, rank);
    if (error == WEFT_ERR_MEMORY) {
        lose_in_time(net, rank);
        return;
    }
    net->ask_until = 0;
    if (!error)
        net->pinged = rank;
}

void weft_net_peer_answered(struct weft_request *ping, const ptl_event_t *event)
{
    struct weft_net *net = ping->net;
    uint32_t rank = ping->peer;
    weft_net_request_end(ping, WEFT_OK);
    net->pinged = net->size;
    if (event->ni_fail_type != PTL_NI_OK)
        weft_net_peer_lost(net, rank);
}
