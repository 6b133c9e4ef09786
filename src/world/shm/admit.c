/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <signal.h>

#include "base/deadline.h"
#include "base/log.h"
#include "world/shm/peer.h"
#include "world/world.h"

/* The sender may go on writing to the ring, so nobody else can have it. */
static void expel(struct weft_shm *shm, uint32_t ring)
{
    atomic_store_explicit(&shm->segment.gates[ring].state, WEFT_SHM_GATE_EXPELLED,
                          memory_order_release);
}

static void add_inlet(struct weft_shm *shm, uint32_t ring, struct weft_shm_peer *peer,
                      struct weft_nic_peer *nic_peer)
{
    struct weft_shm_inlet *inlet = &shm->inlets[ring];
    weft_shm_ring_in(&inlet->ring, &shm->segment, ring);
    inlet->nic_peer = nic_peer;
    inlet->peer = peer;
    inlet->damaged = false;
    peer->inlet = inlet;
    uint32_t count = atomic_load_explicit(&shm->active_count, memory_order_relaxed);
    atomic_store_explicit(&shm->active[count], ring, memory_order_relaxed);
    atomic_store_explicit(&shm->active_count, count + 1, memory_order_release);
}

static void remove_inlet(struct weft_shm *shm, uint32_t ring)
{
    uint32_t count = atomic_load_explicit(&shm->active_count, memory_order_relaxed);
    uint32_t last = atomic_load_explicit(&shm->active[count - 1], memory_order_relaxed);
    uint32_t i = 0;
    while (atomic_load_explicit(&shm->active[i], memory_order_relaxed) != ring)
        i++;
    atomic_store_explicit(&shm->active[i], last, memory_order_relaxed);
    atomic_store_explicit(&shm->active_count, count - 1, memory_order_relaxed);
    shm->inlets[ring].peer = NULL;
}

/* As one reads it: the sender may write to it at any time. */
struct applicant {
    uint32_t ring;
    struct weft_nic_address address;
    struct weft_shm_segment_id id;
};

static void refuse(struct weft_shm *shm, const struct applicant *applicant, const char *why)
{
    weft_log(WEFT_LOG_ERROR, "refused packets of process %u (address %u:%u): %s",
             applicant->id.os_pid, applicant->address.nid, applicant->address.pid, why);
    expel(shm, applicant->ring);
}

/* Its packets wait in the ring until there is memory. Who waits too long is refused, and what we
 * expect of it fails: the answers are among the packets that nobody will read. */
static bool postpone(struct weft_shm *shm, struct weft_nic *nic, const struct applicant *applicant)
{
    if (!weft_deadline_expires(&shm->shortage_ends, shm->world.timeout))
        return false;
    refuse(shm, applicant, "there is not enough memory");
    struct weft_shm_peer *peer = weft_shm_peer_find(shm, applicant->address);
    if (peer)
        weft_shm_peer_retire(shm, nic, peer);
    else
        weft_nic_peer_failed(nic, applicant->address);
    return true;
}

/* Whether that is settled; else it is asked again. */
static bool admit(struct weft_shm *shm, struct weft_nic *nic, const struct applicant *applicant)
{
    struct weft_nic_address address = applicant->address;
    const struct weft_shm_segment_id *id = &applicant->id;
    if (address.nid != shm->world.self.nid || address.pid == WEFT_WORLD_PID_ANY || id->key == 0) {
        refuse(shm, applicant, "it has no valid address");
        return true;
    }
    struct weft_shm_peer *peer = weft_shm_peer(shm, address);
    struct weft_nic_peer *nic_peer = weft_nic_peer(nic, address);
    if (!peer || !nic_peer)
        return postpone(shm, nic, applicant);
    if (peer->inlet && peer->id.key == id->key) {
        refuse(shm, applicant, "it has a ring already");
        return true;
    }
    /* An address goes to a new process only after the death of the old one. */
    if (peer->id.key && peer->id.key != id->key)
        weft_shm_peer_retire(shm, nic, peer);
    /* Dead already or not to be watched: it is retired at the next check, but what it has sent
     * is taken first. */
    if (weft_shm_peer_watch(shm, peer, id) != WEFT_SHM_SEGMENT_FINE) {
        peer->id = *id;
        peer->gone = true;
    }
    add_inlet(shm, applicant->ring, peer, nic_peer);
    shm->shortage_ends = 0;
    return true;
}

