/* SPDX-License-Identifier: BSD-3-Clause */
/* Triggered operations that set off each other, over counters and nodes. */
#include "portals/job.h"

static const ptl_ct_event_t one = {.success = 1};

BEHAVIOUR("a chain over a thousand counters runs to its end", .ranks = 1)
{
    unsigned length = (unsigned)job->limits.max_cts - 10;
    if (length > 1000)
        length = 1000;
    if (length > (unsigned)job->limits.max_triggered_ops)
        length = (unsigned)job->limits.max_triggered_ops;
    ptl_handle_ct_t *ct = job_memory(job, (length + 1) * sizeof *ct);
    for (unsigned i = 0; i <= length; i++)
        ct[i] = job_ct(job);
    for (unsigned i = 0; i < length; i++)
        ok(PtlTriggeredCTInc(ct[i + 1], one, ct[i], 1));
    ok(PtlCTInc(ct[0], one));
    counts(ct[length], 1, 0);
}

BEHAVIOUR("a put before an increment at one threshold leaves before what the increment sets off")
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_ct_t a = job_ct(job), b = job_ct(job);
        ptl_handle_md_t md = job_md(job, NULL, 0);
        ok(put_when(b, 1, md, 0, .hdr_data = 2));
        ok(put_when(a, 1, md, 0, .hdr_data = 1));
        ok(PtlTriggeredCTInc(b, one, a, 1));
        ok(PtlCTInc(a, one));
    }
    if (job->target) {
        equals(next_event(job->target_eq, PTL_EVENT_PUT).hdr_data, 1);
        equals(next_event(job->target_eq, PTL_EVENT_PUT).hdr_data, 2);
    }
}

BEHAVIOUR("one counter waits for events of initiator and target together")
{
    ptl_handle_ct_t ct = job_ct(job), seen = job_ct(job);
    post(job_memory(job, 8), 8, PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM, .ct = &ct);
    /* Each sends one put that is acknowledged and gets one. */
    ok(PtlTriggeredCTInc(seen, one, ct, 2));
    job_barrier(job);
    ptl_handle_md_t md =
        job_bind(job, job_memory(job, 8), 8, PTL_MD_EVENT_CT_ACK, PTL_EQ_NONE, ct);
    ok(put(md, 8, .to = job->size - 1 - job->rank, .ack = PTL_CT_ACK_REQ));
    counts(seen, 1, 0);
    job_barrier(job);
}

BEHAVIOUR("a token goes round all ranks many times without their programs", .ranks = 6,
          .sim_ranks = 64)
{
    enum { ROUNDS = 5 };
    ptl_handle_ct_t ct = job_ct(job);
    ptl_handle_md_t md = job_bind(job, NULL, 0, 0, PTL_EQ_NONE, PTL_CT_NONE);
    unsigned next = (job->rank + 1) % job->size;
    post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_COMM_DISABLE, .ct = &ct);
    /* Rank 0 begins and stops it. */
    for (unsigned round = job->rank == 0; round < ROUNDS; round++)
        ok(put_when(ct, job->rank ? round + 1 : round, md, 0, .to = next));
    job_barrier(job);
    if (job->rank == 0)
        ok(put(md, 0, .to = next));
    counts(ct, ROUNDS, 0);
    job_barrier(job);
}

