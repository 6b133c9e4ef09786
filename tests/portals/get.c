/* SPDX-License-Identifier: BSD-3-Clause */
/* Gets: the bytes, the reply and the event of the target. */
#include "portals/job.h"

/* Gets `length` bytes from `remote_offset` of an entry of `entry` bytes into a descriptor at
 * `local_offset`, and checks the reply. */
static void get_once(struct job *job, ptl_size_t length, ptl_size_t local_offset,
                     ptl_size_t remote_offset, ptl_size_t entry)
{
    unsigned char *source = job_memory(job, entry);
    ptl_size_t room = remote_offset < entry ? entry - remote_offset : 0;
    ptl_size_t moved = length < room ? length : room;
    if (job->target) {
        job_fill(source, entry, 1);
        post(source, entry, PTL_ME_OP_GET | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE);
    }
    job_barrier(job);
    if (job->initiator) {
        unsigned char *in = job_memory(job, local_offset + length + 16);
        ptl_handle_md_t md = job_md(job, in, local_offset + length);
        ok(get(md, length, .local_offset = local_offset, .remote_offset = remote_offset));
        ptl_event_t event = next_event(job->eq, PTL_EVENT_REPLY);
        equals(event.mlength, moved);
        if (moved)
            equals(event.remote_offset, remote_offset);
        holds(job_filled(in + local_offset, moved, 1 + (unsigned)remote_offset));
        memset(in + local_offset, 0, moved);
        for (ptl_size_t i = 0; i < local_offset + length + 16; i++)
            if (in[i] && !holds(!"written outside the reply"))
                break;
        ok(PtlMDRelease(md));
    }
    if (job->target) {
        ptl_event_t event = next_event(job->target_eq, PTL_EVENT_GET);
        equals(event.rlength, length);
        equals(event.mlength, moved);
        equals(event.remote_offset, remote_offset);
        if (moved)
            holds(event.start == source + remote_offset);
    }
    job_barrier(job);
}

BEHAVIOUR("a get of no bytes gives both its events")
{
    get_once(job, 0, 0, 0, 10);
}

BEHAVIOUR("a get of one byte brings that byte")
{
    get_once(job, 1, 0, 0, 10);
    get_once(job, 1, 5, 9, 10);
}

BEHAVIOUR("gets about as long as a packet arrive whole")
{
    enum { SIZE = 17000 };
    static const unsigned middles[] = {2048, 8192, 16384};
    unsigned char *source = job_memory(job, SIZE), *in = job_memory(job, SIZE);
    if (job->target) {
        job_fill(source, SIZE, 6);
        post(source, SIZE, PTL_ME_OP_GET | PTL_ME_EVENT_COMM_DISABLE);
    }
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, in, SIZE);
        for (unsigned i = 0; i < 3; i++)
            for (unsigned length = middles[i] - 60; length < middles[i] + 4; length++) {
                ok(get(md, length));
                equals(next_event(job->eq, PTL_EVENT_REPLY).mlength, length);
                holds(job_filled(in, length, 6) && in[length] == 0);
                memset(in, 0, length);
            }
    }
    job_barrier(job);
}

BEHAVIOUR("a get of several megabytes arrives whole")
{
    get_once(job, 5000017, 0, 0, 5000017);
}

BEHAVIOUR("a get goes to its local offset")
{
    get_once(job, 100, 33, 0, 100);
    get_once(job, 30000, 4099, 0, 40000);
}

BEHAVIOUR("a get reads from its remote offset")
{
    get_once(job, 100, 0, 33, 200);
    get_once(job, 30000, 0, 4099, 40000);
}

BEHAVIOUR("a get longer than its entry brings what there is and says so in mlength")
{
    get_once(job, 200, 0, 0, 100);
    get_once(job, 100, 0, 60, 100);
    get_once(job, 100000, 0, 100, 50000);
}

BEHAVIOUR("a get that begins after the end of its entry brings nothing")
{
    get_once(job, 100, 0, 100, 100);
    get_once(job, 100, 0, PTL_SIZE_MAX - 20, 100);
    get_once(job, 100, 0, 0, 0);
}

BEHAVIOUR("the event of a get tells who asked, and for what")
{
    char mark;
    if (job->target)
        post(job_memory(job, 8), 8, PTL_ME_OP_GET, .bits = 77, .user_ptr = &mark);
    job_barrier(job);
    if (job->initiator) {
        ok(get(job_md(job, job_memory(job, 8), 8), 8, .bits = 77));
        next_event(job->eq, PTL_EVENT_REPLY);
    }
    if (job->target) {
        ptl_event_t event = next_event(job->target_eq, PTL_EVENT_GET);
        holds(event.user_ptr == &mark);
        if (job->matching)
            equals(event.match_bits, 77);
        equals(event.pt_index, job->pt);
        holds(job_same_process(job, event.initiator, job_process(job, job->size - 1)));
    }
    job_barrier(job);
}

