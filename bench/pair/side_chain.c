/* SPDX-License-Identifier: BSD-3-Clause */
/* A message that triggers the next one, there and back: programs only look on. */
#include "bench/harness/measure.h"
#include "bench/pair/side.h"

#define LINKS 32 /* round trips of one chain: what is set up and not timed */

/* What arrives here as the i-th message of the chain sends one back. */
static void set_up(struct side *side, size_t size)
{
    size_t last = side->rank == 0 ? LINKS - 1 : LINKS;
    for (size_t i = 1; i <= last; i++)
        SIDE_MUST(PtlTriggeredPut(side->md, 0, size, PTL_NO_ACK_REQ, side->other, SIDE_PT_COUNTERS,
                                  0, 0, NULL, 0, side->ct, side->counted + i));
}

/* Until so many more messages have come. Never sleeps: who looks steps the NIC. */
static void look_on(struct side *side, size_t messages)
{
    ptl_ct_event_t value;
    side->counted += messages;
    do
        SIDE_MUST(PtlCTGet(side->ct, &value));
    while (value.success < side->counted && !value.failure);
    if (value.failure)
        side_fail("a message was counted as failed");
}

/* Seconds, at the side that begins. The other looks on until it is told that all is there: its own
 * last message may be longer than what has room on the way. */
static double run_chain(struct side *side, size_t size)
{
    set_up(side, size);
    side_meet(side);
    if (side->rank == 1) {
        look_on(side, LINKS + 1);
        return 0;
    }
    double begin = measure_now();
    side_put(side, SIDE_PT_COUNTERS, 0, size);
    look_on(side, LINKS);
    double seconds = measure_now() - begin;
    side_put(side, SIDE_PT_COUNTERS, 0, 0);
    return seconds;
}

double side_chain(struct side *side, const struct pair_job *job)
{
    size_t chains = (job->count + LINKS - 1) / LINKS;
    double seconds = 0;
    side_fill(side, job->there);
    run_chain(side, job->there);
    for (size_t i = 0; i < chains; i++)
        seconds += run_chain(side, job->there);
    side_check(side, job->there);
    return seconds / (double)(chains * LINKS);
}
