/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A broadcast that survives dead processes ([sPIN17], section 5.4). Everybody sends every message
 * on to all its neighbours in a binomial graph, so there are many ways to each process, and takes
 * only the first copy: the entry has one PUT event for each message, and copies are dropped in
 * silence. As many may die as leave the graph connected; fewer than log2 of the size always do.
 *
 * A message must come in one packet: a copy is taken when it is there, not when it begins, or the
 * death of its sender in the middle would lose it. The root puts each message to its own entry.
 * What is sent to the dead gives events of failure; they say nothing about the message.
 */
#ifndef WEFT_HANDLERS_RELIABLE_H
#define WEFT_HANDLERS_RELIABLE_H

#include "handlers/handler.h"
#include "handlers/peers.h"

/* That an entry can tell from each other. */
#define WEFT_HANDLER_RELIABLE_MESSAGES 8192u

struct weft_handler_reliable {
    ptl_match_bits_t match_bits; /* of the entries of all */
    struct weft_handler_peers neighbours;
    ptl_size_t longest; /* message; set by weft_handler_reliable */
    uint64_t seen[WEFT_HANDLER_RELIABLE_MESSAGES / 64];
};

/* The hdr_data of a message is its number, below WEFT_HANDLER_RELIABLE_MESSAGES. Others, and those
 * that are too long, fail with PTL_NI_HANDLER. */
int weft_handler_reliable(ptl_handle_ni_t ni, struct weft_handler_reliable *reliable,
                          ptl_handlers_t *handlers);

#endif
