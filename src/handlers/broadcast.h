/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every message is stored and sent on, to the same offset of the entries of other processes
 * ([sPIN17], section 4.4.3). With the children of a tree that is a broadcast: its root sends to
 * its own children. Who streams gives his children one message for each packet, so they count
 * bytes, not messages.
 */
#ifndef WEFT_HANDLERS_BROADCAST_H
#define WEFT_HANDLERS_BROADCAST_H

#include "handlers/handler.h"
#include "handlers/peers.h"

struct weft_handler_broadcast {
    ptl_match_bits_t match_bits; /* of the entries of the children */
    ptl_size_t stream;           /* WEFT_HANDLER_STREAM, WEFT_HANDLER_STORE, or between */
    struct weft_handler_peers children;
};

int weft_handler_broadcast(ptl_handle_ni_t ni, const struct weft_handler_broadcast *broadcast,
                           ptl_handlers_t *handlers);

#endif
