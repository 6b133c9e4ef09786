/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data of another process of this host, read by the system from its place to ours, without
 * packets. It pays where both layouts have long pieces (WEFT_DIRECT). Whoever may not be read, or
 * is not there, is never tried again; what cannot be read comes in packets, and the reason is
 * counted.
 */
#ifndef WEFT_TRANSFER_DIRECT_H
#define WEFT_TRANSFER_DIRECT_H

#include "heap/view.h"
#include "transfer/request.h"

/* A peer that had something to read. */
struct weft_net_neighbour {
    enum {
        WEFT_NET_NEIGHBOUR_ASKED,
        WEFT_NET_NEIGHBOUR_READABLE,
        WEFT_NET_NEIGHBOUR_CLOSED
    } state;
    struct weft_net_locator_root root;
    enum weft_net_fallback reason; /* why it is closed */
    struct weft_heap_view view;    /* of its heap, once there was something to copy */
    bool is_viewed;                /* or could not be */
};

/* What is known of a peer; NULL if it cannot be read, or not yet, and the reason. */
struct weft_net_neighbour *weft_net_direct_neighbour(struct weft_net *net, uint32_t rank,
                                                     enum weft_net_fallback *reason);

/* The type that request->pull.locator names; NULL, and the reason is counted, if it cannot be had.
 */
weft_type *weft_net_direct_type(struct weft_request *request);

/* From now on the key of that peer stands for this type; NULL if the text makes no sense. */
weft_type *weft_net_direct_learn(struct weft_net *net, uint32_t rank, uint64_t key,
                                 const unsigned char *text, size_t length);

enum weft_net_step { WEFT_NET_STEP_FAILED, WEFT_NET_STEP_DONE, WEFT_NET_STEP_WAITS };
/* So often one looks after another before the process may sleep. */
#define WEFT_NET_LOOKS 2000u

/* Whether what request->pull says will be read; else it must be pulled in packets. */
bool weft_net_direct_begin(struct weft_request *request);

/* Reads one part of one transfer; false if there is nothing to read. */
bool weft_net_direct_step(struct weft_net *net);

/* The root of a peer has come, or has not. */
void weft_net_direct_introduced(struct weft_request *request, const ptl_event_t *event);

void weft_net_direct_close(struct weft_net *net);

#endif
