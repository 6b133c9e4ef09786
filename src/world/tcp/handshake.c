/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/tcp/handshake.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "world/card.h"
#include "world/reason.h"
#include "world/secret.h"
#include "world/tcp/listen.h"
#include "world/tcp/peer.h"
#include "world/tcp/send.h"

#define LONGEST_PAUSE (16 * WEFT_CLOCK_MILLISECOND)

/* Parts of the timeout: what a SYN that was lost costs, before another is sent. */
#define CONNECT_PART 8

/* ---- Messages ------------------------------------------------------------------------------ */

/* A socket that has taken nothing yet takes a message whole. */
static bool say(const struct weft_tcp_line *line, const void *message, size_t size)
{
    return send(line->fd, message, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size;
}

static bool say_frame(struct weft_tcp_line *line, enum weft_tcp_frame_kind kind)
{
    struct weft_tcp_head head = {.kind = (uint8_t)kind};
    return weft_tcp_frame_seal(&line->out, &head, NULL) && say(line, &head, sizeof head);
}

enum hearing { NOT_YET, WHOLE, HUNG_UP };

/* Reads the rest of a message of `size` bytes, and nothing behind it. */
static enum hearing hear(struct weft_tcp_line *line, void *message, size_t size)
{
    ssize_t count = recv(line->fd, (unsigned char *)message + line->heard_bytes,
                         size - line->heard_bytes, MSG_DONTWAIT);
    if (count < 0)
        return errno == EAGAIN || errno == EINTR ? NOT_YET : HUNG_UP;
    line->heard_bytes += (size_t)count;
    if (line->heard_bytes == size) {
        line->heard_bytes = 0;
        return WHOLE;
    }
    return count ? NOT_YET : HUNG_UP;
}

static bool is_frame(struct weft_tcp_line *line, enum weft_tcp_frame_kind kind)
{
    return line->first.kind == kind && line->first.size == 0 &&
           weft_tcp_frame_seal(&line->in, &line->first, NULL);
}

/* ---- The one that calls -------------------------------------------------------------------- */

void weft_tcp_handshake_retry(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    weft_tcp_line_hang_up(tcp, line);
    line->state = WEFT_TCP_LINE_SEEKING;
    line->retry_at = tcp->time.now + line->pause;
    if (line->pause < LONGEST_PAUSE)
        line->pause *= 2;
}

/* Who was there a moment ago and does not listen any more has gone. */
static void miss(struct weft_tcp *tcp, struct weft_tcp_line *line, int error)
{
    if (error == ECONNREFUSED && line->calls_back)
        line->broken = "it has gone";
    else
        weft_tcp_handshake_retry(tcp, line);
}

static int open_socket(const struct weft_tcp *tcp)
{
    struct weft_tcp_place from = tcp->place;
    int fd = socket(from.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int yes = 1;
    /* Else each line would have a port that no other line of this host can have, whomever that
     * calls, and for a minute after its end. Parking would use them up. */
    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
    if (from.any.sa_family == AF_INET)
        from.four.sin_port = 0;
    else
        from.six.sin6_port = 0;
    /* The interface that we were told, and no other. */
    if (fd >= 0 && bind(fd, &from.any, from.size) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static void dial(struct weft_tcp *tcp, struct weft_tcp_line *line,
                 const struct weft_tcp_place *place)
{
    int fd = open_socket(tcp);
    bool is_ours = fd >= 0 && weft_tcp_line_attach(tcp, line, fd);
    line->state = WEFT_TCP_LINE_CONNECTING;
    line->retry_at = tcp->time.now + tcp->world.timeout / CONNECT_PART;
    if (!is_ours)
        weft_tcp_handshake_retry(tcp, line);
    else if (connect(fd, &place->any, place->size) < 0 && errno != EINPROGRESS)
        miss(tcp, line, errno);
    else
        weft_tcp_line_watch(tcp, line, true);
}

void weft_tcp_handshake_call(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    struct weft_world_card card = {0};
    struct weft_tcp_place place;
    if (!line->pause)
        line->pause = WEFT_CLOCK_MILLISECOND;
    line->retry_at = tcp->time.now + WEFT_WORLD_SEEK_PAUSE;
    int result = weft_world_peer_look_up(&line->peer->known, tcp->directory, &card);
    if (result == -EAGAIN)
        return;
    if (result) {
        line->broken = "the directory does not have it";
        return;
    }
    line->instance = weft_world_card_instance(&card);
    if (!weft_tcp_place_read(&card, &place) || place.any.sa_family != tcp->place.any.sa_family) {
        line->broken = "its card is of another kind of network: use the same world everywhere";
        return;
    }
    dial(tcp, line, &place);
}

static void greet(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    struct weft_nic_address target = line->peer->known.route.address;
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(line->fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 || error) {
        miss(tcp, line, error);
        return;
    }
    line->hello = (struct weft_tcp_hello){
        .magic = WEFT_TCP_WIRE_MAGIC,
        .version = WEFT_TCP_WIRE_VERSION,
        .message = WEFT_TCP_WIRE_HELLO,
        .is_plain = tcp->is_plain,
        .packet_size = tcp->world.packet_size,
        .source_instance = tcp->instance,
        .target_instance = line->instance,
        .source_nid = tcp->world.self.nid,
        .source_pid = tcp->world.self.pid,
        .target_nid = target.nid,
        .target_pid = target.pid,
    };
    bool is_random = weft_world_random(line->hello.nonce, sizeof line->hello.nonce);
    weft_tcp_wire_sign_hello(&line->hello, tcp->key);
    /* It may not be connected yet: then it takes nothing, and says so later. */
    if (is_random && !say(line, &line->hello, sizeof line->hello) &&
        (errno == EAGAIN || errno == ENOTCONN))
        return;
    line->state = WEFT_TCP_LINE_GREETING;
    line->retry_at = tcp->time.now + tcp->world.timeout / CONNECT_PART;
    weft_tcp_line_watch(tcp, line, false);
}

static void take_answer(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    const struct weft_tcp_answer *answer = &line->answer;
    if (answer->magic != WEFT_TCP_WIRE_MAGIC ||
        !weft_tcp_wire_is_answer(answer, &line->hello, tcp->key)) {
        tcp->counts.forgeries++;
        weft_tcp_handshake_retry(tcp, line);
    } else if (answer->message == WEFT_TCP_WIRE_REFUSE) {
        line->broken = weft_world_reason(answer->reason);
    } else if (answer->message != WEFT_TCP_WIRE_WELCOME || !weft_tcp_line_seal(tcp, line, true) ||
               !say_frame(line, WEFT_TCP_FRAME_CONFIRM)) {
        weft_tcp_handshake_retry(tcp, line);
    } else {
        line->state = WEFT_TCP_LINE_CONFIRMING;
    }
}

static void take_ready(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    if (!tcp->nic || !is_frame(line, WEFT_TCP_FRAME_READY)) {
        weft_tcp_handshake_retry(tcp, line);
        return;
    }
    weft_tcp_line_open(tcp, line, WEFT_TCP_LINE_OPEN);
    weft_tcp_send_want(tcp, line, WEFT_TCP_FRAME_ALIVE);
}

/* ---- The one that is called ---------------------------------------------------------------- */

static enum weft_world_reason objection(const struct weft_tcp *tcp,
                                        const struct weft_tcp_hello *hello)
{
    const struct weft_tcp_peer *peer = weft_tcp_peer_find(tcp, weft_tcp_wire_source(hello));
    if (hello->version != WEFT_TCP_WIRE_VERSION)
        return WEFT_WORLD_REASON_VERSION;
    if (hello->target_instance != tcp->instance ||
        !weft_nic_address_is(weft_tcp_wire_target(hello), tcp->world.self))
        return WEFT_WORLD_REASON_MISTAKEN;
    if (hello->is_plain != tcp->is_plain)
        return WEFT_WORLD_REASON_PRIVACY;
    if (hello->packet_size != tcp->world.packet_size)
        return WEFT_WORLD_REASON_PACKET_SIZE;
    return peer && hello->source_instance == peer->known.retired_instance ? WEFT_WORLD_REASON_GONE
                                                                          : WEFT_WORLD_REASON_NONE;
}

/* False if the line is not needed any more. */
static bool answer(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    enum weft_world_reason reason = objection(tcp, &line->hello);
    struct weft_nic_address source = weft_tcp_wire_source(&line->hello);
    line->answer = (struct weft_tcp_answer){
        .magic = WEFT_TCP_WIRE_MAGIC,
        .version = WEFT_TCP_WIRE_VERSION,
        .message = reason ? WEFT_TCP_WIRE_REFUSE : WEFT_TCP_WIRE_WELCOME,
        .reason = (uint16_t)reason,
    };
    if (!weft_world_random(line->answer.nonce, sizeof line->answer.nonce))
        return false;
    weft_tcp_wire_sign_answer(&line->answer, &line->hello, tcp->key);
    if (reason)
        weft_log(WEFT_LOG_INFO, "refused process %u:%u, and told it: %s", source.nid, source.pid,
                 weft_world_reason(reason));
    return say(line, &line->answer, sizeof line->answer) && !reason &&
           weft_tcp_line_seal(tcp, line, false);
}

/* False if the line is not needed any more. */
static bool take_hello(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    const struct weft_tcp_hello *hello = &line->hello;
    if (hello->magic != WEFT_TCP_WIRE_MAGIC || hello->message != WEFT_TCP_WIRE_HELLO) {
        tcp->counts.strangers++;
        return false;
    }
    if (!weft_tcp_wire_is_hello(hello, tcp->key)) {
        tcp->counts.forgeries++;
        return false;
    }
    /* When the world is being closed, nobody is let in any more. */
    if (!tcp->nic || weft_nic_address_is(weft_tcp_wire_source(hello), tcp->world.self))
        return false;
    line->instance = hello->source_instance;
    if (!answer(tcp, line))
        return false;
    weft_tcp_listen_welcome(tcp, line);
    return true;
}

/* Whether we have a line with that very process already, or will have one that we have called. */
static bool is_needless(const struct weft_tcp *tcp, const struct weft_tcp_peer *peer,
                        uint64_t instance)
{
    const struct weft_tcp_line *line = peer->line;
    if (!line || line->instance != instance)
        return false;
    /* Who calls again has not heard that it is admitted. */
    if (weft_tcp_line_is_up(line))
        return line->state != WEFT_TCP_LINE_ADMITTED;
    return line->state == WEFT_TCP_LINE_CONFIRMING &&
           weft_world_leads(tcp->world.self, peer->known.route.address);
}

/* Makes this the line of the peer. False if it cannot be. */
static bool admit(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    struct weft_tcp_peer *peer = weft_tcp_peer(tcp, weft_tcp_wire_source(&line->hello));
    if (!peer || peer->known.retired_instance == line->instance ||
        is_needless(tcp, peer, line->instance))
        return false;
    /* Another process had the address: it is dead, and what was under way with it has failed. */
    if (peer->line && weft_tcp_line_is_up(peer->line) && peer->line->instance != line->instance)
        weft_tcp_peer_retire(tcp, peer->line);
    if (peer->line)
        weft_tcp_line_free(tcp, peer->line);
    weft_tcp_listen_release(tcp, line);
    weft_list_append(&tcp->lines, &line->link);
    line->peer = peer;
    peer->line = line;
    weft_tcp_line_open(tcp, line, WEFT_TCP_LINE_ADMITTED);
    weft_tcp_send_want(tcp, line, WEFT_TCP_FRAME_READY);
    return true;
}

static bool take_confirm(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    if (!is_frame(line, WEFT_TCP_FRAME_CONFIRM)) {
        tcp->counts.forgeries++;
        return false;
    }
    return tcp->nic && admit(tcp, line);
}

/* ---- Both ---------------------------------------------------------------------------------- */

static void go_on_calling(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    bool greets = line->state == WEFT_TCP_LINE_GREETING;
    enum hearing hearing = greets ? hear(line, &line->answer, sizeof line->answer)
                                  : hear(line, &line->first, sizeof line->first);
    if (hearing == HUNG_UP)
        weft_tcp_handshake_retry(tcp, line);
    else if (hearing == WHOLE && greets)
        take_answer(tcp, line);
    else if (hearing == WHOLE)
        take_ready(tcp, line);
}

static void go_on_being_called(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    bool knocks = line->state == WEFT_TCP_LINE_KNOCKING;
    enum hearing hearing = knocks ? hear(line, &line->hello, sizeof line->hello)
                                  : hear(line, &line->first, sizeof line->first);
    bool is_wanted = hearing != HUNG_UP;
    /* Who only connected may have thought better of it. */
    if (!is_wanted && line->heard_bytes)
        tcp->counts.strangers++;
    if (hearing == WHOLE)
        is_wanted = knocks ? take_hello(tcp, line) : take_confirm(tcp, line);
    if (!is_wanted)
        weft_tcp_listen_drop(tcp, line);
}

void weft_tcp_handshake_go_on(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    switch (line->state) {
    case WEFT_TCP_LINE_CONNECTING:
        greet(tcp, line);
        break;
    case WEFT_TCP_LINE_GREETING:
    case WEFT_TCP_LINE_CONFIRMING:
        go_on_calling(tcp, line);
        break;
    case WEFT_TCP_LINE_KNOCKING:
    case WEFT_TCP_LINE_WELCOMED:
        go_on_being_called(tcp, line);
        break;
    default:
        break;
    }
}
