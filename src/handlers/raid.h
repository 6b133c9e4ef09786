/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks on data nodes, and their parity on another node ([sPIN17], section 5.3). A write travels
 * so, packet by packet:
 *
 *     client --new data--> data node --old xor new--> parity node
 *            <----n bytes----   relay  <---n bytes---
 *
 * The acknowledgement of Portals says only that the data node has the block. That the parity has
 * it too is counted, in bytes, by the counter of the client's entry. Several data nodes and
 * clients may write at once. Data and parity have the same offsets.
 */
#ifndef WEFT_HANDLERS_RAID_H
#define WEFT_HANDLERS_RAID_H

#include "handlers/lock.h"

struct weft_handler_raid_data {
    ptl_process_t parity;
    ptl_match_bits_t parity_bits; /* of its entry */
    struct weft_handler_locks locks;
};

struct weft_handler_raid_parity {
    ptl_match_bits_t relay_bits; /* of the entries of the data nodes for acknowledgements */
    struct weft_handler_locks locks;
};

struct weft_handler_raid_relay {
    ptl_match_bits_t client_bits; /* of the entries of the clients for acknowledgements */
};

int weft_handler_raid_data(ptl_handle_ni_t ni, const struct weft_handler_raid_data *data,
                           ptl_handlers_t *handlers);
int weft_handler_raid_parity(ptl_handle_ni_t ni, const struct weft_handler_raid_parity *parity,
                             ptl_handlers_t *handlers);

/* These two make no events and need no memory in their entries; that of the client has a
 * counter. */
int weft_handler_raid_relay(ptl_handle_ni_t ni, const struct weft_handler_raid_relay *relay,
                            ptl_handlers_t *handlers);
void weft_handler_raid_client(ptl_handlers_t *handlers);

#endif
