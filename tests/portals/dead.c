/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that do not exist, or not any more: every operation ends in an event. */
#include <signal.h>

#include "portals/job.h"

#define NOBODY .to = job->size
#define DEAD .timeout = 300, .apart = true

/* An operation may also tell that its data could not be sent. */
static ptl_event_t next_but_send(struct job *job)
{
    ptl_event_t event;
    unsigned which;
    do {
        memset(&event, 0, sizeof event);
        if (!ok(PtlEQPoll(&job->eq, 1, job_patience(job), &event, &which)))
            break;
    } while (event.type == PTL_EVENT_SEND);
    return event;
}

static void expect_undeliverable(struct job *job, ptl_event_kind_t type)
{
    ptl_event_t event = next_but_send(job);
    equals(event.type, type);
    equals(event.ni_fail_type, PTL_NI_UNDELIVERABLE);
}

static void put_to_nobody(struct job *job, size_t length)
{
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, job_memory(job, length), length);
        ok(put(md, length, NOBODY, .ack = PTL_ACK_REQ));
        expect_undeliverable(job, PTL_EVENT_ACK);
        ok(PtlMDRelease(md));
    }
    job_barrier(job);
}

BEHAVIOUR("a put to a process that does not exist ends as undeliverable", DEAD)
{
    put_to_nobody(job, 100);
}

BEHAVIOUR("a long put to a process that does not exist ends as undeliverable", DEAD)
{
    put_to_nobody(job, 1000000);
}

BEHAVIOUR("a get from a process that does not exist ends as undeliverable", DEAD)
{
    if (job->initiator) {
        unsigned char *in = job_memory(job, 100);
        ok(get(job_md(job, in, 100), 100, NOBODY));
        expect_undeliverable(job, PTL_EVENT_REPLY);
        equals(in[0], 0);
    }
    job_barrier(job);
}

BEHAVIOUR("atomic operations on a process that does not exist end as undeliverable", DEAD)
{
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, job_memory(job, 8), 8);
        ptl_handle_md_t in = job_md(job, job_memory(job, 8), 8);
        ok(atomic(md, 8, NOBODY, .ack = PTL_ACK_REQ, .operation = PTL_SUM,
                  .datatype = PTL_UINT64_T));
        expect_undeliverable(job, PTL_EVENT_ACK);
        ok(fetch(md, 8, NOBODY, .get_md = in, .operation = PTL_SUM, .datatype = PTL_UINT64_T));
        expect_undeliverable(job, PTL_EVENT_REPLY);
        ok(swap(md, 8, NOBODY, .get_md = in, .operation = PTL_SWAP, .datatype = PTL_UINT64_T));
        expect_undeliverable(job, PTL_EVENT_REPLY);
    }
    job_barrier(job);
}

BEHAVIOUR("what cannot be delivered counts as a failure and fires what waits for it", DEAD)
{
    if (job->initiator) {
        ptl_handle_ct_t ct = job_ct(job), seen = job_ct(job);
        ptl_handle_md_t md =
            job_bind(job, job_memory(job, 8), 8, PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY,
                     PTL_EQ_NONE, ct);
        ok(PtlTriggeredCTInc(seen, (ptl_ct_event_t){.success = 1}, ct, 2));
        ok(put(md, 8, NOBODY, .ack = PTL_CT_ACK_REQ));
        ok(get(md, 8, NOBODY));
        counts(ct, 0, 2);
        counts(seen, 1, 0);
    }
    job_barrier(job);
}

BEHAVIOUR("a triggered put to a process that does not exist ends as undeliverable", DEAD)
{
    if (job->initiator) {
        ptl_handle_ct_t ct = job_ct(job);
        ok(put_when(ct, 1, job_md(job, job_memory(job, 8), 8), 8, NOBODY, .ack = PTL_ACK_REQ));
        ok(PtlCTInc(ct, (ptl_ct_event_t){.success = 1}));
        expect_undeliverable(job, PTL_EVENT_ACK);
    }
    job_barrier(job);
}

BEHAVIOUR("many operations on a process that does not exist all end, each once", DEAD)
{
    enum { COUNT = 100 };
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, job_memory(job, 8), 8);
        for (unsigned i = 0; i < COUNT; i++)
            ok(put(md, 8, NOBODY, .ack = PTL_ACK_REQ));
        for (unsigned i = 0; i < COUNT; i++)
            expect_undeliverable(job, PTL_EVENT_ACK);
    }
    job_settle(job);
    no_event(job->eq);
}

BEHAVIOUR("a process that cannot be reached does not hold up messages to others", DEAD)
{
    if (job->target)
        post(NULL, 0, PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_eq_t other = job_eq(job, 8);
        ptl_handle_md_t md =
            job_bind(job, job_memory(job, 8), 8, PTL_MD_EVENT_SEND_DISABLE, other, PTL_CT_NONE);
        ok(put(job_md(job, NULL, 0), 0, NOBODY, .ack = PTL_ACK_REQ));
        for (unsigned i = 0; i < 10; i++) {
            ok(put(md, 8, .ack = PTL_ACK_REQ));
            next_event(other, PTL_EVENT_ACK);
        }
        expect_undeliverable(job, PTL_EVENT_ACK);
    }
    job_barrier(job);
}

