/* SPDX-License-Identifier: BSD-3-Clause */
/* What handlers return, and what comes of it. */
#include "spin/play.h"

/* ---- The header handler ------------------------------------------------------------------- */

BEHAVIOUR("PROCESS_DATA gives every byte to payload handlers, then calls the completion handler",
          SPIN)
{
    struct play *play = play_run(job, (struct script){.header = PTL_HANDLER_PROCESS_DATA});
    if (job->target) {
        equals(play->seen.headers, 1);
        equals(play->seen.completions, 1);
        holds(play->seen.payloads > 0);
        equals(play->seen.bytes, PLAY_SIZE);
        equals(play->seen.dropped, 0);
        equals(play->seen.flow, 0);
        equals(play->seen.out_of_order, 0);
        equals(play->what.event.mlength, PLAY_SIZE);
        holds(job_filled(play->memory, PLAY_SIZE, SPIN_SEED));
    }
    if (job->initiator)
        equals(play->what.ack.mlength, PLAY_SIZE);
}

/* Nothing of the message has gone anywhere, and the completion handler has been told. */
static void expect_dropped(struct job *job, const struct play *play)
{
    if (job->target) {
        equals(play->seen.headers, 1);
        equals(play->seen.payloads, 0);
        equals(play->seen.completions, 1);
        equals(play->seen.dropped, PLAY_SIZE);
        equals(play->seen.flow, 0);
        equals(play->what.event.mlength, 0);
        equals(play->what.event.rlength, PLAY_SIZE);
        holds(play_is_untouched(play));
    }
    if (job->initiator)
        equals(play->what.ack.mlength, 0);
}

BEHAVIOUR("a header handler that returns DROP drops the whole message, and that is no failure",
          SPIN)
{
    expect_dropped(job, play_run(job, (struct script){.header = PTL_HANDLER_DROP}));
}

BEHAVIOUR("a header handler that returns FAIL ends the message with PTL_NI_HANDLER", SPIN)
{
    expect_dropped(job,
                   play_failing(job, (struct script){.header = PTL_HANDLER_FAIL}, PTL_NI_HANDLER));
}

BEHAVIOUR("a header handler that returns SEGV ends the message with PTL_NI_SEGV", SPIN)
{
    expect_dropped(job,
                   play_failing(job, (struct script){.header = PTL_HANDLER_SEGV}, PTL_NI_SEGV));
}

BEHAVIOUR("what a header handler must not return counts as FAIL", SPIN)
{
    static const int others[] = {PTL_HANDLER_SUCCESS, PTL_HANDLER_SUCCESS_PENDING,
                                 PTL_HANDLER_SEGV + 1, -1};
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        expect_dropped(
            job, play_failing(job, (struct script){.header = (ptl_handler_result_t)others[i]},
                              PTL_NI_HANDLER));
}

BEHAVIOUR("PROCEED deposits the data as if there were no handlers, and calls no others", SPIN)
{
    struct play *play = play_run(job, (struct script){.header = PTL_HANDLER_PROCEED});
    if (job->target) {
        equals(play->seen.headers, 1);
        equals(play->seen.payloads, 0);
        equals(play->seen.completions, 0);
        equals(play->what.event.mlength, PLAY_SIZE);
        holds(play->what.event.start == play->memory);
        holds(job_filled(play->memory, PLAY_SIZE, SPIN_SEED));
    }
    if (job->initiator)
        equals(play->what.ack.mlength, PLAY_SIZE);
}

BEHAVIOUR("a message that proceeds is cut to the memory of the entry", SPIN)
{
    struct play *play = play_new(job, (struct script){.header = PTL_HANDLER_PROCEED});
    play->what.length = PLAY_SIZE / 2 + 1;
    spin_run(job, &play->what);
    if (job->target) {
        equals(play->what.event.mlength, PLAY_SIZE / 2 + 1);
        holds(job_filled(play->memory, PLAY_SIZE / 2 + 1, SPIN_SEED));
        equals(play->memory[PLAY_SIZE / 2 + 1], 0);
    }
    if (job->initiator)
        equals(play->what.ack.mlength, PLAY_SIZE / 2 + 1);
}

