/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/shm/peer.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"

/* How often those are looked at whose death or claim nobody tells: seldom enough to cost next to
 * nothing with hundreds of them. */
#define LOOK_INTERVAL (100 * WEFT_CLOCK_MILLISECOND)

struct weft_shm_peer *weft_shm_peer_find(struct weft_shm *shm, struct weft_nic_address address)
{
    struct weft_shm_peer *peer = shm->peers;
    while (peer &&
           (peer->route.address.nid != address.nid || peer->route.address.pid != address.pid))
        peer = peer->next;
    return peer;
}

struct weft_shm_peer *weft_shm_peer(struct weft_shm *shm, struct weft_nic_address address)
{
    struct weft_shm_peer *peer = weft_shm_peer_find(shm, address);
    if (peer)
        return peer;
    peer = calloc(1, sizeof(*peer));
    if (!peer)
        return NULL;
    peer->route.world = &shm->world;
    peer->route.address = address;
    peer->pidfd = -1;
    peer->next = shm->peers;
    shm->peers = peer;
    return peer;
}

enum weft_shm_segment_answer weft_shm_peer_watch(struct weft_shm *shm, struct weft_shm_peer *peer,
                                                 const struct weft_shm_segment_id *id)
{
    if (peer->id.key == id->key)
        return WEFT_SHM_SEGMENT_FINE;
    if (weft_shm_liveness_watch(&shm->liveness, id->os_pid, peer, &peer->pidfd) ==
        WEFT_SHM_LIVENESS_DEAD)
        return WEFT_SHM_SEGMENT_ABSENT;
    peer->id = *id;
    /* Only now: before we had the pidfd, the number could have changed hands. */
    if (weft_shm_segment_is(id))
        return WEFT_SHM_SEGMENT_FINE;
    weft_shm_peer_unwatch(shm, peer);
    return WEFT_SHM_SEGMENT_ABSENT;
}

void weft_shm_peer_unwatch(struct weft_shm *shm, struct weft_shm_peer *peer)
{
    weft_shm_liveness_unwatch(&shm->liveness, &peer->pidfd);
    peer->id = (struct weft_shm_segment_id){0};
}

void weft_shm_peer_retire(struct weft_shm *shm, struct weft_nic *nic, struct weft_shm_peer *peer)
{
    weft_log(WEFT_LOG_INFO, "process %u:%u is gone", peer->route.address.nid,
             peer->route.address.pid);
    weft_shm_dismiss(shm, nic, peer);
    peer->out = (struct weft_shm_ring_out){0};
    weft_shm_claim_drop(&peer->claim);
    if (peer->id.key)
        peer->retired_key = peer->id.key;
    weft_shm_peer_unwatch(shm, peer);
    peer->seeking = false;
    peer->gone = false;
    peer->route.failed = peer->routed;
    weft_nic_peer_failed(nic, peer->route.address);
}

static bool is_over(const struct weft_shm *shm, const struct weft_shm_peer *peer)
{
    if (peer->gone || (peer->claim.head && !weft_shm_claim_holds(&peer->claim)))
        return true;
    return peer->inlet && weft_shm_gate_state(&shm->segment.gates[peer->inlet - shm->inlets]) ==
                              WEFT_SHM_GATE_LEFT;
}

/* The count of claims is where anybody can write to it: a claim may go unnoticed. */
static void look_at_all(struct weft_shm *shm, struct weft_nic *nic, uint64_t now)
{
    uint64_t enough = shm->world.timeout / 4;
    if (now < shm->next_look)
        return;
    shm->next_look = now + (LOOK_INTERVAL < enough ? LOOK_INTERVAL : enough);
    weft_shm_admit(shm, nic);
    for (struct weft_shm_peer *peer = shm->peers; peer; peer = peer->next)
        if (peer->id.key && peer->pidfd < 0 && !weft_shm_segment_is(&peer->id))
            peer->gone = true;
}

void weft_shm_peer_check(struct weft_shm *shm, struct weft_nic *nic, uint64_t now)
{
    struct weft_shm_peer *peer;
    if (weft_shm_has_claims(shm))
        weft_shm_admit(shm, nic);
    while ((peer = weft_shm_liveness_dead(&shm->liveness)))
        peer->gone = true;
    look_at_all(shm, nic, now);
    for (peer = shm->peers; peer; peer = peer->next) {
        if (peer->seeking)
            weft_shm_seek(shm, peer, now);
        /* What it sent last may lie in a ring that we have not noticed yet. */
        if (is_over(shm, peer) && weft_shm_has_claims(shm))
            weft_shm_admit(shm, nic);
        if (is_over(shm, peer))
            weft_shm_peer_retire(shm, nic, peer);
    }
}
