/* SPDX-License-Identifier: BSD-3-Clause */
/* PtlMESearch and PtlLESearch: looking through the messages that no entry has asked for. */
#include "portals/job.h"

#define ANY_BITS .ignore = ~(ptl_match_bits_t)0
#define ONCE PTL_ME_USE_ONCE

/* Puts with match bits and header data 1, 2, ..., which wait in an overflow entry. */
static unsigned char *receive_unexpected(struct job *job, unsigned count)
{
    unsigned char *bytes = job_memory(job, count * 8);
    if (job->target)
        post(bytes, count * 8, PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE, ANY_BITS,
             .list = PTL_OVERFLOW_LIST);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, job_memory(job, 8), 8);
        for (unsigned i = 1; i <= count; i++) {
            ok(put(md, 8, .bits = i, .hdr_data = i, .remote_offset = (i - 1) * 8,
                   .ack = PTL_ACK_REQ));
            next_event(job->eq, PTL_EVENT_ACK);
        }
    }
    job_barrier(job);
    return bytes;
}

BEHAVIOUR("PTL_SEARCH_ONLY finds a message, tells of it and leaves it")
{
    char mark;
    unsigned char *bytes = receive_unexpected(job, 2);
    if (job->target) {
        for (unsigned round = 0; round < 3; round++) {
            ok(search(PTL_SEARCH_ONLY, NULL, 0, PTL_ME_OP_PUT | ONCE, ANY_BITS,
                      .user_ptr = &mark));
            ptl_event_t event = next_event(job->target_eq, PTL_EVENT_SEARCH);
            holds(event.user_ptr == &mark && event.start == bytes);
            equals(event.hdr_data, 1);
            equals(event.mlength, 8);
            equals(event.rlength, 8);
            holds(job_same_process(job, event.initiator, job_process(job, job->size - 1)));
        }
        no_event(job->target_eq);
    }
}

BEHAVIOUR("a search in vain says PTL_NI_NO_MATCH, with either operation")
{
    char mark;
    if (job->target) {
        ok(search(PTL_SEARCH_ONLY, NULL, 0, PTL_ME_OP_PUT | ONCE, .user_ptr = &mark));
        ptl_event_t event = next_failure(job->target_eq, PTL_EVENT_SEARCH, PTL_NI_NO_MATCH);
        holds(event.user_ptr == &mark);
        ok(search(PTL_SEARCH_DELETE, NULL, 0, PTL_ME_OP_PUT | ONCE, .user_ptr = &mark));
        event = next_failure(job->target_eq, PTL_EVENT_SEARCH, PTL_NI_NO_MATCH);
        holds(event.user_ptr == &mark);
        no_event(job->target_eq);
    }
}

BEHAVIOUR("PTL_SEARCH_DELETE gives the overflow event of the message and removes it")
{
    char mark;
    unsigned char *bytes = receive_unexpected(job, 2);
    if (job->target) {
        for (unsigned i = 1; i <= 2; i++) {
            ok(search(PTL_SEARCH_DELETE, NULL, 0, PTL_ME_OP_PUT | ONCE, ANY_BITS,
                      .user_ptr = &mark));
            ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW);
            equals(event.hdr_data, i);
            holds(event.user_ptr == &mark && event.start == bytes + 8 * (i - 1));
        }
        ok(search(PTL_SEARCH_DELETE, NULL, 0, PTL_ME_OP_PUT | ONCE, ANY_BITS));
        next_failure(job->target_eq, PTL_EVENT_SEARCH, PTL_NI_NO_MATCH);
        no_event(job->target_eq);
    }
}

BEHAVIOUR("a search finds by match bits and source", .needs = PTL_NI_MATCHING)
{
    receive_unexpected(job, 3);
    if (job->target) {
        ptl_process_t sender = job_process(job, job->size - 1);
        ptl_process_t stranger = job_process(job, job->size);
        ok(search(PTL_SEARCH_ONLY, NULL, 0, ONCE, .bits = 2, .from = &sender));
        equals(next_event(job->target_eq, PTL_EVENT_SEARCH).hdr_data, 2);
        ok(search(PTL_SEARCH_ONLY, NULL, 0, ONCE, .bits = 2, .from = &stranger));
        next_failure(job->target_eq, PTL_EVENT_SEARCH, PTL_NI_NO_MATCH);
        ok(search(PTL_SEARCH_DELETE, NULL, 0, ONCE, .bits = 2));
        equals(next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW).hdr_data, 2);
        ok(search(PTL_SEARCH_ONLY, NULL, 0, ONCE, .bits = 2));
        next_failure(job->target_eq, PTL_EVENT_SEARCH, PTL_NI_NO_MATCH);
        ok(search(PTL_SEARCH_ONLY, NULL, 0, ONCE, .bits = 3));
        equals(next_event(job->target_eq, PTL_EVENT_SEARCH).hdr_data, 3);
    }
}

