/* SPDX-License-Identifier: BSD-3-Clause */
/* Triggered operations: when they fire, in which order, and with what. */
#include "portals/job.h"

static void add(struct job *job, ptl_handle_ct_t ct, ptl_size_t success, ptl_size_t failure)
{
    ok(PtlCTInc(ct, (ptl_ct_event_t){.success = success, .failure = failure}));
}

static const ptl_ct_event_t one = {.success = 1};

BEHAVIOUR("a triggered operation fires at its threshold, not below")
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_ct_t ct = job_ct(job);
        ok(put_when(ct, 3, job_md(job, NULL, 0), 0, .ack = PTL_ACK_REQ));
        add(job, ct, 2, 0);
        no_event(job->eq);
    }
    job_settle(job);
    if (job->target)
        no_event(job->target_eq);
    job_barrier(job);
    if (job->initiator)
        no_event(job->eq);
}

BEHAVIOUR("a triggered put fires when its counter comes to the threshold")
{
    if (job->target)
        post(job_memory(job, 8), 8, PTL_ME_OP_PUT, .bits = 4);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_ct_t ct = job_ct(job);
        ok(put_when(ct, 3, job_md(job, job_memory(job, 8), 8), 8, .bits = 4, .hdr_data = 17,
                    .ack = PTL_ACK_REQ, .user_ptr = &job->pt));
        for (unsigned i = 0; i < 3; i++)
            add(job, ct, 1, 0);
        holds(next_event(job->eq, PTL_EVENT_ACK).user_ptr == &job->pt);
    }
    if (job->target)
        equals(next_event(job->target_eq, PTL_EVENT_PUT).hdr_data, 17);
    job_barrier(job);
}

BEHAVIOUR("an operation fires when the counter jumps over its threshold", .ranks = 1)
{
    ptl_handle_ct_t ct = job_ct(job), seen = job_ct(job);
    ok(PtlTriggeredCTInc(seen, one, ct, 3));
    add(job, ct, 1000, 0);
    counts(seen, 1, 0);
}

BEHAVIOUR("an operation whose threshold is already reached fires at once", .ranks = 1)
{
    ptl_handle_ct_t ct = job_ct(job), seen = job_ct(job);
    ok(PtlTriggeredCTInc(seen, one, ct, 0));
    counts(seen, 1, 0);
    add(job, ct, 5, 0);
    ok(PtlTriggeredCTInc(seen, one, ct, 5));
    ok(PtlTriggeredCTInc(seen, one, ct, 2));
    counts(seen, 3, 0);
}

BEHAVIOUR("failures count towards a threshold like successes", .ranks = 1)
{
    ptl_handle_ct_t ct = job_ct(job), seen = job_ct(job);
    ok(PtlTriggeredCTInc(seen, one, ct, 3));
    add(job, ct, 1, 0);
    add(job, ct, 0, 1);
    counts(seen, 0, 0);
    add(job, ct, 0, 1);
    counts(seen, 1, 0);
}

BEHAVIOUR("PtlCTSet fires what it brings to the threshold", .ranks = 1)
{
    ptl_handle_ct_t ct = job_ct(job), seen = job_ct(job);
    ok(PtlTriggeredCTInc(seen, one, ct, 7));
    ok(PtlCTSet(ct, (ptl_ct_event_t){.success = 6}));
    counts(seen, 0, 0);
    ok(PtlCTSet(ct, (ptl_ct_event_t){.success = 4, .failure = 3}));
    counts(seen, 1, 0);
}

BEHAVIOUR("an operation fires once, even if the counter is set back and comes again", .ranks = 1)
{
    ptl_handle_ct_t ct = job_ct(job), seen = job_ct(job);
    ok(PtlTriggeredCTInc(seen, one, ct, 2));
    add(job, ct, 2, 0);
    ok(PtlCTSet(ct, (ptl_ct_event_t){.success = 0}));
    add(job, ct, 5, 0);
    counts(seen, 1, 0);
}

BEHAVIOUR("operations fire in the order of their thresholds, however they were issued")
{
    enum { COUNT = 12 };
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_ct_t ct = job_ct(job);
        ptl_handle_md_t md = job_md(job, NULL, 0);
        for (unsigned i = 0; i < COUNT; i++) {
            unsigned threshold = 1 + i * 5 % COUNT;
            ok(put_when(ct, threshold, md, 0, .hdr_data = threshold));
        }
        add(job, ct, COUNT, 0);
    }
    if (job->target)
        for (unsigned i = 1; i <= COUNT; i++)
            equals(next_event(job->target_eq, PTL_EVENT_PUT).hdr_data, i);
}

