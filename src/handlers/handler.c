/* SPDX-License-Identifier: BSD-3-Clause */
#include "handlers/handler.h"

int weft_handler_open(ptl_handle_ni_t ni, const void *state, ptl_size_t length,
                      ptl_handlers_t *handlers)
{
    *handlers = (ptl_handlers_t){.hpu_initial_state = state, .hpu_initial_state_length = length};
    return PtlHPUAllocMem(length, ni, &handlers->hpu_memory);
}

bool weft_handler_is_stored(ptl_header_t *message, ptl_size_t stream, ptl_size_t dropped_bytes,
                            int flow_control_triggered)
{
    PtlHandlerHeader(message);
    bool has_gone_on = message->length > 0 && message->length <= stream;
    return !has_gone_on && !dropped_bytes && !flow_control_triggered;
}

int weft_handler_send(const void *local, ptl_size_t length, ptl_process_t target,
                      ptl_match_bits_t match_bits, ptl_size_t remote_offset,
                      ptl_hdr_data_t hdr_data)
{
    return PtlHandlerPutFromDevice(local, length, PTL_NO_CT_REQ, PTL_NO_ACK_REQ, target,
                                   match_bits, remote_offset, NULL, hdr_data);
}

int weft_handler_send_stored(const ptl_header_t *message, ptl_process_t target,
                             ptl_match_bits_t match_bits)
{
    return PtlHandlerPutFromHost(message->offset, message->length, PTL_ME_HOST_MEM, PTL_NO_CT_REQ,
                                 PTL_NO_ACK_REQ, target, match_bits, message->offset, NULL,
                                 message->hdr_data);
}
