/* SPDX-License-Identifier: BSD-3-Clause */
/* The stage that tells the program: full events, counts, and the triggers that counts fire. */
#ifndef WEFT_NIC_EVENT_H
#define WEFT_NIC_EVENT_H

#include "nic/state.h"

/* At the target, about a message. `entry` is where the data is; `user_ptr` is of the entry whose
 * event this is. */
void weft_nic_event_target(const struct weft_nic_delivery *delivery,
                           const struct weft_nic_entry *entry, ptl_event_kind_t type,
                           void *user_ptr);

/* At the target, about an entry: LINK, AUTO_UNLINK, AUTO_FREE. */
void weft_nic_event_entry(const struct weft_nic_entry *entry, ptl_event_kind_t type);

/* At the target, about a portal table entry. There is always room for one of each. */
void weft_nic_event_pt_disabled(struct weft_nic_ni *ni, const struct weft_nic_pt *pt);

/* At the target: a handler has written to memory of the program. */
void weft_nic_event_dma(const struct weft_nic_delivery *delivery,
                        const struct weft_nic_entry *entry, void *start, uint64_t length);

/* An entry that a trigger was to append is not in its list. False if no queue is there to say so.
 */
bool weft_nic_event_not_linked(const struct weft_nic_entry *entry);

/* A search that found nothing. */
void weft_nic_event_no_match(struct weft_nic_ni *ni, const struct weft_nic_pt *pt, void *user_ptr);

/* At the initiator: SEND, ACK or REPLY of an operation that used `md`. Counts as the descriptor
 * says; posts a full event unless `count_only`. */
struct weft_nic_initiator_event {
    ptl_event_kind_t type;
    ptl_ni_fail_t fail;
    bool count_only;
    ptl_list_t list; /* of an ACK: where the message matched */
    uint64_t length;
    uint64_t remote_offset;
};
void weft_nic_event_initiator(const struct weft_nic_command *command, struct weft_nic_md *md,
                              const struct weft_nic_initiator_event *what);

/* Counts one event of `bytes` at a counter, or nothing if it is gone. */
void weft_nic_event_count(struct weft_nic_ni *ni, uint32_t ct, ptl_ni_fail_t fail, uint64_t count);

/* Whether a message that causes up to `count` events can be taken without losing any. */
bool weft_nic_event_has_room(struct weft_nic_ni *ni, uint32_t eq, unsigned count);
void weft_nic_event_promise(struct weft_nic_ni *ni, uint32_t eq, int count);

/* Room for `count` events and `reserve` more of the kind PT_DISABLED; false without memory. */
bool weft_nic_event_resize(struct weft_nic_eq *eq, uint64_t count, uint64_t reserve);

/* Takes the oldest event out: PTL_OK, PTL_EQ_DROPPED or PTL_EQ_EMPTY. */
int weft_nic_event_get(struct weft_nic_eq *eq, ptl_event_t *event);

#endif
