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
    uint64_t dma;      /* latency of host memory */
    uint64_t dma_rate; /* bytes in a microsecond; 0: no end */
};

/* All zeros: handlers take no time, and run on the core that receives. */
struct weft_nic_config {
    struct weft_nic_hpus hpus;
    struct weft_nic_core *core; /* what HPUs are (core.h); NULL: this processor */
    uint64_t memory;            /* bytes that programs may have for their handlers; 0: as usual */
};

#endif
