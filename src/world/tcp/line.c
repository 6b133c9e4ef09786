/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/tcp/line.h"

#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/log.h"
#include "world/rails.h"
#include "world/secret.h"
#include "world/tcp/peer.h"
#include "world/tcp/send.h"

struct weft_tcp_line *weft_tcp_line_new(struct weft_tcp *tcp, enum weft_tcp_line_state state)
{
    struct weft_tcp_line *line = calloc(1, sizeof *line);
    if (!line)
        return NULL;
    line->state = state;
    line->fd = -1;
    line->deadline = tcp->time.now + tcp->world.timeout;
    line->used = tcp->looks;
    weft_list_init(&line->link);
    weft_list_init(&line->stalled);
    weft_list_init(&line->waiting);
    return line;
}

/* ---- The socket ---------------------------------------------------------------------------- */

bool weft_tcp_line_attach(struct weft_tcp *tcp, struct weft_tcp_line *line, int fd)
{
    int yes = 1;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = line};
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    line->fd = fd;
    return epoll_ctl(tcp->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

void weft_tcp_line_watch(struct weft_tcp *tcp, struct weft_tcp_line *line, bool for_room)
{
    struct epoll_event event = {.events = for_room ? EPOLLIN | EPOLLOUT : EPOLLIN,
                                .data.ptr = line};
    epoll_ctl(tcp->epoll, EPOLL_CTL_MOD, line->fd, &event);
}

void weft_tcp_line_hang_up(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    if (line->fd >= 0) {
        /* A child that was forked may have the socket, too, and then closing does not do this. */
        epoll_ctl(tcp->epoll, EPOLL_CTL_DEL, line->fd, NULL);
        close(line->fd);
    }
    line->fd = -1;
    line->heard_bytes = 0;
    weft_tcp_seal_end(&line->in);
    weft_tcp_seal_end(&line->out);
}

/* ---- Life ---------------------------------------------------------------------------------- */

void weft_tcp_line_free(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    tcp->open_count -= weft_tcp_line_is_up(line);
    if (line->peer && line->peer->line == line)
        line->peer->line = NULL;
    if (tcp->hot == line)
        tcp->hot = NULL;
    weft_tcp_line_hang_up(tcp, line);
    line->state = WEFT_TCP_LINE_GONE;
    weft_list_remove(&line->stalled);
    weft_list_remove(&line->waiting);
    weft_list_remove(&line->link);
    weft_list_append(&tcp->graves, &line->link);
}

void weft_tcp_line_bury(struct weft_tcp *tcp)
{
    while (!weft_list_is_empty(&tcp->graves)) {
        struct weft_tcp_line *line =
            weft_list_object(tcp->graves.next, struct weft_tcp_line, link);
        weft_list_remove(&line->link);
        free(line->unsent);
        free(line->bytes);
        free(line);
    }
}

bool weft_tcp_line_seal(struct weft_tcp *tcp, struct weft_tcp_line *line, bool has_called)
{
    struct weft_tcp_wire_secrets secrets;
    weft_tcp_wire_secrets(&secrets, tcp->key, &line->hello, &line->answer);
    bool is_sealed = weft_tcp_seal_begin(&line->out, tcp->cipher, false, tcp->is_plain,
                                         has_called ? secrets.of_caller : secrets.of_called) &&
                     weft_tcp_seal_begin(&line->in, tcp->cipher, true, tcp->is_plain,
                                         has_called ? secrets.of_called : secrets.of_caller);
    weft_world_wipe(&secrets, sizeof secrets);
    return is_sealed;
}

void weft_tcp_line_open(struct weft_tcp *tcp, struct weft_tcp_line *line,
                        enum weft_tcp_line_state state)
{
    struct weft_nic_route *route = &line->peer->known.route;
    bool is_known =
        !tcp->rail || weft_world_rail_opened(tcp->rail, tcp->nic, route->address, line->instance);
    /* Nobody asks for the way again while other rails lead there. */
    if (tcp->rail && is_known)
        route->failed = false;
    line->nic_peer = weft_nic_peer(tcp->nic, route->address);
    line->bytes = malloc(tcp->room);
    if (!line->nic_peer || !line->bytes || !is_known)
        line->broken = "there is not enough memory";
    line->state = state;
    line->heard_at = line->steady_at = line->spoke_at = tcp->time.now;
    line->used = tcp->looks;
    tcp->open_count++;
    tcp->counts.opened++;
}

void weft_tcp_line_close(struct weft_tcp *tcp, struct weft_tcp_line *line, uint8_t flags)
{
    line->state = WEFT_TCP_LINE_CLOSING;
    line->bye_out = flags;
    weft_tcp_send_want(tcp, line, WEFT_TCP_FRAME_BYE);
}

void weft_tcp_line_finish(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    struct weft_tcp_peer *peer = line->peer;
    bool comes_back = line->bye_in & WEFT_TCP_BYE_RETURN;
    if (line->bye_in & WEFT_TCP_BYE_LEAVE) {
        weft_log(WEFT_LOG_INFO, "process %u:%u has left", peer->known.route.address.nid,
                 peer->known.route.address.pid);
        weft_tcp_peer_retire(tcp, line);
        return;
    }
    weft_tcp_line_free(tcp, line);
    if (!tcp->nic)
        return;
    tcp->counts.parked++;
    /* It has something for us, and if it dies before it says that, somebody must notice. */
    if (comes_back && !weft_tcp_peer_begin(tcp, peer))
        weft_log(WEFT_LOG_ERROR, "there is not enough memory");
}
