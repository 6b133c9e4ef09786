/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handing frames to libfabric. DATA that it does not take waits in the queue of its session. Of
 * all other frames a session remembers only that they have to go: they are made when libfabric
 * takes them, so that none of them needs memory or comes too often.
 */
#ifndef WEFT_WORLD_OFI_SEND_H
#define WEFT_WORLD_OFI_SEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "world/ofi/buffers.h"
#include "world/ofi/frame.h"

struct weft_ofi;
struct weft_ofi_peer;
struct weft_ofi_session;

/* Where to write a packet for the session; NULL if there is no room now. */
unsigned char *weft_ofi_send_reserve(struct weft_ofi *ofi, struct weft_ofi_session *session);
void weft_ofi_send_commit(struct weft_ofi *ofi, struct weft_ofi_session *session, size_t size);

/* The same with ourselves. */
unsigned char *weft_ofi_send_reserve_self(struct weft_ofi *ofi);
void weft_ofi_send_commit_self(struct weft_ofi *ofi, size_t size);

/* A frame that is not DATA has to go, now if possible, or at the next poll. */
void weft_ofi_send_want(struct weft_ofi *ofi, struct weft_ofi_session *session,
                        enum weft_ofi_frame_kind kind);
void weft_ofi_send_want_later(struct weft_ofi *ofi, struct weft_ofi_session *session,
                              enum weft_ofi_frame_kind kind);

/* To a process that has no session, or no longer: once, if libfabric takes it. Who deserves it
 * asks again. */
void weft_ofi_send_refuse(struct weft_ofi *ofi, struct weft_ofi_peer *peer, fi_addr_t to,
                          uint64_t token, enum weft_world_reason reason);

/* Tries again what libfabric did not take, and ends the sessions whose BYE it took. */
void weft_ofi_send_flush_all(struct weft_ofi *ofi);

/* libfabric is done with a buffer; `error` of libfabric is positive, or 0. */
void weft_ofi_send_done(struct weft_ofi *ofi, struct weft_ofi_tx *tx, int error);

#endif
