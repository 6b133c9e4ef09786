/* SPDX-License-Identifier: BSD-3-Clause */
/* Handlers of entries in the overflow list run when the message comes, whoever asks later. */
#include "spin/play.h"

#define ANY_BITS .ignore = ~(ptl_match_bits_t)0
#define OVERFLOW_OPTIONS PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE

static void post_overflow(struct job *job, struct play *play)
{
    if (job->target) {
        ptl_handlers_t *handlers = &play->what.handlers;
        *handlers = spin_handlers(play->what.header, play->what.payload, play->what.completion);
        handlers->handler_host_mem_start = &play->seen;
        handlers->handler_host_mem_length = sizeof play->seen;
        spin_state(job, handlers, &play->script, sizeof play->script);
        play->what.me = post_spin(handlers, play->memory, PLAY_SIZE, OVERFLOW_OPTIONS, ANY_BITS,
                                  .list = PTL_OVERFLOW_LIST);
    }
    job_barrier(job);
}

static void send(struct job *job, ptl_ni_fail_t fail)
{
    if (job->initiator) {
        unsigned char *data = job_memory(job, PLAY_SIZE);
        job_fill(data, PLAY_SIZE, SPIN_SEED);
        ok(put(job_md(job, data, PLAY_SIZE), PLAY_SIZE, .ack = PTL_ACK_REQ));
        next_failure(job->eq, PTL_EVENT_ACK, fail);
    }
    job_barrier(job);
}

BEHAVIOUR("handlers of an overflow entry run when the message comes", SPIN)
{
    struct play *play = play_new(job, (struct script){.header = PTL_HANDLER_PROCESS_DATA});
    post_overflow(job, play);
    send(job, PTL_NI_OK);
    if (!job->target)
        return;
    equals(play->seen.headers, 1);
    equals(play->seen.bytes, PLAY_SIZE);
    equals(play->seen.completions, 1);
    no_event(job->target_eq);
    post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE);
    ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW);
    equals(event.mlength, PLAY_SIZE);
    holds(event.start == play->memory);
    holds(job_filled(play->memory, PLAY_SIZE, SPIN_SEED));
    equals(play->seen.headers, 1);
}

BEHAVIOUR("whoever asks for an unexpected message learns how much of it was kept", SPIN)
{
    struct play *play = play_new(job, (struct script){.header = PTL_HANDLER_PROCESS_DATA,
                                                      .payload = PTL_HANDLER_DROP,
                                                      .only_first = true});
    post_overflow(job, play);
    send(job, PTL_NI_OK);
    if (!job->target)
        return;
    post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE);
    ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW);
    equals(event.mlength, PLAY_SIZE - play->seen.first_length);
    equals(event.rlength, PLAY_SIZE);
}

BEHAVIOUR("an unexpected message that handlers fail is not there for anybody", SPIN)
{
    struct play *play = play_new(
        job, (struct script){.header = PTL_HANDLER_PROCESS_DATA, .completion = PTL_HANDLER_FAIL});
    post_overflow(job, play);
    send(job, PTL_NI_HANDLER);
    if (job->target) {
        ptl_handle_me_t later = post(NULL, 0, PTL_ME_OP_PUT);
        no_event(job->target_eq);
        ok(PtlMEUnlink(later));
        ok(PtlMEUnlink(play->what.me));
        spin_free(job, &play->what.handlers);
    }
}

BEHAVIOUR("handlers of an entry do not run for messages that came before it", SPIN)
{
    struct play *play = play_new(job, (struct script){.header = PTL_HANDLER_PROCESS_DATA});
    unsigned char *memory = job_memory(job, PLAY_SIZE);
    if (job->target)
        post(memory, PLAY_SIZE, OVERFLOW_OPTIONS, ANY_BITS, .list = PTL_OVERFLOW_LIST);
    job_barrier(job);
    send(job, PTL_NI_OK);
    if (job->target) {
        spin_open(job, &play->what);
        equals(next_event(job->target_eq, PTL_EVENT_PUT_OVERFLOW).mlength, PLAY_SIZE);
        equals(play->seen.headers, 0);
        spin_free(job, &play->what.handlers);
    }
}
