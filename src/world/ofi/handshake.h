/* SPDX-License-Identifier: BSD-3-Clause */
/* How two processes come to share a session, or do not. See frame.h. */
#ifndef WEFT_WORLD_OFI_HANDSHAKE_H
#define WEFT_WORLD_OFI_HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>

#include "world/ofi/frame.h"

struct weft_ofi;
struct weft_ofi_peer;
struct weft_ofi_session;

/* Complete a frame whose head is there. */
bool weft_ofi_handshake_hello(struct weft_ofi *ofi, struct weft_ofi_session *session,
                              struct weft_ofi_frame *frame);
bool weft_ofi_handshake_welcome(struct weft_ofi *ofi, struct weft_ofi_session *session,
                                struct weft_ofi_frame *frame);

/* Such a frame has come. */
void weft_ofi_handshake_take_hello(struct weft_ofi *ofi, const struct weft_ofi_frame *frame);
void weft_ofi_handshake_take_welcome(struct weft_ofi *ofi, const struct weft_ofi_frame *frame);
void weft_ofi_handshake_take_refuse(struct weft_ofi *ofi, const struct weft_ofi_frame *frame);

/* The pending session of `peer` has got its first frame: now it is open. */
void weft_ofi_handshake_confirm(struct weft_ofi *ofi, struct weft_ofi_peer *peer);

#endif
