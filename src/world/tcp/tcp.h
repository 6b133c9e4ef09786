/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The world of processes that sockets connect. Read wire.h first (what travels), then line.h (one
 * socket, from the first byte to the last), handshake.h (who is let in), peer.h (the other
 * processes), seal.h (why nobody else can read or write what travels), and cipher.h (by which
 * library).
 */
#ifndef WEFT_WORLD_TCP_TCP_H
#define WEFT_WORLD_TCP_TCP_H

#include "world/fabric.h"

/* NULL if it fails, and the log says why; `own` is what others need to reach us. A process that
 * opens a world must not fork and go on using it in the child. */
struct weft_nic_world *weft_tcp_open(const struct weft_world_config *config,
                                     struct weft_world_card *own);

struct weft_world_counts weft_tcp_counts(const struct weft_nic_world *world);

/* That the world listens on. */
const char *weft_tcp_interface(const struct weft_nic_world *world);

/* The library that seals what travels; NULL if there is none, and the log says why. */
const char *weft_tcp_cipher_library(void);

/* Whether the library was built with this world. */
bool weft_tcp_is_built(void);

#endif
