/* SPDX-License-Identifier: BSD-3-Clause */
/* What is refused: handlers that make no sense, and what handlers may not do. */
#include "spin/spin.h"

#define ROOM 64  /* bytes of each memory that handlers have */
#define GUARD 32 /* bytes before and behind it, which nobody may touch */
#define GUARD_BYTE 0xa5

enum { NOTES = 40 };

/* ---- Appending ---------------------------------------------------------------------------- */

static int append_with(struct job *job, const ptl_handlers_t *handlers)
{
    ptl_handle_me_t handle = PTL_INVALID_HANDLE;
    ptl_me_t me = job_entry(POSTING(NULL, 0, PTL_ME_OP_PUT));
    int code =
        PtlMEAppendHandlers(job->ni, job->pt, &me, handlers, PTL_PRIORITY_LIST, NULL, &handle);
    if (code == PTL_OK)
        ok(PtlMEUnlink(handle));
    return code;
}

BEHAVIOUR("PtlMEAppendHandlers refuses arguments that make no sense", SPIN)
{
    ptl_handlers_t handlers = spin_handlers(NULL, NULL, NULL);
    ptl_me_t me = job_entry(POSTING(NULL, 0, PTL_ME_OP_PUT));
    ptl_handle_me_t handle;
    ok(append_with(job, &handlers));
    gives(PTL_ARG_INVALID,
          PtlMEAppendHandlers(job->ni, job->pt, &me, NULL, PTL_PRIORITY_LIST, NULL, &handle));
    gives(PTL_ARG_INVALID,
          PtlMEAppendHandlers(job->ni, job->pt, &me, &handlers, PTL_PRIORITY_LIST, NULL, NULL));
    gives(PTL_ARG_INVALID,
          PtlMEAppendHandlers(job->ni, 60, &me, &handlers, PTL_PRIORITY_LIST, NULL, &handle));
    gives(PTL_ARG_INVALID,
          PtlMEAppendHandlers(job->eq, job->pt, &me, &handlers, PTL_PRIORITY_LIST, NULL, &handle));
    gives(PTL_ARG_INVALID, PtlMEAppendHandlers(job->ni, job->pt, NULL, &handlers,
                                               PTL_PRIORITY_LIST, NULL, &handle));
}

BEHAVIOUR("PtlMEAppendHandlers needs an interface with matching", .needs = PTL_NI_NO_MATCHING)
{
    ptl_handlers_t handlers = spin_handlers(NULL, NULL, NULL);
    gives(PTL_ARG_INVALID, append_with(job, &handlers));
}

BEHAVIOUR("options, policies and memories that do not exist are refused", SPIN)
{
    const ptl_handlers_t good = spin_handlers(NULL, NULL, NULL);
    ptl_handlers_t handlers = good;
    handlers.options = PTL_HANDLER_IOVEC << 1;
    gives(PTL_ARG_INVALID, append_with(job, &handlers));
    handlers = good;
    handlers.policy = (ptl_sched_policy_t)2;
    gives(PTL_ARG_INVALID, append_with(job, &handlers));
    handlers.policy = PTL_SCHED_BLOCKED_RR;
    handlers.delta_p = 0;
    handlers.vhpus = 1;
    gives(PTL_ARG_INVALID, append_with(job, &handlers));
    handlers.delta_p = 1;
    handlers.vhpus = 0;
    gives(PTL_ARG_INVALID, append_with(job, &handlers));
    handlers.vhpus = 1;
    ok(append_with(job, &handlers));
    handlers = good;
    handlers.hpu_memory = job->eq;
    gives(PTL_ARG_INVALID, append_with(job, &handlers));
    handlers.hpu_memory = PTL_INVALID_HANDLE;
    gives(PTL_ARG_INVALID, append_with(job, &handlers));
    handlers = good;
    handlers.handler_host_mem_length = 8;
    handlers.options = PTL_HANDLER_IOVEC;
    gives(PTL_ARG_INVALID, append_with(job, &handlers));
}

/* ---- Outside of handlers ------------------------------------------------------------------ */

