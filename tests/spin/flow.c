/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts run out: with flow control the sender is told, without it packets wait. */
#include "spin/record.h"

#define FLOW_PT 29
#define LONG 300000
#define CONTEXTS 4

/* Handler host memory. */
struct valve {
    uint64_t is_open; /* handlers on threads wait for it */
    uint64_t payloads, bytes, completions, dropped, flow;
};

/* HPU memory. */
struct plan {
    uint64_t is_virtual; /* then handlers only take long: nothing happens while they run */
};

static uint64_t add(size_t where, uint64_t value)
{
    uint64_t before = 0;
    PtlHandlerDMAFetchAddB(where, value, &before, PTL_UINT64_T, PTL_HANDLER_HOST_MEM);
    return before;
}

#define ADD(what, value) add(offsetof(struct valve, what), value)

static ptl_handler_result_t wait_for_valve(const ptl_payload_t *payload, void *state)
{
    enum { LONG_TIME = 2000, PATIENCE = 100000000 };
    const struct plan *plan = state;
    ADD(payloads, 1);
    ADD(bytes, payload->length);
    for (unsigned i = 0; !ADD(is_open, 0) && i < (plan->is_virtual ? LONG_TIME : PATIENCE); i++)
        PtlHandlerYield();
    return PTL_HANDLER_SUCCESS;
}

static ptl_handler_result_t pass(const ptl_header_t *header, void *state)
{
    (void)header;
    (void)state;
    return PTL_HANDLER_PROCESS_DATA;
}

static ptl_handler_result_t note_end(ptl_size_t dropped, int flow_control, void *state)
{
    (void)state;
    ADD(completions, 1);
    ADD(dropped, dropped);
    ADD(flow, (uint64_t)flow_control);
    return PTL_HANDLER_SUCCESS;
}

static struct valve *post_valve(struct job *job, unsigned options, struct spin_case *what)
{
    struct valve *valve = job_memory(job, sizeof *valve);
    struct plan *plan = job_memory(job, sizeof *plan);
    ptl_pt_index_t pt = 0;
    ok(PtlPTAlloc(job->ni, options, job->target_eq, FLOW_PT, &pt));
    plan->is_virtual = job->world == JOB_SIM;
    *what = (struct spin_case){.header = pass,
                               .payload = wait_for_valve,
                               .completion = note_end,
                               .state = plan,
                               .state_length = sizeof *plan,
                               .host = valve,
                               .host_length = sizeof *valve,
                               .stays = true,
                               .pt = FLOW_PT};
    if (job->target)
        spin_open(job, what);
    return valve;
}

static void open_valve(struct valve *valve)
{
    __atomic_store_n(&valve->is_open, 1, __ATOMIC_SEQ_CST);
}

/* ---- With flow control -------------------------------------------------------------------- */

/* A message that is too much for the contexts: how its entry and its index see it. */
static void expect_stopped(struct job *job, struct valve *valve)
{
    next_failure(job->target_eq, PTL_EVENT_PT_DISABLED, PTL_NI_PT_DISABLED);
    open_valve(valve);
    ptl_event_t event = next_failure(job->target_eq, PTL_EVENT_PUT, PTL_NI_PT_DISABLED);
    equals(valve->completions, 1);
    equals(valve->flow, 1);
    holds(valve->dropped > 0);
    equals(valve->dropped + valve->bytes, LONG);
    equals(event.mlength, valve->bytes);
    no_event(job->target_eq);
}

/* A message of one packet that flow control lets pass. */
static void pass_short(struct job *job)
{
    job_barrier(job);
    if (job->initiator) {
        ok(put(job_md(job, job_memory(job, 100), 100), 100, .pt = FLOW_PT, .ack = PTL_ACK_REQ));
        next_event(job->eq, PTL_EVENT_ACK);
    }
    if (job->target)
        equals(next_event(job->target_eq, PTL_EVENT_PUT).mlength, 100);
}

BEHAVIOUR("when contexts run out flow control stops the index in the middle of a message", SPIN,
          .contexts = CONTEXTS)
{
    struct spin_case what;
    struct valve *valve = post_valve(job, PTL_PT_FLOWCTRL, &what);
    job_barrier(job);
    if (job->initiator)
        ok(put(job_md(job, job_memory(job, LONG), LONG), LONG, .pt = FLOW_PT, .ack = PTL_ACK_REQ));
    if (job->target)
        expect_stopped(job, valve);
    if (job->initiator)
        holds(next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_PT_DISABLED).mlength < LONG);
    job_barrier(job);
    if (job->initiator) {
        ok(put(job_md(job, NULL, 0), 0, .pt = FLOW_PT, .ack = PTL_ACK_REQ));
        next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_PT_DISABLED);
    }
    job_barrier(job);
    if (job->target)
        no_event(job->target_eq);
}

BEHAVIOUR("after PtlPTEnable messages pass again", SPIN, .contexts = CONTEXTS)
{
    struct spin_case what;
    struct valve *valve = post_valve(job, PTL_PT_FLOWCTRL, &what);
    job_barrier(job);
    if (job->initiator)
        ok(put(job_md(job, job_memory(job, LONG), LONG), LONG, .pt = FLOW_PT, .ack = PTL_ACK_REQ));
    if (job->target) {
        expect_stopped(job, valve);
        ok(PtlPTEnable(job->ni, FLOW_PT));
    }
    if (job->initiator)
        next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_PT_DISABLED);
    for (unsigned i = 0; i < 10; i++)
        pass_short(job);
    if (job->target) {
        equals(valve->completions, 11);
        equals(valve->flow, 1);
    }
}

