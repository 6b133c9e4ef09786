/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/tcp/tcp.h"

#include <assert.h>
#include <errno.h>
#include <linux/sockios.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "packet/packet.h"
#include "world/card.h"
#include "world/rails.h"
#include "world/real_time.h"
#include "world/secret.h"
#include "world/tcp/cipher.h"
#include "world/tcp/listen.h"
#include "world/tcp/peer.h"
#include "world/tcp/receive.h"
#include "world/tcp/send.h"
#include "world/tcp/watch.h"

/* Parts of the timeout: after what silence we say that we are there, alone and as one of several
 * rails, of which one that is cut must be told from a process that is dead. The kernel of a
 * process that is stopped goes on to confirm what it gets, so that only frames tell that somebody
 * lives. */
#define ALIVE_PART 4
#define RAIL_ALIVE_PART 16

/* Frames for which there is room in what has come on a line. */
#define ROOM_FRAMES 2

static struct weft_tcp *of_world(const struct weft_nic_world *world)
{
    return (struct weft_tcp *)world;
}

/* ---- Packets ------------------------------------------------------------------------------- */

static struct weft_nic_route *find_route(struct weft_nic_world *world,
                                         struct weft_nic_address address)
{
    struct weft_tcp *tcp = of_world(world);
    struct weft_tcp_peer *peer = weft_tcp_peer(tcp, address);
    if (!peer)
        return NULL;
    if (peer->known.route.failed && weft_tcp_peer_has_successor(tcp, peer))
        peer->known.route.failed = false;
    peer->known.routed = true;
    if (peer != tcp->self && !peer->known.route.failed && !peer->line &&
        !weft_tcp_peer_begin(tcp, peer))
        return NULL;
    return &peer->known.route;
}

static void *reserve(struct weft_nic_route *route, size_t size)
{
    struct weft_tcp *tcp = of_world(route->world);
    struct weft_tcp_peer *peer = (struct weft_tcp_peer *)route;
    assert(size <= route->world->packet_size);
    (void)size;
    if (route->failed)
        return NULL;
    if (peer == tcp->self)
        return weft_tcp_send_reserve_self(tcp);
    /* It was parked. */
    if (!peer->line && !weft_tcp_peer_begin(tcp, peer))
        return NULL;
    return weft_tcp_send_reserve(tcp, peer->line);
}

static void commit_from(struct weft_nic_route *route, size_t whole, const void *from, size_t size)
{
    struct weft_tcp *tcp = of_world(route->world);
    struct weft_tcp_peer *peer = (struct weft_tcp_peer *)route;
    if (peer == tcp->self)
        weft_tcp_send_commit_self(tcp, whole, from, size);
    else
        weft_tcp_send_commit(tcp, peer->line, whole, from, size);
}

static void commit(struct weft_nic_route *route, size_t size)
{
    commit_from(route, size, NULL, 0);
}

/* ---- Progress ------------------------------------------------------------------------------ */

static unsigned progress(struct weft_tcp *tcp)
{
    if (!weft_list_is_empty(&tcp->graves))
        weft_tcp_line_bury(tcp);
    if (!weft_list_is_empty(&tcp->stalled))
        weft_tcp_send_flush_all(tcp);
    return weft_tcp_receive(tcp);
}

static unsigned poll_lines(struct weft_nic_world *world, struct weft_nic *nic)
{
    struct weft_tcp *tcp = of_world(world);
    tcp->nic = nic;
    unsigned count = progress(tcp);
    if (!weft_list_is_empty(&tcp->loop))
        count += weft_tcp_receive_self(tcp);
    return count;
}

static void check_peers(struct weft_nic_world *world, struct weft_nic *nic)
{
    struct weft_tcp *tcp = of_world(world);
    tcp->nic = nic;
    weft_tcp_watch(tcp);
}

/* ---- Time ---------------------------------------------------------------------------------- */

static void sleep_until(struct weft_nic_world *world, uint64_t until)
{
    weft_world_doze_until(&of_world(world)->doze, until);
}

static void wake(struct weft_nic_world *world)
{
    weft_world_doze_wake(&of_world(world)->doze);
}

/* ---- Closing ------------------------------------------------------------------------------- */

static void say_bye(struct weft_tcp *tcp)
{
    struct weft_list *link = tcp->lines.next;
    while (link != &tcp->lines) {
        struct weft_tcp_line *line = weft_list_object(link, struct weft_tcp_line, link);
        link = link->next;
        line->hungry = false;
        if (!weft_tcp_line_is_up(line))
            weft_tcp_line_free(tcp, line);
        else if (line->state <= WEFT_TCP_LINE_OPEN && !line->broken)
            weft_tcp_line_close(tcp, line, WEFT_TCP_BYE_LEAVE);
        else
            line->bye_out |= WEFT_TCP_BYE_LEAVE; /* in a BYE that was to park it */
    }
}

