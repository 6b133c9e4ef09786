/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages whose headers travel otherwise: whoever matches them, for example an MPI library,
 * carries the number of an offer from the sender to the receiver, who takes it. Short data that
 * was announced is a message like any other, whose tag is the number: only its receiver must not
 * be waited for by those behind it, so it has a place in the window from the beginning, or is
 * asked for like long data.
 */
#include <stdlib.h>

#include "transfer/request.h"

/* Bytes that may be on their way to one peer without having been asked for: what the buffers on
 * the way hold, so that they leave at once, even if nobody looks there. */
#define FOLLOWERS 131072u

/* Events that may be in front of the one which says that data has left. */
#define EVENTS_AHEAD 16u

static bool is_peer(const struct weft_net *net, int rank)
{
    return net && rank >= 0 && (uint32_t)rank < net->size;
}

static int begin_exposed(struct weft_request *request)
{
    weft_net_send_show(request);
    return weft_net_send_expose(request);
}

static bool can_follow(const struct weft_request *request)
{
    const struct weft_net *net = request->net;
    const struct weft_net_peer_state *peer = &net->peers[request->peer];
    size_t length = request->layout.length;
    return length <= net->eager && peer->waiting < WEFT_NET_WINDOW && net->waiting < net->window &&
           peer->followers + length <= FOLLOWERS;
}

static int begin_announced(struct weft_request *request)
{
    struct weft_net *net = request->net;
    struct weft_net_peer_state *peer = &net->peers[request->peer];
    if (!can_follow(request))
        return begin_exposed(request);
    peer->waiting++;
    net->waiting++;
    peer->followers += (uint32_t)request->layout.length;
    request->kind = WEFT_NET_REQUEST_SEND;
    request->number |= WEFT_NET_FOLLOWS;
    request->bits = request->number;
    request->is_queued = true;
    return WEFT_OK;
}

static int begin_together(struct weft_request *request)
{
    return weft_net_send_share(request) ? weft_net_send_expose(request) : begin_announced(request);
}

/* Two processes that have offered each other all that they can would have nothing left to take it
 * by. */
static bool leaves_room_to_take(const struct weft_net *net)
{
    return net->requests.used < net->requests.limit / 2;
}

static int begin_offer(struct weft_net *net, const weft_type *type, size_t count, const void *base,
                       int taker, int begin(struct weft_request *), struct weft_request **out)
{
    struct weft_request *request;
    if (net->peers[taker].is_lost)
        return WEFT_ERR_PEER;
    if (!leaves_room_to_take(net))
        return WEFT_ERR_BUSY;
    int error = weft_net_request_new(net, WEFT_NET_REQUEST_OFFER, (uint32_t)taker, type, count,
                                     base, &request);
    if (error)
        return error;
    request->status.bytes = request->layout.length;
    weft_net_send_number(request);
    error = begin(request);
    if (error)
        weft_net_request_drop(request);
    else
        *out = request;
    return error;
}

static int offer(weft_net *net, const weft_type *type, size_t count, const void *base, int taker,
                 int begin(struct weft_request *), uint64_t *number, weft_request **out)
{
    if (!is_peer(net, taker) || !number || !out)
        return WEFT_ERR_ARGUMENT;
    struct weft_request *request;
    pthread_mutex_lock(&net->lock);
    int error = begin_offer(net, type, count, base, taker, begin, &request);
    if (!error) {
        *number = request->number;
        *out = request;
    }
    pthread_mutex_unlock(&net->lock);
    return error;
}

int weft_offer(weft_net *net, const weft_type *type, size_t count, const void *base, int taker,
               uint64_t *number, weft_request **out)
{
    return offer(net, type, count, base, taker, begin_exposed, number, out);
}

int weft_announce(weft_net *net, const weft_type *type, size_t count, const void *base, int taker,
                  uint64_t *number, weft_request **out)
{
    return offer(net, type, count, base, taker, begin_announced, number, out);
}

int weft_net_offer_together(weft_net *net, const weft_type *type, size_t count, const void *base,
                            int taker, uint64_t *number, weft_request **out)
{
    return offer(net, type, count, base, taker, begin_together, number, out);
}

static int follow(struct weft_request *request)
{
    request->is_queued = false;
    int error = weft_net_send_put(request, request->layout.length);
    if (error) {
        weft_net_peer_unannounced(request);
        weft_net_request_end(request, error);
    }
    return error;
}

int weft_follow(weft_request *request)
{
    if (!request)
        return WEFT_ERR_ARGUMENT;
    struct weft_net *net = request->net;
    pthread_mutex_lock(&net->lock);
    int error = request->kind == WEFT_NET_REQUEST_SEND ? WEFT_OK : WEFT_ERR_BUSY;
    /* It may have ended meanwhile: the taker has died. */
    if (request->is_queued && !request->is_done)
        error = follow(request);
    pthread_mutex_unlock(&net->lock);
    return error;
}

