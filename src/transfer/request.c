/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "client/client.h"
#include "transfer/direct.h"
#include "transfer/patience.h"

/* Milliseconds of silence, after which a wait asks whether the other process lives. */
#define SILENCE 20u
/* Looks of weft_test that find nothing, after which it asks. */
#define LOOKS 16384u
/* Events that one look handles. */
#define EVENTS_PER_LOOK 32u

/* ---- Life --------------------------------------------------------------------------------- */

static int open_layout(struct weft_request *request, const weft_type *type, size_t count,
                       const void *base)
{
    struct weft_net_ready_table *table = &request->net->ready;
    request->ready = weft_net_ready_find(table, type, count, base);
    if (!request->ready) {
        int error = weft_net_layout_open(&request->layout, type, count, base);
        if (error || !request->layout.type)
            return error;
        request->ready = weft_net_ready_keep(table, &request->layout);
    }
    if (request->ready)
        request->layout = request->ready->layout;
    return WEFT_OK;
}

static void close_layout(struct weft_request *request)
{
    if (request->ready)
        request->ready->users--;
    else
        weft_net_layout_close(&request->layout);
    request->ready = NULL;
}

int weft_net_request_new(struct weft_net *net, enum weft_net_request_kind kind, uint32_t peer,
                         const weft_type *type, size_t count, const void *base,
                         struct weft_request **out)
{
    struct weft_request *request = weft_pool_take(&net->requests);
    if (!request)
        return net->requests.used < net->requests.limit ? WEFT_ERR_MEMORY : WEFT_ERR_BUSY;
    request->net = net;
    int error = kind < WEFT_NET_REQUEST_PING ? open_layout(request, type, count, base) : WEFT_OK;
    if (error) {
        weft_pool_give(&net->requests, request);
        return error;
    }
    request->kind = kind;
    request->peer = peer;
    request->status = (struct weft_status){.source = (int)net->rank, .tag = WEFT_ANY_TAG};
    request->md = request->me = request->ct = PTL_INVALID_HANDLE;
    weft_list_init(&request->link);
    weft_list_append(&net->pending, &request->all);
    *out = request;
    return WEFT_OK;
}

size_t weft_net_request_cost(const struct weft_request *request)
{
    return request->layout.length + sizeof *request;
}

void weft_net_request_count_copy(struct weft_request *request, bool is_made)
{
    struct weft_net *net = request->net;
    size_t cost = weft_net_request_cost(request), before = weft_net_copied(net);
    atomic_store_explicit(&net->buffered, is_made ? before + cost : before - cost,
                          memory_order_relaxed);
}

void weft_net_request_hide(struct weft_request *request)
{
    if (request->has_locator)
        weft_net_locator_withdraw(request->net, weft_net_locator_of_message(request->number));
    request->has_locator = false;
}

/* False while the NIC works with what is to be given back. */
static bool give_back(struct weft_request *request)
{
    if (request->me != PTL_INVALID_HANDLE && PtlMEUnlink(request->me) == PTL_IN_USE)
        return false;
    request->me = PTL_INVALID_HANDLE;
    weft_net_request_hide(request);
    if (request->md != PTL_INVALID_HANDLE && PtlMDRelease(request->md) == PTL_IN_USE)
        return false;
    request->md = PTL_INVALID_HANDLE;
    if (request->ct != PTL_INVALID_HANDLE)
        PtlCTFree(request->ct);
    request->ct = PTL_INVALID_HANDLE;
    if (request->copy)
        weft_net_request_count_copy(request, false);
    free(request->copy);
    request->copy = NULL;
    close_layout(request);
    return true;
}

static void finish(struct weft_request *request)
{
    weft_list_remove(&request->all);
    request->is_done = true;
    if (request->is_detached)
        weft_pool_give(&request->net->requests, request);
}

void weft_net_request_end(struct weft_request *request, int error)
{
    if (error)
        request->status.error = error;
    weft_list_remove(&request->link);
    weft_net_watch_end(request);
    if (give_back(request)) {
        finish(request);
        return;
    }
    weft_list_remove(&request->all);
    weft_list_append(&request->net->lingering, &request->all);
}

void weft_net_request_free_lingering(struct weft_net *net)
{
    for (struct weft_list *link = net->lingering.next, *next; link != &net->lingering;
         link = next) {
        struct weft_request *request = weft_list_object(link, struct weft_request, all);
        next = link->next;
        if (give_back(request))
            finish(request);
    }
}

void weft_net_request_drop(struct weft_request *request)
{
    request->is_detached = true;
    weft_net_request_end(request, WEFT_OK);
}

static int bind(struct weft_net *net, const struct weft_net_layout *layout, ptl_handle_md_t *md)
{
    struct weft_net_layout_view view;
    weft_net_layout_show(layout, &view);
    ptl_md_t spec = {.start = view.start,
                     .length = view.length,
                     .options = view.options,
                     .eq_handle = net->eq,
                     .ct_handle = PTL_CT_NONE};
    return weft_net_request_error(PtlMDBind(net->ni, &spec, md));
}