static void drop_broken(struct weft_tcp *tcp)
{
    struct weft_list *link = tcp->lines.next;
    while (link != &tcp->lines) {
        struct weft_tcp_line *line = weft_list_object(link, struct weft_tcp_line, link);
        link = link->next;
        if (line->broken)
            weft_tcp_line_free(tcp, line);
    }
}

/* Bytes that others have not taken. */
static size_t unsent(const struct weft_tcp *tcp)
{
    size_t bytes = 0;
    for (struct weft_list *link = tcp->lines.next; link != &tcp->lines; link = link->next) {
        const struct weft_tcp_line *line = weft_list_object(link, struct weft_tcp_line, link);
        int in_socket = 0;
        ioctl(line->fd, SIOCOUTQ, &in_socket);
        bytes += (size_t)in_socket + weft_tcp_send_left(line);
    }
    return bytes;
}

/* All that we have sent arrives before the answer to our BYE is sent, so that nothing is lost when
 * sockets are closed. Others need not be there any more, or not listen: but who takes something
 * before the deadline, however slowly, is waited for. */
static void part(struct weft_tcp *tcp)
{
    weft_world_own_time_pass(&tcp->time, weft_clock_now(), tcp->world.timeout);
    uint64_t deadline = tcp->time.now + tcp->world.timeout;
    tcp->nic = NULL;
    say_bye(tcp);
    size_t left = unsent(tcp);
    while (tcp->open_count) {
        if (progress(tcp) == 0)
            sched_yield();
        drop_broken(tcp);
        weft_world_own_time_pass(&tcp->time, weft_clock_now(), tcp->world.timeout);
        if (tcp->time.now < deadline)
            continue;
        size_t left_before = left;
        left = unsent(tcp);
        if (left >= left_before)
            break;
        deadline = tcp->time.now + tcp->world.timeout;
    }
    if (tcp->open_count)
        weft_log(WEFT_LOG_INFO, "%u processes did not answer our farewell", tcp->open_count);
}

static void free_all(struct weft_tcp *tcp)
{
    weft_tcp_listen_close(tcp);
    while (!weft_list_is_empty(&tcp->lines))
        weft_tcp_line_free(tcp, weft_list_object(tcp->lines.next, struct weft_tcp_line, link));
    weft_tcp_line_bury(tcp);
    while (!weft_list_is_empty(&tcp->loop)) {
        struct weft_tcp_tx *tx = weft_list_object(tcp->loop.next, struct weft_tcp_tx, link);
        weft_list_remove(&tx->link);
        free(tx);
    }
    free(tcp->spare);
    if (tcp->epoll >= 0)
        close(tcp->epoll);
    weft_world_doze_close(&tcp->doze);
    weft_world_peer_free_all(&tcp->peers);
    weft_world_wipe(tcp, sizeof *tcp);
    free(tcp);
}

static void close_world(struct weft_nic_world *world)
{
    part(of_world(world));
    free_all(of_world(world));
}

/* ---- Opening ------------------------------------------------------------------------------- */

static const struct weft_nic_world_ops ops = {
    .now = weft_world_clock,
    .route = find_route,
    .reserve = reserve,
    .commit = commit,
    .commit_from = commit_from,
    .poll = poll_lines,
    .check = check_peers,
    .sleep = sleep_until,
    .wake = wake,
    .relax = weft_world_relax,
    .close = close_world,
};

static bool fill(struct weft_tcp *tcp, const struct weft_world_config *config)
{
    tcp->world.ops = &ops;
    if (!weft_world_begin(&tcp->world, config,
                          weft_world_payload(config->payload, WEFT_WORLD_PAYLOAD_TCP),
                          &tcp->instance))
        return false;
    tcp->room = ROOM_FRAMES * (WEFT_TCP_FRAME_HEAD + tcp->world.packet_size);
    tcp->is_plain = config->is_plain;
    tcp->line_limit = config->session_limit;
    tcp->alive_pause = config->timeout / (tcp->rail ? RAIL_ALIVE_PART : ALIVE_PART);
    tcp->directory = config->directory;
    tcp->time = weft_world_own_time_begin();
    memcpy(tcp->key, config->key, sizeof tcp->key);
    return true;
}

