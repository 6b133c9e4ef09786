/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Of a world that loses, doubles or reorders packets: which of a peer's have come, and which of
 * them the stages may have now. Every packet passes once. Payload passes as it comes, as soon as
 * the packet that opened its message or reply has passed. All others pass in the order in which
 * they were sent: requests must match in order, and a message ends before the next one begins.
 * What has to wait is held, and no sender is more than a window ahead.
 */
#ifndef WEFT_NIC_ORDER_H
#define WEFT_NIC_ORDER_H

#include <stdalign.h>

#include "packet/packet.h"

#define WEFT_NIC_ORDER_WINDOW 64u

/* A packet that waits for others. Its payload is a copy. */
struct weft_nic_held {
    struct weft_packet packet;
    alignas(16) unsigned char payload[];
};

/* Starts as zeros. */
struct weft_nic_order {
    uint32_t expected;                                 /* the first number that has not come */
    uint32_t holds;                                    /* packets */
    uint64_t arrived;                                  /* bit i: number `expected` + i has come */
    struct weft_nic_held *held[WEFT_NIC_ORDER_WINDOW]; /* by number */
};

/* Whether the packet passes now. If not, it is held, has come before, or counts as lost. */
bool weft_nic_order_accept(struct weft_nic_order *order, const struct weft_packet *packet);

/* The next of those held that passes now, which is then the caller's to free; or NULL. */
struct weft_nic_held *weft_nic_order_next(struct weft_nic_order *order);

/* Forgets what is held. */
void weft_nic_order_close(struct weft_nic_order *order);

#endif
