/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets that HPUs write before they leave: those of layouts, and those of outbound handlers
 * ([DiG19], section 3.1.2). Some are written ahead, each in a context, and leave in order. So
 * whoever sends, a program in its call first of all, only copies what is ready. Ranges of a layout
 * are gathered by several HPUs at once; an outbound handler sees its packets one after the other.
 */
#ifndef WEFT_NIC_GATHER_H
#define WEFT_NIC_GATHER_H

#include "nic/action.h"

struct weft_nic_gather {
    struct weft_pool_slot slot;
    struct weft_list link; /* among all of the NIC */
    struct weft_nic_ni *ni;
    struct weft_nic_peer *peer;
    struct weft_nic_operation *operation; /* whose data it is; or else */
    struct weft_nic_response *response;
    struct weft_list tasks; /* in the order of the message; linked by `at_work` */
    uint64_t length;
    uint64_t issued;           /* bytes that were given to HPUs */
    struct weft_nic_room room; /* of its layout */
    uint32_t first, other;     /* bytes of the first packet, and of all others but the last */
    uint32_t running;
    bool is_stopped;
};

/* For a message that HPUs shall write; without memory it has none, and is written by its sender.
 */
void weft_nic_gather_operation(struct weft_nic_operation *operation);
void weft_nic_gather_response(struct weft_nic_response *response);

/* Whether the next packet can leave. Gives HPUs what they may have. */
bool weft_nic_gather_is_ready(struct weft_nic_gather *gather);

/* What it holds; NULL if there was no context for it, so that the sender has to write it. */
const unsigned char *weft_nic_gather_data(const struct weft_nic_gather *gather);

/* It has left; what went wrong when it was written. */
ptl_ni_fail_t weft_nic_gather_next(struct weft_nic_gather *gather);

/* Writes no more packets, and none leaves: the peer may have a successor before HPUs are done.
 * False if they are at work: then the message is told when they are done (weft_nic_tx_stopped,
 * weft_nic_answer_stopped), and holds its memory until then. NULL: true. */
bool weft_nic_gather_stop(struct weft_nic_gather *gather);

/* No HPU is at work for it. NULL: nothing. */
void weft_nic_gather_close(struct weft_nic_gather *gather);

/* On an HPU, and when it is done. */
ptl_handler_result_t weft_nic_gather_run(struct weft_nic_task *task, struct weft_nic_run *run);
void weft_nic_gather_done(struct weft_nic_task *task);

#endif
