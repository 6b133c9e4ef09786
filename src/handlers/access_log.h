/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes down every access to the memory of an entry, which then happens as without handlers
 * ([sPIN17], section 5.4): what transactions need to know when they commit. What cannot be
 * written down must not happen: when the log is full, accesses fail with PTL_NI_HANDLER.
 */
#ifndef WEFT_HANDLERS_ACCESS_LOG_H
#define WEFT_HANDLERS_ACCESS_LOG_H

#include "handlers/handler.h"

struct weft_handler_access {
    ptl_process_t source;
    uint64_t type; /* ptl_request_type_t */
    ptl_match_bits_t match_bits;
    ptl_size_t offset, length;
};

/* Zeroes are an empty log. An access is whole when its event has come. The program may set the
 * count to 0 while no access is under way. */
struct weft_handler_log {
    uint64_t count; /* of accesses, also of those that found no place */
    struct weft_handler_access accesses[];
};

static inline ptl_size_t weft_handler_log_size(uint64_t capacity)
{
    return sizeof(struct weft_handler_log) + capacity * sizeof(struct weft_handler_access);
}

int weft_handler_access_log(ptl_handle_ni_t ni, struct weft_handler_log *log,
                            const uint64_t *capacity, ptl_handlers_t *handlers);

#endif