static void expect_calls_fail(struct job *job)
{
    ptl_process_t self = job_process(job, job->rank);
    uint64_t value = 1;
    ptl_dma_t handle = 0;
    ptl_ct_event_t count = {0, 0};
    gives(PTL_FAIL, PtlHandlerDMAToHostB(&value, 0, 0, 0));
    gives(PTL_FAIL, PtlHandlerDMAToHostNB(&value, 0, 0, 0, &handle));
    gives(PTL_FAIL, PtlHandlerDMAFromHostB(0, &value, 0, 0));
    gives(PTL_FAIL, PtlHandlerDMAFromHostNB(0, &value, 0, 0, &handle));
    gives(PTL_FAIL, PtlHandlerDMACASB(0, &value, 0, 0));
    gives(PTL_FAIL, PtlHandlerDMACASNB(0, &value, 0, 0, &handle));
    gives(PTL_FAIL, PtlHandlerDMAFetchAddB(0, 0, &value, PTL_UINT64_T, 0));
    gives(PTL_FAIL, PtlHandlerDMAFetchAddNB(0, 0, &value, PTL_UINT64_T, 0, &handle));
    gives(PTL_FAIL, PtlHandlerDMAWait(handle));
    equals(PtlHandlerDMATest(handle), 0);
    gives(PTL_FAIL, PtlHandlerYield());
    gives(PTL_FAIL, PtlHandlerPutFromHost(0, 0, 0, 0, 0, self, 0, 0, NULL, 0));
    gives(PTL_FAIL, PtlHandlerPutFromDevice(&value, 0, 0, 0, self, 0, 0, NULL, 0));
    gives(PTL_FAIL, PtlHandlerGetToHost(0, 0, 0, 0, self, 0, 0, NULL));
    gives(PTL_FAIL, PtlHandlerGetToDevice(&value, 0, 0, self, 0, 0, NULL));
    gives(PTL_FAIL,
          PtlHandlerAtomicFromHost(0, 0, 0, 0, 0, self, 0, 0, NULL, 0, PTL_SUM, PTL_UINT64_T));
    gives(PTL_FAIL,
          PtlHandlerAtomicFromDevice(&value, 0, 0, 0, self, 0, 0, NULL, 0, PTL_SUM, PTL_UINT64_T));
    gives(PTL_FAIL, PtlHandlerCTInc(count));
    gives(PTL_FAIL, PtlHandlerCTGet(&count));
    gives(PTL_FAIL, PtlHandlerCTSet(count));
    equals(PTL_NUM_HPUS, 0);
    equals(PTL_MY_HPU, 0);
    equals(PTL_MY_VHPU, 0);
    equals(value, 1);
}

