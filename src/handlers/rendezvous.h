/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that find the memory of the receiver by matching, whatever their length ([sPIN17],
 * section 5.1). At most `eager` bytes are sent at once. What is longer begins with a ticket and
 * its first `eager` bytes; the receiver gets the rest from an entry of the sender, which has the
 * tag of the ticket as its match bits and the whole data as its memory.
 *
 *                posted before it comes               comes before it is posted
 *     short      the NIC puts it in place             weft_handler_rendezvous_late copies it
 *     long       a handler gets the rest              weft_handler_rendezvous_late gets the rest
 *
 * The receiver has all when it has an event PUT or PUT_OVERFLOW and, if rlength > eager, a REPLY.
 * The sender may change its memory when it has the GET.
 */
#ifndef WEFT_HANDLERS_RENDEZVOUS_H
#define WEFT_HANDLERS_RENDEZVOUS_H

#include "handlers/handler.h"

struct weft_handler_ticket {
    uint64_t total; /* bytes */
    ptl_match_bits_t tag;
};

struct weft_handler_rendezvous {
    ptl_size_t eager; /* the same at both sides */
    ptl_size_t room;  /* the length of the entry; longer messages lose their end */
    void *user_ptr;   /* in the REPLY */
};

/* For entries of receivers, which are to be used once. */
int weft_handler_rendezvous(ptl_handle_ni_t ni, const struct weft_handler_rendezvous *rendezvous,
                            ptl_handlers_t *handlers);

/* ---- On the host -------------------------------------------------------------------------- */

/* Writes what a sender has to put to `message`, which has room for a ticket and `eager` bytes;
 * returns the length. Longer data than `eager` must also be in an entry with the tag. */
ptl_size_t weft_handler_rendezvous_begin(ptl_size_t eager, const void *data, ptl_size_t length,
                                         ptl_match_bits_t tag, void *message);

/* For the event PUT_OVERFLOW of an append: does what the handlers would have done. `md` describes
 * `memory`, the memory of the entry. */
int weft_handler_rendezvous_late(const struct weft_handler_rendezvous *rendezvous,
                                 const ptl_event_t *event, ptl_handle_md_t md, void *memory);

#endif
