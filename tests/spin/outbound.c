/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that are made while they leave. */
#include <pthread.h>

#include "spin/spin.h"

#define SIZE 20000
#define PIECE 70 /* bytes of a piece, every second of which is sent */

/* ---- Streams ------------------------------------------------------------------------------ */

static void receive_stream(struct job *job, unsigned char *memory, ptl_size_t size)
{
    post(memory, SIZE, .options = PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator)
        return;
    ptl_event_t event = next_event(job->target_eq, PTL_EVENT_PUT);
    equals(event.mlength, size);
}

static int start(struct job *job, ptl_handle_md_t md, ptl_size_t offset, ptl_size_t size,
                 ptl_size_t length, ptl_handle_sput_t *handle)
{
    return PtlSPutStart(md, offset, size, length, PTL_ACK_REQ, job_process(job, 0), job->pt, 0, 0,
                        NULL, 0, handle);
}

/* Every second piece of `data`, as one message. */
static void send_pieces(struct job *job, ptl_handle_md_t md, unsigned count)
{
    ptl_handle_sput_t handle;
    ok(start(job, md, 0, PIECE, (ptl_size_t)count * PIECE, &handle));
    for (unsigned i = 1; i < count; i++)
        ok(PtlSPutStream(handle, 2ull * i * PIECE, PIECE, i + 1 == count));
}

static bool has_pieces(const unsigned char *memory, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!job_filled(memory + (size_t)i * PIECE, PIECE, 2 * i * PIECE))
            return false;
    return true;
}

BEHAVIOUR("a streaming put of many pieces is one message at the target", SPIN)
{
    enum { PIECES = SIZE / PIECE };
    unsigned char *memory = job_memory(job, SIZE);
    if (job->target)
        receive_stream(job, memory, PIECES * PIECE);
    else
        job_barrier(job);
    if (job->initiator) {
        unsigned char *data = job_memory(job, 2 * SIZE);
        job_fill(data, 2 * SIZE, 0);
        send_pieces(job, job_md(job, data, 2 * SIZE), PIECES);
        if (job->target)
            next_event(job->target_eq, PTL_EVENT_PUT);
        equals(next_event(job->eq, PTL_EVENT_ACK).mlength, PIECES * PIECE);
    }
    if (job->target) {
        holds(has_pieces(memory, PIECES));
        no_event(job->target_eq);
    }
}

BEHAVIOUR("a streaming put checks its pieces and its end", SPIN)
{
    unsigned char *memory = job_memory(job, SIZE);
    if (job->target)
        receive_stream(job, memory, 300);
    else
        job_barrier(job);
    if (!job->initiator)
        return;
    ptl_handle_sput_t handle;
    unsigned char *data = job_memory(job, SIZE);
    ptl_handle_md_t md = job_md(job, data, SIZE);
    gives(PTL_ARG_INVALID, start(job, md, 0, 301, 300, &handle));
    gives(PTL_ARG_INVALID, start(job, md, SIZE, 1, 300, &handle));
    gives(PTL_ARG_INVALID, start(job, md, 0, 100, 300, NULL));
    ok(start(job, md, 0, 100, 300, &handle));
    gives(PTL_ARG_INVALID, PtlSPutStream(handle, 0, 201, 0));  /* more than is left */
    gives(PTL_ARG_INVALID, PtlSPutStream(handle, 0, 100, 1));  /* an end too early */
    gives(PTL_ARG_INVALID, PtlSPutStream(handle, SIZE, 1, 0)); /* not in the descriptor */
    gives(PTL_ARG_INVALID, PtlSPutStream(md, 0, 100, 0));      /* no stream */
    ok(PtlSPutStream(handle, 100, 0, 0));
    ok(PtlSPutStream(handle, 100, 200, 1));
    gives(PTL_ARG_INVALID, PtlSPutStream(handle, 0, 0, 1)); /* it has ended */
    if (job->target)
        next_event(job->target_eq, PTL_EVENT_PUT);
    next_event(job->eq, PTL_EVENT_ACK);
}

BEHAVIOUR("messages behind a streaming put wait for its end", SPIN, .apart = true)
{
    unsigned char *memory = job_memory(job, SIZE);
    if (job->target) {
        post(memory, SIZE, .options = PTL_ME_OP_PUT);
        job_gate(job);
        equals(next_event(job->target_eq, PTL_EVENT_PUT).rlength, 3000);
        equals(next_event(job->target_eq, PTL_EVENT_PUT).rlength, 8);
        return;
    }
    unsigned char *data = job_memory(job, SIZE);
    ptl_handle_md_t md = job_md(job, data, SIZE);
    ptl_handle_sput_t handle;
    job_gate(job);
    ok(start(job, md, 0, 0, 3000, &handle));
    ok(put(md, 8, .ack = PTL_ACK_REQ));
    ok(PtlSPutStream(handle, 0, 3000, 1));
    equals(next_event(job->eq, PTL_EVENT_ACK).mlength, 3000);
    equals(next_event(job->eq, PTL_EVENT_ACK).mlength, 8);
}

/* ---- Handlers that write packets ---------------------------------------------------------- */

struct writer {
    uint64_t packets, bytes;
    uint64_t fails_at; /* an offset in the message */
    ptl_handler_result_t result;
    bool reads_beyond;
};

/* The message is the descriptor's memory backwards. */
static ptl_handler_result_t write_backwards(const ptl_outbound_t *packet, void *state)
{
    struct writer *writer = state;
    unsigned char byte;
    writer->packets++;
    writer->bytes += packet->length;
    for (ptl_size_t i = 0; i < packet->length; i++) {
        PtlHandlerDMAFromHostB(SIZE - 1 - packet->offset - i, &byte, 1, PTL_ME_HOST_MEM);
        packet->base[i] = byte;
    }
    if (packet->offset > writer->fails_at || packet->offset + packet->length <= writer->fails_at)
        return PTL_HANDLER_SUCCESS;
    if (writer->reads_beyond)
        PtlHandlerDMAFromHostB(SIZE, &byte, 1, PTL_ME_HOST_MEM);
    return writer->result;
}

