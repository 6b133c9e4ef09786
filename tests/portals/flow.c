/* SPDX-License-Identifier: BSD-3-Clause */
/* Flow control: an index that runs out of something stops, says so, and goes on when enabled. */
#include "portals/job.h"

#define ANY_BITS .ignore = ~(ptl_match_bits_t)0
#define FLOW_PT 29

static void open_flow_pt(struct job *job, ptl_handle_eq_t eq)
{
    ptl_pt_index_t pt = 0;
    ok(PtlPTAlloc(job->ni, PTL_PT_FLOWCTRL, eq, FLOW_PT, &pt));
}

/* A put that must end so. */
static void put_expecting(struct job *job, ptl_ni_fail_t fail)
{
    job_barrier(job);
    if (job->initiator) {
        ok(put(job_md(job, NULL, 0), 0, .pt = FLOW_PT, .ack = PTL_ACK_REQ));
        next_failure(job->eq, PTL_EVENT_ACK, fail);
    }
    job_barrier(job);
}

BEHAVIOUR("with flow control a message without an entry disables the index")
{
    open_flow_pt(job, job->target_eq);
    put_expecting(job, PTL_NI_PT_DISABLED);
    if (job->target) {
        ptl_event_t event =
            next_failure(job->target_eq, PTL_EVENT_PT_DISABLED, PTL_NI_PT_DISABLED);
        equals(event.pt_index, FLOW_PT);
    }
}

BEHAVIOUR("a disabled index refuses even what it could take, and tells once")
{
    open_flow_pt(job, job->target_eq);
    put_expecting(job, PTL_NI_PT_DISABLED);
    if (job->target) {
        next_failure(job->target_eq, PTL_EVENT_PT_DISABLED, PTL_NI_PT_DISABLED);
        post(NULL, 0, PTL_ME_OP_PUT, .pt = FLOW_PT);
    }
    put_expecting(job, PTL_NI_PT_DISABLED);
    put_expecting(job, PTL_NI_PT_DISABLED);
    if (job->target)
        no_event(job->target_eq);
}

BEHAVIOUR("an index that flow control disabled goes on after PtlPTEnable")
{
    open_flow_pt(job, job->target_eq);
    for (unsigned round = 0; round < 3; round++) {
        put_expecting(job, PTL_NI_PT_DISABLED);
        if (job->target) {
            next_failure(job->target_eq, PTL_EVENT_PT_DISABLED, PTL_NI_PT_DISABLED);
            post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE, .pt = FLOW_PT);
            ok(PtlPTEnable(job->ni, FLOW_PT));
        }
        put_expecting(job, PTL_NI_OK);
        if (job->target) {
            next_event(job->target_eq, PTL_EVENT_PUT);
            next_event(job->target_eq, PTL_EVENT_AUTO_UNLINK);
        }
    }
}

BEHAVIOUR("a get without an entry disables an index with flow control")
{
    open_flow_pt(job, job->target_eq);
    job_barrier(job);
    if (job->initiator) {
        ok(get(job_md(job, job_memory(job, 8), 8), 8, .pt = FLOW_PT));
        next_failure(job->eq, PTL_EVENT_REPLY, PTL_NI_PT_DISABLED);
    }
    if (job->target)
        next_failure(job->target_eq, PTL_EVENT_PT_DISABLED, PTL_NI_PT_DISABLED);
    job_barrier(job);
}

BEHAVIOUR("flow control of one index leaves the others alone")
{
    open_flow_pt(job, job->target_eq);
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT);
    put_expecting(job, PTL_NI_PT_DISABLED);
    if (job->target)
        next_failure(job->target_eq, PTL_EVENT_PT_DISABLED, PTL_NI_PT_DISABLED);
    if (job->initiator)
        ok(put(job_md(job, NULL, 0), 0));
    if (job->target)
        next_event(job->target_eq, PTL_EVENT_PUT);
}

BEHAVIOUR("a violation does not disable an index with flow control")
{
    open_flow_pt(job, job->target_eq);
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT, .pt = FLOW_PT);
    job_barrier(job);
    if (job->initiator) {
        ok(get(job_md(job, job_memory(job, 8), 8), 8, .pt = FLOW_PT));
        next_failure(job->eq, PTL_EVENT_REPLY, PTL_NI_OP_VIOLATION);
    }
    put_expecting(job, PTL_NI_OK);
    if (job->target)
        next_event(job->target_eq, PTL_EVENT_PUT);
}

BEHAVIOUR("without flow control a message without room for its header is dropped",
          .limits = {.max_unexpected_headers = 4})
{
    ptl_pt_index_t pt = 0;
    unsigned room = (unsigned)job->limits.max_unexpected_headers;
    ok(PtlPTAlloc(job->ni, 0, job->target_eq, FLOW_PT, &pt));
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE, ANY_BITS, .pt = pt,
             .list = PTL_OVERFLOW_LIST);
    for (unsigned i = 0; i < room; i++)
        put_expecting(job, PTL_NI_OK);
    put_expecting(job, PTL_NI_DROPPED);
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE, ANY_BITS,
             .pt = pt);
    put_expecting(job, PTL_NI_OK);
}

