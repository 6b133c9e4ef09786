/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that are no puts. Atomic operations have a payload, gets have none. */
#include "spin/spin.h"

#define ALL_OPERATIONS (PTL_ME_OP_PUT | PTL_ME_OP_GET)

/* In HPU memory. */
struct plan {
    ptl_handler_result_t header, completion;
    uint64_t filler; /* the completion handler puts it into the entry, unless it is 0 */
};

/* In handler host memory. */
struct seen {
    uint64_t headers, payloads, completions;
    uint64_t type, length, payload_length, payload, dropped;
};

static void note(size_t where, uint64_t value)
{
    PtlHandlerDMAToHostB(&value, where, sizeof value, PTL_HANDLER_HOST_MEM);
}

#define NOTE(what, value) note(offsetof(struct seen, what), value)

static ptl_handler_result_t on_header(const ptl_header_t *header, void *state)
{
    NOTE(headers, 1);
    NOTE(type, header->type);
    NOTE(length, header->length);
    return ((const struct plan *)state)->header;
}

static ptl_handler_result_t on_payload(const ptl_payload_t *payload, void *state)
{
    uint64_t first = 0;
    (void)state;
    NOTE(payloads, 1);
    NOTE(payload_length, payload->length);
    memcpy(&first, payload->base, payload->length < 8 ? payload->length : 8);
    NOTE(payload, first);
    return (uintptr_t)payload->base % 8 ? PTL_HANDLER_FAIL : PTL_HANDLER_SUCCESS;
}

static ptl_handler_result_t on_completion(ptl_size_t dropped, int flow_control, void *state)
{
    const struct plan *plan = state;
    (void)flow_control;
    NOTE(completions, 1);
    NOTE(dropped, dropped);
    if (plan->filler)
        PtlHandlerDMAToHostB(&plan->filler, 0, sizeof plan->filler, PTL_ME_HOST_MEM);
    return plan->completion;
}

struct round {
    struct plan plan;
    struct seen seen;
    uint64_t memory; /* of the entry: 100 before */
    uint64_t local, fetched;
    ptl_handlers_t handlers;
    ptl_event_t event;
};

static struct round *round_new(struct job *job, struct plan plan, bool has_payload)
{
    struct round *round = job_memory(job, sizeof *round);
    round->plan = plan;
    round->memory = 100;
    round->local = 11;
    round->handlers = spin_handlers(on_header, has_payload ? on_payload : NULL, on_completion);
    round->handlers.handler_host_mem_start = &round->seen;
    round->handlers.handler_host_mem_length = sizeof round->seen;
    if (job->target) {
        spin_state(job, &round->handlers, &round->plan, sizeof round->plan);
        post_spin(&round->handlers, &round->memory, 8,
                  ALL_OPERATIONS | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE);
    }
    job_barrier(job);
    return round;
}

/* The operation is done at both ends: `at_target` failing so, and `result` at the initiator. */
static void round_end(struct job *job, struct round *round, ptl_event_kind_t at_target,
                      ptl_event_kind_t result, ptl_ni_fail_t fail)
{
    if (job->target)
        round->event = next_failure(job->target_eq, at_target, fail);
    if (job->initiator)
        next_failure(job->eq, result, fail);
    job_barrier(job);
    if (job->target)
        spin_free(job, &round->handlers);
}

/* ---- Gets --------------------------------------------------------------------------------- */

static struct round *run_get(struct job *job, struct plan plan, ptl_ni_fail_t fail)
{
    struct round *round = round_new(job, plan, true);
    if (job->initiator)
        ok(get(job_md(job, &round->fetched, 8), 8));
    round_end(job, round, PTL_EVENT_GET, PTL_EVENT_REPLY, fail);
    if (job->target) {
        equals(round->seen.type, PTL_REQUEST_GET);
        equals(round->seen.length, 8);
        equals(round->seen.payloads, 0);
    }
    return round;
}

BEHAVIOUR("the completion handler of a get runs before the reply, and may write what it takes",
          SPIN)
{
    struct round *round =
        run_get(job, (struct plan){.header = PTL_HANDLER_PROCESS_DATA, .filler = 55}, PTL_NI_OK);
    if (job->target)
        equals(round->seen.completions, 1);
    if (job->initiator)
        equals(round->fetched, 55);
}