/* ---- Payload handlers --------------------------------------------------------------------- */

BEHAVIOUR("packets that payload handlers drop are not in the mlength, and are told at the end",
          SPIN)
{
    struct play *play = play_run(
        job, (struct script){.header = PTL_HANDLER_PROCESS_DATA, .payload = PTL_HANDLER_DROP});
    if (job->target) {
        equals(play->seen.bytes, PLAY_SIZE);
        equals(play->seen.dropped, PLAY_SIZE);
        equals(play->what.event.mlength, 0);
    }
    if (job->initiator)
        equals(play->what.ack.mlength, 0);
}

BEHAVIOUR("of the packets only those count as dropped whose handlers say so", SPIN)
{
    struct play *play = play_run(job, (struct script){.header = PTL_HANDLER_PROCESS_DATA,
                                                      .payload = PTL_HANDLER_DROP,
                                                      .only_first = true});
    if (job->target) {
        equals(play->seen.bytes, PLAY_SIZE);
        equals(play->seen.dropped, play->seen.first_length);
        equals(play->what.event.mlength, PLAY_SIZE - play->seen.first_length);
    }
}

/* The other packets of the message are not held up. */
static void expect_payload_failure(struct job *job, int result, ptl_ni_fail_t fail)
{
    struct play *play = play_failing(job,
                                     (struct script){.header = PTL_HANDLER_PROCESS_DATA,
                                                     .payload = (ptl_handler_result_t)result,
                                                     .only_first = true},
                                     fail);
    if (!job->target)
        return;
    equals(play->seen.bytes, PLAY_SIZE);
    equals(play->seen.completions, 1);
    equals(play->seen.dropped, 0);
    equals(play->seen.out_of_order, 0);
    holds(job_filled(play->memory, PLAY_SIZE, SPIN_SEED));
}

BEHAVIOUR("a payload handler that returns FAIL ends the message with PTL_NI_HANDLER", SPIN)
{
    expect_payload_failure(job, PTL_HANDLER_FAIL, PTL_NI_HANDLER);
}

BEHAVIOUR("a payload handler that returns SEGV ends the message with PTL_NI_SEGV", SPIN)
{
    expect_payload_failure(job, PTL_HANDLER_SEGV, PTL_NI_SEGV);
}

BEHAVIOUR("what a payload handler must not return counts as FAIL", SPIN)
{
    static const int others[] = {PTL_HANDLER_SUCCESS_PENDING, PTL_HANDLER_DROP_PENDING,
                                 PTL_HANDLER_PROCESS_DATA, PTL_HANDLER_PROCEED, 1000};
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        expect_payload_failure(job, others[i], PTL_NI_HANDLER);
}

/* ---- The completion handler --------------------------------------------------------------- */

static void expect_completion_failure(struct job *job, int result, ptl_ni_fail_t fail)
{
    struct play *play = play_failing(job,
                                     (struct script){.header = PTL_HANDLER_PROCESS_DATA,
                                                     .completion = (ptl_handler_result_t)result},
                                     fail);
    if (job->target) {
        equals(play->seen.completions, 1);
        equals(play->what.event.mlength, PLAY_SIZE);
        holds(job_filled(play->memory, PLAY_SIZE, SPIN_SEED));
    }
}

BEHAVIOUR("a completion handler that returns FAIL ends the message with PTL_NI_HANDLER", SPIN)
{
    expect_completion_failure(job, PTL_HANDLER_FAIL, PTL_NI_HANDLER);
}

BEHAVIOUR("a completion handler that returns SEGV ends the message with PTL_NI_SEGV", SPIN)
{
    expect_completion_failure(job, PTL_HANDLER_SEGV, PTL_NI_SEGV);
}

BEHAVIOUR("what a completion handler must not return counts as FAIL", SPIN)
{
    static const int others[] = {PTL_HANDLER_DROP, PTL_HANDLER_DROP_PENDING,
                                 PTL_HANDLER_PROCESS_DATA, PTL_HANDLER_PROCEED_PENDING, 1000};
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        expect_completion_failure(job, others[i], PTL_NI_HANDLER);
}

