/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A send is over when the receiver has taken all of it, or holds all of it in memory for messages
 * that nobody has asked for. The acknowledgement says how much it has taken.
 */
#include <stdlib.h>

#include "transfer/together.h"

/* Bytes that sends which have returned may keep, all together. */
#define BUFFERED ((size_t)4 << 20)

/* Longer ones are better read than sent. */
#define READ ((size_t)32768)

/* Acknowledgements that sends which do not wait for theirs handle together. */
#define DRAINED 16u

/* ---- Sending ------------------------------------------------------------------------------ */

/* The pool uses an id again after some hundred requests, a number not in 2^32. */
void weft_net_send_number(struct weft_request *request)
{
    uint64_t sequence = request->net->sequence++;
    request->number = (sequence << 32 | request->slot.id) & ~WEFT_NET_FOLLOWS;
}

/* The receiver gets it under the number of the message; nobody else can. */
int weft_net_send_expose(struct weft_request *request)
{
    struct weft_net_layout_view view = {.start = request->copy, .length = request->layout.length};
    if (!request->copy)
        weft_net_layout_show(&request->layout, &view);
    ptl_me_t me =
        weft_net_layout_entry(&view, PTL_ME_OP_GET | PTL_ME_EVENT_COMM_DISABLE |
                                         PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE);
    me.match_id = weft_net_process(request->peer);
    me.match_bits = request->number;
    return weft_net_request_error(PtlMEAppend(request->net->ni, WEFT_NET_PULLS, &me,
                                              PTL_PRIORITY_LIST, request, &request->me));
}

/* A process that reads wants to know of a message soon, also of one that could be sent at once. */
static bool wants_locator(const struct weft_request *request)
{
    const struct weft_net *net = request->net;
    size_t length = request->layout.length;
    return length > net->eager ||
           (!request->copy && length > READ && net->peers[request->peer].is_reader);
}

void weft_net_send_show(struct weft_request *request)
{
    uint64_t number = request->number | WEFT_NET_LOCATOR_OF_MESSAGE;
    request->has_locator = weft_net_locator_show(request->net, weft_net_locator_of_message(number),
                                                 number, &request->layout);
    if (request->has_locator)
        request->number = number;
}

bool weft_net_send_share(struct weft_request *request)
{
    uint64_t number = request->number | WEFT_NET_LOCATOR_OF_MESSAGE | WEFT_NET_LOCATOR_SHARED;
    request->has_locator = weft_net_locator_share(
        request->net, weft_net_locator_of_message(number), number, &request->layout);
    if (request->has_locator) {
        request->number = number;
        weft_net_help_watch(request);
    }
    return request->has_locator;
}

static size_t first_part(const struct weft_request *request)
{
    const struct weft_net *net = request->net;
    if (request->has_locator && net->peers[request->peer].is_reader)
        return 0;
    return request->layout.length < net->eager ? request->layout.length : net->eager;
}

int weft_net_send_put(struct weft_request *request, size_t part)
{
    ptl_handle_md_t md = request->net->memory;
    ptl_size_t offset = (uintptr_t)request->copy;
    int error = request->copy ? WEFT_OK : weft_net_request_bind(request, &md, &offset);
    if (error)
        return error;
    return weft_net_request_error(
        PtlPut(md, offset, part, PTL_ACK_REQ, weft_net_process(request->peer), WEFT_NET_MESSAGES,
               request->bits, request->layout.length, request, request->number));
}

static int launch(struct weft_request *request)
{
    int error = WEFT_OK;
    if (wants_locator(request) && !weft_net_send_share(request))
        weft_net_send_show(request);
    size_t part = first_part(request);
    if (part < request->layout.length)
        error = weft_net_send_expose(request);
    return error ? error : weft_net_send_put(request, part);
}

void weft_net_send_queued(struct weft_net *net, uint32_t rank)
{
    struct weft_net_peer_state *peer = &net->peers[rank];
    while (peer->queue.next && !weft_list_is_empty(&peer->queue) &&
           peer->waiting < WEFT_NET_WINDOW && net->waiting < net->window) {
        struct weft_request *request =
            weft_list_object(peer->queue.next, struct weft_request, link);
        weft_list_remove(&request->link);
        request->is_queued = false;
        peer->waiting++;
        net->waiting++;
        int error = launch(request);
        if (error) {
            weft_net_request_end(request, error);
            weft_net_peer_returned(net, rank, 1);
        }
    }
}

static void enqueue(struct weft_request *request)
{
    struct weft_net_peer_state *peer = &request->net->peers[request->peer];
    if (!peer->queue.next)
        weft_list_init(&peer->queue);
    weft_list_append(&peer->queue, &request->link);
    request->is_queued = true;
    weft_net_watch_begin(request);
    weft_net_send_queued(request->net, request->peer);
}

/* ---- What comes back ---------------------------------------------------------------------- */

void weft_net_send_acknowledged(struct weft_request *request, const ptl_event_t *event)
{
    struct weft_net *net = request->net;
    uint32_t rank = request->peer;
    size_t length = request->layout.length;
    weft_net_peer_followed(request);
    if (event->ni_fail_type != PTL_NI_OK) {
        weft_net_request_end(request, WEFT_ERR_PEER);
        weft_net_peer_lost(net, rank);
        return;
    }
    request->is_acked = true;
    weft_net_watch_end(request);
    bool is_taken = length <= net->eager && event->mlength == length;
    if (is_taken) {
        weft_net_request_end(request, WEFT_OK);
        if (event->ptl_list == PTL_PRIORITY_LIST)
            weft_net_peer_returned(net, rank, 1);
    } else if (request->is_pulled) {
        weft_net_request_end(request, WEFT_OK);
    } else if (request->me == PTL_INVALID_HANDLE) {
        int error = weft_net_send_expose(request);
        if (error)
            weft_net_request_end(request, error);
    }
}

