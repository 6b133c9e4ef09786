/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the bytes of a put go, and what its events say. */
#include "portals/job.h"

#define GUARD 16

/* Puts `length` bytes at `remote_offset` of an entry of `entry` bytes; says what the event of the
 * target tells, after checking that nothing outside was written. */
static ptl_event_t put_once(struct job *job, ptl_size_t length, ptl_size_t local_offset,
                            ptl_size_t remote_offset, ptl_size_t entry)
{
    unsigned char *guarded = job_memory(job, entry + 2 * GUARD);
    unsigned char *out = job_memory(job, local_offset + length);
    ptl_event_t event;
    memset(&event, 0, sizeof event);
    if (job->target)
        post(guarded + GUARD, entry,
             PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE);
    job_barrier(job);
    if (job->initiator) {
        job_fill(out, local_offset + length, 1);
        ptl_handle_md_t md = job_md(job, out, local_offset + length);
        ok(put(md, length, .local_offset = local_offset, .remote_offset = remote_offset,
               .ack = PTL_ACK_REQ));
        next_event(job->eq, PTL_EVENT_ACK);
        ok(PtlMDRelease(md));
    }
    if (job->target) {
        event = next_event(job->target_eq, PTL_EVENT_PUT);
        ptl_size_t room = remote_offset < entry ? entry - remote_offset : 0;
        ptl_size_t moved = length < room ? length : room;
        equals(event.rlength, length);
        equals(event.mlength, moved);
        equals(event.remote_offset, remote_offset);
        if (moved) {
            unsigned char *to = guarded + GUARD + remote_offset;
            holds(event.start == to);
            holds(job_filled(to, moved, 1 + (unsigned)local_offset));
            memset(to, 0, moved);
        }
        for (ptl_size_t i = 0; i < entry + 2 * GUARD; i++)
            if (guarded[i] && !holds(!"written outside the entry or the message"))
                break;
    }
    job_barrier(job);
    return event;
}

BEHAVIOUR("a put of no bytes gives an event and writes nothing")
{
    put_once(job, 0, 0, 0, 100);
}

BEHAVIOUR("a put of one byte writes that byte")
{
    put_once(job, 1, 0, 0, 100);
    put_once(job, 1, 7, 99, 100);
}

/* The payload of a packet is a setting less some headers: all lengths about it are tried. */
static void put_about(struct job *job, unsigned middle)
{
    unsigned char *bytes = job_memory(job, middle + 64), *out = job_memory(job, middle + 64);
    if (job->target)
        post(bytes, middle + 64, PTL_ME_OP_PUT);
    job_barrier(job);
    job_fill(out, middle + 64, 3);
    ptl_handle_md_t md = job_md(job, out, middle + 64);
    for (unsigned length = middle - 130; length < middle + 10; length++) {
        if (job->initiator)
            ok(put(md, length));
        if (job->target) {
            equals(next_event(job->target_eq, PTL_EVENT_PUT).mlength, length);
            if (!holds(job_filled(bytes, length, 3) && !bytes[length]))
                break;
            memset(bytes, 0, length);
        }
        job_barrier(job);
    }
}

BEHAVIOUR("puts about as long as a packet of 2 KiB arrive whole")
{
    put_about(job, 2048);
}

BEHAVIOUR("puts about as long as a packet of 8 KiB arrive whole")
{
    put_about(job, 8192);
}

BEHAVIOUR("puts about as long as two packets of 8 KiB arrive whole")
{
    put_about(job, 16384);
}

BEHAVIOUR("a put of several megabytes arrives whole")
{
    put_once(job, 5000017, 0, 0, 5000017);
}

BEHAVIOUR("a put begins at its local offset")
{
    put_once(job, 100, 33, 0, 100);
    put_once(job, 30000, 4099, 0, 40000);
}

BEHAVIOUR("a put lands at its remote offset")
{
    put_once(job, 100, 0, 33, 200);
    put_once(job, 30000, 0, 4099, 40000);
}

BEHAVIOUR("a put between odd addresses arrives as it is")
{
    for (unsigned shift = 1; shift < 8; shift++)
        put_once(job, 1001, shift, 8 - shift, 1100);
}

