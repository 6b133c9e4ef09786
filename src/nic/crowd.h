/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A memory that many cores use at once, in virtual time. It serves as many accesses as go into a
 * quantum, whoever they come from and in whatever order they are told of: a handler runs to its
 * end at once, and another one later says what it did meanwhile.
 */
#ifndef WEFT_NIC_CROWD_H
#define WEFT_NIC_CROWD_H

#include <stdbool.h>
#include <stdint.h>

struct weft_nic_crowd {
    uint64_t quantum;  /* nanoseconds */
    uint64_t service;  /* of an access, in picoseconds */
    uint64_t first;    /* the quantum from which on the ring is */
    uint32_t *taken;   /* picoseconds that are booked: a ring, by quanta */
    uint64_t accesses; /* of all time, */
    uint64_t delay;    /* and what they waited, in nanoseconds */
};

/* False without memory. */
bool weft_nic_crowd_open(struct weft_nic_crowd *crowd, uint64_t quantum, uint64_t service);
void weft_nic_crowd_close(struct weft_nic_crowd *crowd);

/* Nothing comes that is from before. */
void weft_nic_crowd_forget(struct weft_nic_crowd *crowd, uint64_t before);

/* When accesses that a core makes from `from` on are all served, but not before `to`, when it
 * would have made them alone. */
uint64_t weft_nic_crowd_serve(struct weft_nic_crowd *crowd, uint64_t from, uint64_t to,
                              uint64_t accesses);

#endif
