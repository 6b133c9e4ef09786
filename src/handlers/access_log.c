/* SPDX-License-Identifier: BSD-3-Clause */
#include "handlers/handler.h"

static ptl_handler_result_t write_down(const ptl_header_t *header, void *state)
{
    const uint64_t *capacity = state;
    struct weft_handler_access access = {.source = header->source_id,
                                         .type = header->type,
                                         .match_bits = header->match_bits,
                                         .offset = header->offset,
                                         .length = header->length};
    uint64_t number;
    int result = PtlHandlerDMAFetchAddB(offsetof(struct weft_handler_log, count), 1, &number,
                                        PTL_UINT64_T, PTL_HANDLER_HOST_MEM);
    if (result != PTL_OK || number >= *capacity)
        return PTL_HANDLER_FAIL;
    result = PtlHandlerDMAToHostB(&access, weft_handler_log_size(number), sizeof access,
                                  PTL_HANDLER_HOST_MEM);
    return result == PTL_OK ? PTL_HANDLER_PROCEED : PTL_HANDLER_FAIL;
}

int weft_handler_access_log(ptl_handle_ni_t ni, struct weft_handler_log *log,
                            const uint64_t *capacity, ptl_handlers_t *handlers)
{
    int result = weft_handler_open(ni, capacity, sizeof *capacity, handlers);
    handlers->header_handler = write_down;
    handlers->handler_host_mem_start = log;
    handlers->handler_host_mem_length = weft_handler_log_size(*capacity);
    return result;
}
