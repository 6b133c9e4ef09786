/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How two processes come to share a line (wire.h). Who was called decides, when it reads CONFIRM,
 * whether this is the line: not if it has one with that process, nor if it has called that process
 * itself, has confirmed, and has the lower address. So of two that call each other exactly one
 * line remains: until the one with the lower address has confirmed its own it takes the other's,
 * and from then on it does not; the one with the higher address takes what is confirmed to it. Who
 * is hung up on before READY tries again, and by that the one that was called knows that READY was
 * lost.
 */
#ifndef WEFT_WORLD_TCP_HANDSHAKE_H
#define WEFT_WORLD_TCP_HANDSHAKE_H

struct weft_tcp;
struct weft_tcp_line;

/* Looks for the card of a process that is sought, and calls it. */
void weft_tcp_handshake_call(struct weft_tcp *tcp, struct weft_tcp_line *line);

/* Hangs up, to call again soon. */
void weft_tcp_handshake_retry(struct weft_tcp *tcp, struct weft_tcp_line *line);

/* Something has come on a line that is not open yet, or it is connected. */
void weft_tcp_handshake_go_on(struct weft_tcp *tcp, struct weft_tcp_line *line);

#endif
