/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Triggered operations: each counter has a heap of them, ordered by threshold, then by when they
 * were issued. Those whose threshold is reached go to one queue of the NIC and are started from
 * there one after another, so that a chain of them needs no recursion.
 */
#ifndef WEFT_NIC_TRIGGER_H
#define WEFT_NIC_TRIGGER_H

#include "nic/state.h"

/* A trigger to fill in; NULL at the limit of the interface. */
struct weft_nic_trigger *weft_nic_trigger_new(struct weft_nic_ni *ni,
                                              enum weft_nic_trigger_what what);

/* Sets it on the counter; it starts now if the threshold is already reached. */
void weft_nic_trigger_set(struct weft_nic_trigger *trigger, struct weft_nic_ct *ct,
                          uint64_t threshold);

/* The counter has changed. */
void weft_nic_trigger_reached(struct weft_nic_ct *ct);

/* Adds to the counter. An increment above half of the range is negative, and takes away. False if
 * that would wrap, which would fire everything or nothing ever again: the counter stays then. */
bool weft_nic_trigger_add(struct weft_nic_ct *ct, ptl_ct_event_t increment);

/* Forgets all that wait for the counter. */
void weft_nic_trigger_cancel(struct weft_nic_ct *ct);

void weft_nic_trigger_start_fired(struct weft_nic *nic);

/* Starts what has fired, in order, until nothing is left. */
static inline void weft_nic_trigger_run(struct weft_nic *nic)
{
    if (!weft_list_is_empty(&nic->fired))
        weft_nic_trigger_start_fired(nic);
}

#endif
