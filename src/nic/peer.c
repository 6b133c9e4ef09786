/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/peer.h"

#include "nic/hpu.h"
#include "nic/link.h"
#include "nic/sched.h"
#include "nic/trace.h"
#include "nic/trigger.h"
#include "nic/tx.h"

static struct weft_nic_peer *find(const struct weft_nic *nic, struct weft_nic_address address)
{
    uint64_t hash = weft_nic_address_hash(address);
    struct weft_index_node *node = weft_index_first(&nic->peer_index, hash);
    for (; node; node = weft_index_next(&nic->peer_index, node)) {
        struct weft_nic_peer *peer = weft_list_object(node, struct weft_nic_peer, node);
        if (weft_nic_address_is(peer->address, address))
            return peer;
    }
    return NULL;
}

struct weft_nic_peer *weft_nic_peer(struct weft_nic *nic, struct weft_nic_address address)
{
    struct weft_nic_peer *peer = find(nic, address);
    if (peer)
        return peer;
    peer = weft_pool_take(&nic->peers);
    if (!peer)
        return NULL;
    peer->address = address;
    weft_list_init(&peer->busy);
    weft_list_init(&peer->requests);
    weft_list_init(&peer->responses);
    weft_list_init(&peer->awaiting);
    weft_index_add(&nic->peer_index, &peer->node, weft_nic_address_hash(address));
    return peer;
}

struct weft_nic_peer *weft_nic_peer_of(struct weft_nic_ni *ni, ptl_process_t target)
{
    if (!ni->logical)
        return weft_nic_peer(ni->nic, (struct weft_nic_address){target.phys.nid, target.phys.pid});
    uint32_t *id = ni->peer_ids ? &ni->peer_ids[target.rank] : NULL;
    struct weft_nic_peer *peer = id && *id ? weft_pool_find(&ni->nic->peers, *id) : NULL;
    if (peer)
        return peer;
    ptl_process_t process = ni->map[target.rank];
    peer = weft_nic_peer(ni->nic, (struct weft_nic_address){process.phys.nid, process.phys.pid});
    if (id)
        *id = peer ? peer->slot.id : 0;
    return peer;
}

bool weft_nic_peer_waits(struct weft_nic *nic, struct weft_nic_peer *peer)
{
    if (peer->waits_for && !weft_nic_hpu_is_full(nic, peer->waits_for))
        peer->waits_for = NULL;
    return peer->waits_for;
}

static bool connect(struct weft_nic *nic, struct weft_nic_peer *peer)
{
    struct weft_nic_world *world = nic->world;
    /* Over an unreliable world nobody can tell a slow process from its successor. */
    if (peer->failed && !world->reliable)
        return false;
    struct weft_nic_route *route = world->ops->route(world, peer->address);
    /* With a route there is a window, too, if there must be one; else both are asked for again. */
    if (!route || (!route->failed && !weft_nic_link_open(nic, peer, route)))
        return false;
    peer->route = route;
    peer->failed = route->failed;
    return !peer->failed;
}

bool weft_nic_peer_is_usable(struct weft_nic *nic, struct weft_nic_peer *peer)
{
    if (!peer->route || peer->failed)
        return connect(nic, peer);
    if (peer->route->failed) {
        weft_nic_peer_failed(nic, peer->address);
        return connect(nic, peer);
    }
    return true;
}

void weft_nic_peer_is_busy(struct weft_nic *nic, struct weft_nic_peer *peer)
{
    if (weft_list_is_empty(&peer->busy))
        weft_list_append(&nic->busy, &peer->busy);
}

void weft_nic_packets_lost(struct weft_nic *nic, struct weft_nic_address address)
{
    struct weft_nic_peer *peer = find(nic, address);
    for (unsigned i = 0; i < WEFT_NIC_NIS; i++)
        nic->nis[i].status[PTL_SR_RAILS_LOST]++;
    if (peer && peer->window)
        weft_nic_link_repeat(nic, peer);
}

void weft_nic_peer_failed(struct weft_nic *nic, struct weft_nic_address address)
{
    struct weft_nic_peer *peer = find(nic, address);
    if (!peer)
        return;
    /* It may have failed before: then a successor has sent us something and died, too. */
    if (!peer->failed)
        weft_nic_trace(nic, WEFT_TRACE_FAILED, peer, 0, 0);
    peer->failed = true;
    weft_nic_link_close(nic, peer);
    weft_nic_sched_abandon(peer);
    weft_nic_tx_abandon(nic, peer);
    weft_nic_trigger_run(nic);
}
