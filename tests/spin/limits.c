/* SPDX-License-Identifier: BSD-3-Clause */
/* The limits that are reported are those that are enforced. */
#include <time.h>

#include "spin/spin.h"

static ptl_handler_limits_t limits_of(struct job *job)
{
    ptl_handler_limits_t limits;
    memset(&limits, 0, sizeof limits);
    ok(PtlNIHandlerLimits(job->ni, NULL, &limits));
    return limits;
}

static int append_with(struct job *job, const ptl_handlers_t *handlers, ptl_handle_me_t *handle)
{
    ptl_me_t me = job_entry(POSTING(NULL, 0, PTL_ME_OP_PUT));
    return PtlMEAppendHandlers(job->ni, job->pt, &me, handlers, PTL_PRIORITY_LIST, NULL, handle);
}

/* Appends and unlinks. */
static int try_handlers(struct job *job, const ptl_handlers_t *handlers)
{
    ptl_handle_me_t handle = PTL_INVALID_HANDLE;
    int code = append_with(job, handlers, &handle);
    if (code == PTL_OK)
        ok(PtlMEUnlink(handle));
    return code;
}

BEHAVIOUR("an interface says what handlers may have", SPIN)
{
    ptl_handler_limits_t limits = limits_of(job);
    holds(limits.max_user_hdr_size >= 16);
    holds(limits.max_payload_size >= 512);
    holds(limits.max_handler_mem >= 65536);
    holds(limits.max_initial_state >= 256);
    holds(limits.min_fragmentation_limit >= 1);
    equals(limits.max_payload_size % limits.min_fragmentation_limit, 0);
    equals(limits.max_cycles_per_byte, PTL_CYCLES_UNLIMITED);
}

BEHAVIOUR("limits can be lowered, and not raised again; zeros change nothing", SPIN)
{
    ptl_handler_limits_t before = limits_of(job), after;
    ptl_handler_limits_t desired = {.max_user_hdr_size = 24,
                                    .max_handler_mem = 4096,
                                    .max_initial_state = 100,
                                    .max_cycles_per_byte = 1000000};
    ok(PtlNIHandlerLimits(job->ni, &desired, &after));
    equals(after.max_user_hdr_size, 24);
    equals(after.max_handler_mem, 4096);
    equals(after.max_initial_state, 100);
    equals(after.max_cycles_per_byte, 1000000);
    equals(after.max_payload_size, before.max_payload_size);
    equals(after.min_fragmentation_limit, before.min_fragmentation_limit);
    ok(PtlNIHandlerLimits(job->ni, &before, NULL));
    ok(PtlNIHandlerLimits(job->ni, &(ptl_handler_limits_t){0}, NULL));
    after = limits_of(job);
    equals(after.max_user_hdr_size, 24);
    equals(after.max_handler_mem, 4096);
    equals(after.max_initial_state, 100);
    equals(after.max_cycles_per_byte, 1000000);
}

BEHAVIOUR("PtlNIHandlerLimits refuses what makes no sense", SPIN)
{
    ptl_handler_limits_t limits;
    gives(PTL_ARG_INVALID, PtlNIHandlerLimits(job->ni, NULL, NULL));
    gives(PTL_ARG_INVALID, PtlNIHandlerLimits(PTL_INVALID_HANDLE, NULL, &limits));
    gives(PTL_ARG_INVALID, PtlNIHandlerLimits(job->eq, NULL, &limits));
}

/* ---- User headers and states -------------------------------------------------------------- */

BEHAVIOUR("max_user_hdr_size is the longest user header", SPIN)
{
    ptl_handlers_t handlers = spin_handlers(NULL, NULL, NULL);
    handlers.user_hdr_size = limits_of(job).max_user_hdr_size;
    ok(try_handlers(job, &handlers));
    handlers.user_hdr_size++;
    gives(PTL_ARG_INVALID, try_handlers(job, &handlers));
    ok(PtlNIHandlerLimits(job->ni, &(ptl_handler_limits_t){.max_user_hdr_size = 10}, NULL));
    handlers.user_hdr_size = 11;
    gives(PTL_ARG_INVALID, try_handlers(job, &handlers));
    handlers.user_hdr_size = 10;
    ok(try_handlers(job, &handlers));
}