static bool open_sockets(struct weft_tcp *tcp, const char *interface)
{
    tcp->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (tcp->epoll < 0) {
        weft_log(WEFT_LOG_ERROR, "cannot watch sockets: %s", strerror(errno));
        return false;
    }
    if (!weft_tcp_place_own(interface, &tcp->place, tcp->interface) ||
        !weft_world_doze_open(&tcp->doze, tcp->epoll) || !weft_tcp_listen_open(tcp))
        return false;
    weft_log(WEFT_LOG_INFO, "sockets on %s, %s by %s", tcp->interface,
             tcp->is_plain ? "authenticated" : "authenticated and encrypted",
             tcp->cipher->library);
    return true;
}

static bool open_table(struct weft_tcp *tcp)
{
    if (weft_index_init(&tcp->peers))
        tcp->self = weft_tcp_peer(tcp, tcp->world.self);
    if (!tcp->self)
        weft_log(WEFT_LOG_ERROR, "there is not enough memory");
    return tcp->self;
}

static struct weft_nic_world *open_alone(const struct weft_world_config *config,
                                         struct weft_world_rail *rail, struct weft_world_card *own)
{
    struct weft_tcp *tcp = calloc(1, sizeof *tcp);
    if (!tcp) {
        weft_log(WEFT_LOG_ERROR, "there is not enough memory");
        return NULL;
    }
    tcp->rail = rail;
    tcp->epoll = tcp->listener = tcp->doze.bell = -1;
    weft_list_init(&tcp->loop);
    weft_list_init(&tcp->lines);
    weft_list_init(&tcp->knocking.lines);
    weft_list_init(&tcp->welcomed.lines);
    weft_list_init(&tcp->stalled);
    weft_list_init(&tcp->waiting);
    weft_list_init(&tcp->graves);
    tcp->cipher = weft_tcp_cipher();
    if (!tcp->cipher || !fill(tcp, config) || !open_sockets(tcp, config->interface) ||
        !open_table(tcp)) {
        free_all(tcp);
        return NULL;
    }
    weft_world_card_begin(own, tcp->instance);
    weft_tcp_place_write(&tcp->place, own);
    return &tcp->world;
}

/* ---- As one of several rails --------------------------------------------------------------- */

static int descriptor(const struct weft_nic_world *world)
{
    return of_world(world)->epoll;
}

static void disown(struct weft_nic_world *world, struct weft_nic_address address,
                   uint64_t instance)
{
    weft_tcp_peer_disown(of_world(world), address, instance);
}

static bool ask(struct weft_nic_world *world, struct weft_nic_address address)
{
    struct weft_tcp_peer *peer = weft_tcp_peer(of_world(world), address);
    return peer && (peer->line || weft_tcp_peer_begin(of_world(world), peer));
}

static bool is_used(const struct weft_nic_world *world, struct weft_nic_address address)
{
    const struct weft_tcp_peer *peer = weft_tcp_peer_find(of_world(world), address);
    return peer && peer->line;
}

static bool is_steady(const struct weft_nic_world *world, struct weft_nic_address address,
                      uint64_t span)
{
    const struct weft_tcp *tcp = of_world(world);
    const struct weft_tcp_peer *peer = weft_tcp_peer_find(tcp, address);
    const struct weft_tcp_line *line = peer ? peer->line : NULL;
    return line && line->state == WEFT_TCP_LINE_OPEN && !line->broken &&
           tcp->time.now - line->heard_at < 2 * tcp->alive_pause &&
           tcp->time.now - line->steady_at >= span;
}

static const struct weft_world_rail_ops rail_ops = {
    .open = open_alone,
    .descriptor = descriptor,
    .disown = disown,
    .ask = ask,
    .is_used = is_used,
    .is_steady = is_steady,
};

struct weft_nic_world *weft_tcp_open(const struct weft_world_config *config,
                                     struct weft_world_card *own)
{
    return weft_world_rails_open(&rail_ops, config, own);
}

/* ---- Questions ----------------------------------------------------------------------------- */

static struct weft_world_counts counts_of_one(const struct weft_nic_world *world)
{
    struct weft_world_counts counts = of_world(world)->counts;
    counts.sessions = of_world(world)->open_count;
    return counts;
}

struct weft_world_counts weft_tcp_counts(const struct weft_nic_world *world)
{
    return weft_world_rails_counts(world, counts_of_one);
}

const char *weft_tcp_interface(const struct weft_nic_world *world)
{
    const char *names = weft_world_rails_names(world);
    return names ? names : of_world(world)->interface;
}

const char *weft_tcp_cipher_library(void)
{
    const struct weft_tcp_cipher *cipher = weft_tcp_cipher();
    return cipher ? cipher->library : NULL;
}

bool weft_tcp_is_built(void)
{
    return true;
}
