/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/rails.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/index.h"
#include "base/list.h"
#include "base/log.h"
#include "nic/nic.h"
#include "world/card.h"
#include "world/doze.h"
#include "world/real_time.h"
#include "world/secret.h"

/* Part of the timeout for which a rail is silent before it counts as cut, if another was heard all
 * the time. */
#define CUT_PART 4

struct weft_world_rail {
    struct weft_world_directory directory; /* must be first */
    struct rails *rails;
    unsigned index;
    struct weft_nic_world *world;
    char interface[WEFT_WORLD_INTERFACE_MAX];
};

/* A process, and the ways to it. */
struct target {
    struct weft_nic_route route; /* must be first */
    struct weft_index_node node;
    struct weft_nic_route *ways[WEFT_WORLD_RAILS_MAX]; /* once route() was called for it */
    unsigned turn;                                     /* of the way for the next packet */
    uint32_t lost;     /* a bit for each rail that does not lead there */
    uint64_t instance; /* of the process that a rail was connected with; 0: none */
};

struct rails {
    struct weft_nic_world world; /* must be first */
    const struct weft_world_rail_ops *kind;
    unsigned count;
    struct weft_world_rail rails[WEFT_WORLD_RAILS_MAX];
    struct weft_index targets;
    struct weft_world_directory *directory;
    struct weft_world_doze doze;
    int waits; /* for the descriptors of all */
    uint64_t lost;
    char *interfaces;
};

static struct rails *of_world(const struct weft_nic_world *world)
{
    return (struct rails *)world;
}

static uint32_t all_of(const struct rails *rails)
{
    return (1u << rails->count) - 1;
}

/* Its bit in a set of rails. */
static uint32_t bit_of(const struct weft_world_rail *rail)
{
    return 1u << rail->index;
}

/* ---- Targets ------------------------------------------------------------------------------- */

static struct target *find_target(const struct rails *rails, struct weft_nic_address address)
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
static struct target *target_at(struct rails *rails, struct weft_nic_address address)
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

