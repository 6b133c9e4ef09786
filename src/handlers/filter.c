/* SPDX-License-Identifier: BSD-3-Clause */
#include "handlers/handler.h"

#include <string.h>

#define BATCH 4096u

/* A scan, and the answer that it fills. */
struct scan {
    struct weft_handler_query query;
    ptl_process_t client;
    ptl_size_t longest;
    unsigned char answer[BATCH];
    ptl_size_t filled, sent; /* bytes */
    uint64_t matches;
};

static int flush(struct scan *scan)
{
    if (scan->filled == 0)
        return PTL_OK;
    int result = weft_handler_send(scan->answer, scan->filled, scan->client,
                                   scan->query.match_bits, scan->sent, 0);
    scan->sent += scan->filled;
    scan->filled = 0;
    return result;
}

static int look_at(struct scan *scan, const unsigned char *record)
{
    uint64_t field;
    memcpy(&field, record + scan->query.field, sizeof field);
    if (field < scan->query.least || field > scan->query.most)
        return PTL_OK;
    int result = PTL_OK;
    if (scan->filled + scan->query.record_size > scan->longest)
        result = flush(scan);
    memcpy(scan->answer + scan->filled, record, scan->query.record_size);
    scan->filled += scan->query.record_size;
    scan->matches++;
    return result;
}

static int look_at_all(struct scan *scan)
{
    const struct weft_handler_query *query = &scan->query;
    unsigned char records[BATCH];
    uint64_t most = BATCH / query->record_size;
    int result = PTL_OK;
    for (uint64_t done = 0, count; done < query->count && result == PTL_OK; done += count) {
        count = query->count - done < most ? query->count - done : most;
        result = PtlHandlerDMAFromHostB((query->begin + done) * query->record_size, records,
                                        count * query->record_size, PTL_ME_HOST_MEM);
        for (uint64_t i = 0; i < count && result == PTL_OK; i++)
            result = look_at(scan, records + i * query->record_size);
    }
    return result == PTL_OK ? flush(scan) : result;
}

/* Bounded such that no offset can wrap around and come to lie in the table again. */
static bool is_valid(const struct weft_handler_query *query, ptl_size_t longest)
{
    return query->record_size >= sizeof(uint64_t) &&
           query->record_size <= WEFT_HANDLER_RECORD_MAX && query->record_size <= longest &&
           query->field <= query->record_size - sizeof(uint64_t) &&
           query->begin <= UINT64_MAX / WEFT_HANDLER_RECORD_MAX / 2 &&
           query->count <= UINT64_MAX / WEFT_HANDLER_RECORD_MAX / 2;
}

static ptl_handler_result_t answer_query(const ptl_header_t *header, void *state)
{
    const struct weft_handler_filter *filter = state;
    struct scan scan = {.client = header->source_id, .longest = filter->longest};
    if (header->user_hdr_length != sizeof scan.query)
        return PTL_HANDLER_FAIL;
    memcpy(&scan.query, header->user_hdr, sizeof scan.query);
    if (!is_valid(&scan.query, filter->longest) || look_at_all(&scan) != PTL_OK)
        return PTL_HANDLER_FAIL;
    int result =
        weft_handler_send(NULL, 0, scan.client, scan.query.match_bits, 0, scan.matches + 1);
    return result == PTL_OK ? PTL_HANDLER_DROP_PENDING : PTL_HANDLER_FAIL;
}

int weft_handler_filter(ptl_handle_ni_t ni, struct weft_handler_filter *filter,
                        ptl_handlers_t *handlers)
{
    ptl_handler_limits_t limits;
    int result = PtlNIHandlerLimits(ni, NULL, &limits);
    if (result != PTL_OK)
        return result;
    filter->longest = limits.max_payload_size < BATCH ? limits.max_payload_size : BATCH;
    result = weft_handler_open(ni, filter, sizeof *filter, handlers);
    handlers->header_handler = answer_query;
    handlers->user_hdr_size = sizeof(struct weft_handler_query);
    return result;
}
