/* SPDX-License-Identifier: BSD-3-Clause */
/* What matching costs: many entries for one message, many messages for one entry. */
#include <stdlib.h>

#include "bench/harness/measure.h"
#include "bench/pair/side.h"

#define WILD 64     /* entries behind the one that matches */
#define TOGETHER 10 /* appends that are timed as one */

/* ---- Many entries ------------------------------------------------------------------------- */

struct side_entries {
    size_t count; /* posted before the last exact one */
    ptl_handle_me_t *handles;
    size_t handle_count;
};

/* Entry i has these match bits. They are spread, as hashes of tags and communicators would be. */
static ptl_match_bits_t bits_of(size_t i)
{
    return i << 20 | (i * 7 & 0xfff);
}

static void post(struct side *side, ptl_match_bits_t bits, ptl_match_bits_t ignored)
{
    struct side_entries *entries = side->entries;
    entries->handles[entries->handle_count++] =
        side_append(side, SIDE_PT_MATCH, PTL_PRIORITY_LIST,
                    &(ptl_me_t){.start = side->target,
                                .length = side->shape->largest,
                                .options = PTL_ME_OP_PUT,
                                .ct_handle = PTL_CT_NONE,
                                .match_bits = bits,
                                .ignore_bits = ignored});
}

static void prepare(struct side *side, const struct pair_job *job)
{
    size_t wild = job->engine == PAIR_MATCH_WILD ? WILD : 0;
    struct side_entries *entries = side_allocate(sizeof(*entries));
    entries->count = job->posted;
    entries->handles = side_allocate((job->posted + 1 + wild) * sizeof(*entries->handles));
    side->entries = entries;
    for (size_t i = 0; i <= job->posted; i++)
        post(side, bits_of(i), 0);
    for (size_t i = 0; i < wild; i++)
        post(side, 0, ~(ptl_match_bits_t)0);
}

static void finish(struct side *side)
{
    struct side_entries *entries = side->entries;
    for (size_t i = 0; i < entries->handle_count; i++)
        SIDE_MUST(PtlMEUnlink(entries->handles[i]));
    free(entries->handles);
    free(entries);
    side->entries = NULL;
}

static void send_to_last(struct side *side, size_t size)
{
    side_put(side, SIDE_PT_MATCH, bits_of(side->entries->count), size);
}

static void send_to_any(struct side *side, size_t size)
{
    size_t which = random_below(&side->random, side->entries->count);
    side_put(side, SIDE_PT_MATCH, bits_of(which), size);
}

const struct side_engine side_engine_last = {
    .prepare = prepare, .send = send_to_last, .receive = side_receive, .finish = finish};
const struct side_engine side_engine_any = {
    .prepare = prepare, .send = send_to_any, .receive = side_receive, .finish = finish};
const struct side_engine side_engine_wild = {
    .prepare = prepare, .send = send_to_last, .receive = side_receive, .finish = finish};

/* ---- Many messages ------------------------------------------------------------------------ */

struct waiting {
    size_t *which; /* messages that no entry has asked for */
    size_t count;
    size_t sent; /* messages so far */
};

static void expect_more(struct side *side, struct waiting *waiting, size_t count)
{
    ptl_ct_event_t value;
    for (size_t i = 0; i < count; i++)
        waiting->which[waiting->count++] = waiting->sent++;
    side->counted += count;
    SIDE_MUST(PtlCTWait(side->ct, side->counted, &value));
}

static size_t draw(struct side *side, struct waiting *waiting)
{
    size_t at = random_below(&side->random, waiting->count);
    size_t which = waiting->which[at];
    waiting->which[at] = waiting->which[--waiting->count];
    return which;
}

static void take(struct side *side, size_t which)
{
    side_append(side, SIDE_PT_LATE, PTL_PRIORITY_LIST,
                &(ptl_me_t){.options = PTL_ME_OP_PUT | PTL_ME_USE_ONCE,
                            .ct_handle = PTL_CT_NONE,
                            .match_bits = bits_of(which)});
}

/* Seconds for TOGETHER appends that find their messages. */
static double time_appends(struct side *side, struct waiting *waiting)
{
    size_t drawn[TOGETHER];
    for (size_t i = 0; i < TOGETHER; i++)
        drawn[i] = draw(side, waiting);
    double begin = measure_now();
    for (size_t i = 0; i < TOGETHER; i++)
        take(side, drawn[i]);
    double seconds = measure_now() - begin;
    for (size_t i = 0; i < TOGETHER; i++)
        side_expect(side->eq, PTL_EVENT_PUT_OVERFLOW);
    return seconds;
}

static double receive_late(struct side *side, const struct pair_job *job, size_t rounds)
{
    size_t most = job->posted + TOGETHER;
    unsigned char *memory = side_allocate((job->posted + rounds * TOGETHER) * job->there);
    struct waiting waiting = {.which = side_allocate(most * sizeof(*waiting.which))};
    ptl_handle_me_t overflow =
        side_append(side, SIDE_PT_LATE, PTL_OVERFLOW_LIST,
                    &(ptl_me_t){.start = memory,
                                .length = (job->posted + rounds * TOGETHER) * job->there,
                                .options = PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL |
                                           PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_CT_COMM,
                                .ct_handle = side->ct,
                                .ignore_bits = ~(ptl_match_bits_t)0});
    double seconds = 0;
    side_meet(side);
    expect_more(side, &waiting, job->posted);
    for (size_t round = 0; round < rounds; round++) {
        side_put(side, SIDE_PT_EVENTS, 0, 0); /* send the next ones */
        expect_more(side, &waiting, TOGETHER);
        seconds += time_appends(side, &waiting);
    }
    while (waiting.count) {
        take(side, draw(side, &waiting));
        side_expect(side->eq, PTL_EVENT_PUT_OVERFLOW);
    }
    SIDE_MUST(PtlMEUnlink(overflow));
    free(waiting.which);
    free(memory);
    return seconds / (double)(rounds * TOGETHER);
}

static void send_late(struct side *side, const struct pair_job *job, size_t rounds)
{
    size_t sent = 0;
    side_meet(side);
    for (; sent < job->posted; sent++)
        side_put(side, SIDE_PT_LATE, bits_of(sent), job->there);
    for (size_t round = 0; round < rounds; round++) {
        side_expect(side->eq, PTL_EVENT_PUT);
        for (size_t i = 0; i < TOGETHER; i++)
            side_put(side, SIDE_PT_LATE, bits_of(sent++), job->there);
    }
}

double side_unexpected(struct side *side, const struct pair_job *job)
{
    size_t rounds = (job->count + TOGETHER - 1) / TOGETHER;
    if (side->rank == 1)
        return receive_late(side, job, rounds);
    send_late(side, job, rounds);
    return 0;
}