BEHAVIOUR("a put longer than its entry is truncated and says so in mlength")
{
    put_once(job, 200, 0, 0, 100);
    put_once(job, 100000, 0, 0, 50001);
}

BEHAVIOUR("a put that begins inside its entry and ends outside is truncated")
{
    put_once(job, 100, 0, 60, 100);
    put_once(job, 100000, 0, 25000, 50000);
}

BEHAVIOUR("a put that begins at or after the end of its entry is truncated to nothing")
{
    put_once(job, 100, 0, 100, 100);
    put_once(job, 100, 0, 5000, 100);
    put_once(job, 100, 0, PTL_SIZE_MAX - 50, 100);
}

BEHAVIOUR("a put to an entry without memory is truncated to nothing")
{
    put_once(job, 20000, 0, 0, 0);
}

BEHAVIOUR("the event of a put tells all of its header")
{
    char mark;
    unsigned char *bytes = job_memory(job, 100);
    const ptl_match_bits_t bits = 0xfedcba9876543210u;
    if (job->target)
        post(bytes, 100, PTL_ME_OP_PUT, .bits = bits, .user_ptr = &mark);
    job_barrier(job);
    if (job->initiator)
        ok(put(job_md(job, job_memory(job, 40), 40), 40, .bits = bits, .remote_offset = 10,
               .hdr_data = 0x123456789abcdef0u, .user_ptr = bytes));
    if (job->target) {
        ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
        holds(event.start == bytes + 10);
        holds(event.user_ptr == &mark);
        equals(event.hdr_data, 0x123456789abcdef0u);
        if (job->matching)
            equals(event.match_bits, bits);
        equals(event.rlength, 40);
        equals(event.mlength, 40);
        equals(event.remote_offset, 10);
        equals(event.pt_index, job->pt);
        equals(event.ptl_list, PTL_PRIORITY_LIST);
        holds(job_same_process(job, event.initiator, job_process(job, job->size - 1)));
    }
    job_barrier(job);
}

BEHAVIOUR("the events of the initiator tell its user_ptr")
{
    char sent, got;
    if (job->target)
        post(job_memory(job, 8), 8, PTL_ME_OP_PUT | PTL_ME_OP_GET);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_bind(job, job_memory(job, 8), 8, 0, job->eq, PTL_CT_NONE);
        ok(put(md, 8, .ack = PTL_ACK_REQ, .user_ptr = &sent));
        holds(next_event(job->eq, PTL_EVENT_SEND).user_ptr == &sent);
        holds(next_event(job->eq, PTL_EVENT_ACK).user_ptr == &sent);
        ok(get(md, 8, .user_ptr = &got));
        holds(next_event(job->eq, PTL_EVENT_REPLY).user_ptr == &got);
    }
    job_barrier(job);
}

BEHAVIOUR("the acknowledgement tells how much was written, and where")
{
    if (job->target)
        post(job_memory(job, 100), 100, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        ok(put(job_md(job, job_memory(job, 80), 80), 80, .remote_offset = 50, .ack = PTL_ACK_REQ));
        ptl_event_t event = next_event(job->eq, PTL_EVENT_ACK);
        equals(event.mlength, 50);
        equals(event.remote_offset, 50);
    }
    job_barrier(job);
}

BEHAVIOUR("memory may be used again after PTL_EVENT_SEND")
{
    enum { SIZE = 100000 };
    unsigned char *bytes = job_memory(job, SIZE);
    if (job->target)
        post(bytes, SIZE, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        unsigned char *out = job_memory(job, SIZE);
        job_fill(out, SIZE, 4);
        ok(put(job_bind(job, out, SIZE, 0, job->eq, PTL_CT_NONE), SIZE));
        next_event(job->eq, PTL_EVENT_SEND);
        memset(out, 0, SIZE);
    }
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        holds(job_filled(bytes, SIZE, 4));
    }
}

BEHAVIOUR("puts of a PTL_MD_UNORDERED descriptor all arrive")
{
    enum { COUNT = 100 };
    unsigned char *bytes = job_memory(job, COUNT);
    if (job->target)
        post(bytes, COUNT, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        unsigned char *out = job_memory(job, COUNT);
        memset(out, 1, COUNT);
        ptl_handle_md_t md = job_bind(job, out, COUNT, PTL_MD_UNORDERED, PTL_EQ_NONE, PTL_CT_NONE);
        for (unsigned i = 0; i < COUNT; i++)
            ok(put(md, 1, .local_offset = i, .remote_offset = i));
    }
    if (job->target) {
        for (unsigned i = 0; i < COUNT; i++)
            next_event(job->target_eq, PTL_EVENT_PUT);
        for (unsigned i = 0; i < COUNT; i++)
            equals(bytes[i], 1);
    }
}

