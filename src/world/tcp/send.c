/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/tcp/send.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "world/tcp/peer.h"

/* Packets that may wait for ourselves. */
#define LOOP_MOST 64u

/* ---- Buffers ------------------------------------------------------------------------------- */

static bool has_spare(struct weft_tcp *tcp)
{
    if (!tcp->spare)
        tcp->spare = malloc(sizeof *tcp->spare + tcp->world.packet_size);
    return tcp->spare;
}

void weft_tcp_send_release(struct weft_tcp *tcp, struct weft_tcp_tx *tx)
{
    if (tcp->spare)
        free(tx);
    else
        tcp->spare = tx;
}

/* ---- The socket ---------------------------------------------------------------------------- */

/* How much it takes. */
static size_t push(struct weft_tcp_line *line, const void *bytes, size_t size)
{
    ssize_t count = send(line->fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count >= 0)
        return (size_t)count;
    line->is_cut = errno != EAGAIN && errno != EINTR;
    return 0;
}

static bool push_note(struct weft_tcp_line *line)
{
    if (line->note_left)
        line->note_left -= push(line, (const unsigned char *)(&line->note + 1) - line->note_left,
                                line->note_left);
    return line->note_left == 0;
}

static bool push_packet(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    struct weft_tcp_tx *tx = line->unsent;
    if (!tx)
        return true;
    tx->sent += push(line, (const unsigned char *)&tx->head + tx->sent, tx->size - tx->sent);
    if (tx->sent < tx->size)
        return false;
    line->unsent = NULL;
    weft_tcp_send_release(tcp, tx);
    return true;
}

/* ---- Frames without a packet --------------------------------------------------------------- */

static void make_note(struct weft_tcp_line *line, unsigned kind)
{
    line->note = (struct weft_tcp_head){.kind = (uint8_t)kind};
    if (kind == WEFT_TCP_FRAME_BYE)
        line->note.flags = line->bye_out | (line->hungry ? WEFT_TCP_BYE_RETURN : 0);
    line->note_left = sizeof line->note;
    line->wants &= ~(1u << kind);
    line->spoke = true;
    if (!weft_tcp_frame_seal(&line->out, &line->note, NULL))
        line->broken = "a frame could not be sealed";
}

/* Says whether there is nothing left to send. */
static bool flush(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    if (line->broken || line->is_cut || !push_note(line) || !push_packet(tcp, line))
        return false;
    /* BYE is the last kind, and so the last frame. */
    for (unsigned kind = 0; kind < WEFT_TCP_FRAME_KINDS; kind++) {
        if (!(line->wants & 1u << kind))
            continue;
        make_note(line, kind);
        if (line->broken || !push_note(line))
            return false;
    }
    return true;
}

size_t weft_tcp_send_left(const struct weft_tcp_line *line)
{
    size_t notes = (size_t)__builtin_popcount(line->wants) * sizeof line->note + line->note_left;
    return notes + (line->unsent ? line->unsent->size - line->unsent->sent : 0);
}

static void stall(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    if (!weft_list_is_empty(&line->stalled))
        return;
    weft_list_append(&tcp->stalled, &line->stalled);
    weft_tcp_line_watch(tcp, line, true);
}

static void go_on(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    if (weft_list_is_empty(&line->stalled))
        return;
    weft_list_remove(&line->stalled);
    weft_tcp_line_watch(tcp, line, false);
}

void weft_tcp_send_want_later(struct weft_tcp *tcp, struct weft_tcp_line *line,
                              enum weft_tcp_frame_kind kind)
{
    line->wants |= 1u << kind;
    stall(tcp, line);
}

void weft_tcp_send_want(struct weft_tcp *tcp, struct weft_tcp_line *line,
                        enum weft_tcp_frame_kind kind)
{
    line->wants |= 1u << kind;
    /* A line that ends does so in weft_tcp_send_flush_all, when nobody else looks at it. */
    if (line->state == WEFT_TCP_LINE_PARTING || !flush(tcp, line))
        stall(tcp, line);
    else
        go_on(tcp, line);
}

void weft_tcp_send_flush_all(struct weft_tcp *tcp)
{
    struct weft_list *link = tcp->stalled.next;
    while (link != &tcp->stalled) {
        struct weft_tcp_line *line = weft_list_object(link, struct weft_tcp_line, stalled);
        link = link->next;
        if (!flush(tcp, line))
            continue;
        go_on(tcp, line);
        if (line->state == WEFT_TCP_LINE_PARTING)
            weft_tcp_line_finish(tcp, line);
    }
}

/* ---- Packets ------------------------------------------------------------------------------- */

unsigned char *weft_tcp_send_reserve(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    if (line->state == WEFT_TCP_LINE_OPEN && !line->unsent && !line->note_left && !line->wants &&
        !line->broken && !line->is_cut && has_spare(tcp))
        return tcp->spare->packet;
    line->hungry = true;
    return NULL;
}

void weft_tcp_send_commit(struct weft_tcp *tcp, struct weft_tcp_line *line, size_t size,
                          const void *from, size_t from_size)
{
    struct weft_tcp_tx *tx = tcp->spare;
    tx->head = (struct weft_tcp_head){.size = (uint32_t)size, .kind = WEFT_TCP_FRAME_DATA};
    tx->size = sizeof tx->head + size;
    line->hungry = false;
    line->spoke = true;
    line->used = tcp->looks;
    if (!weft_tcp_frame_seal_from(&line->out, &tx->head, tx->packet, from, from_size)) {
        line->broken = "a frame could not be sealed";
        return;
    }
    tx->sent = push(line, &tx->head, tx->size);
    if (tx->sent == tx->size)
        return; /* and the buffer is still there for the next one */
    tcp->spare = NULL;
    line->unsent = tx;
    stall(tcp, line);
}

unsigned char *weft_tcp_send_reserve_self(struct weft_tcp *tcp)
{
    return tcp->loop_count < LOOP_MOST && has_spare(tcp) ? tcp->spare->packet : NULL;
}

void weft_tcp_send_commit_self(struct weft_tcp *tcp, size_t size, const void *from,
                               size_t from_size)
{
    if (from_size)
        memcpy(tcp->spare->packet + size - from_size, from, from_size);
    tcp->spare->size = size;
    weft_list_append(&tcp->loop, &tcp->spare->link);
    tcp->loop_count++;
    tcp->spare = NULL;
}
