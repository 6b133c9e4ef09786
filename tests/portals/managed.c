/* SPDX-License-Identifier: BSD-3-Clause */
/* Entries that choose the offset themselves, and entries that do not truncate. */
#include "portals/job.h"

#define MATCHING .needs = PTL_NI_MATCHING

static void put_lengths(struct job *job, const ptl_size_t *lengths, unsigned count)
{
    job_barrier(job);
    if (!job->initiator)
        return;
    unsigned char *out = job_memory(job, 1000);
    job_fill(out, 1000, 1);
    ptl_handle_md_t md = job_md(job, out, 1000);
    for (unsigned i = 0; i < count; i++)
        ok(put(md, lengths[i], .hdr_data = i));
}

BEHAVIOUR("PTL_ME_MANAGE_LOCAL puts messages one after another", MATCHING)
{
    unsigned char *bytes = job_memory(job, 1000);
    if (job->target)
        post(bytes, 1000, PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL);
    put_lengths(job, (ptl_size_t[]){100, 1, 0, 333}, 4);
    if (job->target) {
        const ptl_size_t at[] = {0, 100, 101, 101};
        for (unsigned i = 0; i < 4; i++)
            holds(next_event(job->target_eq, PTL_EVENT_PUT).start == bytes + at[i]);
        holds(job_filled(bytes, 100, 1) && bytes[100] == 1 && job_filled(bytes + 101, 333, 1));
    }
    job_barrier(job);
}

BEHAVIOUR("PTL_ME_MANAGE_LOCAL ignores the remote offset, and the acknowledgement tells the true "
          "one",
          MATCHING)
{
    unsigned char *bytes = job_memory(job, 100);
    if (job->target)
        post(bytes, 100, PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, job_memory(job, 10), 10);
        for (unsigned i = 0; i < 3; i++) {
            ok(put(md, 10, .remote_offset = 77, .ack = PTL_ACK_REQ));
            ptl_event_t event = next_event(job->eq, PTL_EVENT_ACK);
            equals(event.mlength, 10);
            equals(event.remote_offset, 10 * i);
        }
    }
    if (job->target)
        for (unsigned i = 0; i < 3; i++) {
            ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
            holds(event.start == bytes + 10 * i);
            equals(event.remote_offset, 77);
        }
    job_barrier(job);
}

BEHAVIOUR("puts and gets share the one offset of PTL_ME_MANAGE_LOCAL", MATCHING)
{
    unsigned char *bytes = job_memory(job, 100);
    if (job->target) {
        job_fill(bytes, 100, 50);
        post(bytes, 100, PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_MANAGE_LOCAL);
    }
    job_barrier(job);
    if (job->initiator) {
        unsigned char *memory = job_memory(job, 30);
        ptl_handle_md_t md = job_md(job, memory, 30);
        ok(put(md, 10, .ack = PTL_ACK_REQ));
        next_event(job->eq, PTL_EVENT_ACK);
        ok(get(md, 20));
        equals(next_event(job->eq, PTL_EVENT_REPLY).remote_offset, 10);
        holds(job_filled(memory, 20, 60));
        ok(get(md, 5));
        next_event(job->eq, PTL_EVENT_REPLY);
        holds(job_filled(memory, 5, 80));
    }
    job_barrier(job);
}

BEHAVIOUR("a message longer than what is left of a managed entry is truncated", MATCHING)
{
    unsigned char *bytes = job_memory(job, 108);
    if (job->target)
        post(bytes, 100, PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL);
    put_lengths(job, (ptl_size_t[]){70, 70, 70}, 3);
    if (job->target) {
        equals(next_event(job->target_eq, PTL_EVENT_PUT).mlength, 70);
        ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
        equals(event.mlength, 30);
        equals(event.rlength, 70);
        equals(next_event(job->target_eq, PTL_EVENT_PUT).mlength, 0);
        holds(job_filled(bytes + 70, 30, 1) && bytes[100] == 0);
    }
    job_barrier(job);
}