BEHAVIOUR("puts to oneself of a PTL_MD_UNORDERED descriptor arrive, beside those that are ordered",
          .apart = true)
{
    enum { SIZE = 100000 };
    unsigned char *bytes = job_memory(job, SIZE), *out = job_memory(job, SIZE);
    job_fill(out, SIZE, job->rank);
    post(bytes, SIZE, PTL_ME_OP_PUT);
    ptl_handle_md_t md = job_bind(job, out, SIZE, PTL_MD_UNORDERED, PTL_EQ_NONE, PTL_CT_NONE);
    ptl_handle_md_t ordered = job_bind(job, out, SIZE, 0, PTL_EQ_NONE, PTL_CT_NONE);
    ok(put(ordered, SIZE / 2, .to = job->rank));
    ok(put(md, SIZE / 4, .to = job->rank, .local_offset = SIZE / 2, .remote_offset = SIZE / 2));
    next_event(job->target_eq, PTL_EVENT_PUT);
    next_event(job->target_eq, PTL_EVENT_PUT);
    ok(put(md, SIZE / 4, .to = job->rank, .local_offset = SIZE / 4 * 3,
           .remote_offset = SIZE / 4 * 3));
    next_event(job->target_eq, PTL_EVENT_PUT);
    holds(job_filled(bytes, SIZE, job->rank));
    job_barrier(job);
}

BEHAVIOUR("long puts in both directions at once both arrive", .apart = true)
{
    enum { SIZE = 3000000 };
    unsigned char *bytes = job_memory(job, SIZE), *out = job_memory(job, SIZE);
    job_fill(out, SIZE, job->rank);
    post(bytes, SIZE, PTL_ME_OP_PUT);
    job_barrier(job);
    ok(put(job_md(job, out, SIZE), SIZE, .to = !job->rank, .ack = PTL_ACK_REQ));
    next_event(job->target_eq, PTL_EVENT_PUT);
    holds(job_filled(bytes, SIZE, !job->rank));
    next_event(job->eq, PTL_EVENT_ACK);
    job_barrier(job);
}

BEHAVIOUR("a long put does not keep back the events of short ones to another entry")
{
    enum { SIZE = 2000000 };
    unsigned char *bytes = job_memory(job, SIZE);
    ptl_pt_index_t other = 0;
    ok(PtlPTAlloc(job->ni, 0, job->target_eq, 17, &other));
    if (job->target) {
        post(bytes, SIZE, PTL_ME_OP_PUT);
        post(NULL, 0, PTL_ME_OP_PUT, .pt = other);
    }
    job_barrier(job);
    if (job->initiator) {
        unsigned char *out = job_memory(job, SIZE);
        job_fill(out, SIZE, 2);
        ptl_handle_md_t md = job_md(job, out, SIZE);
        ok(put(md, SIZE, .hdr_data = 1));
        for (unsigned i = 0; i < 3; i++)
            ok(put(md, 0, .pt = other, .hdr_data = 2));
    }
    if (job->target) {
        unsigned seen[3] = {0};
        for (unsigned i = 0; i < 4; i++)
            seen[next_event(job->target_eq, PTL_EVENT_PUT).hdr_data % 3]++;
        equals(seen[1], 1);
        equals(seen[2], 3);
        holds(job_filled(bytes, SIZE, 2));
    }
    job_barrier(job);
}

BEHAVIOUR("wrong arguments of a put are refused", .ranks = 1)
{
    ptl_handle_md_t md = job_md(job, job_memory(job, 8), 8);
    gives(PTL_ARG_INVALID, put(md, 8, .ack = (ptl_ack_req_t)9));
    gives(PTL_ARG_INVALID, put(PTL_INVALID_HANDLE, 8));
    gives(PTL_ARG_INVALID, put(job->eq, 8));
    no_event(job->eq);
}
