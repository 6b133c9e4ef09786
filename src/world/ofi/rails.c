/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/ofi/rails.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/log.h"
#include "world/card.h"
#include "world/ofi/peer.h"
#include "world/ofi/provider.h"
#include "world/real_time.h"
#include "world/secret.h"

/* Part of the timeout for which a rail is silent before it counts as cut, if another was heard all
 * the time. */
#define CUT_PART 4

struct rail {
    struct weft_world_directory directory; /* must be first */
    struct weft_ofi_rails *rails;
    unsigned index;
    struct weft_ofi *ofi;
    char interface[WEFT_OFI_INTERFACE_MAX];
};

/* A process, and the ways to it. */
struct target {
    struct weft_nic_route route; /* must be first */
    struct weft_index_node node;
    struct weft_nic_route *ways[WEFT_OFI_RAILS_MAX]; /* once route() was called for it */
    unsigned turn;                                   /* of the way for the next packet */
    uint32_t lost;     /* a bit for each rail that does not lead there */
    uint64_t instance; /* of the process that a rail was connected with; 0: none */
};

struct weft_ofi_rails {
    struct weft_nic_world world; /* must be first */
    unsigned count;
    struct rail rails[WEFT_OFI_RAILS_MAX];
    struct weft_index targets;
    struct weft_world_directory *directory;
    struct weft_world_doze doze;
    int waits; /* for the completion queues of all */
    uint64_t lost;
    char *interfaces;
};

static struct weft_ofi_rails *of_world(const struct weft_nic_world *world)
{
    return (struct weft_ofi_rails *)world;
}

static uint32_t all_of(const struct weft_ofi_rails *rails)
{
    return (1u << rails->count) - 1;
}

/* Its bit in a set of rails. */
static uint32_t bit_of(const struct weft_ofi *rail)
{
    uint32_t bit = 1;
    for (const struct rail *at = rail->rails->rails; at->ofi != rail; at++)
        bit <<= 1;
    return bit;
}

/* ---- Targets ------------------------------------------------------------------------------- */

static struct target *find_target(const struct weft_ofi_rails *rails,
                                  struct weft_nic_address address)
{
    struct weft_index_node *node =
        weft_index_first(&rails->targets, weft_nic_address_hash(address));
    for (; node; node = weft_index_next(&rails->targets, node)) {
        struct target *target = weft_list_object(node, struct target, node);
        if (weft_nic_address_is(target->route.address, address))
            return target;
    }
    return NULL;
}

/* Finds or makes it; NULL without memory. */
static struct target *target_at(struct weft_ofi_rails *rails, struct weft_nic_address address)
{
    struct target *target = find_target(rails, address);
    if (target)
        return target;
    target = calloc(1, sizeof *target);
    if (!target)
        return NULL;
    target->route.world = &rails->world;
    target->route.address = address;
    weft_index_add(&rails->targets, &target->node, weft_nic_address_hash(address));
    return target;
}

/* ---- Packets ------------------------------------------------------------------------------- */

static bool find_ways(struct weft_ofi_rails *rails, struct target *target)
{
    for (unsigned i = 0; i < rails->count; i++) {
        struct weft_nic_world *world = &rails->rails[i].ofi->world;
        target->ways[i] = world->ops->route(world, target->route.address);
        if (!target->ways[i])
            return false;
        target->lost &= ~(1u << i);
        target->lost |= (uint32_t)target->ways[i]->failed << i;
    }
    target->route.failed = target->lost == all_of(rails);
    return true;
}

static struct weft_nic_route *find_route(struct weft_nic_world *world,
                                         struct weft_nic_address address)
{
    struct weft_ofi_rails *rails = of_world(world);
    struct target *target = target_at(rails, address);
    if (!target)
        return NULL;
    bool is_known = target->ways[rails->count - 1] && !target->route.failed;
    return is_known || find_ways(rails, target) ? &target->route : NULL;
}

/* Whoever has room is next: a rail that is slow or not connected leaves its turn to others. */
static void *reserve(struct weft_nic_route *route, size_t size)
{
    struct target *target = (struct target *)route;
    unsigned count = of_world(route->world)->count;
    for (unsigned i = 0; i < count && !route->failed; i++) {
        struct weft_nic_route *way = target->ways[target->turn];
        void *place = way->world->ops->reserve(way, size);
        if (place)
            return place;
        target->turn = (target->turn + 1) % count;
    }
    return NULL;
}

