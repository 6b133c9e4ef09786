/* SPDX-License-Identifier: BSD-3-Clause */
#include "handlers/handler.h"

#include <string.h>

/* Most vertices are reached for the first time, so the first attempt expects that; if it is wrong,
 * it tells the true value. */
static int relax(const struct weft_handler_graph *graph, struct weft_handler_update update,
                 bool *is_better)
{
    uint64_t expected = WEFT_HANDLER_UNVISITED, found;
    do {
        found = expected;
        int result = PtlHandlerDMACASB(update.vertex * sizeof(uint64_t), &found, update.value,
                                       PTL_ME_HOST_MEM);
        if (result != PTL_OK)
            return result;
        *is_better = found == expected;
        expected = found;
    } while (!*is_better && graph->shortest && update.value < found);
    return PTL_OK;
}

static int add_to_frontier(const struct weft_handler_graph *graph, uint64_t vertex)
{
    uint64_t place;
    int result = PtlHandlerDMAFetchAddB(offsetof(struct weft_handler_frontier, count), 1, &place,
                                        PTL_UINT64_T, PTL_HANDLER_HOST_MEM);
    if (result != PTL_OK || place >= graph->capacity)
        return PTL_FAIL;
    return PtlHandlerDMAToHostB(&vertex, weft_handler_frontier_size(place), sizeof vertex,
                                PTL_HANDLER_HOST_MEM);
}

static ptl_handler_result_t relax_packet(const ptl_payload_t *payload, void *state)
{
    const struct weft_handler_graph *graph = state;
    struct weft_handler_update update;
    if (payload->length % sizeof update)
        return PTL_HANDLER_FAIL;
    for (ptl_size_t at = 0; at < payload->length; at += sizeof update) {
        bool is_better;
        memcpy(&update, payload->base + at, sizeof update);
        if (update.vertex >= graph->vertices)
            return PTL_HANDLER_SEGV;
        int result = relax(graph, update, &is_better);
        if (result == PTL_OK && is_better)
            result = add_to_frontier(graph, update.vertex);
        if (result != PTL_OK)
            return PTL_HANDLER_FAIL;
    }
    return PTL_HANDLER_SUCCESS;
}

int weft_handler_graph(ptl_handle_ni_t ni, const struct weft_handler_graph *graph,
                       struct weft_handler_frontier *frontier, ptl_handlers_t *handlers)
{
    int result = weft_handler_open(ni, graph, sizeof *graph, handlers);
    handlers->payload_handler = relax_packet;
    handlers->handler_host_mem_start = frontier;
    handlers->handler_host_mem_length = weft_handler_frontier_size(graph->capacity);
    return result;
}