static bool find_ways(struct rails *rails, struct target *target)
{
    for (unsigned i = 0; i < rails->count; i++) {
        struct weft_nic_world *world = rails->rails[i].world;
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
    struct rails *rails = of_world(world);
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

/* The NIC numbers these packets, and keeps a copy of each: nothing is gained by `commit_from`. */
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
    struct rails *rails = of_world(world);
    unsigned count = 0;
    for (unsigned i = 0; i < rails->count; i++) {
        struct weft_nic_world *rail = rails->rails[i].world;
        count += rail->ops->poll(rail, nic);
    }
    if (count)
        weft_world_doze_progress(&rails->doze);
    return count;
}

static void check_rails(struct weft_nic_world *world, struct weft_nic *nic)
{
    struct rails *rails = of_world(world);
    for (unsigned i = 0; i < rails->count; i++) {
        struct weft_nic_world *rail = rails->rails[i].world;
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

/* ---- Connections that begin and end -------------------------------------------------------- */

/* No rail has to do with the process any more. */
static void fail(struct rails *rails, struct weft_nic *nic, struct target *target)
{
    for (unsigned i = 0; i < rails->count && target->instance; i++)
        rails->kind->disown(rails->rails[i].world, target->route.address, target->instance);
    target->instance = 0;
    target->lost = all_of(rails);
    target->route.failed = true;
    weft_nic_peer_failed(nic, target->route.address);
}

bool weft_world_rail_opened(struct weft_world_rail *rail, struct weft_nic *nic,
                            struct weft_nic_address address, uint64_t instance)
{
    struct target *target = target_at(rail->rails, address);
    if (!target)
        return false;
    /* Another process has the address now, whatever other rails still think. */
    if (target->instance && target->instance != instance)
        fail(rail->rails, nic, target);
    target->instance = instance;
    target->lost &= ~bit_of(rail);
    return true;
}

/* A rail that is not connected would not notice that the process is dead. */
static void ask_others(const struct rails *rails, struct target *target)
{
    for (unsigned i = 0; i < rails->count; i++)
        if (!(target->lost & 1u << i) &&
            !rails->kind->ask(rails->rails[i].world, target->route.address))
            target->lost |= 1u << i;
}

/* It says so by every rail that it is connected by. */
static void release_idle(const struct rails *rails, struct target *target)
{
    for (unsigned i = 0; i < rails->count; i++)
        if (!rails->kind->is_used(rails->rails[i].world, target->route.address))
            target->lost |= 1u << i;
}

void weft_world_rail_ended(struct weft_world_rail *rail, struct weft_nic *nic,
                           struct weft_nic_address address, uint64_t instance, bool has_left)
{
    struct rails *rails = rail->rails;
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
        fail(rails, nic, target);
    else if (!has_left)
        weft_nic_packets_lost(nic, address);
}

bool weft_world_rail_lose(const struct weft_world_rail *rail, struct weft_nic_address address,
                          const char *why)
{
    struct rails *rails = rail->rails;
    const struct target *target = find_target(rails, address);
    if (!target || (target->lost | bit_of(rail)) == all_of(rails))
        return false;
    /* It was never there: the last rail tells that. */
    if (!target->instance)
        return true;
    rails->lost++;
    weft_log(WEFT_LOG_WARN, "the rail on %s to process %u:%u is lost, and others carry on: %s",
             rail->interface, address.nid, address.pid, why);
    return true;
}

bool weft_world_rail_is_cut(const struct weft_world_rail *rail, struct weft_nic_address address,
                            uint64_t silence)
{
    const struct rails *rails = rail->rails;
    uint64_t span = rails->world.timeout / CUT_PART;
    for (unsigned i = 0; i < rails->count && silence >= span; i++)
        if (i != rail->index && rails->kind->is_steady(rails->rails[i].world, address, span))
            return true;
    return false;
}

/* ---- Lists of interfaces ------------------------------------------------------------------- */

unsigned weft_world_rails_interfaces(const char *list)
{
    unsigned count = 1;
    for (; *list; list++)
        count += *list == ',';
    return count;
}

bool weft_world_rails_interface(const char *list, unsigned index,
                                char name[WEFT_WORLD_INTERFACE_MAX])
{
    for (; index && *list; list++)
        index -= *list == ',';
    size_t length = strcspn(list, ",");
    if (length == 0 || length >= WEFT_WORLD_INTERFACE_MAX)
        return false;
    memcpy(name, list, length);
    name[length] = '\0';
    return true;
}

/* ---- Opening and closing ------------------------------------------------------------------- */

/* A card of other rails than ours becomes one that leads nowhere, of which the log then tells. */
static int find_card(struct weft_world_directory *directory, struct weft_nic_address address,
                     struct weft_world_card *card)
{
    const struct weft_world_rail *rail = (const struct weft_world_rail *)directory;
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

static bool name_rails(struct rails *rails, const char *interfaces)
{
    unsigned count = weft_world_rails_interfaces(interfaces);
    for (unsigned i = 0; i < count && count <= WEFT_WORLD_RAILS_MAX; i++) {
        struct weft_world_rail *rail = &rails->rails[i];
        *rail = (struct weft_world_rail){.directory = {find_card}, .rails = rails, .index = i};
        rails->count += weft_world_rails_interface(interfaces, i, rail->interface);
    }
    if (rails->count == count)
        return true;
    weft_log(WEFT_LOG_ERROR,
             "'%s' is no list of up to %u interfaces: their names, with commas between them",
             interfaces, WEFT_WORLD_RAILS_MAX);
    return false;
}

static bool open_rail(struct rails *rails, struct weft_world_rail *rail,
                      const struct weft_world_config *config, struct weft_world_card *own)
{
    struct weft_world_config alone = *config;
    struct weft_world_card card;
    alone.interface = rail->interface;
    alone.directory = &rail->directory;
    rail->world = rails->kind->open(&alone, rail, &card);
    weft_world_wipe(alone.key, sizeof alone.key);
    if (!rail->world)
        return false;
    if (rail->world->packet_size < rails->world.packet_size)
        rails->world.packet_size = rail->world->packet_size;
    if (weft_world_card_add(own, &card))
        return true;
    weft_log(WEFT_LOG_ERROR,
             "the addresses of %u interfaces are too long for one card: name fewer", rails->count);
    return false;
}

static bool open_rails(struct rails *rails, const struct weft_world_config *config,
                       struct weft_world_card *own)
{
    struct weft_world_config common = *config;
    bool are_open = weft_world_random(&common.instance, sizeof common.instance);
    if (!are_open)
        weft_log(WEFT_LOG_ERROR, "the system has no random numbers");
    weft_world_card_begin(own, common.instance);
    for (unsigned i = 0; i < rails->count && are_open; i++)
        are_open = open_rail(rails, &rails->rails[i], &common, own);
    weft_world_wipe(common.key, sizeof common.key);
    return are_open;
}

/* Where a rail has nothing to wait for, sleepers take naps. */
static bool open_doze(struct rails *rails)
{
    bool waits = true;
    rails->waits = epoll_create1(EPOLL_CLOEXEC);
    for (unsigned i = 0; i < rails->count && rails->waits >= 0; i++) {
        struct epoll_event event = {.events = EPOLLIN};
        int descriptor = rails->kind->descriptor(rails->rails[i].world);
        waits &=
            descriptor >= 0 && epoll_ctl(rails->waits, EPOLL_CTL_ADD, descriptor, &event) == 0;
    }
    return weft_world_doze_open(&rails->doze, waits ? rails->waits : -1);
}

static void free_target(struct weft_index_node *node)
{
    free(weft_list_object(node, struct target, node));
}

static void close_rails(struct weft_nic_world *world)
{
    struct rails *rails = of_world(world);
    for (unsigned i = 0; i < rails->count; i++) {
        struct weft_nic_world *rail = rails->rails[i].world;
        if (rail)
            rail->ops->close(rail);
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

static struct rails *new_rails(const struct weft_world_rail_ops *kind,
                               const struct weft_world_config *config)
{
    struct rails *rails = calloc(1, sizeof *rails);
    if (!rails)
        return NULL;
    rails->kind = kind;
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

struct weft_nic_world *weft_world_rails_open(const struct weft_world_rail_ops *kind,
                                             const struct weft_world_config *config,
                                             struct weft_world_card *own)
{
    if (weft_world_rails_interfaces(config->interface) == 1)
        return kind->open(config, NULL, own);
    struct rails *rails = new_rails(kind, config);
    if (!rails) {
        weft_log(WEFT_LOG_ERROR, "there is not enough memory");
        return NULL;
    }
    if (!name_rails(rails, config->interface) || !open_rails(rails, config, own) ||
        !open_doze(rails)) {
        close_rails(&rails->world);
        return NULL;
    }
    return &rails->world;
}

/* ---- Questions ----------------------------------------------------------------------------- */

/* No world of a single rail reorders packets. */
static bool is_of_rails(const struct weft_nic_world *world)
{
    return world->reorders;
}

const struct weft_nic_world *weft_world_rails_at(const struct weft_nic_world *world,
                                                 unsigned index)
{
    if (!is_of_rails(world))
        return index == 0 ? world : NULL;
    const struct rails *rails = of_world(world);
    return index < rails->count ? rails->rails[index].world : NULL;
}

struct weft_world_counts
weft_world_rails_counts(const struct weft_nic_world *world,
                        struct weft_world_counts (*of_one)(const struct weft_nic_world *world))
{
    struct weft_world_counts sum = {.rails_lost = is_of_rails(world) ? of_world(world)->lost : 0};
    const struct weft_nic_world *rail;
    for (unsigned i = 0; (rail = weft_world_rails_at(world, i)); i++) {
        struct weft_world_counts one = of_one(rail);
        sum.strangers += one.strangers;
        sum.forgeries += one.forgeries;
        sum.sessions += one.sessions;
        sum.opened += one.opened;
        sum.parked += one.parked;
        sum.failed += one.failed;
    }
    return sum;
}

const char *weft_world_rails_names(const struct weft_nic_world *world)
{
    return is_of_rails(world) ? of_world(world)->interfaces : NULL;
}
