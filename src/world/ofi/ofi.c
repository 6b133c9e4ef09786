/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/ofi/ofi.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "packet/packet.h"
#include "world/card.h"
#include "world/ofi/devices.h"
#include "world/ofi/handshake.h"
#include "world/ofi/keep.h"
#include "world/ofi/peer.h"
#include "world/ofi/provider.h"
#include "world/ofi/receive.h"
#include "world/ofi/send.h"
#include "world/ofi/watch.h"
#include "world/rails.h"
#include "world/real_time.h"

#define WINDOW 64u
#define PACKET_BUFFERS 128u
#define CONTROL_BUFFERS 256u

/* Part of the timeout after which a silent process is asked whether it is there: sooner if another
 * rail could take over. */
#define PROBE_PART 4
#define RAIL_PROBE_PART 16

/* The provider's descriptor is readied for sleepers once in so many polls in vain. */
#define IDLE_POLLS 16u

static struct weft_ofi *of_world(const struct weft_nic_world *world)
{
    return (struct weft_ofi *)world;
}

/* ---- Packets ------------------------------------------------------------------------------- */

static struct weft_nic_route *find_route(struct weft_nic_world *world,
                                         struct weft_nic_address address)
{
    struct weft_ofi *ofi = of_world(world);
    struct weft_ofi_peer *peer = weft_ofi_peer(ofi, address);
    if (!peer)
        return NULL;
    if (peer->known.route.failed && weft_ofi_peer_has_successor(ofi, peer))
        peer->known.route.failed = false;
    peer->known.routed = true;
    if (peer != ofi->self && !peer->known.route.failed && !peer->session &&
        !weft_ofi_peer_begin(ofi, peer))
        return NULL;
    return &peer->known.route;
}

static void *reserve(struct weft_nic_route *route, size_t size)
{
    struct weft_ofi *ofi = of_world(route->world);
    struct weft_ofi_peer *peer = (struct weft_ofi_peer *)route;
    assert(size <= route->world->packet_size);
    (void)size;
    if (route->failed)
        return NULL;
    if (peer == ofi->self)
        return weft_ofi_send_reserve_self(ofi);
    /* It was parked. */
    if (!peer->session && !weft_ofi_peer_begin(ofi, peer))
        return NULL;
    return weft_ofi_send_reserve(ofi, peer->session);
}

static void commit(struct weft_nic_route *route, size_t size)
{
    struct weft_ofi *ofi = of_world(route->world);
    struct weft_ofi_peer *peer = (struct weft_ofi_peer *)route;
    if (peer == ofi->self)
        weft_ofi_send_commit_self(ofi, size);
    else
        weft_ofi_send_commit(ofi, peer->session, size);
}

/* ---- Progress ------------------------------------------------------------------------------ */

static unsigned progress(struct weft_ofi *ofi)
{
    if (ofi->rx.idle)
        weft_ofi_rx_post(&ofi->rx);
    if (!weft_list_is_empty(&ofi->due))
        weft_ofi_session_pay_all(ofi);
    if (!weft_list_is_empty(&ofi->stalled))
        weft_ofi_send_flush_all(ofi);
    return weft_ofi_receive(ofi);
}

static unsigned poll_fabric(struct weft_nic_world *world, struct weft_nic *nic)
{
    struct weft_ofi *ofi = of_world(world);
    ofi->nic = nic;
    unsigned count = progress(ofi);
    if (!weft_list_is_empty(&ofi->keeping))
        count += weft_ofi_keep_poll(ofi);
    if (!weft_list_is_empty(&ofi->loop))
        count += weft_ofi_receive_self(ofi);
    if (count)
        ofi->idle_polls = 0;
    else if (++ofi->idle_polls % IDLE_POLLS == 0)
        weft_ofi_endpoint_arm(&ofi->endpoint);
    return count;
}

static void check_peers(struct weft_nic_world *world, struct weft_nic *nic)
{
    struct weft_ofi *ofi = of_world(world);
    ofi->nic = nic;
    weft_ofi_watch(ofi);
}

/* ---- Time ---------------------------------------------------------------------------------- */

static void sleep_until(struct weft_nic_world *world, uint64_t until)
{
    weft_world_doze_until(&of_world(world)->doze, until);
}

static void wake(struct weft_nic_world *world)
{
    weft_world_doze_wake(&of_world(world)->doze);
}

/* ---- Closing ------------------------------------------------------------------------------- */

static void say_bye(struct weft_ofi *ofi)
{
    struct weft_list *link = ofi->sessions.next;
    while (link != &ofi->sessions) {
        struct weft_ofi_session *session = weft_list_object(link, struct weft_ofi_session, link);
        link = link->next;
        if (session->state == WEFT_OFI_SESSION_OPEN && !session->broken) {
            session->hungry = false;
            weft_ofi_session_close(ofi, session, WEFT_OFI_FRAME_BYE_LEAVE);
        } else if (!weft_ofi_session_is_up(session) || session->broken) {
            weft_ofi_session_free(ofi, session);
        }
    }
}

