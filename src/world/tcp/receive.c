/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/tcp/receive.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "packet/packet.h"
#include "world/tcp/handshake.h"
#include "world/tcp/peer.h"
#include "world/tcp/send.h"

/* Frames of one line, and lines, that are dealt with before others get a turn. */
#define BATCH 16

/* The line on which something came last is asked alone so many times, because that is one call. */
#define HOT_POLLS 4u

/* Of what frames it is worth to ask the NIC where they go. */
#define LONG_FRAME 4096u

/* ---- Frames -------------------------------------------------------------------------------- */

static void take_bye(struct weft_tcp *tcp, struct weft_tcp_line *line, uint8_t flags)
{
    bool has_gone = line->state == WEFT_TCP_LINE_CLOSING && !line->note_left && !line->unsent &&
                    !(line->wants & 1u << WEFT_TCP_FRAME_BYE);
    line->bye_in = flags;
    if (has_gone) {
        weft_tcp_line_finish(tcp, line);
        return;
    }
    line->state = WEFT_TCP_LINE_PARTING;
    /* Not at once: the NIC may have to answer something that came just before. It cannot any
     * more, but then we know that it wants to. After a BYE of ours that is on the way: nothing. */
    if (!(line->note.kind == WEFT_TCP_FRAME_BYE && line->note_left))
        weft_tcp_send_want_later(tcp, line, WEFT_TCP_FRAME_BYE);
}

static void take_frame(struct weft_tcp *tcp, struct weft_tcp_line *line,
                       const struct weft_tcp_head *head, const unsigned char *packet,
                       const unsigned char *landed)
{
    line->heard = true;
    if (line->state == WEFT_TCP_LINE_ADMITTED)
        line->state = WEFT_TCP_LINE_OPEN;
    if (head->kind == WEFT_TCP_FRAME_DATA) {
        line->used = tcp->looks;
        if (landed)
            weft_nic_receive_landed(tcp->nic, line->nic_peer, packet, head->size, landed);
        else if (tcp->nic)
            weft_nic_receive(tcp->nic, line->nic_peer, packet, head->size);
    } else if (head->kind == WEFT_TCP_FRAME_BYE) {
        take_bye(tcp, line, head->flags);
    }
}

static bool makes_sense(const struct weft_tcp *tcp, const struct weft_tcp_head *head)
{
    if (head->kind == WEFT_TCP_FRAME_DATA)
        return head->size && head->size <= tcp->world.packet_size;
    return head->size == 0 &&
           (head->kind == WEFT_TCP_FRAME_ALIVE || head->kind == WEFT_TCP_FRAME_BYE);
}

/* Packets wait where they are, and so does all that comes behind them. */
static bool must_wait(struct weft_tcp *tcp, const struct weft_tcp_line *line)
{
    return tcp->nic && weft_nic_peer_waits(tcp->nic, line->nic_peer);
}

/* Opens a frame. What is encrypted is decrypted to where the NIC wants it, if it says so: else it
 * is here, and copied by the NIC. What is not would be authenticated in the program's memory,
 * which the program may change meanwhile. */
static bool open_frame(struct weft_tcp *tcp, struct weft_tcp_line *line,
                       struct weft_tcp_head *head, unsigned char *packet, unsigned char **landed)
{
    *landed = NULL;
    if (head->size < LONG_FRAME || tcp->is_plain || !tcp->nic)
        return weft_tcp_frame_seal(&line->in, head, packet);
    unsigned char *payload = packet + WEFT_PACKET_LANDING;
    if (!weft_tcp_frame_seal_head(&line->in, head) ||
        !weft_tcp_seal_part(&line->in, packet, packet, WEFT_PACKET_LANDING))
        return false;
    *landed = weft_nic_landing(tcp->nic, line->nic_peer, packet, head->size);
    return weft_tcp_seal_part(&line->in, *landed ? *landed : payload, payload,
                              head->size - WEFT_PACKET_LANDING) &&
           weft_tcp_seal_tag(&line->in, head->tag);
}

enum taking { TAKEN, INCOMPLETE, WAITING };

static enum taking take_next(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    struct weft_tcp_head head;
    size_t there = line->end - line->begin;
    unsigned char *bytes = line->bytes + line->begin, *landed;
    if (there < sizeof head)
        return INCOMPLETE;
    memcpy(&head, bytes, sizeof head);
    if (!makes_sense(tcp, &head)) {
        line->broken = "it sends what makes no sense";
        return INCOMPLETE;
    }
    if (there < sizeof head + head.size)
        return INCOMPLETE;
    if (must_wait(tcp, line))
        return WAITING;
    if (!open_frame(tcp, line, &head, bytes + sizeof head, &landed)) {
        line->broken = "something was changed on the way";
        tcp->counts.forgeries++;
        return INCOMPLETE;
    }
    line->begin += sizeof head + head.size;
    take_frame(tcp, line, &head, bytes + sizeof head, landed);
    return TAKEN;
}