static void commit(struct weft_nic_route *route, size_t size)
{
    struct target *target = (struct target *)route;
    struct weft_nic_route *way = target->ways[target->turn];
    way->world->ops->commit(way, size);
    target->turn = (target->turn + 1) % of_world(route->world)->count;
}

/* ---- Progress ------------------------------------------------------------------------------ */

static unsigned poll_rails(struct weft_nic_world *world, struct weft_nic *nic)
{
    struct weft_ofi_rails *rails = of_world(world);
    unsigned count = 0;
    for (unsigned i = 0; i < rails->count; i++) {
        struct weft_nic_world *rail = &rails->rails[i].ofi->world;
        count += rail->ops->poll(rail, nic);
    }
    if (count)
        weft_world_doze_progress(&rails->doze);
    return count;
}

static void check_rails(struct weft_nic_world *world, struct weft_nic *nic)
{
    struct weft_ofi_rails *rails = of_world(world);
    for (unsigned i = 0; i < rails->count; i++) {
        struct weft_nic_world *rail = &rails->rails[i].ofi->world;
        rail->ops->check(rail, nic);
    }
}

static void sleep_until(struct weft_nic_world *world, uint64_t until)
{
    weft_world_doze_until(&of_world(world)->doze, until);
}

static void wake(struct weft_nic_world *world)
{
    weft_world_doze_wake(&of_world(world)->doze);
}

/* ---- Sessions that begin and end ----------------------------------------------------------- */

/* No rail has to do with the process any more. */
static void fail(struct weft_ofi_rails *rails, struct weft_nic *nic, struct target *target)
{
    for (unsigned i = 0; i < rails->count && target->instance; i++)
        weft_ofi_peer_disown(rails->rails[i].ofi, target->route.address, target->instance);
    target->instance = 0;
    target->lost = all_of(rails);
    target->route.failed = true;
    weft_nic_peer_failed(nic, target->route.address);
}

bool weft_ofi_rails_opened(struct weft_ofi *rail, const struct weft_ofi_session *session)
{
    struct target *target = target_at(rail->rails, session->peer->known.route.address);
    if (!target)
        return false;
    /* Another process has the address now, whatever other rails still think. */
    if (target->instance && target->instance != session->instance)
        fail(rail->rails, rail->nic, target);
    target->instance = session->instance;
    target->lost &= ~bit_of(rail);
    /* Nobody asks for the way again while others lead there. */
    session->peer->known.route.failed = false;
    return true;
}

/* A rail without a session would not notice that the process is dead. */
static void ask_others(struct weft_ofi_rails *rails, struct target *target)
{
    for (unsigned i = 0; i < rails->count; i++)
        if (!(target->lost & 1u << i) &&
            !weft_ofi_peer_ask(rails->rails[i].ofi, target->route.address))
            target->lost |= 1u << i;
}

/* It says so by every rail that it is connected by. */
static void release_idle(struct weft_ofi_rails *rails, struct target *target)
{
    for (unsigned i = 0; i < rails->count; i++) {
        const struct weft_ofi_peer *peer =
            weft_ofi_peer_find(rails->rails[i].ofi, target->route.address);
        if (!peer || !peer->session)
            target->lost |= 1u << i;
    }
}

void weft_ofi_rails_ended(struct weft_ofi *rail, struct weft_nic_address address,
                          uint64_t instance, bool has_left)
{
    struct weft_ofi_rails *rails = rail->rails;
    struct target *target = find_target(rails, address);
    /* Nothing new, or of a process that has failed before, and another one has its place. */
    if (!target || target->lost == all_of(rails) ||
        (target->instance && instance && instance != target->instance))
        return;
    target->lost |= bit_of(rail);
    if (has_left)
        release_idle(rails, target);
    else
        ask_others(rails, target);
    if (target->lost == all_of(rails))
        fail(rails, rail->nic, target);
    else if (!has_left)
        weft_nic_packets_lost(rail->nic, address);
}

