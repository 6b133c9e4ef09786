/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters: PtlCTSet, PtlCTInc, PtlCTGet, PtlCTWait, PtlCTPoll. */
#include "portals/job.h"

static void set(struct job *job, ptl_handle_ct_t ct, ptl_size_t success, ptl_size_t failure)
{
    ok(PtlCTSet(ct, (ptl_ct_event_t){.success = success, .failure = failure}));
}

static void add(struct job *job, ptl_handle_ct_t ct, ptl_size_t success, ptl_size_t failure)
{
    ok(PtlCTInc(ct, (ptl_ct_event_t){.success = success, .failure = failure}));
}

BEHAVIOUR("a counter begins at 0, is set and incremented", .ranks = 1)
{
    ptl_handle_ct_t ct = job_ct(job);
    ptl_ct_event_t value = {7, 7};
    ok(PtlCTGet(ct, &value));
    holds(value.success == 0 && value.failure == 0);
    set(job, ct, 10, 3);
    counts(ct, 10, 3);
    add(job, ct, 5, 0);
    add(job, ct, 0, 2);
    counts(ct, 15, 5);
    set(job, ct, 1, 0);
    counts(ct, 1, 0);
}

BEHAVIOUR("a counter goes down, but never below 0 or past its end", .ranks = 1)
{
    ptl_handle_ct_t ct = job_ct(job), told = job_ct(job);
    const ptl_ct_event_t minus_one = {PTL_SIZE_MAX, 0}, half = {PTL_SIZE_MAX / 2, 0};
    ok(PtlTriggeredCTInc(told, (ptl_ct_event_t){1, 0}, ct, 5));
    gives(PTL_ARG_INVALID, PtlCTInc(ct, minus_one));
    gives(PTL_ARG_INVALID, PtlCTInc(ct, (ptl_ct_event_t){0, PTL_SIZE_MAX}));
    counts(ct, 0, 0);
    add(job, ct, 2, 0);
    add(job, ct, minus_one.success, 0);
    counts(ct, 1, 0);
    set(job, ct, PTL_SIZE_MAX, 0);
    gives(PTL_ARG_INVALID, PtlCTInc(ct, half));
    counts(ct, PTL_SIZE_MAX, 0);
    counts(told, 1, 0);
}

BEHAVIOUR("a triggered increment does not make a counter wrap", .ranks = 1)
{
    ptl_handle_ct_t ct = job_ct(job), held = job_ct(job), told = job_ct(job);
    ok(PtlTriggeredCTInc(told, (ptl_ct_event_t){1, 0}, held, 1));
    ok(PtlTriggeredCTInc(held, (ptl_ct_event_t){PTL_SIZE_MAX, 0}, ct, 1));
    add(job, ct, 1, 0);
    counts(held, 0, 0);
    counts(told, 0, 0);
}

BEHAVIOUR("PtlCTWait tests the sum of successes and failures", .ranks = 1)
{
    ptl_handle_ct_t ct = job_ct(job);
    ptl_ct_event_t value;
    set(job, ct, 3, 4);
    ok(PtlCTWait(ct, 7, &value));
    equals(value.success, 3);
    equals(value.failure, 4);
    ok(PtlCTWait(ct, 0, &value));
    ok(PtlCTWait(ct, 1, &value));
}

BEHAVIOUR("PtlCTWait returns when a message brings the counter there")
{
    ptl_handle_ct_t ct = job_ct(job);
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM, .ct = &ct);
    job_barrier(job);
    if (job->initiator)
        for (unsigned i = 0; i < 5; i++)
            ok(put(job_md(job, NULL, 0), 0));
    if (job->target) {
        ptl_ct_event_t value = {0, 0};
        ok(PtlCTWait(ct, 5, &value));
        equals(value.success, 5);
    }
}

BEHAVIOUR("PtlCTPoll tells which counter has come to its test", .ranks = 1)
{
    ptl_handle_ct_t ct[4];
    ptl_size_t tests[4] = {1, 1, 5, 1};
    ptl_ct_event_t value = {0, 0};
    unsigned which = 99;
    for (unsigned i = 0; i < 4; i++)
        ct[i] = job_ct(job);
    set(job, ct[2], 4, 0);
    gives(PTL_CT_NONE_REACHED, PtlCTPoll(ct, tests, 4, 0, &value, &which));
    add(job, ct[2], 0, 1);
    ok(PtlCTPoll(ct, tests, 4, 1000, &value, &which));
    equals(which, 2);
    equals(value.success, 4);
    equals(value.failure, 1);
}

