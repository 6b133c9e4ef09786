/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/shm/shm.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/deadline.h"
#include "base/log.h"
#include "base/setting.h"
#include "packet/packet.h"
#include "world/real_time.h"
#include "world/shm/peer.h"

/* Packets from one sender before the next has its turn. */
#define BATCH 16u

/* Cheap enough to be asked for more often than it pays to look. */
#define CHECK_INTERVAL (WEFT_CLOCK_MILLISECOND / 5)

/* A sender does not order its look at `sleeping` after its packet: the fence would cost more than
 * the packet. So a wake-up can be missed, rarely, and no sleep is longer than this. */
#define LONGEST_SLEEP WEFT_CLOCK_MILLISECOND

static struct weft_shm *of_world(struct weft_nic_world *world)
{
    return (struct weft_shm *)world;
}

/* ---- Packets ------------------------------------------------------------------------------- */

static void ring_doorbell(struct weft_shm_segment_head *head)
{
    /* Cleared here and not by the sleepers, of which there may be several: until the first of
     * them runs again, no more packets pay for waking it. */
    atomic_store_explicit(&head->sleeping, 0, memory_order_relaxed);
    atomic_fetch_add_explicit(&head->doorbell, 1, memory_order_release);
    syscall(SYS_futex, &head->doorbell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* The place is lost if a check retires the peer before the commit. */
static void *reserve(struct weft_nic_route *route, size_t size)
{
    struct weft_shm_peer *peer = (struct weft_shm_peer *)route;
    assert(size <= route->world->packet_size);
    (void)size;
    return weft_shm_ring_has_room(&peer->out) ? peer->out.slot->packet : NULL;
}

static void commit(struct weft_nic_route *route, size_t size)
{
    struct weft_shm_peer *peer = (struct weft_shm_peer *)route;
    weft_shm_ring_commit(&peer->out, size);
    if (atomic_load_explicit(&peer->claim.head->sleeping, memory_order_relaxed))
        ring_doorbell(peer->claim.head);
}

static unsigned poll_rings(struct weft_nic_world *world, struct weft_nic *nic)
{
    struct weft_shm *shm = of_world(world);
    if (weft_shm_has_claims(shm))
        weft_shm_admit(shm, nic);
    unsigned total = 0;
    uint32_t count = atomic_load_explicit(&shm->active_count, memory_order_relaxed);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t ring = atomic_load_explicit(&shm->active[i], memory_order_relaxed);
        total += weft_shm_take(shm, nic, &shm->inlets[ring], BATCH);
    }
    return total;
}

/* ---- Processes ----------------------------------------------------------------------------- */

static struct weft_nic_route *find_route(struct weft_nic_world *world,
                                         struct weft_nic_address address)
{
    struct weft_shm *shm = of_world(world);
    struct weft_shm_peer *peer = weft_shm_peer(shm, address);
    if (!peer)
        return NULL;
    if (!peer->routed || (peer->route.failed && weft_shm_seek_has_successor(shm, peer)))
        weft_shm_seek_begin(shm, peer);
    return &peer->route;
}

static void check_peers(struct weft_nic_world *world, struct weft_nic *nic)
{
    struct weft_shm *shm = of_world(world);
    uint64_t now = weft_clock_now();
    if (now < shm->next_check)
        return;
    shm->next_check = now + CHECK_INTERVAL;
    weft_shm_peer_check(shm, nic, now);
}

/* ---- Time ---------------------------------------------------------------------------------- */

/* May be wrong, in both directions, while the owner changes something. */
static bool seems_to_have_packets(const struct weft_shm *shm)
{
    uint32_t count = atomic_load_explicit(&shm->active_count, memory_order_acquire);
    uint32_t size;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t ring = atomic_load_explicit(&shm->active[i], memory_order_relaxed);
        if (weft_shm_ring_peek(&shm->inlets[ring].ring, &size))
            return true;
    }
    return weft_shm_has_claims(shm);
}