BEHAVIOUR("an index with flow control that runs out of unexpected headers is disabled",
          .limits = {.max_unexpected_headers = 4})
{
    unsigned room = (unsigned)job->limits.max_unexpected_headers;
    open_flow_pt(job, job->target_eq);
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE, ANY_BITS, .pt = FLOW_PT,
             .list = PTL_OVERFLOW_LIST);
    for (unsigned i = 0; i < room; i++)
        put_expecting(job, PTL_NI_OK);
    put_expecting(job, PTL_NI_PT_DISABLED);
    if (job->target) {
        next_failure(job->target_eq, PTL_EVENT_PT_DISABLED, PTL_NI_PT_DISABLED);
        /* None of those that were accepted is lost. */
        post(NULL, 0, PTL_ME_OP_PUT, ANY_BITS, .pt = FLOW_PT);
        for (unsigned i = 0; i < room; i++)
            next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW);
        ok(PtlPTEnable(job->ni, FLOW_PT));
    }
    put_expecting(job, PTL_NI_OK);
    if (job->target)
        next_event(job->target_eq, PTL_EVENT_PUT);
}

/* Sends `count` numbered puts from `first` on; says how many from the beginning were taken. */
static unsigned send_until_refused(struct job *job, unsigned first, unsigned count)
{
    unsigned taken = 0;
    ptl_handle_md_t md = job_md(job, NULL, 0);
    for (unsigned i = 0; i < count; i++)
        ok(put(md, 0, .pt = FLOW_PT, .hdr_data = first + i, .ack = PTL_ACK_REQ,
               .user_ptr = (void *)(uintptr_t)i));
    for (unsigned i = 0; i < count; i++) {
        ptl_event_t event;
        unsigned which;
        memset(&event, 0, sizeof event);
        ok(PtlEQPoll(&job->eq, 1, job_patience(job), &event, &which));
        if (event.ni_fail_type == PTL_NI_OK)
            equals((uintptr_t)event.user_ptr, taken++); /* none after the first refused */
        else
            equals(event.ni_fail_type, PTL_NI_PT_DISABLED);
    }
    return taken;
}

BEHAVIOUR("an index with flow control whose queue is full is disabled, and no event is lost")
{
    enum { COUNT = 60, SHORT = 8 };
    ptl_handle_eq_t eq = job_eq(job, SHORT);
    open_flow_pt(job, eq);
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT, .pt = FLOW_PT);
    unsigned sent = 0, seen = 0;
    for (unsigned round = 0; round < COUNT; round++) {
        job_barrier(job);
        if (job->initiator && sent < COUNT)
            sent += send_until_refused(job, sent, COUNT - sent);
        job_barrier(job);
        if (!job->target)
            continue;
        ptl_event_t event;
        bool disabled = false;
        int code;
        while ((code = PtlEQGet(eq, &event)) == PTL_OK)
            if (event.type == PTL_EVENT_PT_DISABLED)
                disabled = true;
            else
                equals(event.hdr_data, seen++);
        equals(code, PTL_EQ_EMPTY);
        if (disabled)
            ok(PtlPTEnable(job->ni, FLOW_PT));
        else
            equals(seen, COUNT);
    }
    if (job->initiator)
        equals(sent, COUNT);
    if (job->target)
        equals(seen, COUNT);
}

BEHAVIOUR("several initiators all get their messages through flow control", .ranks = 5,
          .sim_ranks = 17)
{
    enum { EACH = 10 };
    open_flow_pt(job, job->target_eq);
    ptl_handle_ct_t ct = job_ct(job);
    unsigned wanted = EACH * (job->size - 1);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, NULL, 0);
        for (unsigned i = 0; i < EACH;) {
            ptl_event_t event;
            unsigned which;
            ok(put(md, 0, .pt = FLOW_PT, .ack = PTL_ACK_REQ));
            memset(&event, 0, sizeof event);
            if (!ok(PtlEQPoll(&job->eq, 1, job_patience(job), &event, &which)))
                break;
            i += event.ni_fail_type == PTL_NI_OK;
        }
    } else {
        for (unsigned taken = 0; taken < wanted;) {
            ptl_event_t event;
            unsigned which;
            memset(&event, 0, sizeof event);
            if (!ok(PtlEQPoll(&job->target_eq, 1, job_patience(job), &event, &which)))
                break;
            if (event.type == PTL_EVENT_PUT) {
                taken++;
            } else if (event.type == PTL_EVENT_PT_DISABLED) {
                for (unsigned i = 0; i < 7; i++)
                    post(NULL, 0,
                         PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE |
                             PTL_ME_EVENT_CT_COMM,
                         .pt = FLOW_PT, .ct = &ct);
                ok(PtlPTEnable(job->ni, FLOW_PT));
            }
        }
        counts(ct, wanted, 0);
    }
    job_barrier(job);
}

BEHAVIOUR("PtlPTDisable by hand gives no event, and the index can be enabled again")
{
    open_flow_pt(job, job->target_eq);
    if (job->target) {
        post(NULL, 0, PTL_ME_OP_PUT, .pt = FLOW_PT);
        ok(PtlPTDisable(job->ni, FLOW_PT));
    }
    put_expecting(job, PTL_NI_PT_DISABLED);
    if (job->target) {
        no_event(job->target_eq);
        ok(PtlPTEnable(job->ni, FLOW_PT));
    }
    put_expecting(job, PTL_NI_OK);
}

BEHAVIOUR("PTL_ME_EVENT_FLOWCTRL_DISABLE suppresses the event of an index that its entry disables",
          .limits = {.max_unexpected_headers = 4})
{
    unsigned room = (unsigned)job->limits.max_unexpected_headers;
    open_flow_pt(job, job->target_eq);
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_FLOWCTRL_DISABLE,
             ANY_BITS, .pt = FLOW_PT, .list = PTL_OVERFLOW_LIST);
    for (unsigned i = 0; i < room; i++)
        put_expecting(job, PTL_NI_OK);
    put_expecting(job, PTL_NI_PT_DISABLED);
    put_expecting(job, PTL_NI_PT_DISABLED);
    if (job->target)
        no_event(job->target_eq);
}
