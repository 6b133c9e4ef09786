/* SPDX-License-Identifier: BSD-3-Clause */
/* One of the two processes of a pair: it opens an interface, reads jobs and answers with times. */
#ifndef WEFT_BENCH_PAIR_SIDE_H
#define WEFT_BENCH_PAIR_SIDE_H

#include <portals4.h>
#include <stdatomic.h>
#include <stdint.h>

#include "bench/harness/random.h"
#include "bench/pair/bare_ofi.h"
#include "bench/pair/bare_ring.h"
#include "bench/pair/pair.h"

/* Memory of both processes. The rings, one for each sender, lie behind it. */
struct side_shared {
    struct bare_ofi_card cards[2]; /* if they use libfabric */
    uint16_t port;                 /* of the first, if they use sockets */
    _Alignas(128) atomic_uint arrived;
    _Alignas(128) unsigned char rings[];
};

enum side_pt { SIDE_PT_EVENTS = 1, SIDE_PT_COUNTERS, SIDE_PT_GET, SIDE_PT_MATCH, SIDE_PT_LATE };

struct side {
    unsigned rank;
    const struct pair_shape *shape;
    struct side_shared *shared;
    unsigned jobs;     /* so far, this one included */
    unsigned meetings; /* with the other side */

    ptl_handle_ni_t ni;
    ptl_handle_eq_t eq;     /* of the target's events */
    ptl_handle_eq_t reply;  /* of the initiator's */
    ptl_handle_md_t md;     /* all of `source`, silent */
    ptl_handle_md_t get_md; /* all of `target`, tells of replies */
    ptl_handle_ct_t ct;     /* counts what comes to SIDE_PT_COUNTERS */
    ptl_size_t counted;     /* of it, waited for so far */
    ptl_process_t other;
    unsigned char *source; /* messages leave from here and arrive there */
    unsigned char *target;

    struct bare_ring out, in;     /* with shared memory */
    struct bare_ofi *ofi;         /* with libfabric */
    int socket;                   /* with sockets */
    struct side_entries *entries; /* of the matching engines */
    struct random random;
};

/* How messages travel. Both sides make the same calls, except that one sends what the other
 * receives. NULL: there is nothing to do. */
struct side_engine {
    void (*open)(struct side *side);
    void (*close)(struct side *side);
    void (*prepare)(struct side *side, const struct pair_job *job);
    void (*send)(struct side *side, size_t size);
    void (*receive)(struct side *side, size_t size, size_t count);
    void (*finish)(struct side *side);

    /* Gets, of engines that have them: whether this one does here; one get; and what the target
     * does, which has nothing to do with gets but to look after its end, until an empty message
     * says that there are no more. */
    bool (*can_get)(const struct side *side);
    void (*get)(struct side *side, size_t size);
    void (*attend)(struct side *side);
};

extern const struct side_engine side_engine_events, side_engine_counters;
extern const struct side_engine side_engine_ring, side_engine_ofi, side_engine_tcp;
extern const struct side_engine side_engine_last, side_engine_any, side_engine_wild;

/* Loops. Seconds as pair.h says, or 0 at the side that does not keep the time. */
double side_ping_pong(struct side *side, const struct pair_job *job);
double side_stream(struct side *side, const struct pair_job *job);
double side_get(struct side *side, const struct pair_job *job);
double side_unexpected(struct side *side, const struct pair_job *job);
double side_chain(struct side *side, const struct pair_job *job);

size_t side_shared_bytes(const struct pair_shape *shape);

/* The side of this process. Both must have been opened before one works. */
void side_open(unsigned rank, const struct pair_shape *shape, struct side_shared *shared);
double side_work(const struct pair_job *job);
void side_close(void);

/* ---- For engines and loops ---------------------------------------------------------------- */

const struct side_engine *side_engine(enum pair_engine engine);

/* Both sides have come here. */
void side_meet(struct side *side);

/* Ends this process, and so the benchmark, unless the call succeeded. */
void side_must(int result, const char *what);
#define SIDE_MUST(call) side_must(call, #call)

_Noreturn void side_fail(const char *what);
void *side_allocate(size_t bytes);

void side_put(struct side *side, ptl_pt_index_t pt_index, ptl_match_bits_t bits, size_t size);

/* Waits for the next event of a queue, which must be of this kind and tell of success. */
void side_expect(ptl_handle_eq_t eq, ptl_event_kind_t type);

/* The `receive` of engines whose messages are told by events. */
void side_receive(struct side *side, size_t size, size_t count);

/* What a message holds that this side sends, and whether it is in what has arrived. They differ
 * from job to job and between the sides. */
void side_fill(struct side *side, size_t size);
void side_check(const struct side *side, size_t size);

/* An entry of the other side's messages, silent about itself. */
ptl_handle_me_t side_append(struct side *side, ptl_pt_index_t pt_index, ptl_list_t list,
                            const ptl_me_t *wish);

#endif