BEHAVIOUR("PtlCTPoll gives up after its timeout", .ranks = 1)
{
    ptl_handle_ct_t ct[2] = {job_ct(job), job_ct(job)};
    ptl_size_t tests[2] = {1, 1};
    ptl_ct_event_t value;
    unsigned which;
    gives(PTL_CT_NONE_REACHED, PtlCTPoll(ct, tests, 2, 0, &value, &which));
    gives(PTL_CT_NONE_REACHED, PtlCTPoll(ct, tests, 2, 5, &value, &which));
    add(job, ct[1], 1, 0);
    ok(PtlCTPoll(ct, tests, 2, PTL_TIME_FOREVER, &value, &which));
    equals(which, 1);
}

BEHAVIOUR("PtlCTPoll serves counters by turns when several are there", .ranks = 1)
{
    ptl_handle_ct_t ct[3] = {job_ct(job), job_ct(job), job_ct(job)};
    ptl_size_t tests[3] = {1, 1, 1};
    ptl_ct_event_t value;
    unsigned which = 99;
    set(job, ct[1], 1, 0);
    set(job, ct[2], 1, 0);
    ok(PtlCTPoll(ct, tests, 3, 0, &value, &which));
    holds(which == 1 || which == 2);
    tests[which] = 100; /* the other one must be found then */
    unsigned other = 3 - which;
    ok(PtlCTPoll(ct, tests, 3, 0, &value, &which));
    equals(which, other);
}

BEHAVIOUR("wrong arguments of counter calls are refused", .ranks = 1)
{
    ptl_handle_ct_t ct = job_ct(job), stale = job_ct(job);
    ptl_ct_event_t value = {0, 0};
    ptl_size_t test = 0;
    unsigned which;
    ok(PtlCTFree(stale));
    gives(PTL_ARG_INVALID, PtlCTFree(stale));
    gives(PTL_ARG_INVALID, PtlCTGet(stale, &value));
    gives(PTL_ARG_INVALID, PtlCTWait(stale, 0, &value));
    gives(PTL_ARG_INVALID, PtlCTSet(stale, value));
    gives(PTL_ARG_INVALID, PtlCTInc(stale, value));
    gives(PTL_ARG_INVALID, PtlCTCancelTriggered(stale));
    gives(PTL_ARG_INVALID, PtlCTGet(PTL_CT_NONE, &value));
    gives(PTL_ARG_INVALID, PtlCTGet(ct, NULL));
    gives(PTL_ARG_INVALID, PtlCTPoll(&stale, &test, 1, 0, &value, &which));
    gives(PTL_ARG_INVALID, PtlCTPoll(&ct, &test, 0, 0, &value, &which));
    gives(PTL_ARG_INVALID, PtlCTAlloc(job->ni, NULL));
    gives(PTL_ARG_INVALID, PtlCTAlloc(PTL_INVALID_HANDLE, &stale));
}

BEHAVIOUR("one counter counts for several entries and descriptors")
{
    ptl_handle_ct_t ct = job_ct(job);
    ptl_pt_index_t other = 0;
    ok(PtlPTAlloc(job->ni, 0, PTL_EQ_NONE, 22, &other));
    if (job->target) {
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM, .ct = &ct);
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM, .ct = &ct, .pt = other);
    }
    job_barrier(job);
    ptl_handle_ct_t acks = job_ct(job);
    if (job->initiator) {
        for (unsigned i = 0; i < 3; i++) {
            unsigned options = PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_SEND;
            ptl_handle_md_t md = job_bind(job, NULL, 0, options, PTL_EQ_NONE, acks);
            ok(put(md, 0, .pt = i == 2 ? other : 0, .ack = PTL_CT_ACK_REQ));
        }
        counts(acks, 6, 0);
    }
    if (job->target)
        counts(ct, 3, 0);
}

BEHAVIOUR("a message still counts while another counter is freed")
{
    ptl_handle_ct_t ct = job_ct(job), gone = job_ct(job);
    if (job->target) {
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM, .ct = &ct);
        ok(PtlCTFree(gone));
    }
    job_barrier(job);
    if (job->initiator)
        ok(put(job_md(job, NULL, 0), 0));
    if (job->target)
        counts(ct, 1, 0);
}
