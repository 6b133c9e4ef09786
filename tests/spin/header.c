/* SPDX-License-Identifier: BSD-3-Clause */
/* What a header handler is told of its message. */
#include "spin/spin.h"

/* Handler host memory: the header as it was, without its pointer. */
struct told {
    uint64_t count;
    ptl_header_t header;
};

static ptl_handler_result_t tell(const ptl_header_t *header, void *state)
{
    uint64_t before;
    ptl_header_t copy = *header;
    (void)state;
    copy.user_hdr = NULL;
    PtlHandlerDMAToHostB(&copy, offsetof(struct told, header), sizeof copy, PTL_HANDLER_HOST_MEM);
    PtlHandlerDMAFetchAddB(0, 1, &before, PTL_UINT64_T, PTL_HANDLER_HOST_MEM);
    return PTL_HANDLER_PROCEED;
}

static struct told *post_told(struct job *job, unsigned options)
{
    struct told *told = job_memory(job, sizeof *told);
    if (job->target) {
        ptl_handlers_t handlers = spin_handlers(tell, NULL, NULL);
        handlers.handler_host_mem_start = told;
        handlers.handler_host_mem_length = sizeof *told;
        post_spin(&handlers, job_memory(job, 1000), 1000, PTL_ME_OP_PUT | options, .bits = 0x1230,
                  .ignore = 0xf);
    }
    return told;
}

/* Not before the target has read what the handler of the last message told. */
static void send(struct job *job, struct message message)
{
    job_barrier(job);
    if (job->initiator)
        ok(job_put(message));
    if (job->target)
        next_event(job->target_eq, PTL_EVENT_PUT);
}

BEHAVIOUR("the header says who sends what to whom, and where to", SPIN)
{
    struct told *told = post_told(job, 0);
    ptl_handle_md_t md = job_md(job, job_memory(job, 100), 100);
    send(job, MESSAGE(md, 100, .bits = 0x1234, .remote_offset = 17, .hdr_data = 4711));
    if (!job->target)
        return;
    const ptl_header_t *header = &told->header;
    equals(told->count, 1);
    equals(header->type, PTL_REQUEST_PUT);
    equals(header->length, 100);
    equals(header->match_bits, 0x1234);
    equals(header->offset, 17);
    equals(header->hdr_data, 4711);
    equals(header->user_hdr_length, 0);
    holds(job_same_process(job, header->source_id, job_process(job, job->size - 1)));
    ptl_process_t self;
    ok(PtlGetId(job->ni, &self));
    holds(job_same_process(job, header->target_id, self));
}

BEHAVIOUR("the offset of the header is that which an entry with PTL_ME_MANAGE_LOCAL has chosen",
          SPIN)
{
    struct told *told = post_told(job, PTL_ME_MANAGE_LOCAL);
    ptl_handle_md_t md = job_md(job, job_memory(job, 100), 100);
    for (unsigned i = 0; i < 3; i++) {
        send(job, MESSAGE(md, 100, .bits = 0x1230, .remote_offset = 17));
        if (job->target)
            equals(told->header.offset, i * 100);
    }
}

BEHAVIOUR("the length of the header is that of the message, also if the entry is shorter", SPIN)
{
    struct told *told = post_told(job, 0);
    ptl_handle_md_t md = job_md(job, job_memory(job, 100), 100);
    send(job, MESSAGE(md, 100, .bits = 0x1230, .remote_offset = 950));
    if (job->target) {
        equals(told->header.length, 100);
        equals(told->header.offset, 950);
    }
}
