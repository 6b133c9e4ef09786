/* SPDX-License-Identifier: BSD-3-Clause */
/* What handlers return, and what comes of it. */
#include "spin/spin.h"

#define SIZE 5000 /* several packets of the simulated world */

/* What the handlers of a message shall return, and what they saw. */
struct script {
    ptl_handler_result_t header, payload, completion;
    uint64_t headers, payloads, completions;
    uint64_t bytes, dropped, flow;
    uint64_t order_broken;
};

static ptl_handler_result_t on_header(const ptl_header_t *header, void *state)
{
    struct script *script = state;
    script->headers++;
    if (script->payloads || script->completions || header->length != SIZE)
        script->order_broken++;
    return script->header;
}

static ptl_handler_result_t on_payload(const ptl_payload_t *payload, void *state)
{
    struct script *script = state;
    uint64_t before;
    if (script->headers != 1 || script->completions)
        script->order_broken++;
    PtlHandlerFAdd(&script->payloads, &before, 1);
    PtlHandlerFAdd(&script->bytes, &before, payload->length);
    PtlHandlerDMAToHostB(payload->base, payload->offset, payload->length, PTL_ME_HOST_MEM);
    return script->payload;
}

static ptl_handler_result_t on_completion(ptl_size_t dropped_bytes, int flow_control_triggered,
                                          void *state)
{
    struct script *script = state;
    script->completions++;
    script->dropped = dropped_bytes;
    script->flow = (uint64_t)flow_control_triggered;
    PtlHandlerDMAToHostB(script, 0, sizeof *script, PTL_HANDLER_HOST_MEM);
    return script->completion;
}

struct outcome {
    struct script seen;
    unsigned char memory[SIZE];
    ptl_event_t event, ack;
};

/* One message to an entry whose handlers follow the script. */
static void play(struct job *job, struct script script, unsigned options, ptl_ni_fail_t fail,
                 struct outcome *outcome)
{
    if (job->target) {
        ptl_handlers_t handlers = spin_handlers(on_header, on_payload, on_completion);
        handlers.handler_host_mem_start = &outcome->seen;
        handlers.handler_host_mem_length = sizeof outcome->seen;
        spin_state(job, &handlers, &script, sizeof script);
        post_spin(&handlers, outcome->memory, SIZE, .options = PTL_ME_OP_PUT | options);
        job_barrier(job);
        if (!job->initiator)
            outcome->event = next_failure(job->target_eq, PTL_EVENT_PUT, fail);
    } else {
        job_barrier(job);
    }
    if (!job->initiator)
        return;
    unsigned char *data = job_memory(job, SIZE);
    job_fill(data, SIZE, 7);
    ptl_handle_md_t md = job_md(job, data, SIZE);
    ok(put(md, SIZE, .ack = PTL_ACK_REQ));
    if (job->target)
        outcome->event = next_failure(job->target_eq, PTL_EVENT_PUT, fail);
    outcome->ack = next_failure(job->eq, PTL_EVENT_ACK, fail);
}

BEHAVIOUR("PROCESS_DATA gives every byte to payload handlers, then calls the completion handler",
          SPIN)
{
    struct outcome *outcome = job_memory(job, sizeof *outcome);
    play(job, (struct script){.header = PTL_HANDLER_PROCESS_DATA}, 0, PTL_NI_OK, outcome);
    if (job->target) {
        equals(outcome->seen.headers, 1);
        equals(outcome->seen.completions, 1);
        holds(outcome->seen.payloads > 0);
        equals(outcome->seen.bytes, SIZE);
        equals(outcome->seen.dropped, 0);
        equals(outcome->seen.order_broken, 0);
        equals(outcome->event.mlength, SIZE);
        holds(job_filled(outcome->memory, SIZE, 7));
    }
    if (job->initiator)
        equals(outcome->ack.mlength, SIZE);
}