BEHAVIOUR("operations with one threshold fire in the order in which they were issued")
{
    enum { COUNT = 20 };
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_ct_t ct = job_ct(job);
        ptl_handle_md_t md = job_md(job, NULL, 0);
        for (unsigned i = 0; i < COUNT; i++)
            ok(put_when(ct, 4, md, 0, .hdr_data = i));
        add(job, ct, 4, 0);
    }
    if (job->target)
        for (unsigned i = 0; i < COUNT; i++)
            equals(next_event(job->target_eq, PTL_EVENT_PUT).hdr_data, i);
}

BEHAVIOUR("a triggered put sends what its memory holds when it fires")
{
    uint64_t *value = job_memory(job, 8);
    if (job->target)
        post(value, 8, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        uint64_t *out = job_memory(job, 8);
        ptl_handle_ct_t ct = job_ct(job);
        *out = 1;
        ok(put_when(ct, 1, job_md(job, out, 8), 8, .ack = PTL_ACK_REQ));
        *out = 2;
        add(job, ct, 1, 0);
        next_event(job->eq, PTL_EVENT_ACK);
    }
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        equals(*value, 2);
    }
    job_barrier(job);
}

BEHAVIOUR("a message that arrives fires an operation")
{
    uint64_t *value = job_memory(job, 8);
    ptl_handle_ct_t ct = job_ct(job);
    if (job->target) /* answers by itself */
        post(value, 8, PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM, .ct = &ct, .bits = 1);
    ptl_pt_index_t answers = 0;
    uint64_t *answer = job_memory(job, 8);
    ok(PtlPTAlloc(job->ni, 0, job->target_eq, 31, &answers));
    post(answer, 8, PTL_ME_OP_PUT, .pt = answers);
    if (job->target)
        ok(put_when(ct, 2, job_md(job, value, 8), 8, .to = job->size - 1, .pt = answers));
    job_barrier(job);
    if (job->initiator) {
        uint64_t *out = job_memory(job, 8);
        ptl_handle_md_t md = job_md(job, out, 8);
        *out = 41;
        ok(put(md, 8, .bits = 1, .ack = PTL_ACK_REQ));
        next_event(job->eq, PTL_EVENT_ACK);
        *out = 42;
        ok(put(md, 8, .bits = 1));
        ptl_event_t event;
        do
            event = next_event(job->target_eq, PTL_EVENT_PUT);
        while (event.pt_index != answers && !atomic_load(&job->verdict->failures));
        equals(*answer, 42);
    }
    job_barrier(job);
}

BEHAVIOUR("a reply that arrives fires an operation, which sees its data")
{
    uint64_t *value = job_memory(job, 16);
    if (job->target) {
        value[0] = 99;
        post(value, 16, PTL_ME_OP_PUT | PTL_ME_OP_GET);
    }
    job_barrier(job);
    if (job->initiator) {
        uint64_t *copy = job_memory(job, 8);
        ptl_handle_ct_t ct = job_ct(job);
        ptl_handle_md_t in = job_bind(job, copy, 8, PTL_MD_EVENT_CT_REPLY, PTL_EQ_NONE, ct);
        ok(put_when(ct, 1, job_md(job, copy, 8), 8, .remote_offset = 8));
        ok(get(in, 8));
    }
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_GET);
        next_event(job->target_eq, PTL_EVENT_PUT);
        equals(value[1], 99);
    }
    job_barrier(job);
}

/* ---- Every kind --------------------------------------------------------------------------- */

