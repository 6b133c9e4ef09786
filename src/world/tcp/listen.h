/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The listener, and the strangers: lines that were accepted and have not proved that they know the
 * key of the job. There are a limited number of them, each of some kilobytes and with little
 * time; a new one takes the place of the oldest. So those who connect and stay silent cannot keep
 * out one who speaks. Those whose HELLO was right have places of their own, because whoever can
 * only connect must not push them out. So many are accepted in a time, that it does not cost much
 * of it.
 */
#ifndef WEFT_WORLD_TCP_LISTEN_H
#define WEFT_WORLD_TCP_LISTEN_H

#include <stdbool.h>

struct weft_tcp;
struct weft_tcp_line;

/* Completes tcp->place by the port. False if it fails, and the log says why. */
bool weft_tcp_listen_open(struct weft_tcp *tcp);
void weft_tcp_listen_close(struct weft_tcp *tcp);

/* Accepts some if the listener has said that there are any, and drops those whose time is over. At
 * every look. */
void weft_tcp_listen(struct weft_tcp *tcp);

/* Its HELLO was right. */
void weft_tcp_listen_welcome(struct weft_tcp *tcp, struct weft_tcp_line *line);

/* A line is no stranger any more, or is not wanted. */
void weft_tcp_listen_release(struct weft_tcp *tcp, struct weft_tcp_line *line);
void weft_tcp_listen_drop(struct weft_tcp *tcp, struct weft_tcp_line *line);

#endif