static ptl_handler_result_t do_nothing(const ptl_header_t *header, void *state)
{
    (void)header;
    (void)state;
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("the calls of handlers fail where no handler runs, also after one has", SPIN)
{
    struct spin_case what = {.header = do_nothing};
    expect_calls_fail(job);
    spin_run(job, &what);
    expect_calls_fail(job);
}

BEHAVIOUR("CAS and FAdd are for everybody who has memory", SPIN)
{
    uint64_t value = 5, before = 0;
    equals(PtlHandlerCAS(&value, 4, 9), 0);
    equals(PtlHandlerCAS(&value, 5, 9), 1);
    ok(PtlHandlerFAdd(&value, &before, 3));
    equals(before, 9);
    equals(value, 12);
}

/* ---- Ranges ------------------------------------------------------------------------------- */

/* Both memories between guards. */
struct yard {
    unsigned char before[GUARD], host[ROOM], middle[GUARD], entry[ROOM], after[GUARD];
};

/* HPU memory: which of many wrong things to do, and to which memory. */
struct mischief {
    unsigned which;
    unsigned memory;
};

#define MISCHIEVES 16

/* A range that is not in the memory, in as many ways as there are calls. */
static int misbehave(const ptl_header_t *header, struct mischief *wrong)
{
    unsigned char bytes[2 * ROOM];
    uint64_t value = 0;
    ptl_dma_t handle;
    ptl_process_t peer = header->source_id;
    unsigned memory = wrong->memory;
    memset(bytes, 1, sizeof bytes);
    switch (wrong->which) {
    case 0:
        return PtlHandlerDMAToHostB(bytes, 0, ROOM + 1, memory);
    case 1:
        return PtlHandlerDMAToHostNB(bytes, ROOM, 1, memory | PTL_DMA_NO_EVENT, &handle);
    case 2:
        return PtlHandlerDMAToHostNB(bytes, 1, ROOM, memory, &handle);
    case 3:
        return PtlHandlerDMAToHostB(bytes, UINT64_MAX, 1, memory);
    case 4:
        return PtlHandlerDMAToHostB(bytes, UINT64_MAX - 3, 8, memory);
    case 5:
        return PtlHandlerDMAToHostB(bytes, 8, UINT64_MAX - 3, memory);
    case 6:
        return PtlHandlerDMAFromHostB(0, bytes, ROOM + 1, memory);
    case 7:
        return PtlHandlerDMAFromHostNB(UINT64_MAX - 3, bytes, 8, memory, &handle);
    case 8:
        return PtlHandlerDMACASB(ROOM, &value, 1, memory);
    case 9:
        return PtlHandlerDMACASB(ROOM - 4, &value, 1, memory);
    case 10:
        return PtlHandlerDMAFetchAddB(ROOM, 1, &value, PTL_UINT8_T, memory);
    case 11:
        return PtlHandlerDMAFetchAddB(UINT64_MAX - 7, 1, &value, PTL_UINT64_T, memory);
    case 12:
        return PtlHandlerPutFromHost(1, ROOM, memory, PTL_NO_CT_REQ, PTL_ACK_REQ, peer, 0, 0, NULL,
                                     0);
    case 13:
        return PtlHandlerGetToHost(ROOM - 7, 8, memory, PTL_NO_CT_REQ, peer, 0, 0, NULL);
    case 14:
        return PtlHandlerAtomicFromHost(ROOM, 8, memory, PTL_NO_CT_REQ, PTL_ACK_REQ, peer, 0, 0,
                                        NULL, 0, PTL_SUM, PTL_UINT64_T);
    default: /* of the NIC: past its end */
        return PtlHandlerGetToDevice(wrong, sizeof *wrong + 1, PTL_NO_CT_REQ, peer, 0, 0, NULL);
    }
}

static ptl_handler_result_t misbehave_in_header(const ptl_header_t *header, void *state)
{
    return misbehave(header, state) == PTL_ARG_INVALID ? PTL_HANDLER_PROCESS_DATA
                                                       : PTL_HANDLER_FAIL;
}

static bool yard_is_untouched(const struct yard *yard)
{
    for (size_t i = 0; i < sizeof *yard; i++)
        if (((const unsigned char *)yard)[i] != GUARD_BYTE)
            return false;
    return true;
}

BEHAVIOUR("a range that is not within its memory does nothing and ends the message with SEGV",
          SPIN)
{
    struct yard *yard = job_memory(job, sizeof *yard);
    memset(yard, GUARD_BYTE, sizeof *yard);
    for (unsigned i = 0; i < 2 * MISCHIEVES; i++) {
        struct mischief wrong = {i / 2, i % 2 ? PTL_HANDLER_HOST_MEM : PTL_ME_HOST_MEM};
        struct spin_case what = {.header = misbehave_in_header,
                                 .state = &wrong,
                                 .state_length = sizeof wrong,
                                 .host = yard->host,
                                 .host_length = ROOM,
                                 .start = yard->entry,
                                 .length = ROOM,
                                 .fail = PTL_NI_SEGV};
        spin_run(job, &what);
        if (job->target)
            no_event(job->target_eq);
    }
    if (job->target)
        holds(yard_is_untouched(yard));
}

BEHAVIOUR("handlers without host memory may write none, and read none", SPIN)
{
    for (unsigned i = 0; i < 2; i++) {
        struct mischief wrong = {i ? 6 : 0, PTL_HANDLER_HOST_MEM};
        struct spin_case what = {.header = misbehave_in_header,
                                 .state = &wrong,
                                 .state_length = sizeof wrong,
                                 .fail = PTL_NI_SEGV};
        spin_run(job, &what);
    }
}

static ptl_handler_result_t misbehave_in_payload(const ptl_payload_t *payload, void *state)
{
    (void)state;
    PtlHandlerDMAToHostB(payload->base, ROOM, payload->length, PTL_ME_HOST_MEM);
    return PTL_HANDLER_SUCCESS;
}

static ptl_handler_result_t misbehave_at_end(ptl_size_t dropped, int flow_control, void *state)
{
    (void)dropped;
    (void)flow_control;
    PtlHandlerDMAToHostB(state, ROOM, 1, PTL_ME_HOST_MEM);
    return PTL_HANDLER_FAIL;
}

BEHAVIOUR("payload and completion handlers are held to the ranges, too, before their results",
          SPIN)
{
    for (unsigned i = 0; i < 2; i++) {
        struct yard *yard = job_memory(job, sizeof *yard);
        memset(yard, GUARD_BYTE, sizeof *yard);
        struct spin_case what = {.payload = i ? NULL : misbehave_in_payload,
                                 .completion = i ? misbehave_at_end : NULL,
                                 .state_length = 8,
                                 .start = yard->entry,
                                 .length = ROOM,
                                 .size = i ? 0 : 3,
                                 .fail = PTL_NI_SEGV};
        spin_run(job, &what);
        if (job->target)
            holds(yard_is_untouched(yard));
    }
}

/* ---- Arguments ---------------------------------------------------------------------------- */

static ptl_process_t nobody(const ptl_header_t *header)
{
    ptl_process_t process = header->source_id;
    process.phys.nid = PTL_NID_ANY;
    process.phys.pid = PTL_PID_ANY;
    return process;
}

/* Each code in a note: what is not valid but names no memory of others. */
static ptl_handler_result_t argue(const ptl_header_t *header, void *state)
{
    unsigned i = 0;
    uint64_t value = 0;
    ptl_dma_t handle;
    ptl_process_t peer = header->source_id;
    const unsigned odd = 1u << 7;
    spin_note(i++, (uint64_t)PtlHandlerDMAToHostB(&value, 0, 8, odd));
    spin_note(i++, (uint64_t)PtlHandlerDMAToHostNB(&value, 0, 8, odd, &handle));
    spin_note(i++, (uint64_t)PtlHandlerDMAToHostNB(&value, 0, 8, 0, NULL));
    spin_note(i++, (uint64_t)PtlHandlerDMAToHostB(NULL, 0, 8, 0));
    spin_note(i++, (uint64_t)PtlHandlerDMAFromHostB(0, NULL, 8, 0));
    spin_note(i++, (uint64_t)PtlHandlerDMAFromHostB(0, &value, 8, odd));
    spin_note(i++, (uint64_t)PtlHandlerDMAFromHostNB(0, &value, 8, 0, NULL));
    spin_note(i++, (uint64_t)PtlHandlerDMACASB(0, NULL, 1, 0));
    spin_note(i++, (uint64_t)PtlHandlerDMACASB(0, &value, 1, odd));
    spin_note(i++, (uint64_t)PtlHandlerDMACASNB(0, &value, 1, 0, NULL));
    spin_note(i++, (uint64_t)PtlHandlerDMAFetchAddB(0, 1, NULL, PTL_UINT64_T, 0));
    spin_note(i++, (uint64_t)PtlHandlerDMAFetchAddNB(0, 1, &value, PTL_UINT64_T, 0, NULL));
    spin_note(i++, (uint64_t)PtlHandlerPutFromHost(0, 8, odd, PTL_NO_CT_REQ, PTL_NO_ACK_REQ, peer,
                                                   0, 0, NULL, 0));
    spin_note(i++, (uint64_t)PtlHandlerPutFromHost(0, 8, 0, (ptl_req_ct_t)9, PTL_NO_ACK_REQ, peer,
                                                   0, 0, NULL, 0));
    spin_note(i++, (uint64_t)PtlHandlerPutFromHost(0, 8, 0, PTL_NO_CT_REQ, (ptl_ack_req_t)9, peer,
                                                   0, 0, NULL, 0));
    spin_note(i++, (uint64_t)PtlHandlerPutFromHost(0, 8, 0, PTL_NO_CT_REQ, PTL_NO_ACK_REQ,
                                                   nobody(header), 0, 0, NULL, 0));
    spin_note(i++, (uint64_t)PtlHandlerPutFromDevice(NULL, 8, PTL_NO_CT_REQ, PTL_NO_ACK_REQ, peer,
                                                     0, 0, NULL, 0));
    spin_note(i++,
              (uint64_t)PtlHandlerAtomicFromDevice(state, 8, PTL_NO_CT_REQ, PTL_NO_ACK_REQ, peer,
                                                   0, 0, NULL, 0, PTL_SWAP, PTL_UINT64_T));
    spin_note(i++,
              (uint64_t)PtlHandlerAtomicFromDevice(state, 7, PTL_NO_CT_REQ, PTL_NO_ACK_REQ, peer,
                                                   0, 0, NULL, 0, PTL_SUM, PTL_UINT64_T));
    spin_note(i++, (uint64_t)PtlHandlerAtomicFromHost(0, 8, 0, PTL_NO_CT_REQ, PTL_NO_ACK_REQ, peer,
                                                      0, 0, NULL, 0, PTL_BAND, PTL_DOUBLE));
    spin_note(i++, (uint64_t)PtlHandlerCTGet(NULL));
    spin_note(i, 1000);
    return PTL_HANDLER_DROP;
}

BEHAVIOUR("handlers that call with arguments that make no sense are told, and nothing else", SPIN)
{
    uint64_t *notes = job_memory(job, NOTES * sizeof *notes);
    uint64_t *memory = job_memory(job, 64);
    ptl_handle_ct_t ct = job_ct(job);
    struct spin_case what = {.header = argue,
                             .state_length = 64,
                             .host = notes,
                             .host_length = NOTES * sizeof *notes,
                             .start = memory,
                             .length = 64,
                             .ct = &ct};
    spin_run(job, &what);
    if (!job->target)
        return;
    unsigned i = 0;
    for (; i < NOTES && notes[i] != 1000; i++)
        equals(notes[i], PTL_ARG_INVALID);
    equals(i, 21);
    equals(memory[0], 0);
    no_event(job->target_eq);
}
