/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that others read and write: the NIC of its owner scatters and gathers. */
#include <stdlib.h>
#include <sys/random.h>

#include "transfer/direct.h"

/* Keys that are tried until one has a locator. */
#define TRIES 4u

struct region {
    struct weft_list link; /* in net->regions */
    struct weft_net_layout layout;
    uint64_t key;
    uint64_t locator;
    bool has_locator;
    ptl_handle_me_t me;
};

/* ---- The owner ---------------------------------------------------------------------------- */

static int append(struct weft_net *net, struct region *region)
{
    struct weft_net_layout_view view;
    weft_net_layout_show(&region->layout, &view);
    ptl_me_t me = weft_net_layout_entry(
        &view, PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_NO_TRUNCATE | PTL_ME_EVENT_COMM_DISABLE |
                   PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE);
    me.match_id = weft_net_process(PTL_RANK_ANY);
    me.match_bits = region->key;
    return weft_net_request_error(
        PtlMEAppend(net->ni, WEFT_NET_REGIONS, &me, PTL_PRIORITY_LIST, NULL, &region->me));
}

/* The locator of a region follows from its key: one whose locator is taken will not do. */
static int choose_key(struct weft_net *net, struct region *region)
{
    const struct weft_net_locator_table *table = &net->locators;
    for (unsigned i = 0; i < TRIES; i++) {
        if (getrandom(&region->key, sizeof region->key, 0) != sizeof region->key)
            return WEFT_ERR_NETWORK;
        region->key |= WEFT_NET_LOCATOR_OF_REGION;
        region->locator = weft_net_locator_of_region(&table->root, region->key);
        bool is_free = table->locators && !atomic_load(&table->locators[region->locator].number);
        region->has_locator =
            is_free && weft_net_locator_show(net, region->locator, region->key, &region->layout);
        if (region->has_locator)
            return WEFT_OK;
    }
    region->key &= ~WEFT_NET_LOCATOR_OF_REGION;
    return WEFT_OK;
}

static void give_back(struct weft_net *net, struct region *region)
{
    if (region->has_locator)
        weft_net_locator_withdraw(net, region->locator);
    weft_net_layout_close(&region->layout);
    free(region);
}

int weft_expose(weft_net *net, const weft_type *type, size_t count, void *base, uint64_t *key)
{
    if (!net || !key)
        return WEFT_ERR_ARGUMENT;
    struct region *region = calloc(1, sizeof *region);
    if (!region)
        return WEFT_ERR_MEMORY;
    int error = weft_net_layout_open(&region->layout, type, count, base);
    if (error) {
        free(region);
        return error;
    }
    pthread_mutex_lock(&net->lock);
    error = choose_key(net, region);
    if (!error)
        error = append(net, region);
    if (error)
        give_back(net, region);
    else
        weft_list_append(&net->regions, &region->link);
    pthread_mutex_unlock(&net->lock);
    if (!error)
        *key = region->key;
    return error;
}

static struct region *find(struct weft_net *net, uint64_t key)
{
    for (struct weft_list *link = net->regions.next; link != &net->regions; link = link->next) {
        struct region *region = weft_list_object(link, struct region, link);
        if (region->key == key)
            return region;
    }
    return NULL;
}

/* Waits for what is under way: it ends, or its initiator dies. */
static void withdraw(struct weft_net *net, struct region *region)
{
    weft_list_remove(&region->link);
    while (PtlMEUnlink(region->me) == PTL_IN_USE)
        weft_net_advance(net, 1);
    give_back(net, region);
}

int weft_withdraw(weft_net *net, uint64_t key)
{
    if (!net)
        return WEFT_ERR_ARGUMENT;
    pthread_mutex_lock(&net->lock);
    struct region *region = find(net, key);
    if (region)
        withdraw(net, region);
    pthread_mutex_unlock(&net->lock);
    return region ? WEFT_OK : WEFT_ERR_REGION;
}

void weft_net_expose_end(struct weft_net *net)
{
    while (!weft_list_is_empty(&net->regions))
        withdraw(net, weft_list_object(net->regions.next, struct region, link));
}

/* ---- The others --------------------------------------------------------------------------- */

