/* SPDX-License-Identifier: BSD-3-Clause */
/* The portal table: PtlPTAlloc, PtlPTFree, PtlPTDisable, PtlPTEnable. */
#include "portals/job.h"

BEHAVIOUR("PtlPTAlloc gives the index that was asked for, once", .ranks = 1)
{
    ptl_pt_index_t index = 0;
    ok(PtlPTAlloc(job->ni, 0, PTL_EQ_NONE, 9, &index));
    equals(index, 9);
    gives(PTL_PT_IN_USE, PtlPTAlloc(job->ni, 0, PTL_EQ_NONE, 9, &index));
    gives(PTL_PT_IN_USE, PtlPTAlloc(job->ni, 0, PTL_EQ_NONE, job->pt, &index));
}

BEHAVIOUR("PTL_PT_ANY gives every free index once, then the table is full", .ranks = 1)
{
    unsigned char taken[4096] = {0};
    ptl_pt_index_t index = 0;
    int free_ones = job->limits.max_pt_index + 1 - 2; /* the harness has two */
    for (int i = 0; i < free_ones; i++) {
        if (!ok(PtlPTAlloc(job->ni, 0, PTL_EQ_NONE, PTL_PT_ANY, &index)))
            return;
        holds(index != job->pt && index <= (ptl_pt_index_t)job->limits.max_pt_index);
        holds(!taken[index % sizeof taken]);
        taken[index % sizeof taken] = 1;
    }
    gives(PTL_PT_FULL, PtlPTAlloc(job->ni, 0, PTL_EQ_NONE, PTL_PT_ANY, &index));
    ok(PtlPTFree(job->ni, index));
    ok(PtlPTAlloc(job->ni, 0, PTL_EQ_NONE, PTL_PT_ANY, &index));
}

BEHAVIOUR("flow control needs an event queue", .ranks = 1)
{
    ptl_pt_index_t index;
    gives(PTL_PT_EQ_NEEDED, PtlPTAlloc(job->ni, PTL_PT_FLOWCTRL, PTL_EQ_NONE, PTL_PT_ANY, &index));
    ok(PtlPTAlloc(job->ni, PTL_PT_FLOWCTRL, job->target_eq, PTL_PT_ANY, &index));
}

BEHAVIOUR("PtlPTAlloc refuses unknown options, a stale queue and a null index", .ranks = 1)
{
    ptl_pt_index_t index;
    ptl_handle_eq_t stale = job_eq(job, 4);
    ok(PtlEQFree(stale));
    gives(PTL_ARG_INVALID, PtlPTAlloc(job->ni, 1u << 20, PTL_EQ_NONE, PTL_PT_ANY, &index));
    gives(PTL_ARG_INVALID, PtlPTAlloc(job->ni, 0, stale, PTL_PT_ANY, &index));
    gives(PTL_ARG_INVALID, PtlPTAlloc(job->ni, 0, PTL_EQ_NONE, PTL_PT_ANY, NULL));
    gives(PTL_ARG_INVALID, PtlPTAlloc(PTL_INVALID_HANDLE, 0, PTL_EQ_NONE, 8, &index));
}

BEHAVIOUR("an index that is not allocated can be neither freed, disabled nor enabled", .ranks = 1)
{
    gives(PTL_ARG_INVALID, PtlPTFree(job->ni, 11));
    gives(PTL_ARG_INVALID, PtlPTDisable(job->ni, 11));
    gives(PTL_ARG_INVALID, PtlPTEnable(job->ni, 11));
    ptl_handle_me_t handle;
    gives(PTL_ARG_INVALID, append(&handle, NULL, 0, PTL_ME_OP_PUT, .pt = 11));
}

BEHAVIOUR("an index with entries in either list cannot be freed", .ranks = 1)
{
    ptl_pt_index_t index = 0;
    ok(PtlPTAlloc(job->ni, 0, job->target_eq, 12, &index));
    for (unsigned list = 0; list < 2; list++) {
        ptl_handle_me_t entry = post(NULL, 0, PTL_ME_OP_PUT, .pt = index, .list = list);
        gives(PTL_IN_USE, PtlPTFree(job->ni, index));
        ok(job_unlink(job, entry));
    }
    ok(PtlPTFree(job->ni, index));
}

BEHAVIOUR("a message to an index that is not allocated is dropped")
{
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, job_memory(job, 8), 8);
        ok(put(md, 8, .pt = 13, .ack = PTL_ACK_REQ));
        next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_DROPPED);
        ok(get(md, 8, .pt = 13));
        next_failure(job->eq, PTL_EVENT_REPLY, PTL_NI_DROPPED);
    }
    job_settle(job);
}

BEHAVIOUR("a message to an index that was freed is dropped")
{
    ptl_pt_index_t index = 0;
    if (job->target) {
        ok(PtlPTAlloc(job->ni, 0, job->target_eq, 14, &index));
        ok(job_unlink(job, post(NULL, 0, PTL_ME_OP_PUT, .pt = index)));
        ok(PtlPTFree(job->ni, index));
    }
    job_barrier(job);
    if (job->initiator) {
        ok(put(job_md(job, NULL, 0), 0, .pt = 14, .ack = PTL_ACK_REQ));
        next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_DROPPED);
    }
    job_settle(job);
    no_event(job->target_eq);
}

/* One put with an acknowledgement; the target's index may be disabled. */
static void put_and_expect(struct job *job, ptl_ni_fail_t fail)
{
    job_barrier(job);
    if (job->initiator) {
        ok(put(job_md(job, NULL, 0), 0, .ack = PTL_ACK_REQ));
        next_failure(job->eq, PTL_EVENT_ACK, fail);
    }
    job_barrier(job);
}