BEHAVIOUR("a get gives no PTL_EVENT_SEND and no PTL_EVENT_ACK")
{
    if (job->target)
        post(job_memory(job, 8), 8, PTL_ME_OP_GET);
    job_barrier(job);
    if (job->initiator) {
        ok(get(job_bind(job, job_memory(job, 8), 8, 0, job->eq, PTL_CT_NONE), 8));
        next_event(job->eq, PTL_EVENT_REPLY);
    }
    job_settle(job);
    no_event(job->eq);
}

BEHAVIOUR("gets of several megabytes from a target that sends and computes all come back")
{
    enum { SIZE = 1000000, COUNT = 6 };
    unsigned char *source = job_memory(job, SIZE);
    if (job->target) {
        job_fill(source, SIZE, 8);
        post(source, SIZE, PTL_ME_OP_GET | PTL_ME_EVENT_COMM_DISABLE);
    }
    ptl_pt_index_t back = 0;
    ok(PtlPTAlloc(job->ni, 0, job->target_eq, 18, &back));
    unsigned char *sink = job_memory(job, SIZE);
    post(sink, SIZE, PTL_ME_OP_PUT, .pt = back);
    job_barrier(job);
    if (job->target) /* keeps its own output busy */
        for (unsigned i = 0; i < COUNT; i++)
            ok(put(job_md(job, source, SIZE), SIZE, .pt = back, .to = job->size - 1));
    if (job->initiator) {
        unsigned char *in[COUNT];
        for (unsigned i = 0; i < COUNT; i++) {
            in[i] = job_memory(job, SIZE);
            ok(get(job_md(job, in[i], SIZE), SIZE));
        }
        for (unsigned i = 0; i < COUNT; i++)
            equals(next_event(job->eq, PTL_EVENT_REPLY).mlength, SIZE);
        for (unsigned i = 0; i < COUNT; i++)
            holds(job_filled(in[i], SIZE, 8));
        for (unsigned i = 0; i < COUNT; i++)
            next_event(job->target_eq, PTL_EVENT_PUT);
        holds(job_filled(sink, SIZE, 8));
    }
    job_barrier(job);
}

BEHAVIOUR("many gets at once each bring their own bytes")
{
    enum { COUNT = 200 };
    uint32_t *source = job_memory(job, COUNT * 4), *in = job_memory(job, COUNT * 4);
    if (job->target) {
        for (uint32_t i = 0; i < COUNT; i++)
            source[i] = i * i;
        post(source, COUNT * 4, PTL_ME_OP_GET | PTL_ME_EVENT_COMM_DISABLE);
    }
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, in, COUNT * 4);
        for (unsigned i = 0; i < COUNT; i++)
            ok(get(md, 4, .local_offset = 4 * (COUNT - 1 - i), .remote_offset = 4 * i));
        for (unsigned i = 0; i < COUNT; i++)
            next_event(job->eq, PTL_EVENT_REPLY);
        for (uint32_t i = 0; i < COUNT; i++)
            equals(in[COUNT - 1 - i], i * i);
    }
    job_barrier(job);
}

BEHAVIOUR("a put that follows a get does not change what the get brings")
{
    uint64_t *value = job_memory(job, 8);
    if (job->target) {
        *value = 1;
        post(value, 8, PTL_ME_OP_GET | PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE);
    }
    job_barrier(job);
    if (job->initiator) {
        uint64_t *in = job_memory(job, 8), *out = job_memory(job, 8);
        ptl_handle_ct_t acks = job_ct(job);
        ptl_handle_md_t in_md = job_md(job, in, 8);
        ptl_handle_md_t out_md = job_bind(job, out, 8, PTL_MD_EVENT_CT_ACK, PTL_EQ_NONE, acks);
        for (uint64_t i = 1; i < 20; i++) {
            *out = i + 1;
            ok(get(in_md, 8));
            ok(put(out_md, 8, .ack = PTL_CT_ACK_REQ));
            next_event(job->eq, PTL_EVENT_REPLY);
            counts(acks, i, 0);
            equals(*in, i);
        }
    }
    job_barrier(job);
}

BEHAVIOUR("a get that follows a put brings what was put")
{
    uint64_t *value = job_memory(job, 8);
    if (job->target)
        post(value, 8, PTL_ME_OP_GET | PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE);
    job_barrier(job);
    if (job->initiator) {
        uint64_t *in = job_memory(job, 8), *out = job_memory(job, 8);
        ptl_handle_md_t in_md = job_md(job, in, 8);
        ptl_handle_md_t out_md = job_bind(job, out, 8, 0, PTL_EQ_NONE, PTL_CT_NONE);
        for (uint64_t i = 1; i < 20; i++) {
            *out = i;
            ok(put(out_md, 8));
            ok(get(in_md, 8));
            next_event(job->eq, PTL_EVENT_REPLY);
            equals(*in, i);
        }
    }
    job_barrier(job);
}
