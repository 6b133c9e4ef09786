/* SPDX-License-Identifier: BSD-3-Clause */
#include "transfer/net.h"

#include <portals4_job.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/setting.h"
#include "transfer/direct.h"
#include "transfer/patience.h"
#include "transfer/together.h"

/* Milliseconds that the NIC gets to let go of what it holds. */
#define LAST_WORDS 2000u

/* ---- Opening ------------------------------------------------------------------------------ */

static void read_settings(struct weft_net *net)
{
    enum { AUTO, SHM, OFI }; /* the choices of WEFT_WORLD */
    net->eager = weft_setting(WEFT_SETTING_EAGER);
    net->chunk = weft_setting(WEFT_SETTING_CHUNK);
    net->chunks = weft_setting(WEFT_SETTING_CHUNKS);
    net->direct = weft_setting(WEFT_SETTING_DIRECT);
    net->direct_most = weft_setting(WEFT_SETTING_DIRECT_MOST);
    net->together_least = weft_setting(WEFT_SETTING_TOGETHER_LEAST);
    net->is_near = weft_setting(WEFT_SETTING_WORLD) != OFI; /* that is for all data */
    if (!net->is_near)
        net->direct = 0;
    if (net->eager == 0)
        net->eager = 1; /* buffers for unexpected messages must fill up some time */
    if (net->chunk < net->eager)
        net->chunk = net->eager; /* what did not fit the overflow is one chunk */
    if (net->chunks == 0)
        net->chunks = 1;
}

static int bind(struct weft_net *net, ptl_handle_eq_t eq, unsigned options, ptl_handle_md_t *md)
{
    ptl_md_t all = {
        .length = PTL_SIZE_MAX, .options = options, .eq_handle = eq, .ct_handle = PTL_CT_NONE};
    return PtlMDBind(net->ni, &all, md);
}

/* A request has two events at most, and one more comes when messages that wait are returned. */
static int open_events(struct weft_net *net)
{
    uint64_t requests = net->requests.limit;
    net->window = requests;
    int result = PtlEQAlloc(net->ni, 4 * requests + 1024, &net->eq);
    if (result == PTL_OK)
        result = bind(net, net->eq, PTL_MD_EVENT_SEND_DISABLE, &net->memory);
    if (result == PTL_OK)
        result = bind(net, PTL_EQ_NONE, 0, &net->quiet);
    if (result == PTL_OK)
        result = bind(net, net->eq, 0, &net->loud);
    if (result == PTL_OK)
        result = PtlCTAlloc(net->ni, &net->one);
    return result == PTL_OK ? PtlCTInc(net->one, (ptl_ct_event_t){1, 0}) : result;
}

static int open_tables(struct weft_net *net)
{
    int result = PTL_OK;
    for (ptl_pt_index_t wanted = WEFT_NET_MESSAGES; wanted <= WEFT_NET_CONTROL; wanted++) {
        ptl_pt_index_t index;
        result = PtlPTAlloc(net->ni, 0, net->eq, wanted, &index);
        if (result != PTL_OK)
            return result;
        net->tables++;
    }
    return result;
}

static int append_control(struct weft_net *net, ptl_match_bits_t bits, ptl_match_bits_t ignore,
                          unsigned options, ptl_handle_me_t *me)
{
    ptl_me_t entry = {.ct_handle = PTL_CT_NONE,
                      .uid = PTL_UID_ANY,
                      .options = PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE | options,
                      .match_id = weft_net_process(PTL_RANK_ANY),
                      .match_bits = bits,
                      .ignore_bits = ignore};
    return PtlMEAppend(net->ni, WEFT_NET_CONTROL, &entry, PTL_PRIORITY_LIST, NULL, me);
}

static int open_parts(struct weft_net *net)
{
    int result = open_events(net);
    if (result == PTL_OK)
        result = open_tables(net);
    if (result == PTL_PT_IN_USE)
        weft_log(WEFT_LOG_ERROR, "this process has opened a net already");
    if (result == PTL_OK)
        result = append_control(net, WEFT_NET_DONE, WEFT_NET_NEWS, 0, &net->news);
    if (result == PTL_OK)
        result = append_control(net, WEFT_NET_PING, 0, PTL_ME_EVENT_COMM_DISABLE, &net->echo);
    if (result == PTL_OK)
        result = weft_net_locator_open(net);
    if (result == PTL_OK && !weft_net_overflow_open(net))
        result = PTL_NO_SPACE;
    return weft_net_request_error(result);
}

static void init_locks(struct weft_net *net)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&net->moved, &monotonic);
    pthread_cond_init(&net->wanted, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&net->lock, NULL);
}

static void fini_locks(struct weft_net *net)
{
    pthread_mutex_destroy(&net->lock);
    pthread_cond_destroy(&net->moved);
    pthread_cond_destroy(&net->wanted);
}

