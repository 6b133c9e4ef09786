/* SPDX-License-Identifier: BSD-3-Clause */
/* The two processes of `weft bench transfer`. */
#ifndef WEFT_BENCH_TRANSFER_TRANSFER_MEMBER_H
#define WEFT_BENCH_TRANSFER_TRANSFER_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/harness/crew.h"

#define TRANSFER_TEXT 256

/* Messages beside each other, of TRANSFER_STREAM. */
#define TRANSFER_WINDOW 16

enum transfer_kind {
    TRANSFER_PING,   /* there and back; seconds are of one way */
    TRANSFER_STREAM, /* many messages on their way; seconds are of one */
    TRANSFER_COLD,   /* from making a type of 4096 blocks until 1 KiB of it has come: a new one, */
    TRANSFER_AGAIN,  /* the same one built again, */
    TRANSFER_WARM    /* the same one */
};

/* What WEFT_EAGER and so on would set; SIZE_MAX: as it is. */
struct transfer_settings {
    size_t eager, chunk, chunks, direct;
};

#define TRANSFER_AS_IT_IS                                                                         \
    {                                                                                             \
        SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX                                                    \
    }

struct transfer_job {
    enum transfer_kind kind;
    bool is_put;    /* a put of Portals, of as many bytes that lie together */
    bool is_shared; /* memory of weft_alloc, which both copy */
    struct transfer_settings settings;
    size_t bytes;
    size_t count;
    char send[TRANSFER_TEXT], receive[TRANSFER_TEXT]; /* layouts, as ddt_layout.h has them */
};

/* What a job did in all. */
struct transfer_facts {
    uint64_t direct;
    uint64_t layout_bytes;
};

void transfer_start(const struct crew_world *world);
double transfer_run(const struct transfer_job *job, struct transfer_facts *facts);

#endif
