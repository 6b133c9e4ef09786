/* SPDX-License-Identifier: BSD-3-Clause */
#include "spin/spin.h"

ptl_handlers_t spin_handlers(ptl_header_handler_t header, ptl_payload_handler_t payload,
                             ptl_completion_handler_t completion)
{
    return (ptl_handlers_t){.header_handler = header,
                            .payload_handler = payload,
                            .completion_handler = completion,
                            .hpu_memory = PTL_HPU_NONE};
}

void spin_state(struct job *job, ptl_handlers_t *handlers, const void *state, ptl_size_t length)
{
    ok(PtlHPUAllocMem(length, job->ni, &handlers->hpu_memory));
    handlers->hpu_initial_state = state;
    handlers->hpu_initial_state_length = length;
}

void spin_free(struct job *job, ptl_handlers_t *handlers)
{
    ok(PtlHPUFreeMem(&handlers->hpu_memory));
}

void (*spin_place)(struct job *job, ptl_handlers_t *handlers, ptl_image_handlers_t *names);

ptl_handle_me_t spin_post(struct posting posting, const ptl_handlers_t *handlers, const char *file,
                          int line)
{
    struct job *job = posting.job;
    ptl_handle_me_t handle = PTL_INVALID_HANDLE;
    ptl_me_t me = job_entry(posting);
    ptl_handlers_t placed = *handlers;
    ptl_image_handlers_t names;
    if (spin_place)
        spin_place(job, &placed, &names);
    int code = PtlMEAppendHandlers(job->ni, posting.pt ? posting.pt : job->pt, &me, &placed,
                                   posting.list, posting.user_ptr, &handle);
    job_check_code(job, code, PTL_OK, file, line, "PtlMEAppendHandlers");
    return handle;
}

/* ---- One message -------------------------------------------------------------------------- */

void spin_open(struct job *job, struct spin_case *what)
{
    ptl_handlers_t *handlers = &what->handlers;
    handlers->header_handler = what->header;
    handlers->payload_handler = what->payload;
    handlers->completion_handler = what->completion;
    handlers->hpu_memory = PTL_HPU_NONE;
    handlers->handler_host_mem_start = what->host;
    handlers->handler_host_mem_length = what->host_length;
    if (what->state_length)
        spin_state(job, handlers, what->state, what->state_length);
    unsigned use = what->stays ? 0 : PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE;
    what->me = post_spin(handlers, what->start, what->length, PTL_ME_OP_PUT | use | what->options,
                         .ct = what->ct, .pt = what->pt);
}

void spin_close(struct job *job, struct spin_case *what)
{
    if (what->stays)
        ok(PtlMEUnlink(what->me));
    if (what->state_length)
        spin_free(job, &what->handlers);
}

void spin_start(struct job *job, struct spin_case *what)
{
    if (job->target)
        spin_open(job, what);
    job_barrier(job);
    if (!job->initiator)
        return;
    unsigned char *data = job_memory(job, what->size);
    job_fill(data, what->size, SPIN_SEED);
    what->md = job_md(job, data, what->size);
    ok(put(what->md, what->size, .ack = PTL_ACK_REQ, .pt = what->pt));
}

void spin_finish(struct job *job, struct spin_case *what)
{
    if (job->target)
        what->event = next_failure(job->target_eq, PTL_EVENT_PUT, what->fail);
    if (job->initiator) {
        what->ack = next_failure(job->eq, PTL_EVENT_ACK, what->fail);
        ok(PtlMDRelease(what->md));
    }
    job_barrier(job);
    if (job->target)
        spin_close(job, what);
}

void spin_run(struct job *job, struct spin_case *what)
{
    spin_start(job, what);
    spin_finish(job, what);
}

void spin_events(struct job *job, ptl_handle_eq_t eq, unsigned count, ptl_event_t *by_type)
{
    for (unsigned i = 0; i < count; i++) {
        ptl_event_t event;
        unsigned which;
        memset(&event, 0, sizeof event);
        if (!ok(PtlEQPoll(&eq, 1, job_patience(job), &event, &which)))
            return;
        by_type[event.type] = event;
    }
}

void spin_note(unsigned place, uint64_t value)
{
    PtlHandlerDMAToHostB(&value, place * sizeof value, sizeof value, PTL_HANDLER_HOST_MEM);
}