BEHAVIOUR("a get that proceeds is answered as if there were no handlers", SPIN)
{
    struct round *round =
        run_get(job, (struct plan){.header = PTL_HANDLER_PROCEED, .filler = 55}, PTL_NI_OK);
    if (job->target) {
        equals(round->seen.completions, 0);
        equals(round->event.mlength, 8);
    }
    if (job->initiator)
        equals(round->fetched, 100);
}

BEHAVIOUR("a get that the header handler drops gets no data, and is told so", SPIN)
{
    struct round *round = run_get(job, (struct plan){.header = PTL_HANDLER_DROP}, PTL_NI_DROPPED);
    if (job->target) {
        equals(round->event.mlength, 0);
        equals(round->seen.completions, 1);
    }
    if (job->initiator)
        equals(round->fetched, 0);
}

BEHAVIOUR("a get whose handlers fail gets no data", SPIN)
{
    run_get(job, (struct plan){.header = PTL_HANDLER_FAIL}, PTL_NI_HANDLER);
    run_get(job, (struct plan){.header = PTL_HANDLER_SEGV}, PTL_NI_SEGV);
    struct round *round = run_get(
        job, (struct plan){.header = PTL_HANDLER_PROCESS_DATA, .completion = PTL_HANDLER_FAIL},
        PTL_NI_HANDLER);
    if (job->initiator)
        equals(round->fetched, 0);
}

BEHAVIOUR("a long get with handlers is answered whole", SPIN)
{
    enum { SIZE = 100000 };
    unsigned char *memory = job_memory(job, SIZE);
    ptl_handlers_t handlers = spin_handlers(NULL, NULL, NULL);
    if (job->target) {
        job_fill(memory, SIZE, 9);
        post_spin(&handlers, memory, SIZE, PTL_ME_OP_GET);
    }
    job_barrier(job);
    if (job->initiator) {
        unsigned char *in = job_memory(job, SIZE);
        ok(get(job_md(job, in, SIZE), SIZE));
        next_event(job->eq, PTL_EVENT_REPLY);
        holds(job_filled(in, SIZE, 9));
    }
    if (job->target)
        next_event(job->target_eq, PTL_EVENT_GET);
    job_barrier(job);
}

/* ---- Atomic operations -------------------------------------------------------------------- */

static struct round *run_atomic(struct job *job, struct plan plan, bool has_payload,
                                ptl_ni_fail_t fail)
{
    struct round *round = round_new(job, plan, has_payload);
    if (job->initiator)
        ok(atomic(job_md(job, &round->local, 8), 8, .ack = PTL_ACK_REQ, .operation = PTL_SUM,
                  .datatype = PTL_UINT64_T));
    round_end(job, round, PTL_EVENT_ATOMIC, PTL_EVENT_ACK, fail);
    if (job->target)
        equals(round->seen.type, PTL_REQUEST_ATOMIC);
    return round;
}

BEHAVIOUR("an atomic operation without a payload handler is done by the NIC", SPIN)
{
    struct round *round =
        run_atomic(job, (struct plan){.header = PTL_HANDLER_PROCESS_DATA}, false, PTL_NI_OK);
    if (job->target) {
        equals(round->memory, 111);
        equals(round->seen.completions, 1);
        equals(round->event.mlength, 8);
    }
    round = run_atomic(job, (struct plan){.header = PTL_HANDLER_PROCEED}, true, PTL_NI_OK);
    if (job->target) {
        equals(round->memory, 111);
        equals(round->seen.completions, 0);
        equals(round->seen.payloads, 0);
    }
}

BEHAVIOUR("a payload handler gets the data of an atomic operation instead of the memory", SPIN)
{
    struct round *round =
        run_atomic(job, (struct plan){.header = PTL_HANDLER_PROCESS_DATA}, true, PTL_NI_OK);
    if (job->target) {
        equals(round->memory, 100);
        equals(round->seen.payload, 11);
        equals(round->seen.payload_length, 8);
        equals(round->event.mlength, 8);
        equals(round->seen.completions, 1);
    }
}