/* Numbers are summed up a binary tree and the sum comes down again, all by triggers. */
BEHAVIOUR("an allreduce of triggered operations gives the sum to all ranks", .ranks = 7,
          .sim_ranks = 63)
{
    ptl_pt_index_t down = 0;
    uint64_t *sum = job_memory(job, 8), *result = job_memory(job, 8);
    ptl_handle_ct_t up_ct = job_ct(job), down_ct = job_ct(job);
    ok(PtlPTAlloc(job->ni, 0, PTL_EQ_NONE, 32, &down));
    *sum = job->rank + 1;
    unsigned left = 2 * job->rank + 1, children = 0;
    for (unsigned child = left; child < left + 2; child++)
        children += child < job->size;
    unsigned options = PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_COMM_DISABLE;
    post(sum, 8, options, .ct = &up_ct);
    post(result, 8, options, .ct = &down_ct, .pt = down);
    ptl_handle_md_t sum_md = job_bind(job, sum, 8, 0, PTL_EQ_NONE, PTL_CT_NONE);
    ptl_handle_md_t result_md = job_bind(job, result, 8, 0, PTL_EQ_NONE, PTL_CT_NONE);
    job_barrier(job);
    if (job->rank)
        ok(atomic_when(up_ct, children, sum_md, 8, .to = (job->rank - 1) / 2, .operation = PTL_SUM,
                       .datatype = PTL_UINT64_T));
    else
        ok(put_when(up_ct, children, sum_md, 8, .to = 0, .pt = down));
    for (unsigned child = left; child < left + 2 && child < job->size; child++)
        ok(put_when(down_ct, 1, result_md, 8, .to = child, .pt = down));
    counts(down_ct, 1, 0);
    equals(*result, (uint64_t)job->size * (job->size + 1) / 2);
    job_barrier(job);
}

BEHAVIOUR("a dissemination barrier of triggered puts lets nobody through early", .ranks = 8,
          .sim_ranks = 64)
{
    enum { STEPS = 6 };
    unsigned steps = 0;
    ptl_handle_ct_t ct[STEPS + 1];
    ptl_handle_md_t md = job_bind(job, NULL, 0, 0, PTL_EQ_NONE, PTL_CT_NONE);
    while (1u << steps < job->size)
        steps++;
    for (unsigned i = 0; i <= steps; i++)
        ct[i] = job_ct(job);
    for (unsigned i = 0; i < steps; i++) {
        ptl_pt_index_t pt = 0;
        ok(PtlPTAlloc(job->ni, 0, PTL_EQ_NONE, 40 + i, &pt));
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM, .ct = &ct[i + 1], .pt = pt);
    }
    job_barrier(job);
    /* A step fires when this rank has entered and all steps before have come: each of them gives
     * the next counter one more. */
    for (unsigned i = 0; i < steps; i++) {
        ok(put_when(ct[i], i ? 2 : 1, md, 0, .to = (job->rank + (1u << i)) % job->size,
                    .pt = 40 + i));
        ok(PtlTriggeredCTInc(ct[i + 1], one, ct[i], i ? 2 : 1));
    }
    atomic_fetch_add(&job->verdict->tally, 1);
    ok(PtlCTInc(ct[0], one));
    counts(ct[steps], 2, 0);
    equals(atomic_load(&job->verdict->tally), job->size);
    job_barrier(job);
}

BEHAVIOUR("a failure sets off a chain like a success")
{
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_ct_t ct = job_ct(job), seen = job_ct(job);
        ptl_handle_md_t md = job_bind(job, NULL, 0, PTL_MD_EVENT_CT_ACK, PTL_EQ_NONE, ct);
        ok(PtlTriggeredCTInc(seen, one, ct, 1));
        ok(put(md, 0, .ack = PTL_CT_ACK_REQ)); /* nobody takes it */
        counts(seen, 1, 0);
        counts(ct, 0, 1);
    }
    job_barrier(job);
}

BEHAVIOUR("messages that were already there set off what waits for overflow events")
{
    ptl_handle_ct_t ct = job_ct(job), seen = job_ct(job);
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE, .list = PTL_OVERFLOW_LIST);
    job_barrier(job);
    if (job->initiator)
        for (unsigned i = 0; i < 3; i++) {
            ok(put(job_md(job, NULL, 0), 0, .ack = PTL_ACK_REQ));
            next_event(job->eq, PTL_EVENT_ACK);
        }
    job_barrier(job);
    if (job->target) {
        ok(PtlTriggeredCTInc(seen, one, ct, 3));
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_CT_OVERFLOW, .ct = &ct);
        counts(seen, 1, 0);
    }
}
