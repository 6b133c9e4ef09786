/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that end without an event, and entries that stay. */
#include "spin/play.h"

enum { FIRST_ENTRY = 1, LATER_ENTRY };

/* The message is acknowledged, and nothing is said at the target. */
static void send_silently(struct job *job, struct play *play)
{
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, job_memory(job, PLAY_SIZE), PLAY_SIZE);
        ok(put(md, PLAY_SIZE, .ack = PTL_ACK_REQ));
        play->what.ack = next_event(job->eq, PTL_EVENT_ACK);
    }
    job_settle(job);
    if (job->target)
        no_event(job->target_eq);
}

/* An entry for one message whose handlers follow the script, and one appended later. */
static struct play *post_pending(struct job *job, struct script script, unsigned options)
{
    struct play *play = play_new(job, script);
    if (job->target) {
        play->what.options = options;
        spin_open(job, &play->what);
        post(job_memory(job, PLAY_SIZE), PLAY_SIZE, PTL_ME_OP_PUT,
             .user_ptr = (void *)(uintptr_t)LATER_ENTRY);
    }
    job_barrier(job);
    return play;
}

/* Two messages to the entry in spite of PTL_ME_USE_ONCE; what handlers deposit is there. */
static void expect_pending(struct job *job, struct script script, unsigned completions)
{
    struct play *play = post_pending(job, script, 0);
    send_silently(job, play);
    send_silently(job, play);
    if (job->target) {
        equals(play->seen.headers, 2);
        equals(play->seen.completions, 2 * completions);
        ok(PtlMEUnlink(play->what.me));
        spin_free(job, &play->what.handlers);
    }
    job_barrier(job);
    if (job->initiator)
        ok(put(job_md(job, NULL, 0), 0));
    if (job->target)
        equals((uintptr_t)next_event(job->target_eq, PTL_EVENT_PUT).user_ptr, LATER_ENTRY);
    job_barrier(job);
}

BEHAVIOUR("PROCESS_DATA_PENDING: no event, and the entry takes the next message", SPIN)
{
    expect_pending(job, (struct script){.header = PTL_HANDLER_PROCESS_DATA_PENDING}, 1);
}

BEHAVIOUR("DROP_PENDING: no event, and the entry takes the next message", SPIN)
{
    expect_pending(job, (struct script){.header = PTL_HANDLER_DROP_PENDING}, 1);
}

BEHAVIOUR("PROCEED_PENDING: no event, and the entry takes the next message", SPIN)
{
    expect_pending(job, (struct script){.header = PTL_HANDLER_PROCEED_PENDING}, 0);
}

BEHAVIOUR("SUCCESS_PENDING: no event, and the entry takes the next message", SPIN)
{
    expect_pending(job,
                   (struct script){.header = PTL_HANDLER_PROCESS_DATA,
                                   .completion = PTL_HANDLER_SUCCESS_PENDING},
                   1);
}

BEHAVIOUR("a pending message moves its data and says so to its sender", SPIN)
{
    struct play *play = play_new(job, (struct script){.header = PTL_HANDLER_PROCEED_PENDING});
    if (job->target)
        spin_open(job, &play->what);
    job_barrier(job);
    if (job->initiator) {
        unsigned char *data = job_memory(job, PLAY_SIZE);
        job_fill(data, PLAY_SIZE, 3);
        ok(put(job_md(job, data, PLAY_SIZE), PLAY_SIZE, .ack = PTL_ACK_REQ));
        equals(next_event(job->eq, PTL_EVENT_ACK).mlength, PLAY_SIZE);
    }
    job_barrier(job);
    if (job->target)
        holds(job_filled(play->memory, PLAY_SIZE, 3));
}

BEHAVIOUR("a pending message counts nothing at its entry", SPIN)
{
    ptl_handle_ct_t ct = job_ct(job);
    struct play *play = play_new(job, (struct script){.header = PTL_HANDLER_DROP_PENDING});
    if (job->target) {
        play->what.ct = &ct;
        play->what.options = PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_CT_BYTES;
        spin_open(job, &play->what);
    }
    job_barrier(job);
    send_silently(job, play);
    if (job->target)
        counts(ct, 0, 0);
}

