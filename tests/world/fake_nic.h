/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The NIC of the tests of worlds: a few functions that count packets and failures, linked before
 * the real one so that the linker does not take that. Every process has one NIC and at most one
 * world that it drives.
 */
#ifndef WEFT_TESTS_WORLD_FAKE_NIC_H
#define WEFT_TESTS_WORLD_FAKE_NIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nic/nic.h"

#define MOST_PEERS 8u
#define RECENT_MOST 4096u

struct weft_nic_peer {
    struct weft_nic_address address;
    uint32_t received;
    uint32_t failed; /* how often that was reported */
    uint32_t received_before_failure;
    uint32_t losses;            /* of packets, that were reported */
    uint32_t seen[RECENT_MOST]; /* numbers of packets, + 1, where they may come in any order */
};

struct weft_nic {
    struct weft_nic_peer peers[MOST_PEERS];
    bool damaged;
    unsigned landings;  /* that were asked for */
    bool has_no_memory; /* for one more peer */
};

extern struct weft_nic_world *world;
extern struct weft_nic nic;

/* Every third packet is short. Set before any process has started. */
extern bool some_packets_are_short;

/* Packets may overtake each other, but each comes once. Set before any process has started. */
extern bool packets_come_in_any_order;

/* A packet is its sender, its number and bytes that follow from them. */
size_t length_of(uint32_t pid, uint32_t number, size_t most);
void write_packet(unsigned char *bytes, size_t size, uint32_t pid, uint32_t number);

#endif