BEHAVIOUR("of several errors the first is told", SPIN)
{
    play_failing(job,
                 (struct script){.header = PTL_HANDLER_PROCESS_DATA,
                                 .payload = PTL_HANDLER_FAIL,
                                 .completion = PTL_HANDLER_SEGV},
                 PTL_NI_HANDLER);
    play_failing(job,
                 (struct script){.header = PTL_HANDLER_PROCESS_DATA,
                                 .payload = PTL_HANDLER_SEGV,
                                 .completion = PTL_HANDLER_FAIL},
                 PTL_NI_SEGV);
    play_failing(job, (struct script){.header = PTL_HANDLER_SEGV, .completion = PTL_HANDLER_FAIL},
                 PTL_NI_SEGV);
}

/* ---- Handlers that are not there ---------------------------------------------------------- */

BEHAVIOUR("each of the three handlers may be missing", SPIN)
{
    for (unsigned have = 0; have < 8; have++) {
        struct play *play = play_new(job, (struct script){.header = PTL_HANDLER_PROCESS_DATA});
        bool header = have & 1, payload = have & 2, completion = have & 4;
        if (!header)
            play->what.header = NULL;
        if (!payload)
            play->what.payload = NULL;
        if (!completion)
            play->what.completion = NULL;
        spin_run(job, &play->what);
        if (!job->target)
            continue;
        equals(play->seen.headers, header);
        equals(play->seen.completions, completion);
        equals(play->seen.bytes, payload ? PLAY_SIZE : 0);
        equals(play->what.event.mlength, PLAY_SIZE);
        /* Without a payload handler the data goes into the entry by itself. */
        holds(job_filled(play->memory, PLAY_SIZE, SPIN_SEED));
    }
}

BEHAVIOUR("a message without data has a header and a completion handler, but no payload", SPIN)
{
    struct play *play = play_new(job, (struct script){.header = PTL_HANDLER_PROCESS_DATA});
    play->what.size = 0;
    spin_run(job, &play->what);
    if (job->target) {
        equals(play->seen.headers, 1);
        equals(play->seen.payloads, 0);
        equals(play->seen.completions, 1);
        equals(play->seen.dropped, 0);
        equals(play->what.event.mlength, 0);
    }
}

/* ---- Counters and options of the entry ---------------------------------------------------- */

BEHAVIOUR("the counter of the entry counts messages of handlers, or the bytes that were kept",
          SPIN)
{
    ptl_handle_ct_t messages = job_ct(job), bytes = job_ct(job);
    for (unsigned round = 0; round < 2; round++) {
        struct play *play = play_new(job, (struct script){.header = PTL_HANDLER_PROCESS_DATA,
                                                          .payload = PTL_HANDLER_DROP,
                                                          .only_first = true});
        play->what.ct = round ? &bytes : &messages;
        play->what.options = PTL_ME_EVENT_CT_COMM | (round ? PTL_ME_EVENT_CT_BYTES : 0);
        spin_run(job, &play->what);
        if (job->target && !round)
            counts(messages, 1, 0);
        if (job->target && round)
            counts(bytes, PLAY_SIZE - play->seen.first_length, 0);
    }
}

BEHAVIOUR("what a handler fails counts as a failure", SPIN)
{
    ptl_handle_ct_t ct = job_ct(job);
    struct play *play = play_new(job, (struct script){.header = PTL_HANDLER_FAIL});
    play->what.ct = &ct;
    play->what.options = PTL_ME_EVENT_CT_COMM;
    play->what.fail = PTL_NI_HANDLER;
    spin_run(job, &play->what);
    if (job->target)
        counts(ct, 0, 1);
}

BEHAVIOUR("an entry that tells only of failures tells of those of handlers", SPIN)
{
    struct play *play = play_new(
        job, (struct script){.header = PTL_HANDLER_PROCESS_DATA, .completion = PTL_HANDLER_FAIL});
    play->what.options = PTL_ME_EVENT_SUCCESS_DISABLE;
    play->what.fail = PTL_NI_HANDLER;
    spin_run(job, &play->what);
}
