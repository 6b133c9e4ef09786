/* SPDX-License-Identifier: BSD-3-Clause */
/* The bare engine where Weft runs over sockets: one connection, from memory to memory. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/pair/side.h"

static void must(bool is_fine, const char *what)
{
    if (!is_fine)
        side_fail(what);
}

static struct sockaddr_in place_of(uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int accept_other(struct side *side)
{
    struct sockaddr_in place = place_of(0);
    socklen_t size = sizeof place;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    must(listener >= 0 && bind(listener, (struct sockaddr *)&place, size) == 0 &&
             listen(listener, 1) == 0 &&
             getsockname(listener, (struct sockaddr *)&place, &size) == 0,
         "no bare socket listens");
    side->shared->port = place.sin_port;
    side_meet(side);
    int fd = accept(listener, NULL, NULL);
    close(listener);
    return fd;
}

static int call_other(struct side *side)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    side_meet(side);
    struct sockaddr_in place = place_of(side->shared->port);
    must(fd >= 0 && connect(fd, (const struct sockaddr *)&place, sizeof place) == 0,
         "a bare socket does not connect");
    return fd;
}

static void open_socket(struct side *side)
{
    int yes = 1;
    side->socket = side->rank == 0 ? accept_other(side) : call_other(side);
    must(setsockopt(side->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) == 0,
         "a bare socket takes no option");
}

static void close_socket(struct side *side)
{
    close(side->socket);
}

/* An empty message is a byte, too. */
static size_t bytes_of(size_t size)
{
    return size ? size : 1;
}

static void send_bytes(struct side *side, size_t size)
{
    for (size_t sent = 0; sent < bytes_of(size);) {
        ssize_t count = send(side->socket, side->source + sent, bytes_of(size) - sent,
                             MSG_DONTWAIT | MSG_NOSIGNAL);
        must(count > 0 || errno == EAGAIN, "a bare socket does not send");
        sent += count > 0 ? (size_t)count : 0;
    }
}

/* What is empty must not change the memory that is looked at later. */
static void receive_one(struct side *side, size_t size)
{
    unsigned char nothing;
    unsigned char *to = size ? side->target : &nothing;
    for (size_t have = 0; have < bytes_of(size);) {
        ssize_t count = recv(side->socket, to + have, bytes_of(size) - have, MSG_DONTWAIT);
        must(count > 0 || (count < 0 && errno == EAGAIN), "a bare socket does not receive");
        have += count > 0 ? (size_t)count : 0;
    }
}

static void receive_bytes(struct side *side, size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++)
        receive_one(side, size);
}

const struct side_engine side_engine_tcp = {
    .open = open_socket, .close = close_socket, .send = send_bytes, .receive = receive_bytes};
