/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes of `weft bench spin`, and what each does when it gets a job. */
#ifndef WEFT_BENCH_SPIN_SPIN_MEMBER_H
#define WEFT_BENCH_SPIN_SPIN_MEMBER_H

#include <portals4_spin.h>
#include <stdbool.h>
#include <stddef.h>

#include "bench/harness/crew.h"

#define SPIN_MOST_BYTES ((size_t)1 << 20)

enum spin_case {
    SPIN_PUT,        /* one byte: half a round trip with an empty payload handler */
    SPIN_PING_PONG,  /* there and back */
    SPIN_ACCUMULATE, /* products of complex numbers at the target */
    SPIN_BROADCAST,  /* from one to seven, along a binomial tree */
    SPIN_PARITY,     /* client, data node, parity node, and back */
    SPIN_CASES
};

struct spin_job {
    enum spin_case which;
    bool handlers; /* else the program does it, when the data has been delivered */
    size_t bytes;
    size_t count;
};

/* The processes: of one world, with so many threads that run handlers. */
void spin_start(const struct crew_world *world, size_t hpus);

/* Seconds of one round. */
double spin_run(const struct spin_job *job);

/* ---- In the processes --------------------------------------------------------------------- */

#define SPIN_ENTRIES 4

struct member {
    unsigned rank;
    ptl_handle_ni_t ni;
    ptl_pt_index_t pt;
    ptl_handle_eq_t eq; /* of the portal table entry: failures */
    /* Counters, and what was waited for so far. */
    ptl_handle_ct_t done, bytes, acks;
    ptl_size_t done_expected, bytes_expected, acks_expected;
    ptl_handle_md_t md;    /* all of `memory` */
    unsigned char *memory; /* the regions, one after the other */
    struct {
        ptl_handle_me_t entry;
        ptl_handle_hpu_t memory;
    } posted[SPIN_ENTRIES]; /* for the job */
    unsigned posted_count;
};

/* Of a member's memory, SPIN_MOST_BYTES each. */
enum spin_region { SPIN_SOURCE, SPIN_TARGET, SPIN_BUFFER, SPIN_REGIONS };

/* What messages are for. */
enum spin_bits { SPIN_DONE = 1, SPIN_DATA, SPIN_BACK, SPIN_UPDATE };

unsigned char *member_region(const struct member *member, enum spin_region region);

/* An entry of the job, with or without handlers, whose memory it takes over. What arrives is
 * counted: messages to SPIN_DONE, and bytes to all others. */
void member_post(struct member *member, enum spin_bits bits, enum spin_region region,
                 size_t length, const ptl_handlers_t *handlers);

void member_put(struct member *member, unsigned to, enum spin_bits bits, enum spin_region region,
                size_t length);

/* The same, and waits for the acknowledgement. */
void member_put_and_wait(struct member *member, unsigned to, enum spin_bits bits,
                         enum spin_region region, size_t length);

/* Waits until so many more bytes have come. */
void member_await(struct member *member, size_t bytes);

/* Tells a rank, and waits until so many have told this one. */
void member_tell(struct member *member, unsigned to);
void member_hear(struct member *member, unsigned count);

void member_must(int result, const char *what);
#define MEMBER_MUST(call) member_must(call, #call)

/* ---- The cases ---------------------------------------------------------------------------- */

struct spin_case_info {
    const char *name;
    const char *title;
    size_t bytes;
    unsigned ranks;
    double share; /* of a round that is shown */
    /* Before all begin; all rounds; and whether the memory is then what it should be. */
    void (*prepare)(struct member *member, const struct spin_job *job);
    void (*run)(struct member *member, const struct spin_job *job);
    bool (*is_right)(struct member *member, const struct spin_job *job);
};

extern const struct spin_case_info spin_cases[SPIN_CASES];

#endif
