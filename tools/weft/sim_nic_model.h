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
    /* Native handlers, whose time is a parameter. */
    SIM_NIC_BUSY,
    SIM_NIC_PRODUCT,
    SIM_NIC_PRODUCT_HOST, /* the processor multiplies when all is there */
    /* Blocks with a parity: handlers, or processors. */
    SIM_NIC_RAID,
    SIM_NIC_RAID_HOST,
    /* A program that exchanges faces: messages matched by handlers, or by the processor. */
    SIM_NIC_HALO,
    SIM_NIC_HALO_HOST,
    SIM_NIC_WAYS
};

extern const char *const sim_nic_ways[SIM_NIC_WAYS + 1];

#define SIM_NIC_CORE 128
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
    double turns;               /* handlers that a core has begun at most */
    double cluster, l1_stall;   /* cores that share a near memory, and per cent that this costs */
    double l2_latency, l2_rate; /* cycles; accesses in a nanosecond, 0: any number */
    double quantum;
    double dma_latency, dma_rate, tlp_header, tlp_payload;
    double period; /* how long each part of the record of the DMA queue is; 0: there is none */
    double iovec, iovec_fetch; /* entries on the NIC, and how long it takes to fetch as many */
    /* The processor of the receiver, when it unpacks. */
    double host_rate, host_block, host_cache; /* bytes; 0: the cache is not simulated */
    /* Native handlers, and the processor instead of them. */
    double busy;                   /* of each packet */
    double item;                   /* of a product of two complex numbers */
    double host_item, host_memory; /* the same, and GB/s of what it reads and writes */
    /* A program of several nodes, with messages of this size. */
    double halo_dimensions, halo_eager;
    double halo_share, halo_overlap; /* per cent of its time, and of its computations */
    /* The message. */
    double size, block;        /* bytes; the stride is twice the block */
    char layout[SIM_NIC_TEXT]; /* of bench/layouts, or a type; empty: the blocks */
    int way;
    char image[SIM_NIC_TEXT], handler[SIM_NIC_TEXT]; /* of one's own: a file, and a function */
    bool is_shuffled;
    double seed;
};

extern const struct sim_keys sim_nic_keys;

#endif
