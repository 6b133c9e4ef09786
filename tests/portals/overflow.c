/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that come before their entry: the overflow list and the unexpected headers. */
#include "portals/job.h"

#define OVERFLOW .list = PTL_OVERFLOW_LIST
#define SILENT PTL_ME_EVENT_COMM_DISABLE

/* Each initiator sends `count` puts of `length` bytes with match bits and header data 1, 2, ...,
 * at offsets one after another; when this returns the target has taken them. */
static void send_unexpected(struct job *job, unsigned count, ptl_size_t length)
{
    job_barrier(job);
    if (job->initiator) {
        unsigned char *out = job_memory(job, length + count);
        ptl_handle_ct_t acks = job_ct(job);
        job_fill(out, length + count, 0);
        ptl_handle_md_t md =
            job_bind(job, out, length + count, PTL_MD_EVENT_CT_ACK, PTL_EQ_NONE, acks);
        for (unsigned i = 1; i <= count; i++)
            ok(put(md, length, .local_offset = i, .bits = i, .hdr_data = i,
                   .remote_offset = (i - 1) * length, .ack = PTL_CT_ACK_REQ));
        counts(acks, count, 0);
    }
    job_barrier(job);
}

BEHAVIOUR("a message that only the overflow list takes gives its event there")
{
    char mark;
    unsigned char *bytes = job_memory(job, 100);
    if (job->target)
        post(bytes, 100, PTL_ME_OP_PUT, OVERFLOW, .bits = 1, .user_ptr = &mark);
    send_unexpected(job, 1, 100);
    if (job->target) {
        ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
        equals(event.ptl_list, PTL_OVERFLOW_LIST);
        equals(event.mlength, 100);
        holds(event.start == bytes && event.user_ptr == &mark);
        holds(job_filled(bytes, 100, 1));
        no_event(job->target_eq);
    }
}

BEHAVIOUR("the priority list is tried before the overflow list")
{
    char late;
    if (job->target) {
        post(NULL, 0, PTL_ME_OP_PUT, OVERFLOW, .bits = 1);
        post(NULL, 0, PTL_ME_OP_PUT, .bits = 1, .user_ptr = &late);
    }
    send_unexpected(job, 1, 0);
    if (job->target) {
        ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
        equals(event.ptl_list, PTL_PRIORITY_LIST);
        holds(event.user_ptr == &late);
    }
}

BEHAVIOUR("the acknowledgement tells which list took the message")
{
    if (job->target) {
        post(NULL, 0, PTL_ME_OP_PUT, OVERFLOW);
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE);
    }
    job_barrier(job);
    if (job->initiator) {
        static const ptl_list_t lists[] = {PTL_PRIORITY_LIST, PTL_OVERFLOW_LIST};
        for (unsigned i = 0; i < 2; i++) {
            ok(put(job_md(job, NULL, 0), 0, .ack = PTL_ACK_REQ));
            equals(next_event(job->eq, PTL_EVENT_ACK).ptl_list, lists[i]);
        }
    }
    job_barrier(job);
}

BEHAVIOUR("an entry finds the message that came before it, and where it lies")
{
    char mark;
    unsigned char *bytes = job_memory(job, 200);
    if (job->target)
        post(bytes, 150, PTL_ME_OP_PUT | SILENT, OVERFLOW, .ignore = ~(ptl_match_bits_t)0);
    send_unexpected(job, 2, 100);
    if (job->target) {
        /* The second message is truncated by the overflow entry. */
        for (unsigned i = 1; i <= 2; i++) {
            post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE, .bits = i, .user_ptr = &mark);
            ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW);
            holds(event.start == bytes + 100 * (i - 1));
            equals(event.rlength, 100);
            equals(event.mlength, i == 1 ? 100 : 50);
            equals(event.hdr_data, i);
            equals(event.remote_offset, 100 * (i - 1));
            equals(event.pt_index, job->pt);
            if (job->matching)
                equals(event.match_bits, i);
            holds(event.user_ptr == &mark);
            holds(job_same_process(job, event.initiator, job_process(job, job->size - 1)));
            holds(job_filled(event.start, event.mlength, i));
            holds(next_event(job->target_eq, PTL_EVENT_AUTO_UNLINK).user_ptr == &mark);
        }
        no_event(job->target_eq);
    }
}

