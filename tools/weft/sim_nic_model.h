/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of NICs: files of lines `key = value`, and the same on the command line. */
#ifndef WEFT_TOOLS_SIM_NIC_MODEL_H
#define WEFT_TOOLS_SIM_NIC_MODEL_H

#include "sim_keys.h"

/* How a message of blocks gets to its place. The first ones are handlers on HPUs; of the others
 * the NIC writes what it receives as it lies. */
enum sim_nic_way {
    SIM_NIC_SEEK,
    SIM_NIC_SPECIALIZED,
    SIM_NIC_RW_CP,
    SIM_NIC_RO_CP,
    SIM_NIC_HPU_LOCAL,
    SIM_NIC_HANDLERS,
    SIM_NIC_CONTIGUOUS = SIM_NIC_HANDLERS, /* nothing is unpacked */
    SIM_NIC_HOST,                          /* the processor unpacks when all is there */
    SIM_NIC_IOVEC, /* the NIC has a list of some blocks, and fetches more */
    SIM_NIC_UNPACKS,
    SIM_NIC_OWN = SIM_NIC_UNPACKS, /* a handler of the user's */
    /* A message there and back: who answers. */
    SIM_NIC_PONG_RDMA,
    SIM_NIC_PONG_PORTALS,
    SIM_NIC_PONG_STORE,
    SIM_NIC_PONG_STREAM,
    SIM_NIC_WAYS
};

extern const char *const sim_nic_ways[SIM_NIC_WAYS + 1];

#define SIM_NIC_CORE 64
#define SIM_NIC_TEXT 128

/* Times are in nanoseconds. */
struct sim_nic_study {
    /* The network and the sender. */
    double rate;     /* Gbit/s */
    double packet;   /* bytes of payload */
    double flight;   /* from the link of the sender to the NIC */
    double overhead; /* of a processor, to send a message */
    double poll;     /* of a processor, to see that one has come */
    /* The NIC. */
    double match, look_up;
    double copy, copy_rate; /* GB/s, as all below */
    double start;
    double hpus, clock; /* GHz */
    char core[SIM_NIC_CORE];
    double contexts, memory;
    double dma_latency, dma_rate, tlp_header, tlp_payload;
    double iovec, iovec_fetch; /* entries on the NIC, and how long it takes to fetch as many */
    /* The processor of the receiver, when it unpacks. */
    double host_rate, host_block;
    /* The message. */
    double size, block; /* bytes; the stride is twice the block */
    int way;
    char image[SIM_NIC_TEXT], handler[SIM_NIC_TEXT]; /* of one's own: a file, and a function */
    bool is_shuffled;
    double seed;
};

extern const struct sim_keys sim_nic_keys;

#endif