/* ---- A process that dies ------------------------------------------------------------------ */

/* Rank 0 of a behaviour with a crash: takes messages until its end comes. */
static void live_until_death(struct job *job, unsigned messages)
{
    ptl_event_t event;
    unsigned which;
    for (unsigned taken = 0; job->world == JOB_SIM || taken < messages;)
        taken += PtlEQPoll(&job->target_eq, 1, 1000, &event, &which) == PTL_OK;
    raise(SIGKILL);
}

static void close_alone(struct job *job)
{
    ok(PtlNIFini(job->ni));
    PtlFini();
}

BEHAVIOUR("when the target dies the next put ends as undeliverable, and so do all after it", DEAD,
          .crash = 40, .bare = true)
{
    job_open(job);
    if (job->target) {
        post(NULL, 0, PTL_ME_OP_PUT);
        live_until_death(job, 20);
    }
    ptl_handle_md_t md = job_md(job, job_memory(job, 8), 8);
    ptl_event_t event;
    unsigned delivered = 0;
    do {
        ok(put(md, 8, .ack = PTL_ACK_REQ));
        event = next_but_send(job);
        delivered += event.ni_fail_type == PTL_NI_OK;
    } while ((event.ni_fail_type == PTL_NI_OK || event.ni_fail_type == PTL_NI_DROPPED) &&
             !atomic_load(&job->verdict->failures));
    equals(event.ni_fail_type, PTL_NI_UNDELIVERABLE);
    holds(delivered > 0);
    for (unsigned i = 0; i < 3; i++) {
        ok(put(md, 8, .ack = PTL_ACK_REQ));
        expect_undeliverable(job, PTL_EVENT_ACK);
        ok(get(md, 8));
        expect_undeliverable(job, PTL_EVENT_REPLY);
    }
    close_alone(job);
}

BEHAVIOUR("when the target dies during long gets each of them ends in one event", DEAD,
          .crash = 40, .bare = true)
{
    enum { SIZE = 3000000, COUNT = 4 };
    job_open(job);
    if (job->target) {
        post(job_memory(job, SIZE), SIZE, PTL_ME_OP_GET);
        live_until_death(job, 10);
    }
    ptl_handle_md_t md = job_md(job, job_memory(job, SIZE), SIZE);
    bool dead = false;
    while (!dead && !atomic_load(&job->verdict->failures)) {
        for (unsigned i = 0; i < COUNT; i++)
            ok(get(md, SIZE));
        for (unsigned i = 0; i < COUNT; i++) {
            ptl_event_t event = next_but_send(job);
            equals(event.type, PTL_EVENT_REPLY);
            dead = dead || event.ni_fail_type == PTL_NI_UNDELIVERABLE;
            holds(event.ni_fail_type == PTL_NI_UNDELIVERABLE ||
                  event.ni_fail_type == PTL_NI_DROPPED || !dead);
        }
    }
    no_event(job->eq);
    ok(PtlMDRelease(md));
    close_alone(job);
}

BEHAVIOUR("when one of three dies the other two still talk", DEAD, .ranks = 3, .crash = 40,
          .bare = true)
{
    job_open(job);
    post(NULL, 0, PTL_ME_OP_PUT);
    if (job->target)
        live_until_death(job, 20);
    ptl_handle_md_t md = job_md(job, job_memory(job, 8), 8);
    ptl_event_t event;
    do {
        ok(put(md, 8, .ack = PTL_ACK_REQ));
        event = next_but_send(job);
    } while ((event.ni_fail_type == PTL_NI_OK || event.ni_fail_type == PTL_NI_DROPPED) &&
             !atomic_load(&job->verdict->failures));
    equals(event.ni_fail_type, PTL_NI_UNDELIVERABLE);
    do { /* the other may have come later than the death */
        ok(put(md, 8, .to = 3 - job->rank, .ack = PTL_ACK_REQ));
        event = next_but_send(job);
    } while (event.ni_fail_type == PTL_NI_DROPPED);
    equals(event.type, PTL_EVENT_ACK);
    equals(event.ni_fail_type, PTL_NI_OK);
    next_event(job->target_eq, PTL_EVENT_PUT);
    /* Whoever is done first must not look dead to the other. */
    atomic_fetch_add(&job->verdict->tally, 1);
    for (unsigned i = 0; atomic_load(&job->verdict->tally) < 2 && i < 8000; i++) {
        unsigned which;
        PtlEQPoll(&job->eq, 1, 1, &event, &which);
    }
    close_alone(job);
}
