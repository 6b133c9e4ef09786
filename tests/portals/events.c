/* SPDX-License-Identifier: BSD-3-Clause */
/* Options that suppress events, and those that count them. */
#include "portals/job.h"

#define ANY_BITS .ignore = ~(ptl_match_bits_t)0

/* One put of `length` bytes; when this returns the target has taken it. */
static void put_and_wait(struct job *job, ptl_size_t length)
{
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_ct_t acks = job_ct(job);
        ok(put(
            job_bind(job, job_memory(job, length), length, PTL_MD_EVENT_CT_ACK, PTL_EQ_NONE, acks),
            length, .ack = PTL_CT_ACK_REQ));
        counts(acks, 1, 0);
    }
    job_barrier(job);
}

/* ---- At the target ------------------------------------------------------------------------ */

BEHAVIOUR("an entry that is linked gives PTL_EVENT_LINK with its user_ptr", .ranks = 1)
{
    char one, two;
    post(NULL, 0, PTL_ME_OP_PUT, .user_ptr = &one, .link = true);
    ptl_event_t event = next_event(job->target_eq, PTL_EVENT_LINK);
    holds(event.user_ptr == &one);
    equals(event.pt_index, job->pt);
    post(NULL, 0, PTL_ME_OP_PUT, .user_ptr = &two, .link = true, .list = PTL_OVERFLOW_LIST);
    holds(next_event(job->target_eq, PTL_EVENT_LINK).user_ptr == &two);
}

BEHAVIOUR("PTL_ME_EVENT_LINK_DISABLE suppresses PTL_EVENT_LINK", .ranks = 1)
{
    post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE, .link = true);
    no_event(job->target_eq);
}

BEHAVIOUR("PTL_ME_EVENT_COMM_DISABLE suppresses the events of messages, not of unlinking")
{
    unsigned char *bytes = job_memory(job, 8);
    if (job->target)
        post(bytes, 8, PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_COMM_DISABLE);
    put_and_wait(job, 8);
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_AUTO_UNLINK);
        no_event(job->target_eq);
    }
}

BEHAVIOUR("PTL_ME_EVENT_SUCCESS_DISABLE suppresses the events of messages that succeed")
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_SUCCESS_DISABLE,
             .link = true);
    put_and_wait(job, 8);
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_LINK);
        next_event(job->target_eq, PTL_EVENT_AUTO_UNLINK);
        no_event(job->target_eq);
    }
}

BEHAVIOUR("PTL_ME_EVENT_SUCCESS_DISABLE suppresses overflow events too")
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_SUCCESS_DISABLE, .list = PTL_OVERFLOW_LIST);
    put_and_wait(job, 8);
    if (job->target) {
        no_event(job->target_eq);
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_SUCCESS_DISABLE, .link = true);
        next_event(job->target_eq, PTL_EVENT_LINK);
        no_event(job->target_eq);
    }
}

BEHAVIOUR("PTL_ME_EVENT_OVER_DISABLE suppresses overflow events, not those of later messages")
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE, .list = PTL_OVERFLOW_LIST);
    put_and_wait(job, 0);
    if (job->target) {
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_OVER_DISABLE);
        no_event(job->target_eq);
    }
    put_and_wait(job, 0);
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        no_event(job->target_eq);
    }
}

BEHAVIOUR("PTL_ME_EVENT_UNLINK_DISABLE suppresses PTL_EVENT_AUTO_UNLINK and PTL_EVENT_AUTO_FREE")
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE,
             .list = PTL_OVERFLOW_LIST);
    put_and_wait(job, 0);
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        no_event(job->target_eq);
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE);
        next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW);
        no_event(job->target_eq);
    }
}

BEHAVIOUR("an index without an event queue takes messages and only counts them")
{
    ptl_pt_index_t quiet = 0;
    ptl_handle_ct_t ct = job_ct(job);
    ok(PtlPTAlloc(job->ni, 0, PTL_EQ_NONE, 20, &quiet));
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM | PTL_ME_USE_ONCE, .pt = quiet,
             .ct = &ct);
    job_barrier(job);
    if (job->initiator)
        ok(put(job_md(job, NULL, 0), 0, .pt = quiet));
    if (job->target)
        counts(ct, 1, 0);
}