/* All that we have sent arrives before the answer to our BYE is sent, so that nothing is lost
 * when the fabric's connections are cut. Others need not be there any more, or not listen. */
static void part(struct weft_ofi *ofi)
{
    weft_world_own_time_pass(&ofi->time, weft_clock_now(), ofi->world.timeout);
    uint64_t deadline = ofi->time.now + ofi->world.timeout;
    ofi->nic = NULL;
    say_bye(ofi);
    while (ofi->open_count || ofi->flying) {
        if (progress(ofi) == 0)
            sched_yield();
        weft_world_own_time_pass(&ofi->time, weft_clock_now(), ofi->world.timeout);
        if (ofi->time.now >= deadline) {
            weft_log(WEFT_LOG_INFO, "%u processes did not answer our farewell", ofi->open_count);
            break;
        }
    }
}

static void free_all(struct weft_ofi *ofi)
{
    while (!weft_list_is_empty(&ofi->sessions))
        weft_ofi_session_free(ofi,
                              weft_list_object(ofi->sessions.next, struct weft_ofi_session, link));
    /* The endpoint before the memory that it uses, and that before what it is registered with. */
    weft_ofi_endpoint_stop(&ofi->endpoint);
    weft_ofi_tx_pool_fini(&ofi->packets);
    weft_ofi_tx_pool_fini(&ofi->controls);
    weft_ofi_rx_close(&ofi->rx);
    weft_ofi_endpoint_close(&ofi->endpoint);
    weft_world_doze_close(&ofi->doze);
    weft_world_peer_free_all(&ofi->peers);
    free(ofi);
}

static void close_world(struct weft_nic_world *world)
{
    part(of_world(world));
    free_all(of_world(world));
}

/* ---- Opening ------------------------------------------------------------------------------- */

static const struct weft_nic_world_ops ops = {
    .now = weft_world_clock,
    .route = find_route,
    .reserve = reserve,
    .commit = commit,
    .poll = poll_fabric,
    .check = check_peers,
    .sleep = sleep_until,
    .wake = wake,
    .relax = weft_world_relax,
    .close = close_world,
};

static uint32_t payload_of(const struct weft_world_config *config)
{
    return weft_world_payload(config->payload, WEFT_WORLD_PAYLOAD);
}

static bool fill(struct weft_ofi *ofi, const struct weft_world_config *config)
{
    ofi->world.ops = &ops;
    if (!weft_world_begin(&ofi->world, config, payload_of(config), &ofi->instance))
        return false;
    ofi->probe_pause = config->timeout / (ofi->rail ? RAIL_PROBE_PART : PROBE_PART);
    ofi->window = config->window ? config->window : WINDOW;
    ofi->session_limit = config->session_limit;
    ofi->directory = config->directory;
    ofi->share = ofi->window;
    ofi->time = weft_world_own_time_begin();
    memcpy(ofi->key, config->key, sizeof ofi->key);
    return true;
}

static bool open_fabric(struct weft_ofi *ofi, const struct weft_world_config *config)
{
    size_t wanted = WEFT_OFI_FRAME_HEAD + WEFT_PACKET_HEADERS + payload_of(config);
    if (!weft_ofi_endpoint_open(&ofi->endpoint, wanted, config->provider, config->interface) ||
        !weft_world_doze_open(&ofi->doze, ofi->endpoint.wait) ||
        !weft_ofi_rx_open(&ofi->rx, &ofi->endpoint))
        return false;
    size_t frame_size = ofi->endpoint.frame_size;
    ofi->world.packet_size = (uint32_t)(frame_size - WEFT_OFI_FRAME_HEAD);
    weft_ofi_tx_pool_init(&ofi->packets, &ofi->endpoint, frame_size, PACKET_BUFFERS);
    weft_ofi_tx_pool_init(&ofi->controls, &ofi->endpoint, WEFT_OFI_FRAME_CONTROL_MAX,
                          CONTROL_BUFFERS);
    weft_log(WEFT_LOG_INFO, "libfabric's provider %s on %s",
             ofi->endpoint.info->fabric_attr->prov_name, ofi->endpoint.info->domain_attr->name);
    return true;
}

static bool make_card(struct weft_ofi *ofi)
{
    weft_world_card_begin(&ofi->card, ofi->instance);
    size_t size = weft_ofi_endpoint_name(&ofi->endpoint, ofi->card.bytes + WEFT_WORLD_CARD_HEAD,
                                         WEFT_WORLD_CARD_MAX - WEFT_WORLD_CARD_HEAD);
    ofi->card.size += (uint32_t)size;
    return size > 0;
}

