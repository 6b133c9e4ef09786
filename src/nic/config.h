/* SPDX-License-Identifier: BSD-3-Clause */
/* What a NIC is made of, as far as whoever opens it may choose. */
#ifndef WEFT_NIC_CONFIG_H
#define WEFT_NIC_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

struct weft_nic_core;

/* How handlers run. Times are in nanoseconds; they are virtual, and 0 where time is real. */
struct weft_nic_hpus {
    uint32_t count;    /* 0: handlers run at once, on the core that receives */
    uint32_t contexts; /* packets of a portal table entry that may wait for an HPU or be on one;
                          not 0 if `count` is not */
    bool are_threads;  /* of the driver, which calls weft_nic_hpu_take; else the NIC keeps time */
    uint64_t start;    /* from the scheduler to the first instruction of a handler */
    uint32_t turns;    /* handlers that an HPU has begun at most: while one waits for the host, it
                          turns to another; 0 is 1 */
    uint64_t dma;      /* latency of host memory */
    uint64_t dma_rate; /* bytes in a microsecond; 0: no end */
};

/*
 * What cores and their memories do to each other. All zeros: nothing. Of the memory of an entry
 * the first bytes are near the core that runs its handler; all the rest is far, and shared.
 */
struct weft_nic_memories {
    uint64_t near;    /* bytes */
    uint32_t latency; /* cycles that an access to far memory takes besides those of a near one */
    uint64_t service; /* picoseconds that far memory takes for one access; 0: any number at once */
    uint64_t quantum; /* nanoseconds: accesses are served in the order of these */
    uint32_t cluster; /* cores that share a near memory; 0: each has its own */
    uint32_t stall;   /* per mille that a core is slower if all others of its cluster are busy */
};

/*
 * What the stages of a NIC take besides, where time is virtual: stages.h has the model. Times are
 * in nanoseconds, rates in bytes in a microsecond, where 0 has no end.
 */
struct weft_nic_stages {
    uint64_t match;       /* of a packet that opens a message */
    uint64_t look_up;     /* of one that continues it */
    uint64_t copy;        /* into the memory of the NIC, for handlers, */
    uint64_t copy_rate;   /* besides what its bytes take */
    uint32_t tlp_header;  /* bytes that each packet of a DMA has besides its payload, */
    uint32_t tlp_payload; /* and how many it has of that at most; 0: a DMA is one packet */
    uint64_t period;      /* in which the queue of the DMA is recorded; 0: not at all */
    struct weft_nic_memories memories;
};

/* All zeros: handlers take no time, and run on the core that receives. */
struct weft_nic_config {
    struct weft_nic_hpus hpus;
    const struct weft_nic_stages *stages; /* outlives the NIC, and wants HPUs that keep time; NULL:
                                             only HPUs take time */
    struct weft_nic_core *core;           /* what HPUs are (core.h); NULL: this processor */
    uint64_t memory; /* bytes that programs may have for their handlers; 0: as usual */
};

#endif