BEHAVIOUR("max_initial_state is the longest initial state", SPIN)
{
    ptl_handlers_t handlers = spin_handlers(NULL, NULL, NULL);
    ptl_size_t most = limits_of(job).max_initial_state;
    handlers.hpu_initial_state = job_memory(job, most + 1);
    handlers.hpu_initial_state_length = most;
    ok(PtlHPUAllocMem(most + 1, job->ni, &handlers.hpu_memory));
    ok(try_handlers(job, &handlers));
    handlers.hpu_initial_state_length = most + 1;
    gives(PTL_ARG_INVALID, try_handlers(job, &handlers));
    ok(PtlNIHandlerLimits(job->ni, &(ptl_handler_limits_t){.max_initial_state = 100}, NULL));
    handlers.hpu_initial_state_length = 101;
    gives(PTL_ARG_INVALID, try_handlers(job, &handlers));
    handlers.hpu_initial_state_length = 100;
    ok(try_handlers(job, &handlers));
    spin_free(job, &handlers);
}

BEHAVIOUR("an initial state must fit into the memory it is for", SPIN)
{
    ptl_handlers_t handlers = spin_handlers(NULL, NULL, NULL);
    handlers.hpu_initial_state = job_memory(job, 64);
    handlers.hpu_initial_state_length = 1;
    gives(PTL_ARG_INVALID, try_handlers(job, &handlers));
    ok(PtlHPUAllocMem(32, job->ni, &handlers.hpu_memory));
    handlers.hpu_initial_state_length = 33;
    gives(PTL_ARG_INVALID, try_handlers(job, &handlers));
    handlers.hpu_initial_state_length = 32;
    ok(try_handlers(job, &handlers));
    spin_free(job, &handlers);
}

/* ---- Memory of the NIC -------------------------------------------------------------------- */

BEHAVIOUR("max_handler_mem is the most that one PtlHPUAllocMem gives", SPIN)
{
    ptl_handle_hpu_t memory = PTL_HPU_NONE;
    gives(PTL_ARG_INVALID, PtlHPUAllocMem(0, job->ni, &memory));
    gives(PTL_ARG_INVALID, PtlHPUAllocMem(limits_of(job).max_handler_mem + 1, job->ni, &memory));
    ok(PtlNIHandlerLimits(job->ni, &(ptl_handler_limits_t){.max_handler_mem = 5000}, NULL));
    gives(PTL_ARG_INVALID, PtlHPUAllocMem(5001, job->ni, &memory));
    holds(memory == PTL_HPU_NONE);
    ok(PtlHPUAllocMem(5000, job->ni, &memory));
    ok(PtlHPUFreeMem(&memory));
}

BEHAVIOUR("memory of the NIC comes to an end, and what is given back can be had again", SPIN)
{
    ptl_size_t most = limits_of(job).max_handler_mem;
    ptl_handle_hpu_t whole = PTL_HPU_NONE, half = PTL_HPU_NONE;
    for (unsigned round = 0; round < 3; round++) {
        ok(PtlHPUAllocMem(most / 2 + 1, job->ni, &half));
        gives(PTL_NO_SPACE, PtlHPUAllocMem(most / 2 + 1, job->ni, &whole));
        holds(whole == PTL_HPU_NONE);
        ok(PtlHPUFreeMem(&half));
        ok(PtlHPUAllocMem(most, job->ni, &whole));
        gives(PTL_NO_SPACE, PtlHPUAllocMem(1, job->ni, &half));
        ok(PtlHPUFreeMem(&whole));
    }
}

/* ---- Packets of handlers ------------------------------------------------------------------ */

enum note { LONGEST, TOO_LONG, NOTES };