BEHAVIOUR("a triggered get, atomic, fetch-atomic and swap do what the plain ones do")
{
    uint64_t *value = job_memory(job, 8);
    if (job->target) {
        *value = 10;
        post(value, 8, PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_COMM_DISABLE);
    }
    job_barrier(job);
    if (job->initiator) {
        uint64_t *out = job_memory(job, 8), *in = job_memory(job, 8), operand = 21;
        ptl_handle_ct_t ct = job_ct(job);
        ptl_handle_md_t md = job_md(job, out, 8), get_md = job_md(job, in, 8);
        *out = 7;
        ok(get_when(ct, 1, get_md, 8));
        ok(atomic_when(ct, 2, md, 8, .operation = PTL_PROD, .datatype = PTL_UINT64_T,
                       .ack = PTL_ACK_REQ));
        ok(fetch_when(ct, 3, md, 8, .get_md = get_md, .operation = PTL_BAND,
                      .datatype = PTL_UINT64_T));
        ok(swap_when(ct, 4, md, 8, .get_md = get_md, .operation = PTL_CSWAP_GT,
                     .operand = &operand, .datatype = PTL_UINT64_T));
        operand = 0; /* it was copied */
        job_settle(job);
        no_event(job->eq);
        add(job, ct, 1, 0);
        next_event(job->eq, PTL_EVENT_REPLY);
        equals(*in, 10);
        add(job, ct, 1, 0);
        next_event(job->eq, PTL_EVENT_ACK); /* 70 */
        add(job, ct, 1, 0);
        next_event(job->eq, PTL_EVENT_REPLY); /* 70 & 7 = 6 */
        equals(*in, 70);
        add(job, ct, 1, 0);
        next_event(job->eq, PTL_EVENT_REPLY); /* 21 > 6: becomes 7 */
        equals(*in, 6);
    } else {
        job_settle(job);
    }
    job_barrier(job);
    if (job->target)
        equals(*value, 7);
}

BEHAVIOUR("PtlTriggeredCTInc counts successes and failures", .ranks = 1)
{
    ptl_handle_ct_t ct = job_ct(job), other = job_ct(job);
    ok(PtlTriggeredCTInc(other, (ptl_ct_event_t){.success = 3}, ct, 1));
    ok(PtlTriggeredCTInc(other, (ptl_ct_event_t){.failure = 2}, ct, 1));
    add(job, ct, 1, 0);
    counts(other, 3, 2);
}

BEHAVIOUR("PtlTriggeredCTSet sets, and what waits on the set counter fires", .ranks = 1)
{
    ptl_handle_ct_t ct = job_ct(job), other = job_ct(job), seen = job_ct(job);
    add(job, other, 50, 0);
    ok(PtlTriggeredCTInc(seen, one, other, 100));
    ok(PtlTriggeredCTSet(other, (ptl_ct_event_t){.success = 100, .failure = 1}, ct, 2));
    counts(seen, 0, 0);
    add(job, ct, 2, 0);
    counts(seen, 1, 0);
    counts(other, 100, 1);
}

BEHAVIOUR("a counter can set itself back when it fires", .ranks = 1)
{
    ptl_handle_ct_t ct = job_ct(job), seen = job_ct(job);
    for (unsigned round = 1; round <= 5; round++) {
        ok(PtlTriggeredCTInc(seen, one, ct, 3));
        ok(PtlTriggeredCTSet(ct, (ptl_ct_event_t){.success = 0}, ct, 3));
        for (unsigned i = 0; i < 3; i++)
            add(job, ct, 1, 0);
        counts(seen, round, 0);
        counts(ct, 0, 0);
    }
}

BEHAVIOUR("PtlTriggeredMEAppend reads its entry when it fires", .needs = PTL_NI_MATCHING)
{
    char mark;
    unsigned char *bytes = job_memory(job, 16);
    ptl_handle_ct_t ct = job_ct(job);
    ptl_me_t *me = job_memory(job, sizeof *me);
    ptl_handle_me_t handle = PTL_INVALID_HANDLE;
    if (job->target) {
        *me = job_entry(POSTING(NULL, 0, PTL_ME_OP_PUT, .bits = 1));
        ok(PtlTriggeredMEAppend(job->ni, job->pt, me, PTL_PRIORITY_LIST, &mark, &handle, ct, 1));
        *me = job_entry(POSTING(bytes, 16, PTL_ME_OP_PUT, .bits = 2, .link = true));
        no_event(job->target_eq);
        add(job, ct, 1, 0);
        holds(next_event(job->target_eq, PTL_EVENT_LINK).user_ptr == &mark);
    }
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, job_memory(job, 16), 16);
        ok(put(md, 16, .bits = 1, .ack = PTL_ACK_REQ));
        next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_DROPPED);
        ok(put(md, 16, .bits = 2, .ack = PTL_ACK_REQ));
        next_event(job->eq, PTL_EVENT_ACK);
    }
    if (job->target) {
        holds(next_event(job->target_eq, PTL_EVENT_PUT).start == bytes);
        ok(PtlMEUnlink(handle));
    }
    job_barrier(job);
}

