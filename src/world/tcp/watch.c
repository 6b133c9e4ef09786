/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/tcp/watch.h"

#include "base/clock.h"
#include "base/log.h"
#include "world/card.h"
#include "world/rails.h"
#include "world/tcp/handshake.h"
#include "world/tcp/listen.h"
#include "world/tcp/peer.h"
#include "world/tcp/send.h"

/* A line that was used within so many looks is not idle. */
#define IDLE_LOOKS 4

/* ---- One line ------------------------------------------------------------------------------ */

static void give_up(struct weft_tcp *tcp, struct weft_tcp_line *line, const char *why)
{
    struct weft_nic_address address = line->peer->known.route.address;
    if (!tcp->rail || !weft_world_rail_lose(tcp->rail, address, why))
        weft_log(WEFT_LOG_WARN, "process %u:%u counts as dead: %s", address.nid, address.pid, why);
    weft_tcp_peer_retire(tcp, line);
}

/* It has not heard that it is admitted and calls again; or it is dead, and nobody listens. */
static void call_back(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    struct weft_tcp_peer *peer = line->peer;
    weft_tcp_line_free(tcp, line);
    if (weft_tcp_peer_begin(tcp, peer))
        peer->line->calls_back = true;
    else
        weft_log(WEFT_LOG_ERROR, "there is not enough memory");
}

static bool is_replaced(const struct weft_tcp *tcp, const struct weft_tcp_line *line)
{
    struct weft_world_card card = {0};
    return weft_world_peer_look_up(&line->peer->known, tcp->directory, &card) == 0 &&
           weft_world_card_instance(&card) != line->instance;
}

static void look_at_calling(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    bool is_seeking = line->state == WEFT_TCP_LINE_SEEKING;
    if (tcp->time.now >= line->deadline)
        give_up(tcp, line,
                is_seeking && !line->instance
                    ? "it did not appear in time: is it running?"
                    : "it does not answer: is it running, with the same key?");
    else if (tcp->time.now < line->retry_at)
        return;
    else if (is_seeking)
        weft_tcp_handshake_call(tcp, line);
    else if (line->state == WEFT_TCP_LINE_CONNECTING || is_replaced(tcp, line))
        weft_tcp_handshake_retry(tcp, line);
}

/* After two pauses in which it should have said something nobody knows for how long it had not
 * been there. */
static void note_that_it_was_heard(const struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    if (tcp->time.now - line->heard_at > 2 * tcp->alive_pause)
        line->steady_at = tcp->time.now;
    line->heard_at = tcp->time.now;
}

static void look_at_open(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    struct weft_nic_address address = line->peer->known.route.address;
    /* What waits for the NIC would be heard. */
    if (line->heard || !weft_list_is_empty(&line->waiting))
        note_that_it_was_heard(tcp, line);
    if (line->spoke)
        line->spoke_at = tcp->time.now;
    line->heard = line->spoke = false;
    /* A NIC that still wants to send says so again and again. */
    if (line->state == WEFT_TCP_LINE_OPEN && line->used != tcp->looks)
        line->hungry = false;
    uint64_t silence = tcp->time.now - line->heard_at;
    if (silence >= tcp->world.timeout)
        give_up(tcp, line, "it does not answer");
    else if (tcp->rail && weft_world_rail_is_cut(tcp->rail, address, silence))
        give_up(tcp, line, "nothing comes this way any more");
    else if (line->state == WEFT_TCP_LINE_OPEN && weft_list_is_empty(&line->stalled) &&
             tcp->time.now - line->spoke_at >= tcp->alive_pause)
        weft_tcp_send_want(tcp, line, WEFT_TCP_FRAME_ALIVE);
}

static void look_at(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    if (line->broken && line->state == WEFT_TCP_LINE_ADMITTED)
        call_back(tcp, line);
    else if (line->broken)
        give_up(tcp, line, line->broken);
    else if (weft_tcp_line_is_up(line))
        look_at_open(tcp, line);
    else
        look_at_calling(tcp, line);
}

/* ---- Idle lines ---------------------------------------------------------------------------- */

static bool is_idle(const struct weft_tcp *tcp, const struct weft_tcp_line *line)
{
    return line->state == WEFT_TCP_LINE_OPEN && weft_list_is_empty(&line->stalled) &&
           weft_list_is_empty(&line->waiting) && !line->hungry && !line->broken &&
           tcp->looks - line->used >= IDLE_LOOKS;
}

/* One at a look: their answers come later, and until then they still count. */
static void park_one(struct weft_tcp *tcp)
{
    struct weft_tcp_line *oldest = NULL;
    for (struct weft_list *link = tcp->lines.next; link != &tcp->lines; link = link->next) {
        struct weft_tcp_line *line = weft_list_object(link, struct weft_tcp_line, link);
        if (is_idle(tcp, line) && (!oldest || line->used < oldest->used))
            oldest = line;
    }
    if (oldest)
        weft_tcp_line_close(tcp, oldest, 0);
}

/* ---- All ----------------------------------------------------------------------------------- */

/* Says how many lines are about to end. */
static uint32_t look_at_all(struct weft_tcp *tcp)
{
    uint32_t ending = 0;
    struct weft_list *link = tcp->lines.next;
    while (link != &tcp->lines) {
        struct weft_tcp_line *line = weft_list_object(link, struct weft_tcp_line, link);
        link = link->next;
        ending += line->state > WEFT_TCP_LINE_OPEN;
        look_at(tcp, line);
    }
    return ending;
}

void weft_tcp_watch(struct weft_tcp *tcp)
{
    uint64_t now = weft_clock_now();
    if (!weft_world_own_time_is_due(&tcp->time, now, tcp->world.timeout))
        return;
    weft_tcp_listen(tcp);
    uint32_t ending = look_at_all(tcp);
    if (tcp->line_limit && tcp->open_count > tcp->line_limit + ending)
        park_one(tcp);
    tcp->looks++;
    weft_world_complain(&tcp->complaint, &tcp->counts, now);
}
