/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/link.h"

#include <stdlib.h>
#include <string.h>

#include "nic/peer.h"
#include "nic/trace.h"

#define WINDOW 32u

/* Parts of the world's timeout: first resend, longest pause between two, and when a silent peer
 * is asked whether it is still there. */
#define FIRST_PAUSE 64
#define LONGEST_PAUSE 8
#define PROBE_PAUSE 4

struct weft_nic_window {
    struct weft_list link;
    struct weft_nic_peer *peer;
    uint32_t next;     /* number of the next new packet */
    uint32_t unsent;   /* the first that the world has not taken, or must take again */
    uint32_t oldest;   /* the first that is not confirmed */
    uint32_t expected; /* of the other side */
    uint32_t resent;   /* the oldest when we last went back: do so once for each */
    bool has_resent;
    bool owes_ack;
    bool probes;
    uint64_t pause; /* before sending again */
    uint64_t resend_at;
    uint64_t heard; /* when the other side last said anything */
    uint32_t sizes[WINDOW];
    unsigned char *packets; /* of the world's packet size each */
};

static uint64_t now(struct weft_nic *nic)
{
    return nic->world->ops->now(nic->world);
}

static unsigned char *packet_at(const struct weft_nic *nic, const struct weft_nic_window *window,
                                uint32_t number)
{
    return window->packets + (size_t)(number % WINDOW) * nic->world->packet_size;
}

static void want_step_at(struct weft_nic *nic, uint64_t time)
{
    if (time < nic->deadline)
        nic->deadline = time;
}

/* ---- Life --------------------------------------------------------------------------------- */

bool weft_nic_link_open(struct weft_nic *nic, struct weft_nic_peer *peer)
{
    if (nic->world->reliable || peer->window)
        return true;
    struct weft_nic_window *window = calloc(1, sizeof *window);
    if (!window)
        return false;
    window->packets = malloc((size_t)WINDOW * nic->world->packet_size);
    if (!window->packets) {
        free(window);
        return false;
    }
    window->peer = peer;
    window->pause = nic->world->timeout / FIRST_PAUSE;
    window->heard = now(nic);
    peer->window = window;
    weft_list_append(&nic->windows, &window->link);
    return true;
}

void weft_nic_link_close(struct weft_nic *nic, struct weft_nic_peer *peer)
{
    (void)nic;
    struct weft_nic_window *window = peer->window;
    if (!window)
        return;
    weft_list_remove(&window->link);
    free(window->packets);
    free(window);
    peer->window = NULL;
}

bool weft_nic_link_is_flushed(const struct weft_nic *nic)
{
    for (struct weft_list *link = nic->windows.next; link != &nic->windows; link = link->next) {
        struct weft_nic_window *window = weft_list_object(link, struct weft_nic_window, link);
        if (window->oldest != window->next)
            return false;
    }
    return true;
}

/* ---- Sending ------------------------------------------------------------------------------ */

void *weft_nic_link_reserve(struct weft_nic *nic, struct weft_nic_peer *peer, size_t size)
{
    struct weft_nic_window *window = peer->window;
    if (!window)
        return peer->route->world->ops->reserve(peer->route, size);
    return window->next - window->oldest < WINDOW ? packet_at(nic, window, window->next) : NULL;
}

unsigned char *weft_nic_link_encode(struct weft_nic *nic, const struct weft_nic_peer *peer,
                                    void *place, struct weft_packet *packet)
{
    packet->head.version = WEFT_PACKET_VERSION;
    packet->head.source_nid = nic->world->self.nid;
    packet->head.source_pid = nic->world->self.pid;
    weft_nic_trace(nic, WEFT_TRACE_SEND, peer, packet->head.kind, packet->head.length);
    return weft_packet_encode(place, packet);
}

/* The confirmation is as of now, also in a packet that was written earlier. */
static void stamp(unsigned char *place, uint32_t sequence, uint32_t acknowledged)
{
    memcpy(place + offsetof(struct weft_packet_head, sequence), &sequence, sizeof sequence);
    memcpy(place + offsetof(struct weft_packet_head, acknowledged), &acknowledged,
           sizeof acknowledged);
}

static bool hand_to_world(struct weft_nic *nic, struct weft_nic_window *window, uint32_t number)
{
    const struct weft_nic_world_ops *ops = nic->world->ops;
    struct weft_nic_route *route = window->peer->route;
    uint32_t size = window->sizes[number % WINDOW];
    unsigned char *place = ops->reserve(route, size);
    if (!place)
        return false;
    memcpy(place, packet_at(nic, window, number), size);
    stamp(place, number, window->expected);
    ops->commit(route, size);
    window->owes_ack = false;
    return true;
}

static bool pump(struct weft_nic *nic, struct weft_nic_window *window)
{
    bool any = false;
    while (window->unsent != window->next && hand_to_world(nic, window, window->unsent)) {
        window->unsent++;
        any = true;
    }
    return any;
}

void weft_nic_link_commit(struct weft_nic *nic, struct weft_nic_peer *peer, size_t size)
{
    struct weft_nic_window *window = peer->window;
    if (!window) {
        peer->route->world->ops->commit(peer->route, size);
        return;
    }
    window->sizes[window->next % WINDOW] = (uint32_t)size;
    if (window->oldest == window->next) {
        window->heard = now(nic);
        window->resend_at = window->heard + window->pause;
    }
    window->next++;
    pump(nic, window);
    want_step_at(nic, window->resend_at);
}

