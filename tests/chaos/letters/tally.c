/* SPDX-License-Identifier: BSD-3-Clause */
#include "chaos/letters/tally.h"

#include <stddef.h>

#define HOST(field) offsetof(struct tally_counts, field)

static void add(uint64_t *here, ptl_size_t there, uint64_t increment)
{
    uint64_t before;
    ptl_dma_t handle;
    PtlHandlerFAdd(here, &before, increment);
    PtlHandlerDMAFetchAddNB(there, increment, &before, PTL_UINT64_T, PTL_HANDLER_HOST_MEM,
                            &handle);
}

static ptl_handler_result_t on_header(const ptl_header_t *header, void *state)
{
    struct tally_counts *counts = state;
    add(&counts->headers, HOST(headers), 1);
    if (header->type != PTL_REQUEST_PUT || header->length > TALLY_LONGEST)
        add(&counts->broken, HOST(broken), 1);
    return PTL_HANDLER_PROCESS_DATA;
}

static ptl_handler_result_t on_payload(const ptl_payload_t *payload, void *state)
{
    struct tally_counts *counts = state;
    add(&counts->payloads, HOST(payloads), 1);
    add(&counts->bytes, HOST(bytes), payload->length);
    for (ptl_size_t i = 1; i < payload->length; i++)
        if (payload->base[i] != payload->base[0])
            add(&counts->broken, HOST(broken), 1);
    return PTL_HANDLER_SUCCESS;
}

static ptl_handler_result_t on_completion(ptl_size_t dropped_bytes, int flow_control_triggered,
                                          void *state)
{
    struct tally_counts *counts = state;
    add(&counts->completions, HOST(completions), 1);
    add(&counts->dropped, HOST(dropped), dropped_bytes);
    PtlHandlerDMAToHostB(counts, sizeof *counts, sizeof *counts, PTL_HANDLER_HOST_MEM);
    (void)flow_control_triggered;
    return PTL_HANDLER_SUCCESS;
}

void tally_draw(struct rng *rng, struct tally *tally, ptl_match_bits_t match_bits)
{
    tally->tag = TAG_TALLY;
    tally->match_bits = match_bits;
    tally->has_header = !rng_one_in(rng, 4);
    tally->has_payload = !rng_one_in(rng, 4);
    tally->has_completion = !rng_one_in(rng, 4);
}

ptl_handlers_t tally_handlers(struct tally *tally)
{
    return (ptl_handlers_t){.header_handler = tally->has_header ? on_header : NULL,
                            .payload_handler = tally->has_payload ? on_payload : NULL,
                            .completion_handler = tally->has_completion ? on_completion : NULL,
                            .hpu_memory = tally->hpu_memory,
                            .handler_host_mem_start = &tally->host,
                            .handler_host_mem_length = sizeof tally->host};
}

static const char *judge_copy(const struct tally *tally)
{
    const struct tally_counts *host = &tally->host.counts, *copy = &tally->host.copy;
    bool is_same = host->headers == copy->headers && host->payloads == copy->payloads &&
                   host->completions == copy->completions && host->bytes == copy->bytes &&
                   host->dropped == copy->dropped;
    return is_same ? NULL : "a tally in HPU memory is not that in handler host memory";
}

const char *tally_judge(const struct tally *tally)
{
    const struct tally_counts *host = &tally->host.counts;
    if (host->broken)
        return "a message to a tally is not as it was sent";
    if (host->headers != (tally->has_header ? tally->events : 0))
        return "a tally has not as many headers as events";
    if (host->completions != (tally->has_completion ? tally->events : 0))
        return "a tally has not as many completions as events";
    if (tally->has_payload && tally->has_completion &&
        host->bytes + host->dropped != tally->rlengths)
        return "a tally has not as many bytes as were sent to it";
    return tally->has_completion && tally->events ? judge_copy(tally) : NULL;
}
