/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/link.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/little.h"
#include "nic/peer.h"
#include "nic/trace.h"

#define WINDOW WEFT_NIC_ORDER_WINDOW
static_assert(WINDOW == 64, "a bit for each packet of a window");

/* Parts of the world's timeout: first resend of all that is not confirmed, longest pause between
 * two, when a silent peer is asked whether it is still there, how soon once more, and for how long
 * a packet may be overtaken before it counts as lost, where packets do overtake each other. */
#define FIRST_PAUSE 64
#define LONGEST_PAUSE 8
#define PROBE_PAUSE 4
#define NEXT_PROBE_PAUSE 64
#define OVERTAKEN_PAUSE 1024

/* Of the bits, the first stands for the oldest packet. */
struct weft_nic_window {
    struct weft_list link;
    struct weft_nic_peer *peer;
    uint32_t next;               /* number of the next new packet */
    uint32_t unsent;             /* the first that the world has not taken */
    uint32_t oldest;             /* the first that is not confirmed */
    uint64_t confirmed;          /* those that have come ahead of others */
    uint64_t again;              /* those that the world must take again */
    uint32_t request;            /* number of the packet that opened the last message, */
    uint32_t reply;              /* and the last reply */
    struct weft_nic_order order; /* of what the other side sends */
    bool owes_ack;
    bool probes;
    uint64_t pause; /* before sending all again */
    uint64_t resend_at;
    uint64_t gap_at;   /* when packets that were overtaken count as lost; UINT64_MAX: none was */
    uint64_t heard;    /* when the other side last said anything */
    uint64_t probe_at; /* not before that */
    uint32_t sizes[WINDOW];
    size_t packet_size;
    unsigned char *packets;
};

static uint64_t now(struct weft_nic *nic)
{
    return nic->world->ops->now(nic->world);
}

static unsigned char *packet_at(const struct weft_nic_window *window, uint32_t number)
{
    return window->packets + (number % WINDOW) * window->packet_size;
}

/* Where the world loses nothing, only the other side may have lacked memory to hold a packet. That
 * is rare, and a way that is slow must not be filled with what is on it already. */
static uint64_t first_pause(const struct weft_nic *nic)
{
    return nic->world->reliable ? nic->world->timeout : nic->world->timeout / FIRST_PAUSE;
}

static uint64_t longest_pause(const struct weft_nic *nic)
{
    return nic->world->reliable ? UINT64_MAX / 4 : nic->world->timeout / LONGEST_PAUSE;
}

static void want_step_at(struct weft_nic *nic, uint64_t time)
{
    if (time < nic->deadline)
        nic->deadline = time;
}

/* ---- Life --------------------------------------------------------------------------------- */

