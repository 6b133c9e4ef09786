/* SPDX-License-Identifier: BSD-3-Clause */
/* What handlers of the stock rely on: every handler knows its message, and elements come whole. */
#include "spin/spin.h"

#define SIZE 80000
#define SENDERS 3
#define ELEMENT 16

struct seen {
    uint64_t payloads, completions;
    uint64_t strange; /* messages that are not what their senders said */
    uint64_t torn;    /* elements in two packets */
    uint64_t user_headers;
};

/* What every rank sends is at its own place, which its other fields tell again. */
static bool is_right(const ptl_header_t *header)
{
    return header->type == PTL_REQUEST_PUT && header->length == SIZE && header->match_bits == 5 &&
           header->offset == header->hdr_data * SIZE;
}

/* In host memory at once: handlers of other messages count at the same time. */
static void add(size_t field, uint64_t increment)
{
    uint64_t before;
    PtlHandlerDMAFetchAddB(field, increment, &before, PTL_UINT64_T, PTL_HANDLER_HOST_MEM);
}

static void note(size_t calls, const ptl_header_t *header)
{
    add(calls, 1);
    add(offsetof(struct seen, strange), !is_right(header));
    add(offsetof(struct seen, user_headers), header->user_hdr_length > 0);
}

static ptl_handler_result_t on_payload(const ptl_payload_t *payload, void *state)
{
    ptl_header_t header = {0};
    (void)state;
    PtlHandlerHeader(&header);
    note(offsetof(struct seen, payloads), &header);
    add(offsetof(struct seen, torn), payload->offset % ELEMENT || payload->length % ELEMENT);
    PtlHandlerDMAToHostB(payload->base, header.offset + payload->offset, payload->length,
                         PTL_ME_HOST_MEM);
    return PTL_HANDLER_SUCCESS;
}

static ptl_handler_result_t on_completion(ptl_size_t dropped_bytes, int flow_control_triggered,
                                          void *state)
{
    ptl_header_t header = {0};
    (void)state;
    PtlHandlerHeader(&header);
    note(offsetof(struct seen, completions), &header);
    return dropped_bytes || flow_control_triggered ? PTL_HANDLER_FAIL : PTL_HANDLER_SUCCESS;
}

BEHAVIOUR("each of many messages is known to its handlers, and no element is cut", SPIN,
          .ranks = SENDERS + 1)
{
    if (job->target) {
        struct seen *seen = job_memory(job, sizeof *seen);
        unsigned char *memory = job_memory(job, (SENDERS + 1) * SIZE);
        ptl_handlers_t handlers = spin_handlers(NULL, on_payload, on_completion);
        handlers.handler_host_mem_start = seen;
        handlers.handler_host_mem_length = sizeof *seen;
        post_spin(&handlers, memory, (SENDERS + 1) * SIZE, .options = PTL_ME_OP_PUT, .bits = 5);
        job_barrier(job);
        for (unsigned i = 0; i < SENDERS; i++)
            next_event(job->target_eq, PTL_EVENT_PUT);
        for (unsigned rank = 1; rank <= SENDERS; rank++)
            holds(job_filled(memory + rank * SIZE, SIZE, rank));
        equals(seen->completions, SENDERS);
        holds(seen->payloads >= SENDERS);
        equals(seen->strange, 0);
        equals(seen->torn, 0);
        equals(seen->user_headers, 0);
    } else {
        unsigned char *data = job_memory(job, SIZE);
        job_fill(data, SIZE, job->rank);
        ptl_handle_md_t md = job_md(job, data, SIZE);
        job_barrier(job);
        ok(put(md, SIZE, .bits = 5, .hdr_data = job->rank, .ack = PTL_ACK_REQ,
               .remote_offset = job->rank * SIZE));
        next_event(job->eq, PTL_EVENT_ACK);
    }
    job_barrier(job);
}

BEHAVIOUR("outside of handlers there is no message", SPIN, .ranks = 1)
{
    ptl_header_t header;
    gives(PTL_FAIL, PtlHandlerHeader(&header));
}
