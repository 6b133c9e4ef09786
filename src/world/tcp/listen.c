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

#define STRANGERS_MOST 128u
#define ACCEPTED_MOST 16u

/* Part of the timeout that a stranger has. */
#define STRANGER_PART 4

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
    while (!weft_list_is_empty(&tcp->strangers))
        weft_tcp_listen_drop(tcp,
                             weft_list_object(tcp->strangers.next, struct weft_tcp_line, link));
    if (tcp->listener >= 0)
        close(tcp->listener);
    tcp->listener = -1;
}

/* ---- Strangers ----------------------------------------------------------------------------- */

void weft_tcp_listen_release(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    weft_list_remove(&line->link);
    tcp->stranger_count--;
}

void weft_tcp_listen_drop(struct weft_tcp *tcp, struct weft_tcp_line *line)
{
    weft_tcp_listen_release(tcp, line);
    weft_tcp_line_free(tcp, line);
}

static void drop_oldest(struct weft_tcp *tcp)
{
    struct weft_tcp_line *line = weft_list_object(tcp->strangers.next, struct weft_tcp_line, link);
    tcp->counts.strangers++;
    weft_tcp_listen_drop(tcp, line);
}

static void welcome_stranger(struct weft_tcp *tcp, int fd)
{
    struct weft_tcp_line *line = weft_tcp_line_new(tcp, WEFT_TCP_LINE_KNOCKING);
    if (!line) {
        close(fd);
        return;
    }
    line->deadline = tcp->time.now + tcp->world.timeout / STRANGER_PART;
    weft_list_append(&tcp->strangers, &line->link);
    tcp->stranger_count++;
    if (!weft_tcp_line_attach(tcp, line, fd)) {
        weft_tcp_listen_drop(tcp, line);
        return;
    }
    /* Who belongs to us has spoken already, and needs no room among those who have not. */
    weft_tcp_handshake_go_on(tcp, line);
    if (tcp->stranger_count > STRANGERS_MOST)
        drop_oldest(tcp);
}

/* The time of those that are first in the list is over first. */
static void drop_late(struct weft_tcp *tcp)
{
    while (tcp->stranger_count &&
           weft_list_object(tcp->strangers.next, struct weft_tcp_line, link)->deadline <=
               tcp->time.now)
        drop_oldest(tcp);
}

void weft_tcp_listen(struct weft_tcp *tcp)
{
    drop_late(tcp);
    for (unsigned i = 0; i < ACCEPTED_MOST; i++) {
        int fd = accept4(tcp->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            welcome_stranger(tcp, fd);
            continue;
        }
        /* The place of a stranger may be that of a friend, at the next look. */
        if ((errno == EMFILE || errno == ENFILE) && tcp->stranger_count)
            drop_oldest(tcp);
        if (errno != ECONNABORTED && errno != EINTR)
            return;
    }
}
