/* SPDX-License-Identifier: BSD-3-Clause */
#include "spin/play.h"

static void count(size_t where, uint64_t value)
{
    uint64_t before;
    PtlHandlerDMAFetchAddB(where, value, &before, PTL_UINT64_T, PTL_HANDLER_HOST_MEM);
}

static uint64_t look(size_t where)
{
    uint64_t value = 0;
    PtlHandlerDMAFetchAddB(where, 0, &value, PTL_UINT64_T, PTL_HANDLER_HOST_MEM);
    return value;
}

#define COUNT(what, value) count(offsetof(struct seen, what), value)
#define LOOK(what) look(offsetof(struct seen, what))

static ptl_handler_result_t on_header(const ptl_header_t *header, void *state)
{
    const struct script *script = state;
    (void)header;
    if (LOOK(payloads) || LOOK(completions))
        COUNT(out_of_order, 1);
    COUNT(headers, 1);
    return script->header;
}

static ptl_handler_result_t on_payload(const ptl_payload_t *payload, void *state)
{
    const struct script *script = state;
    if (LOOK(completions))
        COUNT(out_of_order, 1);
    COUNT(payloads, 1);
    COUNT(bytes, payload->length);
    if (payload->offset == 0)
        COUNT(first_length, payload->length);
    PtlHandlerDMAToHostB(payload->base, payload->offset, payload->length, PTL_ME_HOST_MEM);
    return script->only_first && payload->offset ? PTL_HANDLER_SUCCESS : script->payload;
}

static ptl_handler_result_t on_completion(ptl_size_t dropped_bytes, int flow_control_triggered,
                                          void *state)
{
    const struct script *script = state;
    COUNT(completions, 1);
    COUNT(dropped, dropped_bytes);
    COUNT(flow, (uint64_t)flow_control_triggered);
    return script->completion;
}

struct play *play_new(struct job *job, struct script script)
{
    struct play *play = job_memory(job, sizeof *play);
    play->script = script;
    play->what = (struct spin_case){.header = on_header,
                                    .payload = on_payload,
                                    .completion = on_completion,
                                    .state = &play->script,
                                    .state_length = sizeof play->script,
                                    .host = &play->seen,
                                    .host_length = sizeof play->seen,
                                    .start = play->memory,
                                    .length = PLAY_SIZE,
                                    .size = PLAY_SIZE};
    return play;
}

struct play *play_failing(struct job *job, struct script script, ptl_ni_fail_t fail)
{
    struct play *play = play_new(job, script);
    play->what.fail = fail;
    spin_run(job, &play->what);
    return play;
}

struct play *play_run(struct job *job, struct script script)
{
    return play_failing(job, script, PTL_NI_OK);
}

bool play_is_untouched(const struct play *play)
{
    for (size_t i = 0; i < sizeof play->memory; i++)
        if (play->memory[i])
            return false;
    return true;
}
