/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handing frames to sockets. A packet is written into a buffer that is always the same, so that it
 * stays in the cache, is sealed there and sent at once; only if the socket does not take all of it
 * the line keeps the buffer, and takes no other packet until that has gone. Of frames without a
 * packet a line remembers only that they have to go.
 */
#ifndef WEFT_WORLD_TCP_SEND_H
#define WEFT_WORLD_TCP_SEND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/list.h"
#include "world/tcp/wire.h"

struct weft_tcp;
struct weft_tcp_line;

struct weft_tcp_tx {
    struct weft_list link; /* among those to ourselves */
    size_t sent;           /* bytes that the socket has */
    size_t size;
    struct weft_tcp_head head;
    unsigned char packet[];
};

/* Where to write a packet for the line; NULL if there is no room now. */
unsigned char *weft_tcp_send_reserve(struct weft_tcp *tcp, struct weft_tcp_line *line);
/* The last `from_size` bytes of it are at `from`. */
void weft_tcp_send_commit(struct weft_tcp *tcp, struct weft_tcp_line *line, size_t size,
                          const void *from, size_t from_size);

/* The same with ourselves. */
unsigned char *weft_tcp_send_reserve_self(struct weft_tcp *tcp);
void weft_tcp_send_commit_self(struct weft_tcp *tcp, size_t size, const void *from,
                               size_t from_size);
/* A buffer is not needed any more. */
void weft_tcp_send_release(struct weft_tcp *tcp, struct weft_tcp_tx *tx);

/* A frame without a packet has to go, now if possible, or at the next poll. */
void weft_tcp_send_want(struct weft_tcp *tcp, struct weft_tcp_line *line,
                        enum weft_tcp_frame_kind kind);
void weft_tcp_send_want_later(struct weft_tcp *tcp, struct weft_tcp_line *line,
                              enum weft_tcp_frame_kind kind);

/* Bytes that the socket has not taken, but for a packet that is not committed. */
size_t weft_tcp_send_left(const struct weft_tcp_line *line);

/* Tries again what sockets did not take, and ends the lines whose BYE has gone. */
void weft_tcp_send_flush_all(struct weft_tcp *tcp);

#endif
