/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stage that sends: cuts operations into packets and writes each straight into the place that
 * the world offers. What does not fit waits in the queue of its peer; answers (nic/answer.h) go
 * before requests, so that two processes that flood each other always drain.
 */
#ifndef WEFT_NIC_TX_H
#define WEFT_NIC_TX_H

#include "nic/state.h"

/* Begins an operation: PTL_OK, or PTL_NO_SPACE. All else that can go wrong becomes an event. */
int weft_nic_tx_start(struct weft_nic_ni *ni, const struct weft_nic_command *command);

/* Begins a message whose data comes piece by piece, the first `size` bytes now. `id` is then of
 * the operation, or 0 if it has ended already. */
int weft_nic_tx_start_stream(struct weft_nic_ni *ni, const struct weft_nic_command *command,
                             uint64_t size, uint32_t *id);

/* The next piece of it: PTL_OK or PTL_NO_SPACE. */
int weft_nic_tx_continue_stream(struct weft_nic_operation *operation, uint64_t offset,
                                uint64_t size, bool is_last);

/* The events of an operation that never left, or of one whose peer is gone. */
void weft_nic_tx_fail(const struct weft_nic_command *command, ptl_ni_fail_t fail);

/* Its last event is posted: the operation lets go of all it holds. */
void weft_nic_tx_end(struct weft_nic_operation *operation);

/* All of its answer has come, or none will: the peer is nothing to it any more. */
void weft_nic_tx_leave(struct weft_nic_operation *operation);

/* Goes on with what waits; says whether anything was sent. */
bool weft_nic_tx_step(struct weft_nic *nic);

/* The same for one peer, for which more is ready now. */
void weft_nic_tx_push(struct weft_nic *nic, struct weft_nic_peer *peer);

/* HPUs are done with an operation whose peer is gone. */
void weft_nic_tx_stopped(struct weft_nic_operation *operation);

/* Ends, as undeliverable, what awaits a result of the peer, up to `newest`; NULL: all of it. */
void weft_nic_tx_lose(struct weft_nic_peer *peer, const struct weft_nic_operation *newest);

/* Ends everything that has to do with a peer that is gone. */
void weft_nic_tx_abandon(struct weft_nic *nic, struct weft_nic_peer *peer);

/* Ends everything of an interface that closes, without events. */
void weft_nic_tx_forget(struct weft_nic *nic, const struct weft_nic_ni *ni);

#endif
