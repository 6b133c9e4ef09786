/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/tcp/listen.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "world/tcp/handshake.h"
#include "world/tcp/peer.h"

/* In each state. */
#define STRANGERS_MOST 128u
#define ACCEPTED_MOST 16u

/* Part of the timeout that a stranger has in each state. */
#define STRANGER_PART 4

/* ---- Strangers ----------------------------------------------------------------------------- */

static struct weft_tcp_strangers *those_like(struct weft_tcp *tcp,
                                             const struct weft_tcp_line *line)
{
    return line->state == WEFT_TCP_LINE_KNOCKING ? &tcp->knocking : &tcp->welcomed;
}

static struct weft_tcp_line *oldest(const struct weft_tcp_strangers *strangers)
{
    return weft_list_object(strangers->lines.next, struct weft_tcp_line, link);
}

void weft_tcp_listen_release(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    weft_list_remove(&line->link);
    those_like(tcp, line)->count--;
}

void weft_tcp_listen_drop(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    weft_tcp_listen_release(tcp, line);
    weft_tcp_line_free(tcp, line);
}

static void drop_oldest(struct weft_tcp *tcp, struct weft_tcp_strangers *strangers)
{
    tcp->counts.strangers++;
    weft_tcp_listen_drop(tcp, oldest(strangers));
}

static void drop_all(struct weft_tcp *tcp, struct weft_tcp_strangers *strangers)
{
    while (strangers->count)
        weft_tcp_listen_drop(tcp, oldest(strangers));
}

/* The time of those that are first in the list is over first. */
static void drop_late(struct weft_tcp *tcp, struct weft_tcp_strangers *strangers)
{
    while (strangers->count && oldest(strangers)->deadline <= tcp->time.now)
        drop_oldest(tcp, strangers);
}

static void add(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    struct weft_tcp_strangers *strangers = those_like(tcp, line);
    line->deadline = tcp->time.now + tcp->world.timeout / STRANGER_PART;
    weft_list_append(&strangers->lines, &line->link);
    strangers->count++;
}

void weft_tcp_listen_welcome(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    weft_tcp_listen_release(tcp, line);
    line->state = WEFT_TCP_LINE_WELCOMED;
    add(tcp, line);
    if (tcp->welcomed.count > STRANGERS_MOST)
        drop_oldest(tcp, &tcp->welcomed);
}

static void meet_stranger(struct weft_tcp *tcp, int fd)
{
    struct weft_tcp_line *line = weft_tcp_line_new(tcp, WEFT_TCP_LINE_KNOCKING);
    if (!line) {
        close(fd);
        return;
    }
    add(tcp, line);
    if (!weft_tcp_line_attach(tcp, line, fd)) {
        weft_tcp_listen_drop(tcp, line);
        return;
    }
    /* Who belongs to us has spoken already, and needs no room among those who have not. */
    weft_tcp_handshake_go_on(tcp, line);
    if (tcp->knocking.count > STRANGERS_MOST)
        drop_oldest(tcp, &tcp->knocking);
}

/* There are no more sockets: the place of a stranger may be that of a friend, at the next look. */
static void make_room(struct weft_tcp *tcp)
{
    if (tcp->knocking.count)
        drop_oldest(tcp, &tcp->knocking);
    else if (tcp->welcomed.count)
        drop_oldest(tcp, &tcp->welcomed);
}

/* ---- The listener -------------------------------------------------------------------------- */

static bool fail(const char *what)
{
    weft_log(WEFT_LOG_ERROR, "cannot %s: %s", what, strerror(errno));
    return false;
}

bool weft_tcp_listen_open(struct weft_tcp *tcp)
{
    struct epoll_event event = {.events = EPOLLIN};
    struct weft_tcp_place *place = &tcp->place;
    int fd = socket(place->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return fail("open a socket");
    tcp->listener = fd;
    if (bind(fd, &place->any, place->size) < 0 || listen(fd, SOMAXCONN) < 0 ||
        getsockname(fd, &place->any, &place->size) < 0)
        return fail("listen on a socket");
    return epoll_ctl(tcp->epoll, EPOLL_CTL_ADD, fd, &event) == 0 || fail("watch a socket");
}

void weft_tcp_listen_close(struct weft_tcp *tcp)
{
    drop_all(tcp, &tcp->knocking);
    drop_all(tcp, &tcp->welcomed);
    if (tcp->listener >= 0)
        close(tcp->listener);
    tcp->listener = -1;
}

void weft_tcp_listen(struct weft_tcp *tcp)
{
    drop_late(tcp, &tcp->knocking);
    drop_late(tcp, &tcp->welcomed);
    /* To accept nobody takes as long as to send a packet. */
    if (!tcp->somebody_calls)
        return;
    tcp->somebody_calls = false;
    for (unsigned i = 0; i < ACCEPTED_MOST; i++) {
        int fd = accept4(tcp->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            meet_stranger(tcp, fd);
            continue;
        }
        if (errno == EMFILE || errno == ENFILE)
            make_room(tcp);
        else if (errno == ECONNABORTED || errno == EINTR)
            continue;
        return;
    }
}