BEHAVIOUR("PtlMEUnlink gives no event", .ranks = 1)
{
    ok(job_unlink(job, post(NULL, 0, PTL_ME_OP_PUT)));
    ok(job_unlink(job, post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE)));
    no_event(job->target_eq);
}

/* ---- Counting at the target --------------------------------------------------------------- */

BEHAVIOUR("PTL_ME_EVENT_CT_COMM counts puts, gets and atomic operations")
{
    ptl_handle_ct_t ct = job_ct(job);
    if (job->target)
        post(job_memory(job, 8), 8,
             PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_COMM_DISABLE,
             .ct = &ct);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, job_memory(job, 8), 8);
        ptl_handle_md_t in = job_md(job, job_memory(job, 8), 8);
        ok(put(md, 8));
        ok(get(in, 8));
        ok(atomic(md, 8, .operation = PTL_SUM, .datatype = PTL_UINT64_T));
        ok(fetch(md, 8, .get_md = in, .operation = PTL_SUM, .datatype = PTL_UINT64_T));
        ok(swap(md, 8, .get_md = in, .operation = PTL_SWAP, .datatype = PTL_UINT64_T));
    }
    if (job->target)
        counts(ct, 5, 0);
    job_barrier(job);
}

BEHAVIOUR("PTL_ME_EVENT_CT_BYTES counts the bytes that were moved")
{
    ptl_handle_ct_t ct = job_ct(job);
    if (job->target)
        post(job_memory(job, 100), 100,
             PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_CT_BYTES,
             .ct = &ct);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, job_memory(job, 200), 200);
        ok(put(md, 30));
        ok(put(md, 200)); /* 100 of them */
        ok(put(md, 0));
        ok(get(md, 50, .remote_offset = 93));
    }
    if (job->target)
        counts(ct, 30 + 100 + 0 + 7, 0);
    job_barrier(job);
}

BEHAVIOUR("a counter without PTL_ME_EVENT_CT_COMM does not count messages")
{
    ptl_handle_ct_t ct = job_ct(job);
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT, .ct = &ct);
    put_and_wait(job, 0);
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        counts(ct, 0, 0);
    }
}

BEHAVIOUR("a message counts even where its event is suppressed")
{
    ptl_handle_ct_t ct = job_ct(job);
    if (job->target)
        post(NULL, 0,
             PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_SUCCESS_DISABLE |
                 PTL_ME_EVENT_COMM_DISABLE,
             .ct = &ct);
    put_and_wait(job, 0);
    put_and_wait(job, 0);
    if (job->target)
        counts(ct, 2, 0);
}

BEHAVIOUR("PTL_ME_EVENT_CT_OVERFLOW counts messages that were already there")
{
    ptl_handle_ct_t ct = job_ct(job), late = job_ct(job);
    if (job->target)
        post(job_memory(job, 50), 50,
             PTL_ME_OP_PUT | PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_COMM_DISABLE, .ct = &ct,
             .list = PTL_OVERFLOW_LIST);
    put_and_wait(job, 20);
    put_and_wait(job, 30);
    if (job->target) {
        counts(ct, 2, 0);
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_CT_OVERFLOW, .ct = &late);
        counts(late, 1, 0);
        post(NULL, 0,
             PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_CT_OVERFLOW | PTL_ME_EVENT_CT_BYTES,
             .ct = &late);
        counts(late, 31, 0);
    }
}

BEHAVIOUR("PTL_ME_EVENT_CT_OVERFLOW does not count messages that come later")
{
    ptl_handle_ct_t ct = job_ct(job);
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_CT_OVERFLOW, .ct = &ct);
    put_and_wait(job, 0);
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        counts(ct, 0, 0);
    }
}

/* ---- At the initiator --------------------------------------------------------------------- */

