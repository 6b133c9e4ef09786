/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads only those records of a table whose field lies in a range ([sPIN17], section 5.4). The
 * table is the memory of the entry. A request is a put of struct weft_handler_query; the answers
 * are puts to the process that asked: matching records, one after the other from offset 0 on, with
 * hdr_data 0, and at last a message without data whose hdr_data is their number plus 1.
 *
 * The scan is done by a header handler: the longer the range, the longer it holds an HPU. Nobody
 * at the host of the table hears of it.
 */
#ifndef WEFT_HANDLERS_FILTER_H
#define WEFT_HANDLERS_FILTER_H

#include "handlers/handler.h"

#define WEFT_HANDLER_RECORD_MAX 512u

struct weft_handler_query {
    uint64_t begin, count;       /* records to look at */
    uint64_t record_size;        /* at most WEFT_HANDLER_RECORD_MAX */
    uint64_t field;              /* offset in a record of the uint64_t to compare */
    uint64_t least, most;        /* records between these match, and those equal to one of them */
    ptl_match_bits_t match_bits; /* of the answers */
};

struct weft_handler_filter {
    ptl_size_t longest; /* answer; set by weft_handler_filter */
};

/* A query that is not well-formed fails with PTL_NI_HANDLER, and one that leaves the table with
 * PTL_NI_SEGV. */
int weft_handler_filter(ptl_handle_ni_t ni, struct weft_handler_filter *filter,
                        ptl_handlers_t *handlers);

#endif