static bool open_table(struct weft_ofi *ofi)
{
    if (weft_index_init(&ofi->peers))
        ofi->self = weft_ofi_peer(ofi, ofi->world.self);
    if (!ofi->self)
        weft_log(WEFT_LOG_ERROR, "there is not enough memory");
    return ofi->self;
}

static struct weft_nic_world *open_alone(const struct weft_world_config *config,
                                         struct weft_world_rail *rail, struct weft_world_card *own)
{
    struct weft_ofi *ofi = calloc(1, sizeof *ofi);
    if (!ofi) {
        weft_log(WEFT_LOG_ERROR, "there is not enough memory");
        return NULL;
    }
    ofi->rail = rail;
    ofi->doze.bell = -1;
    weft_list_init(&ofi->loop);
    weft_list_init(&ofi->sessions);
    weft_list_init(&ofi->stalled);
    weft_list_init(&ofi->due);
    weft_list_init(&ofi->keeping);
    weft_ofi_tx_pool_init(&ofi->packets, &ofi->endpoint, 0, 0);
    weft_ofi_tx_pool_init(&ofi->controls, &ofi->endpoint, 0, 0);
    if (!fill(ofi, config) || !open_fabric(ofi, config) || !make_card(ofi) || !open_table(ofi)) {
        free_all(ofi);
        return NULL;
    }
    *own = ofi->card;
    return &ofi->world;
}

/* ---- As one of several rails --------------------------------------------------------------- */

static int descriptor(const struct weft_nic_world *world)
{
    return of_world(world)->endpoint.wait;
}

static void disown(struct weft_nic_world *world, struct weft_nic_address address,
                   uint64_t instance)
{
    weft_ofi_peer_disown(of_world(world), address, instance);
}

static bool ask(struct weft_nic_world *world, struct weft_nic_address address)
{
    return weft_ofi_peer_ask(of_world(world), address);
}

static bool is_used(const struct weft_nic_world *world, struct weft_nic_address address)
{
    const struct weft_ofi_peer *peer = weft_ofi_peer_find(of_world(world), address);
    return peer && peer->session;
}

static bool is_steady(const struct weft_nic_world *world, struct weft_nic_address address,
                      uint64_t span)
{
    const struct weft_ofi *ofi = of_world(world);
    const struct weft_ofi_peer *peer = weft_ofi_peer_find(ofi, address);
    const struct weft_ofi_session *session = peer ? peer->session : NULL;
    return session && session->state == WEFT_OFI_SESSION_OPEN && !session->broken &&
           ofi->time.now - session->heard_at < 2 * ofi->probe_pause &&
           ofi->time.now - session->steady_at >= span;
}

static const struct weft_world_rail_ops rail_ops = {
    .open = open_alone,
    .descriptor = descriptor,
    .disown = disown,
    .ask = ask,
    .is_used = is_used,
    .is_steady = is_steady,
};

struct weft_nic_world *weft_ofi_open(const struct weft_world_config *config,
                                     struct weft_world_card *own)
{
    return weft_world_rails_open(&rail_ops, config, own);
}

/* ---- Questions ----------------------------------------------------------------------------- */

static struct weft_world_counts counts_of_one(const struct weft_nic_world *world)
{
    struct weft_world_counts counts = of_world(world)->counts;
    counts.sessions = of_world(world)->open_count;
    return counts;
}

struct weft_world_counts weft_ofi_counts(const struct weft_nic_world *world)
{
    return weft_world_rails_counts(world, counts_of_one);
}

static const struct fi_info *info_of(const struct weft_nic_world *world)
{
    return of_world(world)->endpoint.info;
}

const char *weft_ofi_provider(const struct weft_nic_world *world)
{
    return info_of(weft_world_rails_at(world, 0))->fabric_attr->prov_name;
}

const char *weft_ofi_interface(const struct weft_nic_world *world)
{
    const char *names = weft_world_rails_names(world);
    return names ? names : info_of(world)->domain_attr->name;
}

bool weft_ofi_is_exposed(const struct weft_nic_world *world)
{
    const struct weft_nic_world *rail;
    for (unsigned i = 0; (rail = weft_world_rails_at(world, i)); i++)
        if (weft_ofi_provider_is_exposed(info_of(rail)))
            return true;
    return false;
}

bool weft_ofi_isolates(const char *interface)
{
    if (!weft_ofi_devices_exist(WEFT_OFI_DEVICE_CLASSES))
        return false;
    struct fi_info *list = weft_ofi_provider_list(WEFT_OFI_FRAME_HEAD + WEFT_PACKET_SMALLEST);
    bool isolates = weft_ofi_provider_isolates(list, interface);
    fi_freeinfo(list);
    return isolates;
}
