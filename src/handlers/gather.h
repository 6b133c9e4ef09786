/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datatypes on the send side: an outbound handler gathers the data of each packet into the packet
 * itself ([DiG19], section 3.1.2). As every byte range of a type can be packed alone, it keeps
 * no state, and one gather serves any number of messages at a time.
 */
#ifndef WEFT_HANDLERS_GATHER_H
#define WEFT_HANDLERS_GATHER_H

#include <portals4_spin.h>
#include <weft.h>

struct weft_handler_gather {
    const weft_type *type; /* committed */
    size_t count;
    const void *base;
};

/* For PtlProcessPut. The gather is the state: it stays with the caller until the message has left.
 * Native handlers are trusted: it reads the memory of the type, whatever the descriptor says. */
ptl_outbound_handlers_t weft_handler_gather(struct weft_handler_gather *gather);

#endif
