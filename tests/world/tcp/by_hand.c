/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/tcp/by_hand.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "packet/packet.h"
#include "world/card.h"
#include "world/far/fabric.h"
#include "world/tcp/place.h"

/* ---- The socket ---------------------------------------------------------------------------- */

int call(uint32_t pid)
{
    struct timeval patience = {.tv_sec = PATIENCE / WEFT_CLOCK_SECOND};
    struct weft_tcp_place place;
    wait_until(cards[pid].is_there);
    need(weft_tcp_place_read(&cards[pid].card, &place));
    int fd = socket(place.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    need(fd >= 0 && connect(fd, &place.any, place.size) == 0);
    need(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0);
    return fd;
}

void say(int fd, const void *bytes, size_t size)
{
    if (send(fd, bytes, size, MSG_NOSIGNAL) < 0)
        return;
}

bool is_hung_up_on(int fd)
{
    char byte;
    ssize_t count = recv(fd, &byte, sizeof byte, 0);
    return count == 0 || (count < 0 && errno != EAGAIN);
}

static bool hear(int fd, void *bytes, size_t size)
{
    return recv(fd, bytes, size, MSG_WAITALL) == (ssize_t)size;
}

/* ---- The handshake ------------------------------------------------------------------------- */

struct weft_tcp_hello hello_of(uint32_t pid)
{
    struct weft_tcp_hello hello = {
        .magic = WEFT_TCP_WIRE_MAGIC,
        .version = WEFT_TCP_WIRE_VERSION,
        .message = WEFT_TCP_WIRE_HELLO,
        .is_plain = config.is_plain,
        .packet_size = PAYLOAD + WEFT_PACKET_HEADERS,
        .source_instance = INSTANCE_BY_HAND,
        .target_instance = weft_world_card_instance(&cards[1].card),
        .source_nid = 1,
        .source_pid = pid,
        .target_nid = 1,
        .target_pid = 1,
    };
    return hello;
}

void be_welcomed(struct by_hand *caller, uint32_t pid)
{
    struct weft_tcp_wire_secrets secrets;
    *caller = (struct by_hand){.fd = call(1), .pid = pid, .hello = hello_of(pid)};
    weft_tcp_wire_sign_hello(&caller->hello, config.key);
    say(caller->fd, &caller->hello, sizeof caller->hello);
    need(hear(caller->fd, &caller->answer, sizeof caller->answer) &&
         caller->answer.message == WEFT_TCP_WIRE_WELCOME);
    weft_tcp_wire_secrets(&secrets, config.key, &caller->hello, &caller->answer);
    /* The world at the other end may have another one. */
    const struct weft_tcp_cipher *cipher = weft_tcp_libcrypto();
    need(cipher &&
         weft_tcp_seal_begin(&caller->out, cipher, false, config.is_plain, secrets.of_caller) &&
         weft_tcp_seal_begin(&caller->in, cipher, true, config.is_plain, secrets.of_called));
}

void be_admitted(struct by_hand *caller, uint32_t pid)
{
    struct weft_tcp_head head;
    be_welcomed(caller, pid);
    say_frame(caller, (struct weft_tcp_head){.kind = WEFT_TCP_FRAME_CONFIRM}, NULL);
    need(hear_frame(caller, &head) && head.kind == WEFT_TCP_FRAME_READY);
}

void hang_up(struct by_hand *caller)
{
    weft_tcp_seal_end(&caller->in);
    weft_tcp_seal_end(&caller->out);
    close(caller->fd);
}

/* ---- Frames -------------------------------------------------------------------------------- */

size_t make_frame(struct by_hand *caller, struct weft_tcp_head head, const void *packet,
                  unsigned char *out)
{
    if (head.size)
        memcpy(out + sizeof head, packet, head.size);
    need(weft_tcp_frame_seal(&caller->out, &head, out + sizeof head));
    memcpy(out, &head, sizeof head);
    return sizeof head + head.size;
}

void say_frame(struct by_hand *caller, struct weft_tcp_head head, const void *packet)
{
    unsigned char bytes[sizeof head + 2 * PAYLOAD];
    say(caller->fd, bytes, make_frame(caller, head, packet, bytes));
}

void say_packet(struct by_hand *caller, uint32_t number)
{
    unsigned char packet[PAYLOAD + WEFT_PACKET_HEADERS];
    size_t size = length_of(caller->pid, number, sizeof packet);
    write_packet(packet, size, caller->pid, number);
    say_frame(caller, (struct weft_tcp_head){.size = (uint32_t)size, .kind = WEFT_TCP_FRAME_DATA},
              packet);
}

bool hear_frame(struct by_hand *caller, struct weft_tcp_head *head)
{
    if (!hear(caller->fd, head, sizeof *head))
        return false;
    need(head->size == 0 && weft_tcp_frame_seal(&caller->in, head, NULL));
    return true;
}