BEHAVIOUR("one context is enough for messages of one packet", SPIN, .contexts = 1)
{
    struct spin_case what;
    struct valve *valve = post_valve(job, PTL_PT_FLOWCTRL, &what);
    open_valve(valve);
    for (unsigned i = 0; i < 10; i++)
        pass_short(job);
    job_barrier(job);
    if (job->target)
        equals(valve->bytes, 1000);
}

/* Sends until nobody stops it. In virtual time senders that try again at the same time would do
 * so for ever. */
static void send_in_spite(struct job *job, ptl_handle_md_t md)
{
    ptl_event_t event;
    for (unsigned tries = 0;; tries++) {
        unsigned which;
        PtlEQPoll(&job->eq, 1, tries * job->rank, &event, &which);
        ok(put(md, LONG / 10, .pt = FLOW_PT, .ack = PTL_ACK_REQ));
        memset(&event, 0, sizeof event);
        if (!ok(PtlEQPoll(&job->eq, 1, job_patience(job), &event, &which)))
            return;
        if (event.ni_fail_type != PTL_NI_PT_DISABLED)
            break;
    }
    equals(event.ni_fail_type, PTL_NI_OK);
    equals(event.mlength, LONG / 10);
}

BEHAVIOUR("several senders all get their messages through flow control of handlers", SPIN,
          .ranks = 4, .contexts = 32)
{
    enum { EACH = 5 };
    struct spin_case what;
    struct valve *valve = post_valve(job, PTL_PT_FLOWCTRL, &what);
    open_valve(valve);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, job_memory(job, LONG), LONG);
        for (unsigned i = 0; i < EACH; i++)
            send_in_spite(job, md);
    }
    unsigned whole = 0;
    while (job->target && whole < (job->size - 1) * EACH) {
        ptl_event_t event;
        unsigned which;
        memset(&event, 0, sizeof event);
        if (!ok(PtlEQPoll(&job->target_eq, 1, job_patience(job), &event, &which)))
            break;
        if (event.type == PTL_EVENT_PT_DISABLED)
            ok(PtlPTEnable(job->ni, FLOW_PT));
        else
            whole += event.ni_fail_type == PTL_NI_OK;
    }
    job_barrier(job);
}

/* ---- Without ------------------------------------------------------------------------------ */

BEHAVIOUR("without flow control nothing is lost, however few contexts there are", SPIN, .ranks = 4,
          .contexts = 1)
{
    enum { EACH = 3 };
    struct spin_case what;
    struct valve *valve = post_valve(job, 0, &what);
    open_valve(valve);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, job_memory(job, LONG), LONG);
        for (unsigned i = 0; i < EACH; i++)
            ok(put(md, LONG, .pt = FLOW_PT, .ack = PTL_ACK_REQ));
        for (unsigned i = 0; i < EACH; i++)
            equals(next_event(job->eq, PTL_EVENT_ACK).mlength, LONG);
    }
    unsigned all = (job->size - 1) * EACH;
    for (unsigned i = 0; i < all && job->target; i++)
        next_event(job->target_eq, PTL_EVENT_PUT);
    job_barrier(job);
    if (job->target) {
        equals(valve->bytes, all * LONG);
        equals(valve->dropped, 0);
        equals(valve->flow, 0);
        equals(valve->completions, all);
    }
}

/* Until rank 1 has sent more than the handlers take for now. */
static void let_contexts_run_out(struct job *job)
{
    ptl_event_t event;
    unsigned which;
    equals(PtlEQPoll(&job->eq, 1, job->world == JOB_SIM ? 1 : 50, &event, &which), PTL_EQ_EMPTY);
}

static void expect_short_first(struct job *job, struct valve *valve)
{
    ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
    equals(event.mlength, 100);
    open_valve(valve);
    equals(next_event(job->target_eq, PTL_EVENT_PUT).mlength, LONG);
    equals(valve->bytes, LONG);
}

BEHAVIOUR("slow handlers without flow control hold up their senders, and nobody else", SPIN,
          .ranks = 3, .contexts = CONTEXTS)
{
    struct spin_case what;
    struct valve *valve = post_valve(job, 0, &what);
    if (job->target)
        post(job_memory(job, 100), 100, .options = PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->rank == 1)
        ok(put(job_md(job, job_memory(job, LONG), LONG), LONG, .pt = FLOW_PT, .ack = PTL_ACK_REQ));
    /* Without HPUs, handlers and packets are in one line. */
    if (job->rank == 2 && job->hpus > 0) {
        let_contexts_run_out(job);
        ok(put(job_md(job, job_memory(job, 100), 100), 100, .ack = PTL_ACK_REQ));
    }
    if (job->target && job->hpus > 0)
        expect_short_first(job, valve);
    if (job->target && job->hpus == 0) {
        open_valve(valve);
        next_event(job->target_eq, PTL_EVENT_PUT);
    }
    if (job->rank == 1 || (job->rank == 2 && job->hpus > 0))
        next_event(job->eq, PTL_EVENT_ACK);
    job_barrier(job);
}

BEHAVIOUR("without flow control slow handlers hold up the sender, not the receiver's memory", SPIN,
          .contexts = CONTEXTS)
{
    struct spin_case what;
    struct valve *valve = post_valve(job, 0, &what);
    job_barrier(job);
    if (job->initiator)
        ok(put(job_md(job, job_memory(job, LONG), LONG), LONG, .pt = FLOW_PT, .ack = PTL_ACK_REQ));
    if (job->target) {
        no_event(job->target_eq);
        open_valve(valve);
        next_event(job->target_eq, PTL_EVENT_PUT);
        equals(valve->bytes, LONG);
    }
    if (job->initiator)
        next_event(job->eq, PTL_EVENT_ACK);
    job_barrier(job);
}