BEHAVIOUR("a managed entry unlinks itself when less than min_free is left", MATCHING)
{
    char mark;
    unsigned char *bytes = job_memory(job, 100);
    if (job->target) {
        post(bytes, 100, PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL, .min_free = 30, .user_ptr = &mark);
        post(NULL, 0, PTL_ME_OP_PUT);
    }
    put_lengths(job, (ptl_size_t[]){60, 10, 10, 1}, 4);
    if (job->target) {
        /* 40 are free, then 30, which is not less; then 20. */
        holds(next_event(job->target_eq, PTL_EVENT_PUT).user_ptr == &mark);
        holds(next_event(job->target_eq, PTL_EVENT_PUT).user_ptr == &mark);
        holds(next_event(job->target_eq, PTL_EVENT_PUT).user_ptr == &mark);
        holds(next_event(job->target_eq, PTL_EVENT_AUTO_UNLINK).user_ptr == &mark);
        holds(next_event(job->target_eq, PTL_EVENT_PUT).user_ptr == NULL);
    }
    job_barrier(job);
}

BEHAVIOUR("min_free 0 never unlinks a managed entry", MATCHING)
{
    char mark;
    unsigned char *bytes = job_memory(job, 100);
    if (job->target)
        post(bytes, 100, PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL, .user_ptr = &mark);
    put_lengths(job, (ptl_size_t[]){100, 0, 1}, 3);
    if (job->target)
        for (unsigned i = 0; i < 3; i++)
            holds(next_event(job->target_eq, PTL_EVENT_PUT).user_ptr == &mark);
    job_barrier(job);
}

BEHAVIOUR("min_free means nothing without PTL_ME_MANAGE_LOCAL", MATCHING)
{
    if (job->target)
        post(job_memory(job, 100), 100, PTL_ME_OP_PUT, .min_free = 1000);
    put_lengths(job, (ptl_size_t[]){100, 100}, 2);
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        next_event(job->target_eq, PTL_EVENT_PUT);
    }
    job_barrier(job);
}

BEHAVIOUR("a managed use-once entry is used once", MATCHING)
{
    if (job->target) {
        post(job_memory(job, 100), 100, PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL | PTL_ME_USE_ONCE);
        post(NULL, 0, PTL_ME_OP_PUT);
    }
    put_lengths(job, (ptl_size_t[]){10, 10}, 2);
    if (job->target) {
        equals(next_event(job->target_eq, PTL_EVENT_PUT).mlength, 10);
        next_event(job->target_eq, PTL_EVENT_AUTO_UNLINK);
        equals(next_event(job->target_eq, PTL_EVENT_PUT).mlength, 0);
    }
    job_barrier(job);
}

BEHAVIOUR("PTL_ME_MAY_ALIGN keeps messages whole, apart and in order", MATCHING)
{
    unsigned char *bytes = job_memory(job, 2000);
    if (job->target)
        post(bytes, 2000, PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL | PTL_ME_MAY_ALIGN);
    put_lengths(job, (ptl_size_t[]){3, 100, 1, 77}, 4);
    if (job->target) {
        unsigned char *end = bytes;
        for (unsigned i = 0; i < 4; i++) {
            ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
            unsigned char *start = event.start;
            holds(start >= end && start + event.mlength <= bytes + 2000);
            holds(job_filled(start, event.mlength, 1));
            end = start + event.mlength;
        }
    }
    job_barrier(job);
}