BEHAVIOUR("a use-once entry that takes a message already there is never linked")
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | SILENT, OVERFLOW, .ignore = ~(ptl_match_bits_t)0);
    send_unexpected(job, 1, 0);
    if (job->target) {
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE, .bits = 1, .link = true);
        next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW);
        next_event(job->target_eq, PTL_EVENT_AUTO_UNLINK);
        no_event(job->target_eq);
    }
    /* So the next message is unexpected again. */
    send_unexpected(job, 1, 0);
    if (job->target) {
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE, .bits = 1, .link = true);
        next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW);
    }
}

BEHAVIOUR("a use-once entry takes the oldest of several messages, and only that")
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | SILENT, OVERFLOW, .ignore = ~(ptl_match_bits_t)0);
    send_unexpected(job, 4, 0);
    if (job->target)
        for (unsigned i = 1; i <= 4; i++) {
            post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE,
                 .ignore = ~(ptl_match_bits_t)0);
            equals(next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW).hdr_data, i);
            no_event(job->target_eq);
        }
}

BEHAVIOUR("a persistent entry takes all messages already there, oldest first, then is linked")
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | SILENT, OVERFLOW, .ignore = ~(ptl_match_bits_t)0);
    send_unexpected(job, 5, 0);
    if (job->target) {
        post(NULL, 0, PTL_ME_OP_PUT, .ignore = ~(ptl_match_bits_t)0, .link = true);
        for (unsigned i = 1; i <= 5; i++)
            equals(next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW).hdr_data, i);
        next_event(job->target_eq, PTL_EVENT_LINK);
        no_event(job->target_eq);
    }
    send_unexpected(job, 1, 0);
    if (job->target)
        equals(next_event(job->target_eq, PTL_EVENT_PUT).ptl_list, PTL_PRIORITY_LIST);
}

BEHAVIOUR("an entry takes only the messages that it matches", .needs = PTL_NI_MATCHING)
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | SILENT, OVERFLOW, .ignore = ~(ptl_match_bits_t)0);
    send_unexpected(job, 4, 0);
    if (job->target) {
        post(NULL, 0, PTL_ME_OP_PUT, .bits = 1, .ignore = 2); /* 1 and 3 */
        equals(next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW).hdr_data, 1);
        equals(next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW).hdr_data, 3);
        ptl_process_t stranger = job_process(job, job->size);
        post(NULL, 0, PTL_ME_OP_PUT, .bits = 2, .from = &stranger);
        no_event(job->target_eq);
        ptl_process_t sender = job_process(job, job->size - 1);
        post(NULL, 0, PTL_ME_OP_PUT, .bits = 2, .from = &sender);
        equals(next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW).hdr_data, 2);
        no_event(job->target_eq);
    }
}

BEHAVIOUR("an entry of the overflow list takes no messages that are already there")
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | SILENT, OVERFLOW, .ignore = ~(ptl_match_bits_t)0);
    send_unexpected(job, 1, 0);
    if (job->target) {
        post(NULL, 0, PTL_ME_OP_PUT, OVERFLOW, .ignore = ~(ptl_match_bits_t)0, .link = true);
        next_event(job->target_eq, PTL_EVENT_LINK);
        no_event(job->target_eq);
        post(NULL, 0, PTL_ME_OP_PUT, .bits = 1);
        next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW);
    }
}

BEHAVIOUR("no permission is asked for a message that is already there")
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | SILENT, OVERFLOW, .ignore = ~(ptl_match_bits_t)0);
    send_unexpected(job, 1, 0);
    if (job->target) {
        ptl_uid_t stranger = 0;
        ok(PtlGetUid(job->ni, &stranger));
        stranger++;
        post(NULL, 0, PTL_ME_OP_PUT, .bits = 1, .uid = &stranger);
        next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW);
    }
}