BEHAVIOUR("an atomic operation that is dropped or fails changes nothing", SPIN)
{
    struct round *round =
        run_atomic(job, (struct plan){.header = PTL_HANDLER_DROP}, false, PTL_NI_OK);
    if (job->target) {
        equals(round->memory, 100);
        equals(round->event.mlength, 0);
        equals(round->seen.dropped, 8);
    }
    round = run_atomic(job, (struct plan){.header = PTL_HANDLER_FAIL}, false, PTL_NI_HANDLER);
    if (job->target)
        equals(round->memory, 100);
    round = run_atomic(
        job, (struct plan){.header = PTL_HANDLER_PROCESS_DATA, .completion = PTL_HANDLER_SEGV},
        false, PTL_NI_SEGV);
    if (job->target)
        equals(round->memory, 100);
}

/* ---- Those that fetch --------------------------------------------------------------------- */

static struct round *run_fetch(struct job *job, struct plan plan, bool has_payload,
                               ptl_ni_fail_t fail)
{
    struct round *round = round_new(job, plan, has_payload);
    if (job->initiator)
        ok(fetch(job_md(job, &round->local, 8), 8, .get_md = job_md(job, &round->fetched, 8),
                 .operation = PTL_SUM, .datatype = PTL_UINT64_T));
    round_end(job, round, PTL_EVENT_FETCH_ATOMIC, PTL_EVENT_REPLY, fail);
    if (job->target)
        equals(round->seen.type, PTL_REQUEST_FETCH_ATOMIC);
    return round;
}

BEHAVIOUR("a fetching operation without a payload handler is done by the NIC", SPIN)
{
    struct round *round =
        run_fetch(job, (struct plan){.header = PTL_HANDLER_PROCESS_DATA}, false, PTL_NI_OK);
    if (job->target)
        equals(round->memory, 111);
    if (job->initiator)
        equals(round->fetched, 100);
}

BEHAVIOUR("with a payload handler a fetching operation fetches what the handlers leave", SPIN)
{
    struct round *round = run_fetch(
        job, (struct plan){.header = PTL_HANDLER_PROCESS_DATA, .filler = 77}, true, PTL_NI_OK);
    if (job->target) {
        equals(round->memory, 77);
        equals(round->seen.payload, 11);
    }
    if (job->initiator)
        equals(round->fetched, 77);
}

BEHAVIOUR("a fetching operation that is dropped fetches nothing", SPIN)
{
    struct round *round =
        run_fetch(job, (struct plan){.header = PTL_HANDLER_DROP}, true, PTL_NI_DROPPED);
    if (job->target)
        equals(round->memory, 100);
    if (job->initiator)
        equals(round->fetched, 0);
}

static struct round *run_swap(struct job *job, struct plan plan, bool has_payload,
                              uint64_t operand)
{
    struct round *round = round_new(job, plan, has_payload);
    if (job->initiator)
        ok(swap(job_md(job, &round->local, 4), 4, .get_md = job_md(job, &round->fetched, 8),
                .operand = &operand, .operation = PTL_CSWAP, .datatype = PTL_UINT32_T));
    round_end(job, round, PTL_EVENT_FETCH_ATOMIC, PTL_EVENT_REPLY, PTL_NI_OK);
    if (job->target)
        equals(round->seen.type, PTL_REQUEST_SWAP);
    return round;
}

BEHAVIOUR("a swap without a payload handler is done by the NIC", SPIN)
{
    struct round *round =
        run_swap(job, (struct plan){.header = PTL_HANDLER_PROCESS_DATA}, false, 100);
    if (job->target)
        equals(round->memory, 11);
    if (job->initiator)
        equals(round->fetched, 100);
}

BEHAVIOUR("the payload of a swap is its data without the operand, and aligned", SPIN)
{
    struct round *round =
        run_swap(job, (struct plan){.header = PTL_HANDLER_PROCESS_DATA}, true, 100);
    if (job->target) {
        equals(round->seen.length, 4);
        equals(round->seen.payload_length, 4);
        equals(round->seen.payload, 11);
        equals(round->memory, 100);
    }
}
