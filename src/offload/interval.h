/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How far apart checkpoints are: as far as the delay that sequences of packets cause allows, and
 * as near as the memory of the NIC does ([DiG19], section 3.2.4).
 */
#ifndef WEFT_OFFLOAD_INTERVAL_H
#define WEFT_OFFLOAD_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds, measured or assumed. */
struct weft_offload_times {
    double packet; /* from one packet to the next */
    double init;   /* until a handler has its arguments */
    double setup;  /* until the iterator is at the packet */
    double block;  /* for each contiguous block */
};

struct weft_offload_load {
    uint64_t message; /* bytes */
    uint64_t packet;  /* bytes of payload */
    uint64_t pieces;  /* contiguous blocks of the message */
    unsigned hpus;
    uint64_t checkpoint;    /* bytes of NIC memory for one */
    uint64_t memory;        /* bytes of NIC memory for all */
    uint64_t packet_buffer; /* bytes */
    double epsilon;
    struct weft_offload_times times;
};

/* Where not all limits can be kept, memory is, and then the buffer, before epsilon. */
struct weft_offload_interval {
    uint64_t bytes;   /* a multiple of the packet */
    uint64_t packets; /* of a sequence */
    uint64_t checkpoints;
    bool keeps_epsilon;
    bool fits_memory;
    bool fits_buffer;
};

struct weft_offload_interval weft_offload_interval(const struct weft_offload_load *load);

/* Nanoseconds from the first byte of the message to the last in its place. */
double weft_offload_interval_time(const struct weft_offload_load *load, uint64_t packets);

#endif
