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

ptl_handle_me_t spin_post(struct posting posting, const ptl_handlers_t *handlers, const char *file,
                          int line)
{
    struct job *job = posting.job;
    ptl_handle_me_t handle = PTL_INVALID_HANDLE;
    ptl_me_t me = job_entry(posting);
    int code = PtlMEAppendHandlers(job->ni, posting.pt ? posting.pt : job->pt, &me, handlers,
                                   posting.list, posting.user_ptr, &handle);
    job_check_code(job, code, PTL_OK, file, line, "PtlMEAppendHandlers");
    return handle;
}