BEHAVIOUR("a persistent PTL_SEARCH_DELETE removes every message that matches")
{
    receive_unexpected(job, 4);
    if (job->target) {
        ok(search(PTL_SEARCH_DELETE, NULL, 0, PTL_ME_OP_PUT, ANY_BITS));
        for (unsigned i = 1; i <= 4; i++)
            equals(next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW).hdr_data, i);
        no_event(job->target_eq);
        ok(search(PTL_SEARCH_ONLY, NULL, 0, ONCE, ANY_BITS));
        next_failure(job->target_eq, PTL_EVENT_SEARCH, PTL_NI_NO_MATCH);
    }
}

BEHAVIOUR("a search is never linked: the next message does not find it")
{
    receive_unexpected(job, 1);
    if (job->target) {
        ok(search(PTL_SEARCH_DELETE, NULL, 0, PTL_ME_OP_PUT, ANY_BITS));
        next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW);
    }
    job_barrier(job);
    if (job->initiator) {
        ok(put(job_md(job, NULL, 0), 0, .bits = 1, .ack = PTL_ACK_REQ));
        next_event(job->eq, PTL_EVENT_ACK);
    }
    job_barrier(job);
    if (job->target) {
        ok(search(PTL_SEARCH_ONLY, NULL, 0, ONCE, ANY_BITS));
        next_event(job->target_eq, PTL_EVENT_SEARCH);
    }
}

BEHAVIOUR("a message that a search deleted is not found by an entry")
{
    receive_unexpected(job, 2);
    if (job->target) {
        ok(search(PTL_SEARCH_DELETE, NULL, 0, PTL_ME_OP_PUT | ONCE, ANY_BITS));
        next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW);
        post(NULL, 0, PTL_ME_OP_PUT, ANY_BITS, .link = true);
        equals(next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW).hdr_data, 2);
        next_event(job->target_eq, PTL_EVENT_LINK);
    }
}

BEHAVIOUR("a search does not touch the status registers")
{
    receive_unexpected(job, 1);
    if (job->target) {
        ptl_sr_value_t drops = -1;
        ok(search(PTL_SEARCH_DELETE, NULL, 0, PTL_ME_OP_PUT, ANY_BITS));
        ok(search(PTL_SEARCH_DELETE, NULL, 0, PTL_ME_OP_PUT, ANY_BITS));
        ok(search(PTL_SEARCH_ONLY, NULL, 0, PTL_ME_OP_PUT, ANY_BITS));
        ok(PtlNIStatus(job->ni, PTL_SR_DROP_COUNT, &drops));
        equals(drops, 0);
    }
}

BEHAVIOUR("a search counts what it finds, and a search in vain counts as a failure")
{
    receive_unexpected(job, 2);
    if (job->target) {
        ptl_handle_ct_t ct = job_ct(job);
        unsigned options = PTL_ME_OP_PUT | ONCE | PTL_ME_EVENT_CT_OVERFLOW;
        ok(search(PTL_SEARCH_DELETE, NULL, 0, options, ANY_BITS, .ct = &ct));
        counts(ct, 1, 0);
        ok(search(PTL_SEARCH_DELETE, NULL, 0, options | PTL_ME_EVENT_CT_BYTES, ANY_BITS,
                  .ct = &ct));
        counts(ct, 9, 0);
        ok(search(PTL_SEARCH_DELETE, NULL, 0, options, ANY_BITS, .ct = &ct));
        counts(ct, 9, 1);
    }
}

BEHAVIOUR("a search on an index without an event queue succeeds without a word", .ranks = 1)
{
    ptl_pt_index_t quiet = 0;
    ok(PtlPTAlloc(job->ni, 0, PTL_EQ_NONE, 19, &quiet));
    ok(search(PTL_SEARCH_ONLY, NULL, 0, PTL_ME_OP_PUT, .pt = quiet));
    ok(search(PTL_SEARCH_DELETE, NULL, 0, PTL_ME_OP_PUT, .pt = quiet));
    no_event(job->target_eq);
}

BEHAVIOUR("wrong arguments of a search are refused", .ranks = 1)
{
    gives(PTL_ARG_INVALID, search(PTL_SEARCH_ONLY, NULL, 0, PTL_ME_OP_PUT, .pt = 60));
    gives(PTL_ARG_INVALID, search((ptl_search_op_t)5, NULL, 0, PTL_ME_OP_PUT));
}
