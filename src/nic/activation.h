/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message that has handlers: the header handler before all payload handlers, these before the
 * completion handler, and that before the event. Under the blocked round-robin policy the packets
 * of one virtual HPU follow one another ([DiG19], section 3.2.1).
 */
#ifndef WEFT_NIC_ACTIVATION_H
#define WEFT_NIC_ACTIVATION_H

#include "nic/state.h"

static inline const ptl_handlers_t *
weft_nic_activation_handlers(const struct weft_nic_activation *activation)
{
    return &activation->delivery.execution->handlers;
}

static inline struct weft_nic *
weft_nic_activation_nic(const struct weft_nic_activation *activation)
{
    return activation->delivery.ni->nic;
}

/* Of several failures the first is told. */
static inline void weft_nic_activation_fail(struct weft_nic_activation *activation,
                                            ptl_ni_fail_t fail)
{
    if (activation->delivery.fail == PTL_NI_OK)
        activation->delivery.fail = fail;
}

static inline bool weft_nic_activation_is_put(const struct weft_nic_activation *activation)
{
    return activation->delivery.kind == WEFT_PACKET_PUT;
}

/* Whether it is the answer to an operation of ours. */
static inline bool weft_nic_activation_is_reply(const struct weft_nic_activation *activation)
{
    return activation->delivery.kind == WEFT_PACKET_REPLY;
}

/* Where the data goes that no handler wants. */
static inline const struct weft_nic_region *
weft_nic_activation_region(const struct weft_nic_activation *activation)
{
    return weft_nic_activation_is_reply(activation) ? &activation->reply->command.get_md->region
                                                    : &activation->delivery.entry->region;
}

/* The first packet of a message that has matched an entry with handlers. If it is not the last,
 * the message is then the open one of the peer. */
void weft_nic_activation_begin(struct weft_nic *nic, struct weft_nic_peer *peer,
                               const struct weft_packet *packet,
                               const struct weft_nic_delivery *delivery);

/* For a reply whose first packet this is; NULL if it needs none, or without memory. */
struct weft_nic_activation *weft_nic_activation_open_reply(struct weft_nic_operation *operation,
                                                           const struct weft_packet *packet);

/* A later one, or any of a reply; `last`: with it the message is whole. */
void weft_nic_activation_data(struct weft_nic_activation *activation,
                              const struct weft_packet *packet, uint64_t offset, bool last);

/* The rest of the message, so many bytes, will not come. */
void weft_nic_activation_abandon(struct weft_nic_activation *activation, uint64_t missing);

/* A handler has returned. */
void weft_nic_activation_done(struct weft_nic_task *task);

/* Ends messages that are in host memory by now, where stages take time. */
bool weft_nic_activation_settle(struct weft_nic *nic);

/* The interface closes: no handler of it is on an HPU, and none will be. */
void weft_nic_activation_forget(struct weft_nic *nic, const struct weft_nic_ni *ni);

#endif