int weft_net_request_bind(struct weft_request *request, ptl_handle_md_t *md, ptl_size_t *offset)
{
    struct weft_net *net = request->net;
    struct weft_net_ready *ready = request->ready;
    *md = net->loud;
    *offset = (uintptr_t)request->layout.base;
    if (!request->layout.type)
        return WEFT_OK;
    *offset = 0;
    ptl_handle_md_t *own = ready ? &ready->md : &request->md;
    int error = *own == PTL_INVALID_HANDLE
                    ? bind(net, ready ? &ready->layout : &request->layout, own)
                    : WEFT_OK;
    *md = *own;
    return error;
}

int weft_net_request_error(int result)
{
    /* Our own arguments to Portals are none of the program's. */
    return result == PTL_ARG_INVALID ? WEFT_ERR_NETWORK : weft_client_error(result);
}

/* ---- Test, wait, cancel ------------------------------------------------------------------- */

static int result_of(struct weft_request **request, struct weft_status *status)
{
    struct weft_status ended = (*request)->status;
    weft_pool_give(&(*request)->net->requests, *request);
    *request = NULL;
    if (status)
        *status = ended;
    return ended.error;
}

static bool look(struct weft_request *request)
{
    struct weft_net *net = request->net;
    for (unsigned i = 0; i < EVENTS_PER_LOOK && !request->is_done; i++)
        if (!weft_net_advance(net, 0)) {
            if (++net->fruitless % LOOKS == 0)
                weft_net_idle(net, request);
            break;
        }
    return request->is_done;
}

/* Milliseconds until something is to be looked after. */
static unsigned next_look(const struct weft_net *net)
{
    bool is_calm = weft_list_is_empty(&net->retries) && weft_list_is_empty(&net->lingering) &&
                   weft_list_is_empty(&net->unfed) && !weft_net_tell_is_due(net);
    return is_calm ? SILENCE : 1;
}

static bool wait_until_done(struct weft_request *request, int milliseconds)
{
    struct weft_net *net = request->net;
    bool is_endless = milliseconds < 0;
    struct weft_net_patience patience = {0};
    if (!is_endless)
        patience = weft_net_patience_of((uint64_t)milliseconds * WEFT_CLOCK_MILLISECOND);
    unsigned looks = 0;
    while (!request->is_done) {
        bool may_watch = looks < WEFT_NET_LOOKS && !weft_list_is_empty(&net->watched_offers);
        if (may_watch) {
            looks += !weft_net_advance(net, 0);
            continue;
        }
        unsigned look = next_look(net);
        unsigned slice = is_endless ? look : weft_net_patience_slice(&patience, look);
        if (weft_net_advance(net, slice))
            continue;
        weft_net_patience_waited(&patience, slice);
        weft_net_idle(net, request);
        if (slice == 0)
            break;
    }
    return request->is_done;
}

/* Locks the net. NULL if there is nothing to look at, and then *result is that of the call. */
static struct weft_request *enter(weft_request **request, struct weft_status *status, int *result)
{
    *result = request ? WEFT_OK : WEFT_ERR_ARGUMENT;
    if (!request)
        return NULL;
    if (*request)
        pthread_mutex_lock(&(*request)->net->lock);
    else if (status)
        *status = (struct weft_status){.source = WEFT_ANY_SOURCE, .tag = WEFT_ANY_TAG};
    return *request;
}

static int leave(weft_request **request, bool is_done, struct weft_status *status)
{
    struct weft_net *net = (*request)->net;
    int result = is_done ? result_of(request, status) : WEFT_ERR_TIMEOUT;
    pthread_mutex_unlock(&net->lock);
    return result;
}

int weft_test(weft_request **request, struct weft_status *status)
{
    int result;
    struct weft_request *entered = enter(request, status, &result);
    return entered ? leave(request, look(entered), status) : result;
}

int weft_wait(weft_request **request, int milliseconds, struct weft_status *status)
{
    int result;
    struct weft_request *entered = enter(request, status, &result);
    return entered ? leave(request, wait_until_done(entered, milliseconds), status) : result;
}

/* The entry of a receive goes by itself when a message has come: then it cannot be unlinked. */
static bool can_cancel(struct weft_request *request)
{
    if (request->is_queued) {
        weft_net_peer_unannounced(request);
        return true;
    }
    bool has_entry = request->is_posted || request->kind == WEFT_NET_REQUEST_OFFER;
    if (!has_entry || PtlMEUnlink(request->me) != PTL_OK)
        return false;
    request->me = PTL_INVALID_HANDLE;
    return true;
}

int weft_cancel(weft_request *request)
{
    if (!request)
        return WEFT_ERR_ARGUMENT;
    struct weft_net *net = request->net;
    pthread_mutex_lock(&net->lock);
    int result = WEFT_ERR_BUSY;
    if (!request->is_done && can_cancel(request)) {
        weft_net_request_end(request, WEFT_ERR_CANCELLED);
        result = WEFT_OK;
    }
    pthread_mutex_unlock(&net->lock);
    return result;
}
