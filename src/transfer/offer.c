/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages whose headers travel otherwise: whoever matches them, for example an MPI library,
 * carries the number of an offer from the sender to the receiver, who takes it.
 */
#include <stdlib.h>

#include "transfer/request.h"

static bool is_peer(const struct weft_net *net, int rank)
{
    return net && rank >= 0 && (uint32_t)rank < net->size;
}

static int begin_offer(struct weft_net *net, const weft_type *type, size_t count, const void *base,
                       int taker, struct weft_request **out)
{
    struct weft_request *request;
    if (net->peers[taker].is_lost)
        return WEFT_ERR_PEER;
    int error =
        weft_request_new(net, WEFT_REQUEST_OFFER, (uint32_t)taker, type, count, base, &request);
    if (error)
        return error;
    request->status.bytes = request->layout.length;
    weft_send_number(request);
    weft_send_show(request);
    error = weft_send_expose(request);
    if (error)
        weft_request_drop(request);
    else
        *out = request;
    return error;
}

int weft_offer(weft_net *net, const weft_type *type, size_t count, const void *base, int taker,
               uint64_t *number, weft_request **out)
{
    if (!is_peer(net, taker) || !number || !out)
        return WEFT_ERR_ARGUMENT;
    struct weft_request *request;
    pthread_mutex_lock(&net->lock);
    int error = begin_offer(net, type, count, base, taker, &request);
    if (!error) {
        *number = request->number;
        *out = request;
    }
    pthread_mutex_unlock(&net->lock);
    return error;
}

static int begin_take(struct weft_request *request, int from, uint64_t number, size_t bytes)
{
    size_t room = request->layout.length;
    request->number = number;
    request->status.source = from;
    request->status.bytes = bytes < room ? bytes : room;
    if (bytes > room)
        request->status.error = WEFT_ERR_TRUNCATED;
    return weft_receive_pull(request, 0);
}

int weft_take(weft_net *net, const weft_type *type, size_t count, void *base, int from,
              uint64_t number, size_t bytes, weft_request **out)
{
    if (!is_peer(net, from) || !out)
        return WEFT_ERR_ARGUMENT;
    struct weft_request *request;
    pthread_mutex_lock(&net->lock);
    int error =
        weft_request_new(net, WEFT_REQUEST_TAKE, (uint32_t)from, type, count, base, &request);
    if (!error) {
        error = begin_take(request, from, number, bytes);
        if (error)
            weft_request_drop(request);
        else
            *out = request;
    }
    pthread_mutex_unlock(&net->lock);
    return error;
}

/* ---- Letting go of the memory -------------------------------------------------------------- */

/* The new entry is behind the old one before that goes, so that no get finds neither. */
static int move_to_copy(struct weft_request *request)
{
    struct weft_net *net = request->net;
    ptl_handle_me_t old = request->me;
    request->copy = malloc(request->layout.length ? request->layout.length : 1);
    if (!request->copy)
        return WEFT_ERR_MEMORY;
    net->buffered += weft_request_cost(request);
    weft_layout_read(&request->layout, request->copy, request->layout.length);
    int error = weft_send_expose(request);
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
    request->net->buffered -= weft_request_cost(request);
    free(request->copy);
    request->copy = NULL;
}

static int release(struct weft_request *request)
{
    if (request->kind != WEFT_REQUEST_OFFER)
        return WEFT_ERR_ARGUMENT;
    int error = move_to_copy(request);
    if (error)
        forget_copy(request);
    else
        weft_request_hide(request);
    return error;
}

int weft_release(weft_request **request)
{
    if (!request || !*request)
        return WEFT_ERR_ARGUMENT;
    struct weft_net *net = (*request)->net;
    pthread_mutex_lock(&net->lock);
    int error = (*request)->is_done ? WEFT_ERR_BUSY : release(*request);
    if (!error) {
        (*request)->is_detached = true;
        *request = NULL;
    }
    pthread_mutex_unlock(&net->lock);
    return error;
}

void weft_offer_forget(struct weft_net *net)
{
    pthread_mutex_lock(&net->lock);
    for (struct weft_list *link = net->pending.next, *next; link != &net->pending; link = next) {
        struct weft_request *request = weft_list_object(link, struct weft_request, all);
        next = link->next;
        if (request->kind == WEFT_REQUEST_OFFER && request->is_detached)
            weft_request_end(request, WEFT_ERR_CANCELLED);
    }
    pthread_mutex_unlock(&net->lock);
}