bool weft_nic_link_open(struct weft_nic *nic, struct weft_nic_peer *peer,
                        const struct weft_nic_route *route)
{
    const struct weft_nic_world *world = route->world;
    if ((world->reliable && !world->reorders) || peer->window)
        return true;
    struct weft_nic_window *window = calloc(1, sizeof *window);
    if (!window)
        return false;
    window->packet_size = world->packet_size;
    window->packets = malloc(WINDOW * window->packet_size);
    if (!window->packets) {
        free(window);
        return false;
    }
    window->peer = peer;
    window->pause = first_pause(nic);
    window->heard = now(nic);
    window->gap_at = UINT64_MAX;
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
    weft_nic_order_close(&window->order);
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
    (void)nic;
    struct weft_nic_window *window = peer->window;
    if (!window)
        return peer->route->world->ops->reserve(peer->route, size);
    return window->next - window->oldest < WINDOW ? packet_at(window, window->next) : NULL;
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

#define STAMP(place, field, value)                                                                \
    memcpy((place) + offsetof(struct weft_packet_head, field),                                    \
           &(uint32_t){weft_little((uint32_t)(value))}, sizeof(uint32_t))

static bool hand_to_world(struct weft_nic_window *window, uint32_t number)
{
    struct weft_nic_route *route = window->peer->route;
    const struct weft_nic_world_ops *ops = route->world->ops;
    uint32_t size = window->sizes[number % WINDOW];
    unsigned char *place = ops->reserve(route, size);
    if (!place)
        return false;
    memcpy(place, packet_at(window, number), size);
    /* As of now, also in a packet that was written earlier. */
    STAMP(place, acknowledged, window->order.expected);
    ops->commit(route, size);
    /* Which ones have come ahead of others, only a receipt can say. */
    window->owes_ack &= window->order.arrived != 0;
    return true;
}

static bool pump(struct weft_nic_window *window)
{
    bool any = false;
    while (window->again) {
        uint32_t ahead = (uint32_t)__builtin_ctzll(window->again);
        if (!hand_to_world(window, window->oldest + ahead))
            return any;
        window->again &= window->again - 1;
        any = true;
    }
    while (window->unsent != window->next && hand_to_world(window, window->unsent)) {
        window->unsent++;
        any = true;
    }
    return any;
}

/* Payload says what it continues, which is the last of its kind that was opened. */
static void number_packet(struct weft_nic_window *window, unsigned char *packet)
{
    unsigned kind = packet[offsetof(struct weft_packet_head, kind)];
    STAMP(packet, sequence, window->next);
    if (kind == WEFT_PACKET_DATA)
        STAMP(packet, opener, window->request);
    else if (kind == WEFT_PACKET_REPLY_DATA)
        STAMP(packet, opener, window->reply);
    else if (kind == WEFT_PACKET_REPLY)
        window->reply = window->next;
    else if (kind == WEFT_PACKET_PUT)
        window->request = window->next;
}

void weft_nic_link_commit(struct weft_nic *nic, struct weft_nic_peer *peer, size_t size)
{
    struct weft_nic_window *window = peer->window;
    if (!window) {
        peer->route->world->ops->commit(peer->route, size);
        return;
    }
    window->sizes[window->next % WINDOW] = (uint32_t)size;
    number_packet(window, packet_at(window, window->next));
    if (window->oldest == window->next) {
        window->heard = now(nic);
        window->resend_at = window->heard + window->pause;
    }
    window->next++;
    pump(window);
    want_step_at(nic, window->resend_at);
}

void weft_nic_link_commit_from(struct weft_nic *nic, struct weft_nic_peer *peer, size_t whole,
                               unsigned char *payload, const void *from, size_t size)
{
    const struct weft_nic_world_ops *ops = peer->route->world->ops;
    if (ops->commit_from && !peer->window) {
        ops->commit_from(peer->route, whole, from, size);
        return;
    }
    memcpy(payload, from, size);
    weft_nic_link_commit(nic, peer, whole);
}

/* A whole window is as many bits as a shift must not have. */
static uint64_t without_first(uint64_t bits, uint32_t count)
{
    return count < WINDOW ? bits >> count : 0;
}

static uint64_t bits_below(uint32_t count)
{
    return count < WINDOW ? ((uint64_t)1 << count) - 1 : UINT64_MAX;
}

/* Those of the first `count` that are not confirmed. */
static void send_again(struct weft_nic *nic, struct weft_nic_window *window, uint32_t count)
{
    uint64_t lost = bits_below(count) & ~window->confirmed & ~window->again;
    window->again |= lost;
    for (; lost; lost &= lost - 1)
        weft_nic_trace(nic, WEFT_TRACE_RESEND, window->peer,
                       window->oldest + (uint32_t)__builtin_ctzll(lost), 0);
    pump(window);
}

/* How many have been overtaken, or have overtaken others. */
static uint32_t overtaken(const struct weft_nic_window *window)
{
    return window->confirmed ? 63 - (uint32_t)__builtin_clzll(window->confirmed) : 0;
}

void weft_nic_link_repeat(struct weft_nic *nic, struct weft_nic_peer *peer)
{
    struct weft_nic_window *window = peer->window;
    window->owes_ack = true;
    send_again(nic, window, window->unsent - window->oldest);
}

static bool send_link(struct weft_nic *nic, struct weft_nic_window *window)
{
    struct weft_nic_route *route = window->peer->route;
    const struct weft_nic_world_ops *ops = route->world->ops;
    const size_t size = weft_packet_headers(WEFT_PACKET_LINK);
    struct weft_packet packet = {.head = {.kind = WEFT_PACKET_LINK,
                                          .flags = window->probes ? WEFT_PACKET_PROBE : 0,
                                          .acknowledged = window->order.expected},
                                 .receipt = {window->order.arrived}};
    unsigned char *place = ops->reserve(route, size);
    if (!place)
        return false;
    weft_nic_link_encode(nic, window->peer, place, &packet);
    ops->commit(route, size);
    window->owes_ack = window->probes = false;
    return true;
}

/* ---- Receiving ---------------------------------------------------------------------------- */

static bool is_between(uint32_t number, uint32_t first, uint32_t last)
{
    return number - first <= last - first;
}

/* All before `number` has come. */
static bool confirm_up_to(struct weft_nic *nic, struct weft_nic_window *window, uint32_t number)
{
    uint32_t count = number - window->oldest;
    if (count == 0)
        return false;
    if (!is_between(window->unsent, number, window->next))
        window->unsent = number;
    window->oldest = number;
    window->confirmed = without_first(window->confirmed, count);
    window->again = without_first(window->again, count);
    window->gap_at = UINT64_MAX;
    if (number == window->next)
        nic->posted++; /* an interface that closes waits for this */
    return true;
}

static bool confirm_ahead(struct weft_nic_window *window, const struct weft_packet *packet)
{
    uint64_t before = window->confirmed;
    if (packet->head.kind == WEFT_PACKET_LINK)
        window->confirmed |= packet->receipt.arrived & bits_below(window->unsent - window->oldest);
    window->again &= ~window->confirmed;
    return window->confirmed != before;
}

static uint32_t first_missing(const struct weft_nic_window *window)
{
    uint64_t missing = ~window->confirmed;
    return window->oldest + (missing ? (uint32_t)__builtin_ctzll(missing) : WINDOW);
}

/* A gap is a loss, but only late where packets overtake each other, and nothing where none is
 * lost. */
static void look_for_gap(struct weft_nic *nic, struct weft_nic_window *window)
{
    const struct weft_nic_world *world = nic->world;
    if (world->reliable || !overtaken(window) || window->gap_at != UINT64_MAX)
        return;
    window->gap_at = window->heard;
    if (world->reorders)
        window->gap_at += world->timeout / OVERTAKEN_PAUSE;
    want_step_at(nic, window->gap_at);
}

static void take_confirmation(struct weft_nic *nic, struct weft_nic_window *window,
                              const struct weft_packet *packet)
{
    uint32_t number = packet->head.acknowledged;
    if (!is_between(number, window->oldest, window->next))
        return;
    bool advances = confirm_up_to(nic, window, number);
    advances |= confirm_ahead(window, packet);
    /* It has come, but was held when the other side wrote this. */
    advances |= confirm_up_to(nic, window, first_missing(window));
    if (advances) {
        window->pause = first_pause(nic);
        window->resend_at = window->heard + window->pause;
    }
    look_for_gap(nic, window);
}

bool weft_nic_link_accept(struct weft_nic *nic, struct weft_nic_peer *peer,
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
    if (!window)
        return true;
    window->heard = now(nic);
    if (!nic->world->reliable)
        want_step_at(nic, window->heard + nic->world->timeout / PROBE_PAUSE);
    take_confirmation(nic, window, packet);
    if (packet->head.kind == WEFT_PACKET_LINK) {
        window->owes_ack |= (packet->head.flags & WEFT_PACKET_PROBE) != 0;
        return false;
    }
    window->owes_ack = true;
    return weft_nic_order_accept(&window->order, packet);
}

struct weft_nic_held *weft_nic_link_next(struct weft_nic_peer *peer)
{
    return peer->window ? weft_nic_order_next(&peer->window->order) : NULL;
}

/* ---- Time --------------------------------------------------------------------------------- */

/* The other side has something to do for us: a reply, an acknowledgement, the rest of a message.
 */
static bool is_owed(const struct weft_nic_window *window)
{
    return window->oldest != window->next || !weft_list_is_empty(&window->peer->awaiting) ||
           window->peer->inbound.open;
}

static uint64_t earlier(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

/* Sends again what counts as lost; says when to look again. */
static uint64_t look_at_unconfirmed(struct weft_nic *nic, struct weft_nic_window *window,
                                    uint64_t time)
{
    if (time >= window->gap_at) {
        window->gap_at = time + first_pause(nic);
        send_again(nic, window, overtaken(window));
    }
    if (time >= window->resend_at) {
        window->pause = earlier(2 * window->pause, longest_pause(nic));
        window->resend_at = time + window->pause;
        send_again(nic, window, window->unsent - window->oldest);
    }
    return earlier(window->gap_at, window->resend_at);
}

/* Of many short questions one is answered, also where a fifth of all packets is lost: to send all
 * again as often would be too much. */
static uint64_t look_at_silence(const struct weft_nic *nic, struct weft_nic_window *window,
                                uint64_t time)
{
    uint64_t first = window->heard + nic->world->timeout / PROBE_PAUSE;
    uint64_t due = first > window->probe_at ? first : window->probe_at;
    if (time < due)
        return due;
    window->probes = true;
    window->probe_at = time + nic->world->timeout / NEXT_PROBE_PAUSE;
    return window->probe_at;
}

/* Resends, asks or gives up; says when to look again. */
static uint64_t look_at(struct weft_nic *nic, struct weft_nic_window *window, uint64_t time)
{
    bool is_confirmed = window->oldest == window->next;
    if (nic->world->reliable)
        return is_confirmed ? UINT64_MAX : look_at_unconfirmed(nic, window, time);
    uint64_t timeout = nic->world->timeout;
    if (!is_owed(window))
        return UINT64_MAX;
    if (time - window->heard >= timeout) {
        weft_nic_peer_failed(nic, window->peer->address);
        return UINT64_MAX;
    }
    uint64_t next = look_at_silence(nic, window, time);
    if (!is_confirmed)
        next = earlier(next, look_at_unconfirmed(nic, window, time));
    return earlier(next, window->heard + timeout);
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
        any |= pump(window);
        if (window->owes_ack || window->probes)
            any |= send_link(nic, window);
    }
    return any;
}