BEHAVIOUR("an overflow entry with messages waiting cannot be unlinked")
{
    ptl_handle_me_t entry = PTL_INVALID_HANDLE;
    if (job->target)
        entry = post(NULL, 0, PTL_ME_OP_PUT | SILENT, OVERFLOW, .ignore = ~(ptl_match_bits_t)0);
    send_unexpected(job, 2, 0);
    if (job->target) {
        gives(PTL_IN_USE, job_unlink(job, entry));
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE, .ignore = ~(ptl_match_bits_t)0);
        gives(PTL_IN_USE, job_unlink(job, entry));
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE, .ignore = ~(ptl_match_bits_t)0);
        ok(job_unlink(job, entry));
        gives(PTL_ARG_INVALID, job_unlink(job, entry));
    }
}

BEHAVIOUR("an index with messages waiting cannot be freed")
{
    ptl_handle_me_t entry = PTL_INVALID_HANDLE;
    if (job->target)
        entry = post(NULL, 0, PTL_ME_OP_PUT | SILENT | PTL_ME_USE_ONCE, OVERFLOW,
                     .ignore = ~(ptl_match_bits_t)0);
    send_unexpected(job, 1, 0);
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_AUTO_UNLINK);
        holds(job_unlink(job, entry) != PTL_OK);
        gives(PTL_IN_USE, PtlPTFree(job->ni, job->pt));
        ok(search(PTL_SEARCH_DELETE, NULL, 0, PTL_ME_OP_PUT, .ignore = ~(ptl_match_bits_t)0));
        ok(PtlPTFree(job->ni, job->pt));
    }
}

BEHAVIOUR("PTL_EVENT_AUTO_FREE comes when the last message of an unlinked overflow entry is "
          "taken",
          .needs = PTL_NI_MATCHING)
{
    char mark;
    if (job->target)
        post(job_memory(job, 100), 100, PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL | SILENT, OVERFLOW,
             .ignore = ~(ptl_match_bits_t)0, .min_free = 50, .user_ptr = &mark);
    send_unexpected(job, 3, 20);
    if (job->target) {
        holds(next_event(job->target_eq, PTL_EVENT_AUTO_UNLINK).user_ptr == &mark);
        unsigned options = PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE;
        /* Not in the order in which they came. */
        for (unsigned bits = 3; bits > 0; bits--) {
            no_event(job->target_eq);
            post(NULL, 0, options, .bits = bits);
            equals(next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW).hdr_data, bits);
        }
        holds(next_event(job->target_eq, PTL_EVENT_AUTO_FREE).user_ptr == &mark);
        no_event(job->target_eq);
    }
}

BEHAVIOUR(
    "a use-once overflow entry gives PTL_EVENT_AUTO_UNLINK, and PTL_EVENT_AUTO_FREE when its "
    "message is taken")
{
    char mark;
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE, OVERFLOW, .ignore = ~(ptl_match_bits_t)0,
             .user_ptr = &mark);
    send_unexpected(job, 1, 0);
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        holds(next_event(job->target_eq, PTL_EVENT_AUTO_UNLINK).user_ptr == &mark);
        no_event(job->target_eq);
        post(NULL, 0, PTL_ME_OP_PUT, .bits = 1);
        next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW);
        holds(next_event(job->target_eq, PTL_EVENT_AUTO_FREE).user_ptr == &mark);
    }
}

BEHAVIOUR("with PTL_ME_UNEXPECTED_HDR_DISABLE messages are taken and forgotten")
{
    ptl_handle_me_t entry = PTL_INVALID_HANDLE;
    if (job->target)
        entry = post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_UNEXPECTED_HDR_DISABLE, OVERFLOW,
                     .ignore = ~(ptl_match_bits_t)0);
    send_unexpected(job, 2, 10);
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        next_event(job->target_eq, PTL_EVENT_PUT);
        post(NULL, 0, PTL_ME_OP_PUT, .bits = 1, .link = true);
        next_event(job->target_eq, PTL_EVENT_LINK);
        no_event(job->target_eq);
        ok(job_unlink(job, entry));
    }
}