bool weft_ofi_rails_lose(const struct weft_ofi *rail, const struct weft_ofi_session *session,
                         const char *why)
{
    struct weft_ofi_rails *rails = rail->rails;
    const struct target *target = find_target(rails, session->peer->known.route.address);
    if (!target || (target->lost | bit_of(rail)) == all_of(rails))
        return false;
    /* It was never there: the last rail tells that. */
    if (!target->instance)
        return true;
    rails->lost++;
    weft_log(WEFT_LOG_WARN, "the rail on %s to process %u:%u is lost, and others carry on: %s",
             rail->endpoint.info->domain_attr->name, target->route.address.nid,
             target->route.address.pid, why);
    return true;
}

/* ---- Silence ------------------------------------------------------------------------------- */

static bool is_steady(const struct weft_ofi *rail, const struct weft_ofi_session *session)
{
    return session->state == WEFT_OFI_SESSION_OPEN && !session->broken &&
           rail->time.now - session->heard_at < 2 * rail->probe_pause &&
           rail->time.now - session->steady_at >= rail->world.timeout / CUT_PART;
}

bool weft_ofi_rails_is_cut(const struct weft_ofi *rail, const struct weft_ofi_session *session)
{
    const struct weft_ofi_rails *rails = rail->rails;
    if (rail->time.now - session->heard_at < rail->world.timeout / CUT_PART)
        return false;
    for (unsigned i = 0; i < rails->count; i++) {
        const struct weft_ofi *other = rails->rails[i].ofi;
        const struct weft_ofi_peer *peer =
            weft_ofi_peer_find(other, session->peer->known.route.address);
        if (other != rail && peer && peer->session && is_steady(other, peer->session))
            return true;
    }
    return false;
}

/* ---- Opening and closing ------------------------------------------------------------------- */

/* A card of other rails than ours becomes one that leads nowhere, of which the log then tells. */
static int find_card(struct weft_world_directory *directory, struct weft_nic_address address,
                     struct weft_world_card *card)
{
    const struct rail *rail = (const struct rail *)directory;
    struct weft_world_directory *all = rail->rails->directory;
    struct weft_world_card found = {0};
    int result = all->find(all, address, &found);
    if (result)
        return result;
    if (found.size <= WEFT_WORLD_CARD_HEAD || found.size > WEFT_WORLD_CARD_MAX)
        return -EINVAL;
    if (weft_world_card_part(&found, rail->rails->count, rail->index, card))
        return 0;
    weft_world_card_begin(card, weft_world_card_instance(&found));
    card->bytes[card->size++] = UINT8_MAX;
    return 0;
}

static bool name_rails(struct weft_ofi_rails *rails, const char *interfaces)
{
    unsigned count = weft_ofi_provider_interfaces(interfaces);
    for (unsigned i = 0; i < count && count <= WEFT_OFI_RAILS_MAX; i++) {
        struct rail *rail = &rails->rails[i];
        *rail = (struct rail){.directory = {find_card}, .rails = rails, .index = i};
        rails->count += weft_ofi_provider_interface(interfaces, i, rail->interface);
    }
    if (rails->count == count)
        return true;
    weft_log(WEFT_LOG_ERROR,
             "'%s' is no list of up to %u interfaces: their names, with commas between them",
             interfaces, WEFT_OFI_RAILS_MAX);
    return false;
}

static bool open_rail(struct weft_ofi_rails *rails, struct rail *rail,
                      const struct weft_world_config *config)
{
    struct weft_world_config own = *config;
    own.interface = rail->interface;
    own.directory = &rail->directory;
    rail->ofi = weft_ofi_open_rail(&own, rails);
    if (!rail->ofi)
        return false;
    uint32_t size = rail->ofi->world.packet_size;
    if (size < rails->world.packet_size)
        rails->world.packet_size = size;
    return true;
}

static bool open_rails(struct weft_ofi_rails *rails, const struct weft_world_config *config)
{
    struct weft_world_config common = *config;
    if (!weft_world_random(&common.instance, sizeof common.instance)) {
        weft_log(WEFT_LOG_ERROR, "the system has no random numbers");
        return false;
    }
    for (unsigned i = 0; i < rails->count; i++)
        if (!open_rail(rails, &rails->rails[i], &common))
            return false;
    return true;
}