struct weft_request *weft_net_send_find(struct weft_net *net, uint32_t rank, uint64_t number)
{
    uint32_t id = (uint32_t)(number & ((UINT64_C(1) << WEFT_POOL_ID_BITS) - 1));
    struct weft_request *request = weft_pool_find(&net->requests, id);
    return request && request->number == number && request->peer == rank ? request : NULL;
}

/* Numbers are not used again: what is not found has failed here, and nobody can have it. */
void weft_net_send_asked(struct weft_net *net, uint32_t rank, uint64_t number)
{
    if (!weft_net_send_find(net, rank, number))
        weft_net_tell(net, rank, WEFT_NET_GONE, number);
}

void weft_net_send_pulled(struct weft_net *net, uint32_t rank, uint64_t number,
                          ptl_match_bits_t what)
{
    struct weft_request *request = weft_net_send_find(net, rank, number);
    if (!request || request->is_pulled)
        return;
    if (what == WEFT_NET_REFUSED)
        request->status.error = WEFT_ERR_MEMORY;
    if (request->kind == WEFT_NET_REQUEST_OFFER)
        weft_net_request_end(request, WEFT_OK);
    if (request->kind != WEFT_NET_REQUEST_SEND)
        return;
    request->is_pulled = true;
    if (request->has_locator)
        net->peers[rank].is_reader = what == WEFT_NET_READ;
    if (request->is_acked)
        weft_net_request_end(request, WEFT_OK);
    weft_net_peer_returned(net, rank, 1);
}

/* ---- The calls ---------------------------------------------------------------------------- */

static int check(const struct weft_net *net, int destination, int tag)
{
    bool is_valid = net && destination >= 0 && (uint32_t)destination < net->size && tag >= 0;
    return is_valid ? WEFT_OK : WEFT_ERR_ARGUMENT;
}

struct letter {
    const weft_type *type;
    size_t count;
    const void *base;
    int destination, tag;
};

static int begin(struct weft_net *net, const struct letter *letter, struct weft_request **out)
{
    struct weft_request *request;
    if (net->peers[letter->destination].is_lost)
        return WEFT_ERR_PEER;
    int error = weft_net_request_new(net, WEFT_NET_REQUEST_SEND, (uint32_t)letter->destination,
                                     letter->type, letter->count, letter->base, &request);
    if (error)
        return error;
    request->status.tag = letter->tag;
    request->status.bytes = request->layout.length;
    request->bits = (uint64_t)letter->tag;
    weft_net_send_number(request);
    *out = request;
    return WEFT_OK;
}

int weft_isend(weft_net *net, const weft_type *type, size_t count, const void *base,
               int destination, int tag, weft_request **out)
{
    const struct letter letter = {type, count, base, destination, tag};
    int error = out ? check(net, destination, tag) : WEFT_ERR_ARGUMENT;
    if (error)
        return error;
    struct weft_request *request;
    pthread_mutex_lock(&net->lock);
    error = begin(net, &letter, &request);
    if (!error) {
        enqueue(request);
        *out = request;
    }
    pthread_mutex_unlock(&net->lock);
    return error;
}

/* A short message is copied, so that the sender need not wait for the acknowledgement. */
static void detach(struct weft_request *request)
{
    struct weft_net *net = request->net;
    const struct weft_net_layout *layout = &request->layout;
    size_t most = net->eager < WEFT_NET_COPIED ? net->eager : WEFT_NET_COPIED;
    if (layout->length > most || weft_net_copied(net) + weft_net_request_cost(request) > BUFFERED)
        return;
    request->copy = malloc(layout->length ? layout->length : 1);
    if (!request->copy)
        return;
    weft_net_layout_read(layout, request->copy, layout->length);
    request->is_detached = true;
    weft_net_request_count_copy(request, true);
}

static void drain(struct weft_net *net)
{
    for (unsigned i = 0; i < DRAINED && weft_net_advance(net, 0); i++)
        continue;
}

/* Sends that have returned make room when they are acknowledged. */
static int begin_patiently(struct weft_net *net, const struct letter *letter,
                           struct weft_request **out)
{
    int error;
    while ((error = begin(net, letter, out)) == WEFT_ERR_BUSY && weft_net_copied(net))
        weft_net_advance(net, 1);
    return error;
}

int weft_send(weft_net *net, const weft_type *type, size_t count, const void *base,
              int destination, int tag)
{
    const struct letter letter = {type, count, base, destination, tag};
    int error = check(net, destination, tag);
    if (error)
        return error;
    struct weft_request *request;
    bool is_over = true;
    pthread_mutex_lock(&net->lock);
    error = begin_patiently(net, &letter, &request);
    if (!error) {
        detach(request);
        is_over = request->is_detached;
        enqueue(request);
        if (net->sequence % DRAINED == 0)
            drain(net);
    }
    pthread_mutex_unlock(&net->lock);
    return is_over ? error : weft_wait(&request, -1, NULL);
}