static ptl_handler_result_t put_longest(const ptl_header_t *header, void *state)
{
    ptl_size_t most = *(const ptl_size_t *)state;
    spin_note(LONGEST,
              (uint64_t)PtlHandlerPutFromDevice(state, most, PTL_NO_CT_REQ, PTL_NO_ACK_REQ,
                                                header->source_id, 99, 0, NULL, 0));
    spin_note(TOO_LONG,
              (uint64_t)PtlHandlerPutFromDevice(state, most + 1, PTL_NO_CT_REQ, PTL_NO_ACK_REQ,
                                                header->source_id, 99, 0, NULL, 0));
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("max_payload_size is the most that a handler sends from the NIC", SPIN)
{
    ptl_size_t most = limits_of(job).max_payload_size;
    unsigned char *state = job_memory(job, most + 1);
    uint64_t *notes = job_memory(job, NOTES * sizeof *notes);
    ptl_handle_ct_t ct = job_ct(job);
    memcpy(state, &most, sizeof most);
    job_fill(state + sizeof most, most - sizeof most, 4);
    unsigned char *remote = job_memory(job, most);
    if (job->initiator)
        post(remote, most,
             PTL_ME_OP_PUT | PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_CT_COMM |
                 PTL_ME_EVENT_CT_BYTES,
             .bits = 99, .ct = &ct);
    struct spin_case what = {.header = put_longest,
                             .state = state,
                             .state_length = most + 1,
                             .host = notes,
                             .host_length = NOTES * sizeof *notes};
    spin_start(job, &what);
    if (job->initiator) {
        counts(ct, most, 0);
        holds(job_filled(remote + sizeof most, most - sizeof most, 4));
    }
    spin_finish(job, &what);
    if (job->target) {
        equals(notes[LONGEST], PTL_OK);
        equals(notes[TOO_LONG], PTL_ARG_INVALID);
    }
}

/* ---- Time --------------------------------------------------------------------------------- */

/* At least a tenth of a millisecond, by whatever clock. */
static void waste_time(void)
{
    struct timespec begin, now;
    unsigned char byte;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < 100000);
    for (unsigned i = 0; i < 1000; i++)
        PtlHandlerDMAFromHostB(0, &byte, 1, PTL_HANDLER_HOST_MEM);
}

static ptl_handler_result_t slow_header(const ptl_header_t *header, void *state)
{
    (void)header;
    (void)state;
    waste_time();
    return PTL_HANDLER_PROCESS_DATA;
}

static ptl_handler_result_t slow_payload(const ptl_payload_t *payload, void *state)
{
    (void)payload;
    (void)state;
    waste_time();
    return PTL_HANDLER_SUCCESS;
}

static ptl_handler_result_t note_end(ptl_size_t dropped, int flow_control, void *state)
{
    (void)flow_control;
    (void)state;
    spin_note(0, 100 + dropped);
    return PTL_HANDLER_SUCCESS;
}

/* Without HPUs nothing takes time in virtual time. */
static bool has_clock(const struct job *job)
{
    return job->world != JOB_SIM || job->hpus;
}

BEHAVIOUR("payload handlers that take longer than max_cycles_per_byte fail their message", SPIN)
{
    uint64_t notes[NOTES] = {0};
    struct spin_case what = {.payload = slow_payload,
                             .completion = note_end,
                             .host = notes,
                             .host_length = sizeof notes,
                             .size = 100,
                             .fail = has_clock(job) ? PTL_NI_HANDLER : PTL_NI_OK};
    ok(PtlNIHandlerLimits(job->ni, &(ptl_handler_limits_t){.max_cycles_per_byte = 100}, NULL));
    spin_run(job, &what);
    if (job->target)
        equals(notes[0], 100);
}

BEHAVIOUR("within max_cycles_per_byte payload handlers may take their time, others any time", SPIN)
{
    const ptl_size_t an_hour = 3600000000000;
    uint64_t notes[NOTES] = {0};
    struct spin_case what = {.header = slow_header,
                             .payload = slow_payload,
                             .host = notes,
                             .host_length = sizeof notes,
                             .size = 100};
    ok(PtlNIHandlerLimits(job->ni, &(ptl_handler_limits_t){.max_cycles_per_byte = an_hour}, NULL));
    spin_run(job, &what);
    what = (struct spin_case){
        .header = slow_header, .host = notes, .host_length = sizeof notes, .size = 100};
    ok(PtlNIHandlerLimits(job->ni, &(ptl_handler_limits_t){.max_cycles_per_byte = 1}, NULL));
    spin_run(job, &what);
}