/* A put and a get with such a descriptor to an entry that takes them. */
static ptl_handle_md_t put_and_get(struct job *job, unsigned options, ptl_handle_eq_t eq,
                                   ptl_handle_ct_t ct)
{
    ptl_handle_md_t md = PTL_INVALID_HANDLE;
    if (job->target)
        post(job_memory(job, 60), 60, PTL_ME_OP_PUT | PTL_ME_OP_GET);
    job_barrier(job);
    if (job->initiator) {
        md = job_bind(job, job_memory(job, 100), 100, options, eq, ct);
        ok(put(md, 100, .ack = PTL_ACK_REQ)); /* truncated to 60 */
        ok(get(md, 40));
    }
    job_settle(job);
    return md;
}

BEHAVIOUR("PTL_MD_EVENT_SEND_DISABLE suppresses PTL_EVENT_SEND")
{
    put_and_get(job, PTL_MD_EVENT_SEND_DISABLE, job->eq, PTL_CT_NONE);
    if (job->initiator) {
        ptl_event_kind_t first = PTL_EVENT_ACK, second = PTL_EVENT_REPLY;
        next_event(job->eq, first);
        next_event(job->eq, second);
        no_event(job->eq);
    }
}

BEHAVIOUR("PTL_MD_EVENT_SUCCESS_DISABLE suppresses all events of success")
{
    ptl_handle_ct_t ct = job_ct(job);
    put_and_get(job, PTL_MD_EVENT_SUCCESS_DISABLE | PTL_MD_EVENT_CT_REPLY | PTL_MD_EVENT_CT_ACK,
                job->eq, ct);
    if (job->initiator) {
        counts(ct, 2, 0);
        no_event(job->eq);
    }
}

BEHAVIOUR("PTL_MD_EVENT_SUCCESS_DISABLE leaves the events of failure")
{
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_bind(job, job_memory(job, 8), 8, PTL_MD_EVENT_SUCCESS_DISABLE,
                                      job->eq, PTL_CT_NONE);
        ok(put(md, 8, .ack = PTL_ACK_REQ));
        next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_DROPPED);
        ok(get(md, 8));
        next_failure(job->eq, PTL_EVENT_REPLY, PTL_NI_DROPPED);
    }
    job_barrier(job);
}

BEHAVIOUR("PTL_MD_EVENT_CT_SEND, CT_ACK and CT_REPLY each count their own events")
{
    static const unsigned options[] = {
        PTL_MD_EVENT_CT_SEND, PTL_MD_EVENT_CT_ACK, PTL_MD_EVENT_CT_REPLY,
        PTL_MD_EVENT_CT_SEND | PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY};
    for (unsigned i = 0; i < 4; i++) {
        ptl_handle_ct_t ct = job_ct(job);
        put_and_get(job, options[i], PTL_EQ_NONE, ct);
        if (job->initiator)
            counts(ct, i < 3 ? 1 : 3, 0);
    }
}

BEHAVIOUR("PTL_MD_EVENT_CT_BYTES counts what was sent, acknowledged and replied")
{
    static const unsigned options[] = {PTL_MD_EVENT_CT_SEND, PTL_MD_EVENT_CT_ACK,
                                       PTL_MD_EVENT_CT_REPLY};
    static const ptl_size_t bytes[] = {100, 60, 40};
    for (unsigned i = 0; i < 3; i++) {
        ptl_handle_ct_t ct = job_ct(job);
        put_and_get(job, options[i] | PTL_MD_EVENT_CT_BYTES, PTL_EQ_NONE, ct);
        if (job->initiator)
            counts(ct, bytes[i], 0);
    }
}

BEHAVIOUR("a failure counts 1 in the failures, even where bytes are counted")
{
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_ct_t ct = job_ct(job);
        ptl_handle_md_t md = job_bind(
            job, job_memory(job, 80), 80,
            PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY | PTL_MD_EVENT_CT_BYTES, PTL_EQ_NONE, ct);
        ok(put(md, 80, .ack = PTL_CT_ACK_REQ));
        ok(get(md, 80));
        ok(put(md, 80, .ack = PTL_ACK_REQ));
        counts(ct, 0, 3);
    }
    job_barrier(job);
}

BEHAVIOUR("a descriptor without queue and counter sends all the same")
{
    put_and_get(job, 0, PTL_EQ_NONE, PTL_CT_NONE);
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        next_event(job->target_eq, PTL_EVENT_GET);
    }
}
