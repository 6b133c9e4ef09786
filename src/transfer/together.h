/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data that lies in a heap which its receiver can map: copied once, from layout to layout, without
 * the system and without packets. Whose turn it is and what comes of it is direct.c's affair;
 * these are its steps.
 */
#ifndef WEFT_TRANSFER_TOGETHER_H
#define WEFT_TRANSFER_TOGETHER_H

#include "transfer/direct.h"

/* Whether the heap of a peer is mapped; it is, when it is first asked for, if that is possible. */
bool weft_net_together_sees(struct weft_net_neighbour *neighbour);

/* Each is false if what was read is not the message of request->pull any more, or is not all in
 * the heap; the reason is counted. */
bool weft_net_together_read(struct weft_request *request, void *to, uint64_t address,
                            size_t length);
/* One part, from pull.begin on, which moves behind it. */
bool weft_net_together_copy(struct weft_request *request, const struct weft_net_layout *theirs);

#endif
