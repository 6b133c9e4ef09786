/* SPDX-License-Identifier: BSD-3-Clause */
#include <weft_handlers.h>

static ptl_handler_result_t gather_packet(const ptl_outbound_t *packet, void *state)
{
    const struct weft_handler_gather *gather = state;
    int rc = weft_pack(gather->type, gather->count, gather->base, packet->offset, packet->base,
                       packet->length);
    return rc == WEFT_OK ? PTL_HANDLER_SUCCESS : PTL_HANDLER_SEGV;
}

ptl_outbound_handlers_t weft_handler_gather(struct weft_handler_gather *gather)
{
    return (ptl_outbound_handlers_t){
        .handler = gather_packet, .hpu_memory = PTL_HPU_NONE, .state = gather};
}