/* Whether the ring need not be looked at again before another claim. */
static bool look_at(struct weft_shm *shm, struct weft_nic *nic, uint32_t ring)
{
    struct weft_shm_segment_gate *gate = &shm->segment.gates[ring];
    uint64_t state = atomic_load_explicit(&gate->state, memory_order_acquire);
    switch ((enum weft_shm_gate_state)(uint32_t)state) {
    case WEFT_SHM_GATE_CLAIMING:
        /* If the claimer died on the way, it will never say so. */
        if (kill((pid_t)(state >> 32), 0) < 0 && errno == ESRCH)
            atomic_compare_exchange_strong(&gate->state, &state, WEFT_SHM_GATE_FREE);
        break;
    case WEFT_SHM_GATE_OPEN:
    case WEFT_SHM_GATE_LEFT:
        return admit(shm, nic, &(struct applicant){ring, gate->owner, gate->owner_id});
    default:
        break;
    }
    return true;
}

void weft_shm_admit(struct weft_shm *shm, struct weft_nic *nic)
{
    /* Read first: a claim that comes during the search is looked for again. */
    uint32_t claims = atomic_load_explicit(&shm->segment.head->claims, memory_order_acquire);
    bool all_done = true;
    for (uint32_t ring = 0; ring < shm->segment.shape.rings; ring++)
        if (!shm->inlets[ring].peer && !look_at(shm, nic, ring))
            all_done = false;
    if (all_done)
        atomic_store_explicit(&shm->claims_seen, claims, memory_order_relaxed);
}

static void give_up(const struct weft_shm *shm, struct weft_shm_inlet *inlet, uint32_t size)
{
    if (!inlet->damaged)
        weft_log(WEFT_LOG_ERROR,
                 "process %u:%u sent a packet of %u bytes, the most is %u: taking it for dead",
                 inlet->peer->route.address.nid, inlet->peer->route.address.pid, size,
                 shm->world.packet_size);
    inlet->damaged = true;
    inlet->peer->gone = true;
}

/* `must`: the NIC gets it even if packets of this process have to wait. */
static inline bool take_next(struct weft_shm *shm, struct weft_nic *nic,
                             struct weft_shm_inlet *inlet, bool must)
{
    uint32_t size;
    const void *bytes = weft_shm_ring_peek(&inlet->ring, &size);
    if (!bytes || (!must && weft_nic_peer_waits(nic, inlet->nic_peer)))
        return false;
    if (size > shm->world.packet_size) {
        give_up(shm, inlet, size);
        return false;
    }
    weft_nic_receive(nic, inlet->nic_peer, bytes, size);
    weft_shm_ring_release(&inlet->ring);
    return true;
}

unsigned weft_shm_take(struct weft_shm *shm, struct weft_nic *nic, struct weft_shm_inlet *inlet,
                       unsigned most)
{
    unsigned count = 0;
    while (count < most && take_next(shm, nic, inlet, false))
        count++;
    return count;
}

void weft_shm_dismiss(struct weft_shm *shm, struct weft_nic *nic, struct weft_shm_peer *peer)
{
    if (!peer->inlet)
        return;
    /* No more than the ring holds: it may be that the sender is alive and goes on. */
    uint32_t left = shm->segment.shape.slots;
    while (left > 0 && take_next(shm, nic, peer->inlet, true))
        left--;
    uint32_t ring = (uint32_t)(peer->inlet - shm->inlets);
    remove_inlet(shm, ring);
    peer->inlet = NULL;
    if (weft_shm_gate_state(&shm->segment.gates[ring]) == WEFT_SHM_GATE_LEFT ||
        !weft_shm_segment_is(&peer->id))
        weft_shm_segment_recycle(&shm->segment, ring);
    else
        expel(shm, ring);
}
