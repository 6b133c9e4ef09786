/* SPDX-License-Identifier: BSD-3-Clause */
/* Handlers use the counter of their entry. */
#include "spin/spin.h"

enum note { CODE, SUCCESS, FAILURE, NOTES };

static ptl_handler_result_t increment(const ptl_header_t *header, void *state)
{
    ptl_ct_event_t value = {.success = 3, .failure = 2};
    (void)header;
    (void)state;
    spin_note(CODE, (uint64_t)PtlHandlerCTInc(value));
    PtlHandlerCTGet(&value);
    spin_note(SUCCESS, value.success);
    spin_note(FAILURE, value.failure);
    return PTL_HANDLER_DROP;
}

/* Runs a handler whose entry has a counter that is at so many; its notes. */
static uint64_t *run_counted(struct job *job, ptl_header_handler_t header, ptl_handle_ct_t ct,
                             ptl_size_t from)
{
    uint64_t *notes = job_memory(job, NOTES * sizeof *notes);
    ok(PtlCTSet(ct, (ptl_ct_event_t){.success = from}));
    struct spin_case what = {
        .header = header, .host = notes, .host_length = NOTES * sizeof *notes, .ct = &ct};
    spin_run(job, &what);
    return notes;
}

BEHAVIOUR("CTInc adds to the counter of the entry, CTGet tells what it is", SPIN)
{
    ptl_handle_ct_t ct = job_ct(job);
    uint64_t *notes = run_counted(job, increment, ct, 10);
    if (job->target) {
        equals(notes[CODE], PTL_OK);
        equals(notes[SUCCESS], 13);
        equals(notes[FAILURE], 2);
        counts(ct, 13, 2);
    }
}

static ptl_handler_result_t set(const ptl_header_t *header, void *state)
{
    (void)header;
    (void)state;
    spin_note(CODE, (uint64_t)PtlHandlerCTSet((ptl_ct_event_t){.success = 5, .failure = 1}));
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("CTSet sets the counter of the entry", SPIN)
{
    ptl_handle_ct_t ct = job_ct(job);
    uint64_t *notes = run_counted(job, set, ct, 1000);
    if (job->target) {
        equals(notes[CODE], PTL_OK);
        counts(ct, 5, 1);
    }
}

/* Each code in a note of its own. */
static ptl_handler_result_t without_counter(const ptl_header_t *header, void *state)
{
    ptl_ct_event_t value = {.success = 1};
    (void)header;
    (void)state;
    spin_note(0, (uint64_t)PtlHandlerCTInc(value));
    spin_note(1, (uint64_t)PtlHandlerCTGet(&value));
    spin_note(2, (uint64_t)PtlHandlerCTSet(value));
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("calls about the counter of an entry that has none are refused", SPIN)
{
    uint64_t *notes = job_memory(job, NOTES * sizeof *notes);
    struct spin_case what = {
        .header = without_counter, .host = notes, .host_length = NOTES * sizeof *notes};
    spin_run(job, &what);
    for (unsigned i = 0; i < NOTES && job->target; i++)
        equals(notes[i], PTL_ARG_INVALID);
}

BEHAVIOUR("what a handler counts starts what was triggered by it", SPIN)
{
    static const ptl_header_handler_t handlers[] = {increment, set};
    for (unsigned i = 0; i < 2; i++) {
        ptl_handle_ct_t ct = job_ct(job), seen = job_ct(job), too_far = job_ct(job);
        uint64_t *notes = job_memory(job, NOTES * sizeof *notes);
        struct spin_case what = {
            .header = handlers[i], .host = notes, .host_length = NOTES * sizeof *notes, .ct = &ct};
        ok(PtlTriggeredCTInc(seen, (ptl_ct_event_t){.success = 7}, ct, 4));
        ok(PtlTriggeredCTInc(too_far, (ptl_ct_event_t){.success = 7}, ct, 100));
        spin_run(job, &what);
        if (job->target) {
            counts(seen, 7, 0);
            counts(too_far, 0, 0);
        }
    }
}

BEHAVIOUR("a put that a handler triggers is sent while the program only waits", SPIN)
{
    enum { BITS = 9 };
    ptl_handle_ct_t ct = job_ct(job), arrived = job_ct(job);
    uint64_t *notes = job_memory(job, NOTES * sizeof *notes);
    struct spin_case what = {
        .header = increment, .host = notes, .host_length = NOTES * sizeof *notes, .ct = &ct};
    if (job->initiator)
        post(NULL, 0, PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_CT_COMM,
             .bits = BITS, .ct = &arrived);
    if (job->target)
        ok(put_when(ct, 3, job_md(job, NULL, 0), 0, .to = job->size - 1, .bits = BITS));
    spin_run(job, &what);
    if (job->initiator)
        counts(arrived, 1, 0);
    job_barrier(job);
}

static ptl_handler_result_t count_packet(const ptl_payload_t *payload, void *state)
{
    ptl_ct_event_t bytes = {.success = payload->length};
    (void)state;
    return PtlHandlerCTInc(bytes) == PTL_OK ? PTL_HANDLER_SUCCESS : PTL_HANDLER_FAIL;
}

BEHAVIOUR("what payload handlers of several messages count at the same time adds up", SPIN,
          .ranks = 4)
{
    enum { SIZE = 50000 };
    ptl_handle_ct_t ct = job_ct(job);
    struct spin_case what = {.payload = count_packet, .stays = true, .size = SIZE, .ct = &ct};
    spin_start(job, &what);
    for (unsigned i = 1; i < job->size && job->target; i++)
        next_event(job->target_eq, PTL_EVENT_PUT);
    if (job->initiator)
        next_event(job->eq, PTL_EVENT_ACK);
    job_barrier(job);
    if (job->target) {
        counts(ct, (job->size - 1) * SIZE, 0);
        spin_close(job, &what);
    }
}
