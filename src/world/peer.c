/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/peer.h"

#include <stdlib.h>

#include "base/clock.h"
#include "world/card.h"

struct weft_world_peer *weft_world_peer_find(const struct weft_index *peers,
                                             struct weft_nic_address address)
{
    struct weft_index_node *node = weft_index_first(peers, weft_nic_address_hash(address));
    for (; node; node = weft_index_next(peers, node)) {
        struct weft_world_peer *peer = weft_list_object(node, struct weft_world_peer, node);
        if (weft_nic_address_is(peer->route.address, address))
            return peer;
    }
    return NULL;
}

struct weft_world_peer *weft_world_peer_new(struct weft_index *peers, size_t size,
                                            struct weft_nic_world *world,
                                            struct weft_nic_address address)
{
    struct weft_world_peer *peer = calloc(1, size);
    if (!peer)
        return NULL;
    peer->route.world = world;
    peer->route.address = address;
    weft_index_add(peers, &peer->node, weft_nic_address_hash(address));
    return peer;
}

static void free_one(struct weft_index_node *node)
{
    free(weft_list_object(node, struct weft_world_peer, node));
}

void weft_world_peer_free_all(struct weft_index *peers)
{
    weft_index_clear(peers, free_one);
    weft_index_fini(peers);
}

int weft_world_peer_look_up(const struct weft_world_peer *peer,
                            struct weft_world_directory *directory, struct weft_world_card *card)
{
    return weft_world_card_find(card, directory, peer->route.address, peer->retired_instance);
}

bool weft_world_peer_has_successor(struct weft_world_peer *peer,
                                   struct weft_world_directory *directory)
{
    struct weft_world_card card = {0};
    uint64_t now = weft_clock_now();
    if (now - peer->sought_at < WEFT_WORLD_SEEK_PAUSE)
        return false;
    peer->sought_at = now;
    return weft_world_peer_look_up(peer, directory, &card) == 0;
}
