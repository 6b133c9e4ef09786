/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/tcp/peer.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "world/card.h"
#include "world/tcp/handshake.h"

/* Between two questions to the directory for a successor. */
#define SEEK_PAUSE (2 * WEFT_CLOCK_MILLISECOND)

struct weft_tcp_peer *weft_tcp_peer_find(const struct weft_tcp *tcp,
                                         struct weft_nic_address address)
{
    struct weft_index_node *node = weft_index_first(&tcp->peers, weft_nic_address_hash(address));
    for (; node; node = weft_index_next(&tcp->peers, node)) {
        struct weft_tcp_peer *peer = weft_list_object(node, struct weft_tcp_peer, node);
        if (weft_nic_address_is(peer->route.address, address))
            return peer;
    }
    return NULL;
}

struct weft_tcp_peer *weft_tcp_peer(struct weft_tcp *tcp, struct weft_nic_address address)
{
    struct weft_tcp_peer *peer = weft_tcp_peer_find(tcp, address);
    if (peer)
        return peer;
    peer = calloc(1, sizeof *peer);
    if (!peer)
        return NULL;
    peer->route.world = &tcp->world;
    peer->route.address = address;
    weft_index_add(&tcp->peers, &peer->node, weft_nic_address_hash(address));
    return peer;
}

bool weft_tcp_peer_begin(struct weft_tcp *tcp, struct weft_tcp_peer *peer)
{
    struct weft_tcp_line *line = weft_tcp_line_new(tcp, WEFT_TCP_LINE_SEEKING);
    if (!line)
        return false;
    line->peer = peer;
    peer->line = line;
    weft_list_append(&tcp->lines, &line->link);
    weft_tcp_handshake_call(tcp, line);
    return true;
}

int weft_tcp_peer_look_up(const struct weft_tcp *tcp, const struct weft_tcp_peer *peer,
                          struct weft_world_card *card)
{
    return weft_world_card_find(card, tcp->directory, peer->route.address, peer->retired_instance);
}

void weft_tcp_peer_retire(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    struct weft_tcp_peer *peer = line->peer;
    if (line->instance)
        peer->retired_instance = line->instance;
    weft_tcp_line_free(tcp, line);
    peer->route.failed = peer->routed;
    tcp->counts.failed++;
    if (tcp->nic)
        weft_nic_peer_failed(tcp->nic, peer->route.address);
}

bool weft_tcp_peer_has_successor(struct weft_tcp *tcp, struct weft_tcp_peer *peer)
{
    struct weft_world_card card = {0};
    uint64_t now = weft_clock_now();
    if (peer->line)
        return true;
    if (now - peer->sought_at < SEEK_PAUSE)
        return false;
    peer->sought_at = now;
    return weft_tcp_peer_look_up(tcp, peer, &card) == 0;
}
