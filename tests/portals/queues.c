/* SPDX-License-Identifier: BSD-3-Clause */
/* Event queues: PtlEQGet, PtlEQWait, PtlEQPoll, and what happens when one is too short. */
#include "portals/job.h"

/* Puts with header data 0, 1, ...; when this returns the target has taken them. */
static void send_numbered(struct job *job, unsigned count, ptl_pt_index_t pt)
{
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_ct_t acks = job_ct(job);
        ptl_handle_md_t md = job_bind(job, NULL, 0, PTL_MD_EVENT_CT_ACK, PTL_EQ_NONE, acks);
        for (unsigned i = 0; i < count; i++)
            ok(put(md, 0, .hdr_data = i, .pt = pt, .ack = PTL_CT_ACK_REQ));
        counts(acks, count, 0);
    }
    job_barrier(job);
}

BEHAVIOUR("PtlEQGet says PTL_EQ_EMPTY when there is no event", .ranks = 1)
{
    ptl_event_t event;
    gives(PTL_EQ_EMPTY, PtlEQGet(job->eq, &event));
    post(NULL, 0, PTL_ME_OP_PUT, .link = true);
    ok(PtlEQGet(job->target_eq, &event));
    gives(PTL_EQ_EMPTY, PtlEQGet(job->target_eq, &event));
}

BEHAVIOUR("PtlEQWait returns with the next event")
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator)
        for (unsigned i = 1; i <= 3; i++)
            ok(put(job_md(job, NULL, 0), 0, .hdr_data = i));
    if (job->target)
        for (unsigned i = 1; i <= 3; i++) {
            ptl_event_t event;
            memset(&event, 0, sizeof event);
            ok(PtlEQWait(job->target_eq, &event));
            equals(event.hdr_data, i);
        }
}

BEHAVIOUR("PtlEQPoll tells from which queue the event is", .ranks = 1)
{
    ptl_handle_eq_t eqs[3] = {job_eq(job, 4), job_eq(job, 4), job->target_eq};
    ptl_event_t event;
    unsigned which = 99;
    gives(PTL_EQ_EMPTY, PtlEQPoll(eqs, 3, 0, &event, &which));
    post(NULL, 0, PTL_ME_OP_PUT, .link = true);
    ok(PtlEQPoll(eqs, 3, 1000, &event, &which));
    equals(which, 2);
    ptl_pt_index_t index = 0;
    ok(PtlPTAlloc(job->ni, 0, eqs[0], 23, &index));
    post(NULL, 0, PTL_ME_OP_PUT, .link = true, .pt = index);
    ok(PtlEQPoll(eqs, 3, PTL_TIME_FOREVER, &event, &which));
    equals(which, 0);
    gives(PTL_EQ_EMPTY, PtlEQPoll(eqs, 3, 0, &event, &which));
}

BEHAVIOUR("PtlEQPoll gives up after its timeout", .ranks = 1)
{
    ptl_handle_eq_t eqs[2] = {job->eq, job->target_eq};
    ptl_event_t event;
    unsigned which;
    gives(PTL_EQ_EMPTY, PtlEQPoll(eqs, 2, 0, &event, &which));
    gives(PTL_EQ_EMPTY, PtlEQPoll(eqs, 2, 5, &event, &which));
}

BEHAVIOUR("PtlEQPoll does not starve a queue beside a busy one", .ranks = 1)
{
    ptl_handle_eq_t eqs[2] = {job->target_eq, job_eq(job, 16)};
    ptl_pt_index_t index = 0;
    ok(PtlPTAlloc(job->ni, 0, eqs[1], 24, &index));
    for (unsigned i = 0; i < 8; i++)
        post(NULL, 0, PTL_ME_OP_PUT, .link = true);
    post(NULL, 0, PTL_ME_OP_PUT, .link = true, .pt = index);
    bool seen = false;
    for (unsigned i = 0; i < 4; i++) {
        ptl_event_t event;
        unsigned which = 99;
        ok(PtlEQPoll(eqs, 2, 0, &event, &which));
        seen = seen || which == 1;
    }
    holds(seen);
}