static int process_put(struct job *job, ptl_handle_md_t md, ptl_size_t length,
                       const ptl_outbound_handlers_t *handlers)
{
    return PtlProcessPut(md, length, PTL_ACK_REQ, job_process(job, 0), job->pt, 0, 0, NULL, 0,
                         handlers);
}

static bool is_backwards(const unsigned char *memory, const unsigned char *data)
{
    for (unsigned i = 0; i < SIZE; i++)
        if (memory[i] != data[SIZE - 1 - i])
            return false;
    return true;
}

static void send_backwards(struct job *job, struct writer *writer, ptl_ni_fail_t fail)
{
    unsigned char *data = job_memory(job, SIZE), *memory = job_memory(job, SIZE);
    job_fill(data, SIZE, 3);
    if (job->target)
        post(memory, SIZE, .options = PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        ptl_handle_md_t md = job_bind(job, data, SIZE, 0, job->eq, PTL_CT_NONE);
        ptl_outbound_handlers_t handlers = {write_backwards, PTL_HPU_NONE, writer};
        ok(process_put(job, md, SIZE, &handlers));
        next_failure(job->eq, PTL_EVENT_SEND, fail);
        next_event(job->eq, PTL_EVENT_ACK);
        equals(writer->bytes, SIZE);
    }
    if (job->target) {
        equals(next_event(job->target_eq, PTL_EVENT_PUT).mlength, SIZE);
        if (fail == PTL_NI_OK)
            holds(is_backwards(memory, data));
    }
}

BEHAVIOUR("an outbound handler writes every packet of a message once", SPIN)
{
    struct writer writer = {.fails_at = UINT64_MAX};
    send_backwards(job, &writer, PTL_NI_OK);
}

BEHAVIOUR("an outbound handler that fails is told by the SEND event", SPIN)
{
    struct writer writer = {.fails_at = SIZE / 2, .result = PTL_HANDLER_FAIL};
    send_backwards(job, &writer, PTL_NI_HANDLER);
}

BEHAVIOUR("an outbound handler that reads beyond its descriptor is told by the SEND event", SPIN)
{
    struct writer writer = {.fails_at = SIZE / 2, .reads_beyond = true};
    send_backwards(job, &writer, PTL_NI_SEGV);
}

/* ---- Who does it -------------------------------------------------------------------------- */

struct witness {
    uint64_t next; /* offset that is expected */
    bool is_ordered;
    bool is_caller; /* it has written some of it */
    pthread_t caller;
};

static ptl_handler_result_t testify(const ptl_outbound_t *packet, void *state)
{
    struct witness *witness = state;
    witness->is_ordered = witness->is_ordered && packet->offset == witness->next;
    witness->is_caller = witness->is_caller || pthread_equal(witness->caller, pthread_self());
    witness->next = packet->offset + packet->length;
    memset(packet->base, 7, packet->length);
    return PTL_HANDLER_SUCCESS;
}

/* The caller sends and then polls, with all chances to do the work itself. */
BEHAVIOUR("with HPU threads, they write the packets of a message, in order", SPIN,
          .worlds = JOB_REAL)
{
    unsigned char *memory = job_memory(job, SIZE);
    if (job->target)
        post(memory, SIZE, .options = PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        struct witness witness = {.is_ordered = true, .caller = pthread_self()};
        ptl_handle_md_t md = job_md(job, memory, 0);
        ok(process_put(job, md, SIZE,
                       &(ptl_outbound_handlers_t){testify, PTL_HPU_NONE, &witness}));
        next_event(job->eq, PTL_EVENT_ACK);
        holds(witness.is_ordered);
        equals(witness.next, SIZE);
        holds(job->hpus == 0 || !witness.is_caller);
    }
    if (job->target)
        equals(next_event(job->target_eq, PTL_EVENT_PUT).mlength, SIZE);
}

static ptl_handler_result_t write_state(const ptl_outbound_t *packet, void *state)
{
    memset(packet->base, *(unsigned char *)state, packet->length);
    return PtlHandlerCTInc((ptl_ct_event_t){1, 0}) == PTL_FAIL ? PTL_HANDLER_SUCCESS
                                                               : PTL_HANDLER_FAIL;
}

BEHAVIOUR("an outbound handler has HPU memory until its message has left, but no entry", SPIN)
{
    unsigned char *memory = job_memory(job, SIZE);
    if (job->target)
        post(memory, SIZE, .options = PTL_ME_OP_PUT);
    job_barrier(job);
    if (job->initiator) {
        ptl_outbound_handlers_t handlers = {write_state, PTL_HPU_NONE, NULL};
        ptl_handle_md_t md = job_md(job, memory, 0);
        gives(PTL_ARG_INVALID, process_put(job, md, 8, NULL));
        ok(PtlHPUAllocMem(64, job->ni, &handlers.hpu_memory));
        ok(process_put(job, md, SIZE, &handlers));
        next_event(job->eq, PTL_EVENT_ACK);
        ok(PtlHPUFreeMem(&handlers.hpu_memory));
        gives(PTL_ARG_INVALID,
              process_put(job, md, 8, &(ptl_outbound_handlers_t){NULL, PTL_HPU_NONE, NULL}));
    }
    if (job->target) {
        next_event(job->target_eq, PTL_EVENT_PUT);
        for (unsigned i = 0; i < SIZE; i++)
            if (!holds(memory[i] == 0))
                break;
    }
}