/* ---- Lines --------------------------------------------------------------------------------- */

/* The next frame must have room behind what is there of it. */
static void make_room(const struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    size_t there = line->end - line->begin;
    size_t frame = sizeof(struct weft_tcp_head) + tcp->world.packet_size;
    if (there == 0) {
        line->begin = line->end = 0;
    } else if (tcp->room - line->begin < frame) {
        memmove(line->bytes, line->bytes + line->begin, there);
        line->begin = 0;
        line->end = there;
    }
}

/* Says how many frames there were. */
static unsigned take_frames(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    unsigned count = 0;
    enum taking step = TAKEN;
    for (; count < BATCH && step == TAKEN; count += step == TAKEN) {
        if (!weft_tcp_line_is_up(line) || line->broken)
            return count;
        step = take_next(tcp, line);
    }
    if (step == INCOMPLETE) {
        weft_list_remove(&line->waiting);
        make_room(tcp, line);
    } else if (weft_list_is_empty(&line->waiting) && weft_tcp_line_is_up(line)) {
        weft_list_append(&tcp->waiting, &line->waiting);
    }
    return count;
}

/* False if nothing has come. */
static bool read_more(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    ssize_t count = recv(line->fd, line->bytes + line->end, tcp->room - line->end, MSG_DONTWAIT);
    if (count > 0) {
        line->end += (size_t)count;
        return true;
    }
    if (count == 0)
        line->broken = "it has ended without a farewell";
    else if (errno != EAGAIN && errno != EINTR)
        line->broken = "the connection is cut";
    return false;
}

static bool is_readable(const struct weft_tcp_line *line)
{
    return weft_tcp_line_is_up(line) && !line->broken && weft_list_is_empty(&line->waiting);
}

static unsigned receive_on(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    if (!is_readable(line) || !read_more(tcp, line))
        return 0;
    tcp->hot = line;
    return take_frames(tcp, line);
}

static unsigned take_waiting(struct weft_tcp *tcp)
{
    unsigned count = 0;
    struct weft_list *link = tcp->waiting.next;
    while (link != &tcp->waiting) {
        struct weft_tcp_line *line = weft_list_object(link, struct weft_tcp_line, waiting);
        link = link->next;
        count += take_frames(tcp, line);
    }
    return count;
}

static unsigned ask_all(struct weft_tcp *tcp)
{
    struct epoll_event events[BATCH];
    unsigned frames = 0;
    int count = epoll_wait(tcp->epoll, events, BATCH, 0);
    for (int i = 0; i < count; i++) {
        struct weft_tcp_line *line = events[i].data.ptr;
        if (!line)
            tcp->somebody_calls = true; /* the listener, which has its turn at the next look */
        else if (weft_tcp_line_is_up(line))
            frames += receive_on(tcp, line);
        else
            weft_tcp_handshake_go_on(tcp, line);
    }
    return frames;
}

unsigned weft_tcp_receive(struct weft_tcp *tcp)
{
    unsigned frames = weft_list_is_empty(&tcp->waiting) ? 0 : take_waiting(tcp);
    if (tcp->hot && ++tcp->polls % HOT_POLLS)
        frames += receive_on(tcp, tcp->hot);
    else
        frames += ask_all(tcp);
    if (frames)
        weft_world_doze_progress(&tcp->doze);
    return frames;
}

unsigned weft_tcp_receive_self(struct weft_tcp *tcp)
{
    unsigned count = 0;
    if (!tcp->self_nic_peer)
        tcp->self_nic_peer = weft_nic_peer(tcp->nic, tcp->world.self);
    for (; count < BATCH && !weft_list_is_empty(&tcp->loop) && tcp->self_nic_peer; count++) {
        if (weft_nic_peer_waits(tcp->nic, tcp->self_nic_peer))
            break;
        struct weft_tcp_tx *tx = weft_list_object(tcp->loop.next, struct weft_tcp_tx, link);
        weft_list_remove(&tx->link);
        tcp->loop_count--;
        weft_nic_receive(tcp->nic, tcp->self_nic_peer, tx->packet, tx->size);
        weft_tcp_send_release(tcp, tx);
    }
    return count;
}