BEHAVIOUR("a managed entry takes long messages one after another", MATCHING)
{
    enum { SIZE = 100000, COUNT = 5 };
    unsigned char *bytes = job_memory(job, SIZE * COUNT);
    if (job->target)
        post(bytes, SIZE * COUNT, PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL);
    job_barrier(job);
    if (job->initiator) {
        unsigned char *out = job_memory(job, SIZE + COUNT);
        job_fill(out, SIZE + COUNT, 0);
        ptl_handle_md_t md = job_md(job, out, SIZE + COUNT);
        for (unsigned i = 0; i < COUNT; i++)
            ok(put(md, SIZE, .local_offset = i));
    }
    if (job->target)
        for (unsigned i = 0; i < COUNT; i++) {
            holds(next_event(job->target_eq, PTL_EVENT_PUT).start == bytes + i * SIZE);
            holds(job_filled(bytes + i * SIZE, SIZE, i));
        }
    job_barrier(job);
}

/* ---- PTL_ME_NO_TRUNCATE ------------------------------------------------------------------- */

BEHAVIOUR("a message too long for a PTL_ME_NO_TRUNCATE entry goes to the next one", MATCHING)
{
    char narrow, wide;
    if (job->target) {
        post(job_memory(job, 99), 99, PTL_ME_OP_PUT | PTL_ME_NO_TRUNCATE, .user_ptr = &narrow);
        post(job_memory(job, 200), 200, PTL_ME_OP_PUT, .user_ptr = &wide);
    }
    put_lengths(job, (ptl_size_t[]){100, 99}, 2);
    if (job->target) {
        ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
        holds(event.user_ptr == &wide);
        equals(event.mlength, 100);
        holds(next_event(job->target_eq, PTL_EVENT_PUT).user_ptr == &narrow);
    }
    job_barrier(job);
}

BEHAVIOUR("PTL_ME_NO_TRUNCATE minds the remote offset", MATCHING)
{
    char strict, loose;
    if (job->target) {
        post(job_memory(job, 100), 100, PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_NO_TRUNCATE,
             .user_ptr = &strict);
        post(job_memory(job, 100), 100, PTL_ME_OP_PUT | PTL_ME_OP_GET, .user_ptr = &loose);
    }
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, job_memory(job, 50), 50);
        ok(put(md, 50, .remote_offset = 51));
        ok(put(md, 50, .remote_offset = 50));
        ok(get(md, 50, .remote_offset = 51));
        equals(next_event(job->eq, PTL_EVENT_REPLY).mlength, 49);
    }
    if (job->target) {
        holds(next_event(job->target_eq, PTL_EVENT_PUT).user_ptr == &loose);
        holds(next_event(job->target_eq, PTL_EVENT_PUT).user_ptr == &strict);
        holds(next_event(job->target_eq, PTL_EVENT_GET).user_ptr == &loose);
    }
    job_barrier(job);
}

BEHAVIOUR("PTL_ME_NO_TRUNCATE minds what is left of a managed entry", MATCHING)
{
    char first, second;
    if (job->target) {
        unsigned options = PTL_ME_OP_PUT | PTL_ME_NO_TRUNCATE | PTL_ME_MANAGE_LOCAL;
        post(job_memory(job, 100), 100, options, .user_ptr = &first);
        post(job_memory(job, 100), 100, options, .user_ptr = &second);
    }
    put_lengths(job, (ptl_size_t[]){80, 30, 20}, 3);
    if (job->target) {
        holds(next_event(job->target_eq, PTL_EVENT_PUT).user_ptr == &first);
        holds(next_event(job->target_eq, PTL_EVENT_PUT).user_ptr == &second);
        holds(next_event(job->target_eq, PTL_EVENT_PUT).user_ptr == &first);
    }
    job_barrier(job);
}

BEHAVIOUR("a message too long for every PTL_ME_NO_TRUNCATE entry is dropped", MATCHING)
{
    if (job->target)
        post(job_memory(job, 10), 10, PTL_ME_OP_PUT | PTL_ME_NO_TRUNCATE);
    job_barrier(job);
    if (job->initiator) {
        ok(put(job_md(job, job_memory(job, 11), 11), 11, .ack = PTL_ACK_REQ));
        next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_DROPPED);
    }
    job_barrier(job);
}
