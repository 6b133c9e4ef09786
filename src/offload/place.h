/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receives of datatypes. A receive is placed on the NIC when it is posted: the image of its type
 * goes into the memory of the NIC, where it stays for the next receive of an equal type until the
 * room is wanted for another; the head of the receive stays until the receive is over. Images that
 * no receive uses leave in the order of their priority, then of their last use. A receive for
 * which there is no room even then is contiguous, into a buffer of the host, which unpacks it.
 *
 * A pool belongs to one interface and is used by one thread at a time.
 */
#ifndef WEFT_OFFLOAD_PLACE_H
#define WEFT_OFFLOAD_PLACE_H

#include "offload/offload.h"

struct weft_offload_pool;

/* NULL without memory, or if the handle is not valid. */
struct weft_offload_pool *weft_offload_pool_open(ptl_handle_ni_t ni);

/* All receives must be over. */
void weft_offload_pool_close(struct weft_offload_pool *pool); /* NULL is allowed */

/* What a type is made ready for. */
const struct weft_offload_nic *weft_offload_pool_nic(const struct weft_offload_pool *pool);

/* Receives count from when they are posted, unless they are cancelled. */
struct weft_offload_counters {
    uint64_t offloaded;                        /* receives with handlers */
    uint64_t contiguous;                       /* receives that need none */
    uint64_t reused;                           /* of the offloaded, those whose image was there */
    uint64_t evicted;                          /* images */
    uint64_t images;                           /* on the NIC now */
    uint64_t bytes;                            /* of NIC memory, now: images and heads */
    uint64_t fallback[WEFT_OFFLOAD_FALLBACKS]; /* receives that the host unpacked, by reason */
};

struct weft_offload_counters weft_offload_pool_counters(const struct weft_offload_pool *pool);

/* A receive that was posted. */
struct weft_offload_receive;

/*
 * Appends an entry that receives one message into `base` by the offload, which the receive may
 * outlive. Of *me all but start and length is used; its options are added to those of the receive,
 * and only PTL_ME_EVENT_CT_ options make sense. Events of the entry have the receive as user_ptr:
 * give all of them to weft_offload_receive_event. The result is that of PtlMEAppendHandlers; there
 * is a receive only if it is PTL_OK.
 */
int weft_offload_receive_post(struct weft_offload_pool *pool, const struct weft_offload *offload,
                              void *base, ptl_pt_index_t pt_index, const ptl_me_t *me,
                              void *user_ptr, struct weft_offload_receive **out);

/* What became of a receive. */
struct weft_offload_result {
    bool is_over; /* if not, no field below means anything */
    void *user_ptr;
    ptl_ni_fail_t fail;
    uint64_t length; /* packed bytes received */
    enum weft_offload_fallback fallback;
};

/* When it is over, the data is in place and the receive is gone. */
struct weft_offload_result weft_offload_receive_event(struct weft_offload_receive *receive,
                                                      const ptl_event_t *event);

/* PTL_OK and the receive is gone, or PTL_IN_USE: a message is on its way into it. */
int weft_offload_receive_cancel(struct weft_offload_receive *receive);

#endif