BEHAVIOUR("a triggered append that fails tells the queue and the counter", .ranks = 1,
          .needs = PTL_NI_MATCHING)
{
    char mark;
    ptl_handle_ct_t ct = job_ct(job), own = job_ct(job);
    ptl_me_t *me = job_memory(job, sizeof *me);
    ptl_handle_me_t handle;
    *me = job_entry(POSTING(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM, .ct = &own));
    ok(PtlTriggeredMEAppend(job->ni, job->pt, me, PTL_PRIORITY_LIST, &mark, &handle, ct, 1));
    me->options |= PTL_IOVEC; /* of a vector that is not there */
    me->length = 1;
    add(job, ct, 1, 0);
    ptl_event_t event = next_failure(job->target_eq, PTL_EVENT_LINK, PTL_NI_UNDELIVERABLE);
    holds(event.user_ptr == &mark);
    equals(event.pt_index, job->pt);
    counts(own, 0, 1);
    equals(PtlMEUnlink(handle), PTL_ARG_INVALID);
}

BEHAVIOUR("PtlTriggeredMEUnlink unlinks when it fires", .needs = PTL_NI_MATCHING)
{
    ptl_handle_ct_t ct = job_ct(job);
    ptl_handle_me_t handle = PTL_INVALID_HANDLE;
    if (job->target) {
        handle = post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM, .ct = &ct);
        ok(PtlTriggeredMEUnlink(handle, ct, 2));
    }
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, NULL, 0);
        for (unsigned i = 0; i < 3; i++) {
            ok(put(md, 0, .ack = PTL_ACK_REQ));
            next_failure(job->eq, PTL_EVENT_ACK, i < 2 ? PTL_NI_OK : PTL_NI_DROPPED);
        }
    }
    job_barrier(job);
    if (job->target)
        gives(PTL_ARG_INVALID, PtlMEUnlink(handle));
}

/* ---- Cancelling and mistakes -------------------------------------------------------------- */

BEHAVIOUR("PtlCTCancelTriggered forgets what waits, and leaves the counter", .ranks = 1)
{
    ptl_handle_ct_t ct = job_ct(job), other = job_ct(job), seen = job_ct(job);
    add(job, ct, 1, 0);
    ok(PtlTriggeredCTInc(seen, one, ct, 2));
    ok(PtlTriggeredCTInc(seen, one, ct, 3));
    ok(PtlTriggeredCTInc(seen, one, other, 1));
    ok(PtlCTCancelTriggered(ct));
    counts(ct, 1, 0);
    add(job, ct, 10, 0);
    counts(seen, 0, 0);
    add(job, other, 1, 0); /* that of another counter is still there */
    counts(seen, 1, 0);
    ok(PtlTriggeredCTInc(seen, one, ct, 11));
    counts(seen, 2, 0);
}

BEHAVIOUR("a descriptor of cancelled operations can be released", .ranks = 1)
{
    ptl_handle_ct_t ct = job_ct(job);
    ptl_handle_md_t md = job_md(job, NULL, 0);
    ok(put_when(ct, 1, md, 0));
    ok(PtlCTCancelTriggered(ct));
    ok(PtlMDRelease(md));
}

BEHAVIOUR("wrong arguments of triggered operations are refused when they are issued", .ranks = 1)
{
    ptl_handle_ct_t ct = job_ct(job), stale = job_ct(job);
    ptl_handle_md_t md = job_md(job, job_memory(job, 8), 8);
    ok(PtlCTFree(stale));
    gives(PTL_ARG_INVALID, put_when(stale, 1, md, 8));
    gives(PTL_ARG_INVALID, put_when(PTL_CT_NONE, 1, md, 8));
    gives(PTL_ARG_INVALID, put_when(ct, 1, md, 9));
    gives(PTL_ARG_INVALID, get_when(ct, 1, PTL_INVALID_HANDLE, 8));
    gives(PTL_ARG_INVALID, get_when(stale, 1, md, 8));
    gives(PTL_ARG_INVALID,
          atomic_when(ct, 1, md, 8, .operation = PTL_SWAP, .datatype = PTL_UINT64_T));
    gives(PTL_ARG_INVALID, PtlTriggeredCTInc(stale, one, ct, 1));
    gives(PTL_ARG_INVALID, PtlTriggeredCTInc(ct, one, stale, 1));
    gives(PTL_ARG_INVALID, PtlTriggeredCTSet(stale, one, ct, 1));
}
