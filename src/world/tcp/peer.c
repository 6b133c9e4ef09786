/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/tcp/peer.h"

#include "world/rails.h"
#include "world/tcp/handshake.h"

struct weft_tcp_peer *weft_tcp_peer_find(const struct weft_tcp *tcp,
                                         struct weft_nic_address address)
{
    return (struct weft_tcp_peer *)weft_world_peer_find(&tcp->peers, address);
}

struct weft_tcp_peer *weft_tcp_peer(struct weft_tcp *tcp, struct weft_nic_address address)
{
    struct weft_tcp_peer *peer = weft_tcp_peer_find(tcp, address);
    return peer ? peer
                : (struct weft_tcp_peer *)weft_world_peer_new(&tcp->peers, sizeof *peer,
                                                              &tcp->world, address);
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

static void retire(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    struct weft_tcp_peer *peer = line->peer;
    if (line->instance)
        peer->known.retired_instance = line->instance;
    weft_tcp_line_free(tcp, line);
    /* A rail that was lost stays so, even if the NIC finds the way to the process only later. */
    peer->known.route.failed = peer->known.routed || tcp->rail;
    tcp->counts.failed++;
}

void weft_tcp_peer_retire(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    struct weft_nic_address address = line->peer->known.route.address;
    uint64_t instance = line->instance;
    bool has_left = line->bye_in & WEFT_TCP_BYE_LEAVE;
    retire(tcp, line);
    if (!tcp->nic)
        return;
    if (tcp->rail)
        weft_world_rail_ended(tcp->rail, tcp->nic, address, instance, has_left);
    else
        weft_nic_peer_failed(tcp->nic, address);
}

void weft_tcp_peer_disown(struct weft_tcp *tcp, struct weft_nic_address address, uint64_t instance)
{
    struct weft_tcp_peer *peer = weft_tcp_peer(tcp, address);
    if (!peer)
        return; /* without memory it is not let in, either */
    if (peer->line && peer->line->instance == instance) {
        retire(tcp, peer->line);
        return;
    }
    peer->known.retired_instance = instance;
    peer->known.route.failed = !peer->line;
}

bool weft_tcp_peer_has_successor(struct weft_tcp *tcp, struct weft_tcp_peer *peer)
{
    return peer->line || weft_world_peer_has_successor(&peer->known, tcp->directory);
}
