/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of the NIC: whose it is, how it begins, and when it can go. */
#include "spin/spin.h"

#define WORDS 8

/* Shows the whole memory, then counts in it. */
static ptl_handler_result_t show(const ptl_header_t *header, void *state)
{
    uint64_t *words = state;
    (void)header;
    PtlHandlerDMAToHostB(words, 0, WORDS * sizeof *words, PTL_HANDLER_HOST_MEM);
    words[0]++;
    return PTL_HANDLER_DROP;
}

static void send(struct job *job, ptl_match_bits_t bits)
{
    job_barrier(job);
    if (job->initiator)
        ok(put(job_md(job, NULL, 0), 0, .bits = bits));
    if (job->target)
        next_event(job->target_eq, PTL_EVENT_PUT);
    job_barrier(job);
}

/* An entry that shows the memory in `shown`. */
static ptl_handle_me_t post_show(struct job *job, ptl_handlers_t *handlers, uint64_t *shown,
                                 ptl_match_bits_t bits)
{
    handlers->header_handler = show;
    handlers->handler_host_mem_start = shown;
    handlers->handler_host_mem_length = WORDS * sizeof *shown;
    return post_spin(handlers, NULL, 0, PTL_ME_OP_PUT, .bits = bits);
}

BEHAVIOUR("memory of the NIC is empty at first, and keeps what handlers leave", SPIN)
{
    uint64_t *shown = job_memory(job, WORDS * sizeof *shown);
    ptl_handlers_t handlers = spin_handlers(NULL, NULL, NULL);
    ptl_handle_me_t me = PTL_INVALID_HANDLE;
    if (job->target) {
        ok(PtlHPUAllocMem(WORDS * sizeof *shown, job->ni, &handlers.hpu_memory));
        me = post_show(job, &handlers, shown, 0);
    }
    for (unsigned round = 0; round < 3; round++) {
        send(job, 0);
        if (!job->target)
            continue;
        equals(shown[0], round);
        equals(shown[1], 0);
        equals(shown[WORDS - 1], 0);
    }
    if (job->target) {
        ok(PtlMEUnlink(me));
        spin_free(job, &handlers);
    }
}

BEHAVIOUR("the append copies the initial state, and the rest of the memory stays", SPIN)
{
    uint64_t *shown = job_memory(job, WORDS * sizeof *shown);
    uint64_t state[2] = {10, 20};
    ptl_handlers_t handlers = spin_handlers(NULL, NULL, NULL);
    if (job->target) {
        ok(PtlHPUAllocMem(WORDS * sizeof *shown, job->ni, &handlers.hpu_memory));
        handlers.hpu_initial_state = state;
        handlers.hpu_initial_state_length = sizeof state;
        ok(PtlMEUnlink(post_show(job, &handlers, shown, 0)));
        state[0] = 30;
        handlers.hpu_initial_state_length = sizeof *state;
        post_show(job, &handlers, shown, 0);
        state[0] = 40;
    }
    send(job, 0);
    if (job->target) {
        equals(shown[0], 30);
        equals(shown[1], 20);
        equals(shown[2], 0);
    }
}

BEHAVIOUR("an append without initial state leaves the memory as it is", SPIN)
{
    uint64_t *shown = job_memory(job, WORDS * sizeof *shown);
    uint64_t state = 10;
    ptl_handlers_t handlers = spin_handlers(NULL, NULL, NULL);
    if (job->target) {
        spin_state(job, &handlers, &state, sizeof state);
        spin_free(job, &handlers);
        ok(PtlHPUAllocMem(WORDS * sizeof *shown, job->ni, &handlers.hpu_memory));
        handlers.hpu_initial_state_length = sizeof state;
        ok(PtlMEUnlink(post_show(job, &handlers, shown, 0)));
        handlers.hpu_initial_state = NULL;
        post_show(job, &handlers, shown, 0);
    }
    send(job, 0);
    if (job->target)
        equals(shown[0], 10);
}

BEHAVIOUR("entries share the memory of the NIC that they name", SPIN)
{
    uint64_t *shown = job_memory(job, WORDS * sizeof *shown);
    ptl_handlers_t handlers = spin_handlers(NULL, NULL, NULL);
    ptl_handle_me_t first = PTL_INVALID_HANDLE, second = PTL_INVALID_HANDLE;
    if (job->target) {
        ok(PtlHPUAllocMem(WORDS * sizeof *shown, job->ni, &handlers.hpu_memory));
        first = post_show(job, &handlers, shown, 1);
        second = post_show(job, &handlers, shown, 2);
    }
    for (unsigned round = 0; round < 4; round++) {
        send(job, 1 + round % 2);
        if (job->target)
            equals(shown[0], round);
    }
    if (!job->target)
        return;
    ok(PtlMEUnlink(first));
    gives(PTL_IN_USE, PtlHPUFreeMem(&handlers.hpu_memory));
    ok(PtlMEUnlink(second));
    spin_free(job, &handlers);
}

static ptl_handler_result_t note_state(const ptl_header_t *header, void *state)
{
    (void)header;
    spin_note(0, state == NULL);
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("without memory of the NIC the state is NULL", SPIN)
{
    uint64_t notes[1] = {7};
    struct spin_case what = {.header = note_state, .host = notes, .host_length = sizeof notes};
    spin_run(job, &what);
    if (job->target)
        equals(notes[0], 1);
}

BEHAVIOUR("memory of the NIC cannot be freed twice, nor used afterwards", SPIN)
{
    ptl_handle_hpu_t memory = PTL_HPU_NONE, copy;
    ok(PtlHPUAllocMem(100, job->ni, &memory));
    copy = memory;
    ok(PtlHPUFreeMem(&memory));
    holds(memory == PTL_HPU_NONE);
    gives(PTL_ARG_INVALID, PtlHPUFreeMem(&memory));
    gives(PTL_ARG_INVALID, PtlHPUFreeMem(&copy));
    gives(PTL_ARG_INVALID, PtlHPUFreeMem(NULL));
    gives(PTL_ARG_INVALID, PtlHPUAllocMem(100, job->ni, NULL));
    ptl_handlers_t handlers = spin_handlers(NULL, NULL, NULL);
    ptl_me_t me = job_entry(POSTING(NULL, 0, PTL_ME_OP_PUT));
    ptl_handle_me_t handle;
    handlers.hpu_memory = copy;
    gives(PTL_ARG_INVALID,
          PtlMEAppendHandlers(job->ni, job->pt, &me, &handlers, PTL_PRIORITY_LIST, NULL, &handle));
}

BEHAVIOUR("memory of the NIC is free when the entry for one message has taken it", SPIN)
{
    uint64_t *shown = job_memory(job, WORDS * sizeof *shown);
    struct spin_case what = {.header = show,
                             .host = shown,
                             .host_length = WORDS * sizeof *shown,
                             .state_length = WORDS * sizeof *shown};
    spin_start(job, &what);
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        spin_free(job, &what.handlers);
    }
    job_barrier(job);
}

BEHAVIOUR("PtlNIHandle finds the interface of memory of the NIC", SPIN)
{
    ptl_handle_hpu_t memory = PTL_HPU_NONE;
    ptl_handle_ni_t ni;
    ok(PtlHPUAllocMem(100, job->ni, &memory));
    ok(PtlNIHandle(memory, &ni));
    holds(PtlHandleIsEqual(ni, job->ni));
    /* An interface that closes takes it along. */
}