BEHAVIOUR("a disabled index refuses messages with PTL_NI_PT_DISABLED until it is enabled")
{
    if (job->target) {
        post(NULL, 0, PTL_ME_OP_PUT);
        ok(PtlPTDisable(job->ni, job->pt));
    }
    put_and_expect(job, PTL_NI_PT_DISABLED);
    no_event(job->target_eq);
    if (job->target)
        ok(PtlPTEnable(job->ni, job->pt));
    put_and_expect(job, PTL_NI_OK);
    if (job->target)
        next_event(job->target_eq, PTL_EVENT_PUT);
}

BEHAVIOUR("a get from a disabled index fails with PTL_NI_PT_DISABLED")
{
    unsigned char *bytes = job_memory(job, 8);
    if (job->target) {
        post(bytes, 8, PTL_ME_OP_GET);
        ok(PtlPTDisable(job->ni, job->pt));
    }
    job_barrier(job);
    if (job->initiator) {
        ok(get(job_md(job, job_memory(job, 8), 8), 8));
        next_failure(job->eq, PTL_EVENT_REPLY, PTL_NI_PT_DISABLED);
    }
    job_barrier(job);
}

BEHAVIOUR("entries can be appended and unlinked while the index is disabled")
{
    if (job->target) {
        ok(PtlPTDisable(job->ni, job->pt));
        ptl_handle_me_t gone = post(NULL, 0, PTL_ME_OP_PUT, .user_ptr = &gone);
        post(NULL, 0, PTL_ME_OP_PUT);
        ok(job_unlink(job, gone));
        ok(PtlPTEnable(job->ni, job->pt));
    }
    put_and_expect(job, PTL_NI_OK);
    if (job->target)
        holds(next_event(job->target_eq, PTL_EVENT_PUT).user_ptr == NULL);
}

BEHAVIOUR("PTL_PT_ALLOC_DISABLED gives an index that is disabled from the start")
{
    ptl_pt_index_t index = 0;
    if (job->target) {
        ok(PtlPTAlloc(job->ni, PTL_PT_ALLOC_DISABLED, job->target_eq, 15, &index));
        post(NULL, 0, PTL_ME_OP_PUT, .pt = index);
    }
    job_barrier(job);
    ptl_handle_md_t md = job_md(job, NULL, 0);
    if (job->initiator) {
        ok(put(md, 0, .pt = 15, .ack = PTL_ACK_REQ));
        next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_PT_DISABLED);
    }
    job_barrier(job);
    if (job->target)
        ok(PtlPTEnable(job->ni, index));
    job_barrier(job);
    if (job->initiator) {
        ok(put(md, 0, .pt = 15, .ack = PTL_ACK_REQ));
        next_event(job->eq, PTL_EVENT_ACK);
    }
    job_barrier(job);
}

BEHAVIOUR("PtlPTDisable gives no event, and disabling or enabling twice is no error", .ranks = 1)
{
    ok(PtlPTDisable(job->ni, job->pt));
    ok(PtlPTDisable(job->ni, job->pt));
    no_event(job->target_eq);
    ok(PtlPTEnable(job->ni, job->pt));
    ok(PtlPTEnable(job->ni, job->pt));
    no_event(job->target_eq);
}

BEHAVIOUR("two indices of one process are two lists")
{
    ptl_pt_index_t other = 0;
    ok(PtlPTAlloc(job->ni, 0, job->target_eq, 16, &other));
    if (job->target) {
        post(NULL, 0, PTL_ME_OP_PUT, .user_ptr = &job->pt);
        post(NULL, 0, PTL_ME_OP_PUT, .pt = other, .user_ptr = &other);
    }
    job_barrier(job);
    if (job->initiator) {
        ok(put(job_md(job, NULL, 0), 0, .pt = other));
        ok(put(job_md(job, NULL, 0), 0));
    }
    if (job->target) {
        ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
        holds(event.user_ptr == &other);
        equals(event.pt_index, other);
        event = next_event(job->target_eq, PTL_EVENT_PUT);
        holds(event.user_ptr == &job->pt);
        equals(event.pt_index, job->pt);
    }
}

BEHAVIOUR("an index that was promised use-once entries that truncate works with such entries")
{
    ptl_pt_index_t index = 0;
    if (job->target) {
        ok(PtlPTAlloc(job->ni, PTL_PT_ONLY_USE_ONCE | PTL_PT_ONLY_TRUNCATE, job->target_eq, 33,
                      &index));
        for (unsigned i = 0; i < 2; i++)
            post(job_memory(job, 4), 4, PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_IS_ACCESSIBLE,
                 .pt = index);
    }
    job_barrier(job);
    if (job->initiator)
        for (unsigned i = 0; i < 2; i++)
            ok(put(job_md(job, job_memory(job, 8), 8), 8, .pt = 33));
    if (job->target)
        for (unsigned i = 0; i < 2; i++) {
            equals(next_event(job->target_eq, PTL_EVENT_PUT).mlength, 4);
            next_event(job->target_eq, PTL_EVENT_AUTO_UNLINK);
        }
    job_barrier(job);
}

BEHAVIOUR("an index that was promised entries that truncate takes no others in its priority list",
          .ranks = 1, .needs = PTL_NI_MATCHING)
{
    ptl_pt_index_t index = 0;
    ptl_handle_me_t handle;
    unsigned options = PTL_ME_OP_PUT | PTL_ME_NO_TRUNCATE;
    ok(PtlPTAlloc(job->ni, PTL_PT_ONLY_TRUNCATE, job->target_eq, 34, &index));
    gives(PTL_ARG_INVALID, append(&handle, NULL, 0, options, .pt = index));
    ok(append(&handle, NULL, 0, options, .pt = index, .list = PTL_OVERFLOW_LIST));
}