BEHAVIOUR("an entry that comes back does so before those that were appended later, wild or not",
          SPIN)
{
    for (unsigned wild = 0; wild < 2; wild++) {
        struct play *play = play_new(job, (struct script){.header = PTL_HANDLER_DROP_PENDING});
        ptl_handle_me_t later = PTL_INVALID_HANDLE;
        if (job->target) {
            ptl_handlers_t handlers =
                spin_handlers(play->what.header, play->what.payload, play->what.completion);
            handlers.handler_host_mem_start = &play->seen;
            handlers.handler_host_mem_length = sizeof play->seen;
            spin_state(job, &handlers, &play->script, sizeof play->script);
            play->what.handlers = handlers;
            play->what.me =
                post_spin(&handlers, NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE, .bits = 5,
                          .ignore = wild, .user_ptr = (void *)(uintptr_t)FIRST_ENTRY);
            later = post(NULL, 0, PTL_ME_OP_PUT, .bits = 5, .ignore = !wild,
                         .user_ptr = (void *)(uintptr_t)LATER_ENTRY);
        }
        job_barrier(job);
        for (unsigned i = 0; i < 3 && job->initiator; i++) {
            ok(put(job_md(job, NULL, 0), 0, .bits = 5, .ack = PTL_ACK_REQ));
            next_event(job->eq, PTL_EVENT_ACK);
        }
        job_barrier(job);
        if (!job->target)
            continue;
        no_event(job->target_eq);
        equals(play->seen.headers, 3);
        ok(PtlMEUnlink(play->what.me));
        ok(PtlMEUnlink(later));
        spin_free(job, &play->what.handlers);
    }
}

BEHAVIOUR("a message that fails is told though its entry stays", SPIN)
{
    struct play *play = play_new(job, (struct script){.header = PTL_HANDLER_PROCESS_DATA_PENDING,
                                                      .completion = PTL_HANDLER_FAIL});
    if (job->target)
        spin_open(job, &play->what);
    for (unsigned round = 1; round <= 2; round++) {
        job_barrier(job); /* the target has looked at the last round */
        if (job->initiator)
            ok(put(job_md(job, NULL, 0), 0, .ack = PTL_ACK_REQ));
        if (job->target)
            next_failure(job->target_eq, PTL_EVENT_PUT, PTL_NI_HANDLER);
        if (job->initiator)
            next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_HANDLER);
        if (job->target)
            equals(play->seen.headers, round);
    }
    if (job->target) {
        no_event(job->target_eq);
        ok(PtlMEUnlink(play->what.me));
    }
}

/* Pending until the message of this number, which completes the entry. */
static ptl_handler_result_t pending_until(const ptl_header_t *header, void *state)
{
    uint64_t before;
    PtlHandlerFAdd(state, &before, 1);
    return before + 1 == header->hdr_data ? PTL_HANDLER_DROP : PTL_HANDLER_DROP_PENDING;
}

BEHAVIOUR("the message that completes the entry gives the event and unlinks it", SPIN)
{
    enum { MESSAGES = 5 };
    struct spin_case what = {.header = pending_until, .state_length = 8};
    if (job->target) {
        ptl_handlers_t handlers = spin_handlers(pending_until, NULL, NULL);
        ok(PtlHPUAllocMem(8, job->ni, &handlers.hpu_memory));
        what.handlers = handlers;
        what.me = post_spin(&handlers, NULL, 0, PTL_ME_OP_PUT | PTL_ME_USE_ONCE);
    }
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_md(job, NULL, 0);
        for (unsigned i = 0; i < MESSAGES; i++) {
            ok(put(md, 0, .hdr_data = MESSAGES, .ack = PTL_ACK_REQ));
            next_event(job->eq, PTL_EVENT_ACK);
        }
        ok(put(md, 0, .hdr_data = MESSAGES, .ack = PTL_ACK_REQ));
        next_failure(job->eq, PTL_EVENT_ACK, PTL_NI_DROPPED);
    }
    job_barrier(job);
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        next_event(job->target_eq, PTL_EVENT_AUTO_UNLINK);
        no_event(job->target_eq);
        gives(PTL_ARG_INVALID, PtlMEUnlink(what.me));
        spin_free(job, &what.handlers);
    }
}