static struct weft_net *new_net(ptl_handle_ni_t ni, uint32_t rank, uint32_t size)
{
    struct weft_net *net = calloc(1, sizeof *net);
    struct weft_net_peer_state *peers = calloc(size, sizeof *peers);
    if (!net || !peers) {
        free(net);
        free(peers);
        return NULL;
    }
    init_locks(net);
    net->owner = getpid();
    net->ni = ni;
    net->rank = rank;
    net->size = net->pinged = size;
    net->peers = peers;
    net->eq = net->memory = net->quiet = net->loud = net->one = PTL_INVALID_HANDLE;
    net->news = net->echo = net->barrier = net->root = net->bottom = PTL_INVALID_HANDLE;
    for (unsigned i = 0; i < WEFT_NET_BUFFERS; i++)
        net->buffers[i] = PTL_INVALID_HANDLE;
    uint64_t requests = weft_setting(WEFT_SETTING_REQUESTS);
    weft_pool_init(&net->requests, sizeof(struct weft_request),
                   (uint32_t)(requests < WEFT_POOL_MOST ? requests : WEFT_POOL_MOST), 0);
    struct weft_list *const lists[] = {&net->pending,      &net->retries,        &net->unfed,
                                       &net->direct_pulls, &net->watched_offers, &net->untold,
                                       &net->lingering,    &net->regions};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        weft_list_init(lists[i]);
    return net;
}

int weft_net_attach_alone(ptl_handle_ni_t ni, uint32_t rank, uint32_t size, uint32_t generation,
                          struct weft_net **out)
{
    struct weft_net *net = new_net(ni, rank, size);
    if (!net)
        return WEFT_ERR_MEMORY;
    net->generation = generation;
    read_settings(net);
    pthread_mutex_lock(&net->lock);
    int error = open_parts(net);
    pthread_mutex_unlock(&net->lock);
    if (error)
        weft_close(net);
    else
        *out = net;
    return error;
}

int weft_net_attach(ptl_handle_ni_t ni, uint32_t rank, uint32_t size, uint32_t generation,
                    struct weft_net **out)
{
    struct weft_net *net;
    int error = weft_net_attach_alone(ni, rank, size, generation, &net);
    if (error)
        return error;
    pthread_mutex_lock(&net->lock);
    error = weft_net_barrier(net);
    pthread_mutex_unlock(&net->lock);
    if (error)
        weft_close(net);
    else
        *out = net;
    return error;
}

static int open_job(weft_net **out,
                    int attach(ptl_handle_ni_t, uint32_t, uint32_t, uint32_t, weft_net **))
{
    static atomic_uint generations;
    ptl_handle_ni_t ni;
    ptl_rank_t rank;
    ptl_size_t size;
    if (PtlInit() != PTL_OK)
        return WEFT_ERR_NETWORK;
    int result = PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, PTL_PID_ANY, NULL,
                           NULL, &ni);
    if (result != PTL_OK) {
        PtlFini();
        return WEFT_ERR_NETWORK;
    }
    int error = weft_job_init(ni, &rank, &size) == PTL_OK ? WEFT_OK : WEFT_ERR_NETWORK;
    if (!error)
        error = attach(ni, rank, (uint32_t)size, atomic_fetch_add(&generations, 1), out);
    if (error) {
        PtlNIFini(ni);
        PtlFini();
    } else {
        (*out)->owns_ni = true;
        weft_net_watch_start(*out);
    }
    return error;
}

int weft_open(weft_net **out)
{
    return out ? open_job(out, weft_net_attach) : WEFT_ERR_ARGUMENT;
}

int weft_net_open_alone(weft_net **out)
{
    return open_job(out, weft_net_attach_alone);
}

/* ---- Using -------------------------------------------------------------------------------- */

int weft_rank(const weft_net *net)
{
    return net ? (int)net->rank : WEFT_ERR_ARGUMENT;
}

int weft_size(const weft_net *net)
{
    return net ? (int)net->size : WEFT_ERR_ARGUMENT;
}

static uint64_t status_of(const weft_net *net, ptl_sr_index_t status_register)
{
    ptl_sr_value_t value = 0;
    PtlNIStatus(net->ni, status_register, &value);
    return (uint64_t)value;
}

int weft_net_counters(const weft_net *net, struct weft_net_counters *counters, size_t size)
{
    if (!net || !counters)
        return WEFT_ERR_ARGUMENT;
    weft_net *owner = (weft_net *)net;
    pthread_mutex_lock(&owner->lock);
    struct weft_net_counters now = net->counters;
    now.scattered = status_of(net, PTL_SR_HPU_SCATTERED);
    now.gathered = status_of(net, PTL_SR_HPU_GATHERED);
    now.refused = status_of(net, PTL_SR_HPU_REFUSED);
    now.rails_lost = status_of(net, PTL_SR_RAILS_LOST);
    memcpy(counters, &now, size < sizeof now ? size : sizeof now);
    pthread_mutex_unlock(&owner->lock);
    return WEFT_OK;
}