/* Where a rail has nothing to wait for, sleepers take naps. */
static bool open_doze(struct weft_ofi_rails *rails)
{
    bool waits = true;
    rails->waits = epoll_create1(EPOLL_CLOEXEC);
    for (unsigned i = 0; i < rails->count && rails->waits >= 0; i++) {
        struct epoll_event event = {.events = EPOLLIN};
        int descriptor = rails->rails[i].ofi->endpoint.wait;
        waits &=
            descriptor >= 0 && epoll_ctl(rails->waits, EPOLL_CTL_ADD, descriptor, &event) == 0;
    }
    return weft_world_doze_open(&rails->doze, waits ? rails->waits : -1);
}

static bool make_card(const struct weft_ofi_rails *rails, struct weft_world_card *own)
{
    weft_world_card_begin(own, rails->rails[0].ofi->instance);
    for (unsigned i = 0; i < rails->count; i++)
        if (!weft_world_card_add(own, &rails->rails[i].ofi->card)) {
            weft_log(WEFT_LOG_ERROR,
                     "the addresses of %u interfaces are too long for one card: name fewer",
                     rails->count);
            return false;
        }
    return true;
}

static void free_target(struct weft_index_node *node)
{
    free(weft_list_object(node, struct target, node));
}

static void close_rails(struct weft_nic_world *world)
{
    struct weft_ofi_rails *rails = of_world(world);
    for (unsigned i = 0; i < rails->count; i++) {
        struct weft_ofi *ofi = rails->rails[i].ofi;
        if (ofi)
            ofi->world.ops->close(&ofi->world);
    }
    weft_world_doze_close(&rails->doze);
    if (rails->waits >= 0)
        close(rails->waits);
    weft_index_clear(&rails->targets, free_target);
    weft_index_fini(&rails->targets);
    free(rails->interfaces);
    free(rails);
}

static const struct weft_nic_world_ops ops = {
    .now = weft_world_clock,
    .route = find_route,
    .reserve = reserve,
    .commit = commit,
    .poll = poll_rails,
    .check = check_rails,
    .sleep = sleep_until,
    .wake = wake,
    .relax = weft_world_relax,
    .close = close_rails,
};

static struct weft_ofi_rails *new_rails(const struct weft_world_config *config)
{
    struct weft_ofi_rails *rails = calloc(1, sizeof *rails);
    if (!rails)
        return NULL;
    rails->world = (struct weft_nic_world){.ops = &ops,
                                           .self = config->self,
                                           .uid = config->uid,
                                           .packet_size = UINT32_MAX,
                                           .reliable = true,
                                           .reorders = true,
                                           .timeout = config->timeout};
    rails->directory = config->directory;
    rails->doze.bell = rails->waits = -1;
    rails->interfaces = strdup(config->interface);
    if (rails->interfaces && weft_index_init(&rails->targets))
        return rails;
    free(rails->interfaces);
    free(rails);
    return NULL;
}

struct weft_nic_world *weft_ofi_rails_open(const struct weft_world_config *config,
                                           struct weft_world_card *own)
{
    struct weft_ofi_rails *rails = new_rails(config);
    if (!rails) {
        weft_log(WEFT_LOG_ERROR, "there is not enough memory");
        return NULL;
    }
    if (name_rails(rails, config->interface) && open_rails(rails, config) && open_doze(rails) &&
        make_card(rails, own))
        return &rails->world;
    close_rails(&rails->world);
    return NULL;
}

/* ---- Questions ----------------------------------------------------------------------------- */

/* No world of a single rail reorders packets. */
static bool is_of_rails(const struct weft_nic_world *world)
{
    return world->reorders;
}

const struct weft_ofi *weft_ofi_rails_at(const struct weft_nic_world *world, unsigned index)
{
    if (!is_of_rails(world))
        return index == 0 ? (const struct weft_ofi *)world : NULL;
    const struct weft_ofi_rails *rails = of_world(world);
    return index < rails->count ? rails->rails[index].ofi : NULL;
}

const char *weft_ofi_rails_interfaces(const struct weft_nic_world *world)
{
    return is_of_rails(world) ? of_world(world)->interfaces
                              : weft_ofi_rails_at(world, 0)->endpoint.info->domain_attr->name;
}

uint64_t weft_ofi_rails_lost(const struct weft_nic_world *world)
{
    return is_of_rails(world) ? of_world(world)->lost : 0;
}
