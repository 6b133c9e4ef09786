/* SPDX-License-Identifier: BSD-3-Clause */
/* What comes on lines that are open. */
#ifndef WEFT_WORLD_TCP_RECEIVE_H
#define WEFT_WORLD_TCP_RECEIVE_H

struct weft_tcp;

/* Deals with what has come on all lines, as far as a limited number of frames. Says how many there
 * were. */
unsigned weft_tcp_receive(struct weft_tcp *tcp);

/* Gives the NIC what it has sent to itself. */
unsigned weft_tcp_receive_self(struct weft_tcp *tcp);

#endif