const char *weft_net_fallback_text(enum weft_net_fallback reason)
{
    static const char *const texts[] = {
#define TEXT(name, text) text,
        WEFT_NET_FALLBACK_MAP(TEXT)
#undef TEXT
    };
    return (unsigned)reason < WEFT_NET_FALLBACKS ? texts[reason] : "unknown";
}

/* ---- Closing ------------------------------------------------------------------------------ */

static struct weft_request *first_undelivered(struct weft_net *net)
{
    if (!weft_list_is_empty(&net->untold))
        return weft_list_object(net->untold.next, struct weft_request, link);
    for (struct weft_list *link = net->pending.next; link != &net->pending; link = link->next) {
        struct weft_request *request = weft_list_object(link, struct weft_request, all);
        if (request->is_detached)
            return request;
    }
    return NULL;
}

/* Sends that have returned must arrive, and what peers wait for; what is for the dead ends. */
static void deliver(struct weft_net *net, uint64_t deadline)
{
    struct weft_request *request;
    while (!weft_deadline_is_over(deadline) && (request = first_undelivered(net)))
        if (!weft_net_advance(net, 20))
            weft_net_idle(net, request);
}

/* Whoever calls exit may have been interrupted with the lock in its hands. */
static bool lock_in_time(struct weft_net *net, uint64_t deadline)
{
    while (pthread_mutex_trylock(&net->lock) != 0) {
        if (weft_deadline_is_over(deadline))
            return false;
        sched_yield();
    }
    return true;
}

static void abandon(struct weft_net *net)
{
    net->is_abandoned = true;
    weft_net_together_abandon(net);
    while (!weft_list_is_empty(&net->pending)) {
        struct weft_request *request =
            weft_list_object(net->pending.next, struct weft_request, all);
        if (request->ct != PTL_INVALID_HANDLE)
            PtlCTCancelTriggered(request->ct);
        weft_net_request_end(request, WEFT_ERR_CANCELLED);
    }
}

static bool release(ptl_handle_md_t *md)
{
    if (*md != PTL_INVALID_HANDLE && PtlMDRelease(*md) == PTL_IN_USE)
        return false;
    *md = PTL_INVALID_HANDLE;
    return true;
}

/* What the NIC does not let go of in time stays allocated: it may still be written to. */
static bool let_go(struct weft_net *net)
{
    struct weft_net_patience patience = weft_net_patience_of(LAST_WORDS * WEFT_CLOCK_MILLISECOND);
    bool is_free = false;
    while (weft_net_patience_slice(&patience, 1)) {
        weft_net_request_free_lingering(net);
        is_free = !net->overflow || weft_net_overflow_close(net);
        is_free = release(&net->memory) && is_free;
        is_free = release(&net->quiet) && is_free;
        is_free = release(&net->loud) && is_free;
        is_free = weft_net_ready_end(&net->ready) && is_free;
        if (is_free && weft_list_is_empty(&net->lingering))
            return true;
        if (!weft_net_advance(net, 1))
            weft_net_patience_waited(&patience, 1);
    }
    return false;
}

static void close_parts(struct weft_net *net)
{
    PtlMEUnlink(net->news);
    PtlMEUnlink(net->echo);
    PtlMEUnlink(net->barrier);
    PtlMEUnlink(net->root);
    for (unsigned i = 0; i < net->tables; i++)
        PtlPTFree(net->ni, WEFT_NET_MESSAGES + i);
    PtlCTFree(net->one);
    PtlEQFree(net->eq);
}

/* A child that was forked has a copy, of which no lock, thread or packet is its own. */
static bool is_of_parent(const struct weft_net *net)
{
    return net->owner != getpid();
}

void weft_net_deliver_at_exit(struct weft_net *net)
{
    uint64_t deadline = weft_deadline_of(WEFT_SETTING_TIMEOUT);
    if (is_of_parent(net) || !lock_in_time(net, deadline))
        return;
    deliver(net, deadline);
    pthread_mutex_unlock(&net->lock);
}

void weft_close(weft_net *net)
{
    if (!net || is_of_parent(net))
        return;
    pthread_mutex_lock(&net->lock);
    weft_net_watch_stop(net);
    if (net->eq != PTL_INVALID_HANDLE)
        deliver(net, weft_deadline_after(WEFT_DEADLINE_LONGEST));
    weft_net_expose_end(net);
    abandon(net);
    bool is_free = let_go(net);
    close_parts(net);
    pthread_mutex_unlock(&net->lock);
    if (net->owns_ni) {
        PtlNIFini(net->ni);
        PtlFini();
    }
    if (!is_free) {
        weft_log(WEFT_LOG_WARN, "transfers were still under way when the net was closed");
        return;
    }
    fini_locks(net);
    weft_pool_fini(&net->requests);
    weft_net_direct_close(net);
    weft_net_locator_close(net);
    free(net->peers);
    free(net);
}