static void go_back(struct weft_nic *nic, struct weft_nic_window *window)
{
    weft_nic_trace(nic, WEFT_TRACE_RESEND, window->peer, window->oldest, 0);
    window->unsent = window->oldest;
    window->resent = window->oldest;
    window->has_resent = true;
    pump(nic, window);
}

static bool send_link(struct weft_nic *nic, struct weft_nic_window *window)
{
    const struct weft_nic_world_ops *ops = nic->world->ops;
    struct weft_packet packet = {
        .head = {.kind = WEFT_PACKET_LINK, .flags = window->probes ? WEFT_PACKET_PROBE : 0}};
    unsigned char *place = ops->reserve(window->peer->route, sizeof packet.head);
    if (!place)
        return false;
    weft_nic_link_encode(nic, window->peer, place, &packet);
    stamp(place, 0, window->expected);
    ops->commit(window->peer->route, sizeof packet.head);
    window->owes_ack = window->probes = false;
    return true;
}

/* ---- Receiving ---------------------------------------------------------------------------- */

static bool is_between(uint32_t number, uint32_t first, uint32_t last)
{
    return number - first <= last - first;
}

static void take_confirmation(struct weft_nic *nic, struct weft_nic_window *window,
                              const struct weft_packet *packet)
{
    uint32_t number = packet->head.acknowledged;
    if (!is_between(number, window->oldest, window->next))
        return;
    bool advances = number != window->oldest;
    if (!is_between(window->unsent, number, window->next))
        window->unsent = number;
    window->oldest = number;
    if (number == window->next)
        nic->posted++; /* an interface that closes waits for this */
    if (advances) {
        window->pause = nic->world->timeout / FIRST_PAUSE;
        window->resend_at = window->heard + window->pause;
        return;
    }
    /* The other side confirms what it has already confirmed: it misses the next one. */
    bool once = !window->has_resent || window->resent != number;
    if (packet->head.kind == WEFT_PACKET_LINK && number != window->next && once)
        go_back(nic, window);
}

bool weft_nic_link_accept_numbered(struct weft_nic *nic, struct weft_nic_peer *peer,
                                   const struct weft_packet *packet)
{
    if (peer->failed || !weft_nic_peer_is_usable(nic, peer)) {
        /* Without memory for a window it is as if it had been lost on its way: it comes again, or
         * in the end the other side takes us for dead. */
        if (!peer->failed)
            weft_nic_trace(nic, WEFT_TRACE_DROP, peer, WEFT_PACKET_FAULT_MEMORY, 0);
        return false;
    }
    struct weft_nic_window *window = peer->window;
    window->heard = now(nic);
    want_step_at(nic, window->heard + nic->world->timeout / PROBE_PAUSE);
    take_confirmation(nic, window, packet);
    if (packet->head.kind == WEFT_PACKET_LINK) {
        window->owes_ack |= (packet->head.flags & WEFT_PACKET_PROBE) != 0;
        return false;
    }
    window->owes_ack = true;
    if (packet->head.sequence != window->expected)
        return false;
    window->expected++;
    return true;
}

/* ---- Time --------------------------------------------------------------------------------- */

/* The other side has something to do for us: a reply, an acknowledgement, the rest of a message.
 */
static bool is_owed(const struct weft_nic_window *window)
{
    return window->oldest != window->next || !weft_list_is_empty(&window->peer->awaiting) ||
           window->peer->inbound.open;
}

/* Resends, asks or gives up; says when to look again. */
static uint64_t look_at(struct weft_nic *nic, struct weft_nic_window *window, uint64_t time)
{
    uint64_t timeout = nic->world->timeout;
    if (!is_owed(window))
        return UINT64_MAX;
    if (time - window->heard >= timeout) {
        weft_nic_peer_failed(nic, window->peer->address);
        return UINT64_MAX;
    }
    uint64_t next = window->heard + timeout;
    if (window->oldest != window->next) {
        if (time >= window->resend_at) {
            window->pause *= 2;
            if (window->pause > timeout / LONGEST_PAUSE)
                window->pause = timeout / LONGEST_PAUSE;
            window->resend_at = time + window->pause;
            go_back(nic, window);
        }
        return window->resend_at < next ? window->resend_at : next;
    }
    uint64_t probe_at = window->heard + timeout / PROBE_PAUSE;
    if (time >= probe_at) {
        window->probes = true;
        probe_at = time + timeout / PROBE_PAUSE;
    }
    return probe_at < next ? probe_at : next;
}

static void look_at_all(struct weft_nic *nic)
{
    uint64_t time = now(nic);
    struct weft_list *link = nic->windows.next;
    /* Before the first look: the failure of a peer may trigger operations, which want steps of
     * their own. */
    nic->deadline = UINT64_MAX;
    while (link != &nic->windows) {
        struct weft_nic_window *window = weft_list_object(link, struct weft_nic_window, link);
        link = link->next;
        want_step_at(nic, look_at(nic, window, time));
    }
}

bool weft_nic_link_step(struct weft_nic *nic)
{
    bool any = false;
    if (weft_list_is_empty(&nic->windows))
        return false;
    if (now(nic) >= nic->deadline)
        look_at_all(nic);
    for (struct weft_list *link = nic->windows.next; link != &nic->windows; link = link->next) {
        struct weft_nic_window *window = weft_list_object(link, struct weft_nic_window, link);
        any |= pump(nic, window);
        if (window->owes_ack || window->probes)
            any |= send_link(nic, window);
    }
    return any;
}