BEHAVIOUR("an unexpected get is answered at once and found by a later entry")
{
    char mark;
    unsigned char *bytes = job_memory(job, 64);
    if (job->target) {
        job_fill(bytes, 64, 3);
        post(bytes, 64, PTL_ME_OP_GET, OVERFLOW, .ignore = ~(ptl_match_bits_t)0);
    }
    job_barrier(job);
    if (job->initiator) {
        unsigned char *in = job_memory(job, 64);
        ok(get(job_md(job, in, 64), 20, .remote_offset = 8, .bits = 9));
        equals(next_event(job->eq, PTL_EVENT_REPLY).mlength, 20);
        holds(job_filled(in, 20, 11));
    }
    job_barrier(job);
    if (job->target) {
        equals(next_event(job->target_eq, PTL_EVENT_GET).ptl_list, PTL_OVERFLOW_LIST);
        post(NULL, 0, PTL_ME_OP_GET, .bits = 9, .user_ptr = &mark);
        ptl_event_t event = next_event(job->target_eq, PTL_EVENT_GET_OVERFLOW);
        holds(event.user_ptr == &mark && event.start == bytes + 8);
        equals(event.mlength, 20);
    }
}

BEHAVIOUR("unexpected atomic operations give overflow events of their kind")
{
    uint64_t *value = job_memory(job, 8);
    if (job->target) {
        *value = 10;
        post(value, 8, PTL_ME_OP_GET | PTL_ME_OP_PUT | SILENT, OVERFLOW);
    }
    job_barrier(job);
    if (job->initiator) {
        uint64_t *out = job_memory(job, 8);
        *out = 5;
        ptl_handle_md_t md = job_md(job, out, 8), in = job_md(job, job_memory(job, 8), 8);
        ok(atomic(md, 8, .ack = PTL_ACK_REQ, .operation = PTL_SUM, .datatype = PTL_UINT64_T));
        next_event(job->eq, PTL_EVENT_ACK);
        ok(fetch(md, 8, .get_md = in, .operation = PTL_PROD, .datatype = PTL_INT64_T));
        next_event(job->eq, PTL_EVENT_REPLY);
    }
    job_barrier(job);
    if (job->target) {
        equals(*value, 75);
        post(NULL, 0, PTL_ME_OP_GET | PTL_ME_OP_PUT);
        ptl_event_t event = next_event(job->target_eq, PTL_EVENT_ATOMIC_OVERFLOW);
        equals(event.atomic_operation, PTL_SUM);
        equals(event.atomic_type, PTL_UINT64_T);
        event = next_event(job->target_eq, PTL_EVENT_FETCH_ATOMIC_OVERFLOW);
        equals(event.atomic_operation, PTL_PROD);
        equals(event.atomic_type, PTL_INT64_T);
    }
}

BEHAVIOUR("an entry that takes a message still arriving gives its event when all of it is there")
{
    enum { SIZE = 4000000 };
    unsigned char *bytes = job_memory(job, SIZE);
    if (job->target)
        post(bytes, SIZE, PTL_ME_OP_PUT | SILENT, OVERFLOW);
    job_barrier(job);
    if (job->initiator) {
        unsigned char *out = job_memory(job, SIZE);
        job_fill(out, SIZE, 77);
        ok(put(job_md(job, out, SIZE), SIZE));
    }
    if (job->target) {
        ptl_event_t event = {.ni_fail_type = PTL_NI_NO_MATCH};
        unsigned which;
        for (unsigned tries = 0; event.ni_fail_type != PTL_NI_OK && tries < 1000000; tries++) {
            no_event(job->eq); /* virtual time passes only where there is nothing to do */
            ok(search(PTL_SEARCH_ONLY, NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE));
            ok(PtlEQPoll(&job->target_eq, 1, job_patience(job), &event, &which));
        }
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE);
        equals(next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW).mlength, SIZE);
        holds(job_filled(bytes, SIZE, 77));
    }
    job_barrier(job);
}
