/* SPDX-License-Identifier: BSD-3-Clause */
/* The two processes of `weft bench ddt`: rank 0 sends a layout, rank 1 receives into another. */
#ifndef WEFT_BENCH_DDT_DDT_MEMBER_H
#define WEFT_BENCH_DDT_DDT_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft_offload.h>

#include "bench/harness/crew.h"

enum ddt_way {
    DDT_CONTIGUOUS, /* the same bytes, contiguous on both sides */
    DDT_SEEK,
    DDT_SPECIALIZED,
    DDT_HPU_LOCAL,
    DDT_RO_CP,
    DDT_RW_CP,
    DDT_HOST,
    DDT_IOVEC,
    DDT_PACKED,
    DDT_WAYS
};

extern const char *const ddt_way_names[DDT_WAYS], *const ddt_way_help[DDT_WAYS];

#define DDT_TEXT 4096

struct ddt_job {
    enum ddt_way way;
    size_t bytes; /* about so many */
    size_t count; /* of messages */
    char send[DDT_TEXT], receive[DDT_TEXT];
};

/* What the receiver did for a message; zeros if the way is not possible for the layouts. */
struct ddt_facts {
    uint64_t nic_memory; /* bytes */
    uint64_t handlers;   /* calls */
    uint64_t writes;     /* pieces of memory */
    uint64_t bytes;
    enum weft_offload_fallback fallback; /* why the host unpacked, if it did */
};

struct ddt_shape {
    struct crew_world world;
    size_t packet; /* bytes of payload; 0: as the settings say */
    size_t hpus;   /* threads that run handlers */
};

void ddt_start(const struct ddt_shape *shape);

/* Seconds from the call that sends until the receiver knows that all is in place; 0 if the way is
 * not possible. */
double ddt_run(const struct ddt_job *job, struct ddt_facts *facts);

#endif
