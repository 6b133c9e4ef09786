/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls the payload handlers of a offload as the NIC does, with packets in any order. */
#ifndef WEFT_TESTS_OFFLOAD_DRIVE_H
#define WEFT_TESTS_OFFLOAD_DRIVE_H

#include "offload/offload.h"
#include "support/rng.h"

enum drive_order {
    DRIVE_IN_ORDER,
    DRIVE_REVERSED,
    DRIVE_SHUFFLED,
    DRIVE_DUPLICATED, /* shuffled, and some packets come twice */
    DRIVE_ORDERS
};

const char *drive_order_name(enum drive_order order);

/* A message, cut into packets. */
struct drive_packets {
    ptl_payload_t *packets;
    size_t count;
};

/* The first has `first` bytes, the others `packet`. They point into the stream. */
struct drive_packets drive_cut(const unsigned char *packed, size_t length, size_t first,
                               size_t packet);
void drive_arrange(struct drive_packets *packets, enum drive_order order, struct rng *rng);
void drive_free(struct drive_packets *packets);

/* NIC memory with guards. */
struct drive {
    const struct weft_offload *offload;
    unsigned char *image, *head;
    ptl_handlers_t handlers;
    bool deals_by_offset; /* virtual HPUs, as if packets had come in order */
    size_t packet;
};

/* False if the offload cannot be offloaded. */
bool drive_open(struct drive *drive, const struct weft_offload *offload, void *base,
                const void *start, uint64_t length);

/* False if the guards were written to. */
bool drive_close(struct drive *drive);

/* Runs the handlers; false if one does not return SUCCESS. */
bool drive_run(struct drive *drive, const struct drive_packets *packets);

/* One packet, the `arrival`th. */
ptl_handler_result_t drive_packet(struct drive *drive, const ptl_payload_t *packet,
                                  size_t arrival);

#endif