static void sleep_until(struct weft_nic_world *world, uint64_t until)
{
    struct weft_shm *shm = of_world(world);
    struct weft_shm_segment_head *head = shm->segment.head;
    uint64_t most = weft_deadline_after(LONGEST_SLEEP);
    if (until > most)
        until = most;
    /* In this order: whoever clears the flag rings after that, and we then do not wait. */
    uint32_t bell = atomic_load_explicit(&head->doorbell, memory_order_acquire);
    atomic_store_explicit(&head->sleeping, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    if (seems_to_have_packets(shm))
        return;
    struct timespec time = weft_deadline_timespec(until);
    syscall(SYS_futex, &head->doorbell, FUTEX_WAIT_BITSET, bell, &time, NULL,
            FUTEX_BITSET_MATCH_ANY);
}

static void wake(struct weft_nic_world *world)
{
    ring_doorbell(of_world(world)->segment.head);
}

/* ---- Opening and closing ------------------------------------------------------------------- */

static void free_all(struct weft_shm *shm)
{
    weft_shm_liveness_close(&shm->liveness);
    if (shm->segment.head)
        weft_shm_segment_destroy(&shm->segment);
    weft_shm_rendezvous_close(&shm->rendezvous);
    free((void *)shm->active);
    free(shm->inlets);
    free(shm);
}

static void close_world(struct weft_nic_world *world)
{
    struct weft_shm *shm = of_world(world);
    weft_shm_rendezvous_leave(&shm->rendezvous, shm->segment.id.key);
    for (struct weft_shm_peer *peer = shm->peers, *next; peer; peer = next) {
        next = peer->next;
        weft_shm_claim_drop(&peer->claim);
        weft_shm_peer_unwatch(shm, peer);
        free(peer);
    }
    /* Last: whoever sees this finds that we have left its own rings, too. */
    atomic_store_explicit(&shm->segment.head->closed, 1, memory_order_release);
    free_all(shm);
}

static const struct weft_nic_world_ops ops = {
    .now = weft_world_clock,
    .route = find_route,
    .reserve = reserve,
    .commit = commit,
    .poll = poll_rings,
    .check = check_peers,
    .sleep = sleep_until,
    .wake = wake,
    .relax = weft_world_relax,
    .close = close_world,
};

static bool fill(struct weft_shm *shm, const char *rendezvous)
{
    uint64_t payload = weft_setting(WEFT_SETTING_PACKET_SIZE);
    uint64_t slots = weft_setting(WEFT_SETTING_SHM_SLOTS);
    uint64_t rings = weft_setting(WEFT_SETTING_SHM_PEERS);
    if (payload + WEFT_PACKET_HEADERS < WEFT_PACKET_SMALLEST || payload > UINT32_MAX / 2 ||
        slots > UINT32_MAX || rings > UINT32_MAX) {
        weft_log(WEFT_LOG_ERROR, "%s, %s or %s is out of range; the first is at least %zu",
                 weft_setting_info(WEFT_SETTING_PACKET_SIZE)->name,
                 weft_setting_info(WEFT_SETTING_SHM_SLOTS)->name,
                 weft_setting_info(WEFT_SETTING_SHM_PEERS)->name,
                 WEFT_PACKET_SMALLEST - WEFT_PACKET_HEADERS);
        return false;
    }
    shm->world.ops = &ops;
    shm->world.uid = (uint32_t)geteuid();
    shm->world.packet_size = (uint32_t)(payload + WEFT_PACKET_HEADERS);
    shm->world.reliable = true;
    shm->world.is_skipped = true;
    shm->world.timeout = weft_deadline_span(WEFT_SETTING_TIMEOUT);
    if (!weft_shm_segment_create(&shm->segment, shm->world.packet_size, (uint32_t)slots,
                                 (uint32_t)rings))
        return false;
    if (!weft_shm_liveness_open(&shm->liveness))
        return false;
    shm->active = calloc(rings, sizeof(*shm->active));
    shm->inlets = calloc(rings, sizeof(*shm->inlets));
    if (shm->active && shm->inlets &&
        weft_shm_rendezvous_open(&shm->rendezvous, rendezvous, shm->world.timeout))
        return true;
    weft_log(WEFT_LOG_ERROR, "there is not enough memory for %llu processes",
             (unsigned long long)rings);
    return false;
}

static enum weft_world_status enter(struct weft_shm *shm, struct weft_nic_address self)
{
    struct weft_shm_rendezvous_record record = {self, shm->segment.id};
    switch (weft_shm_rendezvous_enter(&shm->rendezvous, &record)) {
    case WEFT_SHM_RENDEZVOUS_FINE:
        shm->world.self = record.address;
        return WEFT_WORLD_OK;
    case WEFT_SHM_RENDEZVOUS_IN_USE:
        return WEFT_WORLD_PID_IN_USE;
    default:
        return WEFT_WORLD_FAILED;
    }
}

struct weft_nic_world *weft_shm_open(struct weft_nic_address self, const char *rendezvous,
                                     enum weft_world_status *status)
{
    *status = WEFT_WORLD_FAILED;
    struct weft_shm *shm = calloc(1, sizeof(*shm));
    if (!shm) {
        weft_log(WEFT_LOG_ERROR, "there is not enough memory");
        return NULL;
    }
    shm->liveness.epoll = -1;
    if (fill(shm, rendezvous))
        *status = enter(shm, self);
    if (*status == WEFT_WORLD_OK)
        return &shm->world;
    free_all(shm);
    return NULL;
}

struct weft_shm_memory weft_shm_memory(const struct weft_nic_world *world)
{
    const struct weft_shm *shm = (const struct weft_shm *)world;
    const struct weft_shm_segment_shape *shape = &shm->segment.shape;
    return (struct weft_shm_memory){sizeof(struct weft_shm_peer), shape->ring_bytes, shape->total,
                                    shape->rings};
}

bool weft_shm_settle(struct weft_nic_world *world)
{
    return weft_shm_rendezvous_settle(&((struct weft_shm *)world)->rendezvous);
}

void weft_shm_forget_file(const struct weft_nic_world *world)
{
    weft_shm_rendezvous_remove(&((const struct weft_shm *)world)->rendezvous);
}