void weft_net_expose_put_done(struct weft_request *request, const ptl_event_t *event)
{
    struct weft_net *net = request->net;
    uint32_t rank = request->peer;
    bool is_lost = event->ni_fail_type == PTL_NI_UNDELIVERABLE;
    int failure = is_lost ? WEFT_ERR_PEER : WEFT_ERR_REGION;
    weft_net_request_end(request, event->ni_fail_type == PTL_NI_OK ? WEFT_OK : failure);
    if (is_lost)
        weft_net_peer_lost(net, rank);
}

/* The last chunk also finds out whether the region reaches so far; then the rest is a chain. */
void weft_net_expose_pulled(struct weft_request *request, int error)
{
    struct weft_net_pull *pull = &request->pull;
    pull->end = pull->begin;
    pull->begin = pull->rest;
    if (!error && pull->begin < pull->end) {
        pull->rest = pull->end;
        if (request->md != PTL_INVALID_HANDLE)
            PtlMDRelease(request->md);
        request->md = PTL_INVALID_HANDLE;
        error = weft_net_pull_chain(request);
        if (!error)
            return;
    }
    weft_net_request_end(request, error);
}

int weft_net_expose_packets(struct weft_request *request)
{
    struct weft_net_pull *pull = &request->pull;
    uint64_t chunk = request->net->chunk;
    pull->rest = pull->begin;
    if (pull->end - pull->begin > chunk)
        pull->begin = pull->end - chunk;
    return weft_net_pull_one(request);
}

static int start_put(struct weft_request *request, uint64_t key, size_t offset)
{
    ptl_handle_md_t md;
    ptl_size_t begin;
    int error = weft_net_request_bind(request, &md, &begin);
    if (error)
        return error;
    return weft_net_request_error(PtlPut(md, begin, request->layout.length, PTL_ACK_REQ,
                                         weft_net_process(request->peer), WEFT_NET_REGIONS, key,
                                         offset, request, 0));
}

static int start_get(struct weft_request *request, uint64_t key, size_t offset)
{
    request->pull = (struct weft_net_pull){
        .from = request->peer,
        .pt = WEFT_NET_REGIONS,
        .bits = key,
        .shift = offset,
        .end = request->layout.length,
    };
    return weft_net_direct_begin(request) ? WEFT_OK : weft_net_expose_packets(request);
}

static int begin(struct weft_request *request, uint64_t key, size_t offset)
{
    request->status.bytes = request->layout.length;
    int error = request->kind == WEFT_NET_REQUEST_PUT ? start_put(request, key, offset)
                                                      : start_get(request, key, offset);
    if (error)
        weft_net_request_drop(request);
    return error;
}

static int move(struct weft_net *net, enum weft_net_request_kind kind, const weft_type *type,
                size_t count, const void *base, int target, uint64_t key, size_t offset,
                struct weft_request **out)
{
    struct weft_request *request;
    if (!net || target < 0 || (uint32_t)target >= net->size || !out)
        return WEFT_ERR_ARGUMENT;
    pthread_mutex_lock(&net->lock);
    int error = weft_net_request_new(net, kind, (uint32_t)target, type, count, base, &request);
    if (!error)
        error = begin(request, key, offset);
    if (!error)
        *out = request;
    pthread_mutex_unlock(&net->lock);
    return error;
}

int weft_iput(weft_net *net, const weft_type *type, size_t count, const void *base, int target,
              uint64_t key, size_t offset, weft_request **out)
{
    return move(net, WEFT_NET_REQUEST_PUT, type, count, base, target, key, offset, out);
}

int weft_iget(weft_net *net, const weft_type *type, size_t count, void *base, int target,
              uint64_t key, size_t offset, weft_request **out)
{
    return move(net, WEFT_NET_REQUEST_GET, type, count, base, target, key, offset, out);
}

int weft_put(weft_net *net, const weft_type *type, size_t count, const void *base, int target,
             uint64_t key, size_t offset)
{
    weft_request *request;
    int error = weft_iput(net, type, count, base, target, key, offset, &request);
    return error ? error : weft_wait(&request, -1, NULL);
}

int weft_get(weft_net *net, const weft_type *type, size_t count, void *base, int target,
             uint64_t key, size_t offset)
{
    weft_request *request;
    int error = weft_iget(net, type, count, base, target, key, offset, &request);
    return error ? error : weft_wait(&request, -1, NULL);
}