BEHAVIOUR("a queue holds as many events as were asked for")
{
    enum { COUNT = 16 };
    ptl_handle_eq_t eq = job_eq(job, COUNT);
    ptl_pt_index_t pt = 0;
    ok(PtlPTAlloc(job->ni, 0, eq, 25, &pt));
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT, .pt = pt);
    send_numbered(job, COUNT, pt);
    if (job->target)
        for (unsigned i = 0; i < COUNT; i++) {
            ptl_event_t event;
            memset(&event, 0, sizeof event);
            ok(PtlEQGet(eq, &event));
            equals(event.hdr_data, i);
        }
}

BEHAVIOUR("an overrun queue loses its oldest events and says PTL_EQ_DROPPED once")
{
    enum { COUNT = 300 };
    ptl_handle_eq_t eq = job_eq(job, 4);
    ptl_pt_index_t pt = 0;
    ok(PtlPTAlloc(job->ni, 0, eq, 26, &pt));
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT, .pt = pt);
    send_numbered(job, COUNT, pt);
    if (job->target) {
        ptl_event_t event;
        memset(&event, 0, sizeof event);
        gives(PTL_EQ_DROPPED, PtlEQGet(eq, &event));
        ptl_hdr_data_t next = event.hdr_data;
        holds(next > 0 && next <= COUNT - 4);
        while (++next < COUNT) {
            ok(PtlEQGet(eq, &event));
            if (!equals(event.hdr_data, next))
                break;
        }
        gives(PTL_EQ_EMPTY, PtlEQGet(eq, &event));
    }
    /* And it works again. */
    send_numbered(job, 1, pt);
    if (job->target)
        next_event(eq, PTL_EVENT_PUT);
}

BEHAVIOUR("a queue can go round many times without loss when it is read in time")
{
    enum { ROUNDS = 40, COUNT = 8 };
    ptl_handle_eq_t eq = job_eq(job, COUNT);
    ptl_pt_index_t pt = 0;
    ok(PtlPTAlloc(job->ni, 0, eq, 27, &pt));
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT, .pt = pt);
    for (unsigned round = 0; round < ROUNDS; round++) {
        send_numbered(job, COUNT, pt);
        if (job->target)
            for (unsigned i = 0; i < COUNT; i++)
                equals(next_event(eq, PTL_EVENT_PUT).hdr_data, i);
    }
}

BEHAVIOUR("one queue takes the events of initiator and target, in the order in which they come")
{
    ptl_handle_eq_t eq = job_eq(job, 32);
    ptl_pt_index_t pt = 0;
    ok(PtlPTAlloc(job->ni, 0, eq, 28, &pt));
    if (job->target) {
        post(NULL, 0, PTL_ME_OP_PUT, .pt = pt, .link = true);
        next_event(eq, PTL_EVENT_LINK);
    }
    job_barrier(job);
    if (job->target) /* to itself */
        ok(put(job_bind(job, NULL, 0, PTL_MD_EVENT_SEND_DISABLE, eq, PTL_CT_NONE), 0, .pt = pt,
               .ack = PTL_ACK_REQ));
    if (job->target) {
        next_event(eq, PTL_EVENT_PUT);
        next_event(eq, PTL_EVENT_ACK);
    }
    job_barrier(job);
}

BEHAVIOUR("wrong arguments of queue calls are refused", .ranks = 1)
{
    ptl_handle_eq_t stale = job_eq(job, 4);
    ptl_event_t event;
    unsigned which;
    ok(PtlEQFree(stale));
    gives(PTL_ARG_INVALID, PtlEQFree(stale));
    gives(PTL_ARG_INVALID, PtlEQGet(stale, &event));
    gives(PTL_ARG_INVALID, PtlEQWait(stale, &event));
    gives(PTL_ARG_INVALID, PtlEQPoll(&stale, 1, 0, &event, &which));
    gives(PTL_ARG_INVALID, PtlEQPoll(&job->eq, 0, 0, &event, &which));
    gives(PTL_ARG_INVALID, PtlEQGet(PTL_EQ_NONE, &event));
    gives(PTL_ARG_INVALID, PtlEQGet(job->eq, NULL));
    gives(PTL_ARG_INVALID, PtlEQAlloc(job->ni, 8, NULL));
    gives(PTL_ARG_INVALID, PtlEQAlloc(PTL_INVALID_HANDLE, 8, &stale));
}