static int begin_take(struct weft_request *request, int from, uint64_t number, size_t bytes)
{
    size_t room = request->layout.length;
    if (number & WEFT_NET_FOLLOWS) {
        request->kind = WEFT_NET_REQUEST_RECEIVE;
        return weft_net_receive_post(request, number, 0);
    }
    request->number = number;
    request->status.source = from;
    request->status.bytes = bytes < room ? bytes : room;
    if (bytes > room)
        request->status.error = WEFT_ERR_TRUNCATED;
    return weft_net_receive_pull(request, 0);
}

int weft_take(weft_net *net, const weft_type *type, size_t count, void *base, int from,
              uint64_t number, size_t bytes, weft_request **out)
{
    if (!is_peer(net, from) || !out)
        return WEFT_ERR_ARGUMENT;
    struct weft_request *request;
    pthread_mutex_lock(&net->lock);
    int error = weft_net_request_new(net, WEFT_NET_REQUEST_TAKE, (uint32_t)from, type, count, base,
                                     &request);
    if (!error) {
        error = begin_take(request, from, number, bytes);
        if (error)
            weft_net_request_drop(request);
        else
            *out = request;
    }
    if (error && error != WEFT_ERR_BUSY)
        weft_net_tell_of(net, (uint32_t)from, WEFT_NET_REFUSED, number);
    pthread_mutex_unlock(&net->lock);
    return error;
}

void weft_net_hold(weft_net *net, int from, uint64_t number)
{
    pthread_mutex_lock(&net->lock);
    if (is_peer(net, from))
        weft_net_tell_of(net, (uint32_t)from, WEFT_NET_HELD, number);
    pthread_mutex_unlock(&net->lock);
}

void weft_net_offer_held(struct weft_net *net, uint32_t rank, uint64_t number)
{
    struct weft_request *request = weft_net_send_find(net, rank, number);
    if (request)
        request->is_held = true;
}

/* ---- Letting go of the memory -------------------------------------------------------------- */

static int copy_layout(struct weft_request *request)
{
    request->copy = malloc(request->layout.length ? request->layout.length : 1);
    if (!request->copy)
        return WEFT_ERR_MEMORY;
    weft_net_request_count_copy(request, true);
    weft_net_layout_read(&request->layout, request->copy, request->layout.length);
    return WEFT_OK;
}

/* The new entry is behind the old one before that goes, so that no get finds neither. */
static int move_to_copy(struct weft_request *request)
{
    ptl_handle_me_t old = request->me;
    int error = copy_layout(request);
    if (error)
        return error;
    error = weft_net_send_expose(request);
    if (error) {
        request->me = old;
        return error;
    }
    if (PtlMEUnlink(old) == PTL_OK)
        return WEFT_OK;
    /* Nobody can have found the new one yet. */
    PtlMEUnlink(request->me);
    request->me = old;
    return WEFT_ERR_BUSY;
}

static void forget_copy(struct weft_request *request)
{
    if (!request->copy)
        return;
    weft_net_request_count_copy(request, false);
    free(request->copy);
    request->copy = NULL;
}

/* The taker may have no room for it, and ask for it later. */
static int keep_copy(struct weft_request *request)
{
    for (unsigned i = 0; i < EVENTS_AHEAD && !request->has_left && !request->is_done; i++)
        if (!weft_net_advance(request->net, 0))
            break;
    bool is_on_its_way =
        request->has_left && request->me == PTL_INVALID_HANDLE && !request->is_done;
    return is_on_its_way ? copy_layout(request) : WEFT_ERR_BUSY;
}

static int release(struct weft_request *request)
{
    bool has_followed = request->bits & WEFT_NET_FOLLOWS;
    if (has_followed && request->me == PTL_INVALID_HANDLE)
        return keep_copy(request);
    if (!has_followed && request->kind != WEFT_NET_REQUEST_OFFER)
        return WEFT_ERR_ARGUMENT;
    int error = move_to_copy(request);
    if (error)
        forget_copy(request);
    else
        weft_net_request_hide(request);
    return error;
}

int weft_release(weft_request **request)
{
    if (!request || !*request)
        return WEFT_ERR_ARGUMENT;
    struct weft_net *net = (*request)->net;
    pthread_mutex_lock(&net->lock);
    bool is_busy = (*request)->is_done || (*request)->is_held;
    int error = is_busy ? WEFT_ERR_BUSY : release(*request);
    if (!error) {
        (*request)->is_detached = true;
        *request = NULL;
    }
    pthread_mutex_unlock(&net->lock);
    return error;
}

void weft_net_offer_forget(struct weft_net *net)
{
    pthread_mutex_lock(&net->lock);
    for (struct weft_list *link = net->pending.next, *next; link != &net->pending; link = next) {
        struct weft_request *request = weft_list_object(link, struct weft_request, all);
        next = link->next;
        if (request->kind == WEFT_NET_REQUEST_OFFER && request->is_detached)
            weft_net_request_end(request, WEFT_ERR_CANCELLED);
    }
    pthread_mutex_unlock(&net->lock);
}
