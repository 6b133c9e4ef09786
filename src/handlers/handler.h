/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the handlers of the stock have in common. Many messages may be under way at one entry, so
 * handlers ask PtlHandlerHeader for theirs and keep nothing about a message in their state.
 */
#ifndef WEFT_HANDLERS_HANDLER_H
#define WEFT_HANDLERS_HANDLER_H

#include <weft_handlers.h>

/* Handlers without functions, whose memory will begin with a copy of `state`. */
int weft_handler_open(ptl_handle_ni_t ni, const void *state, ptl_size_t length,
                      ptl_handlers_t *handlers);

static inline ptl_handler_result_t weft_handler_result(int code)
{
    return code == PTL_OK ? PTL_HANDLER_SUCCESS : PTL_HANDLER_FAIL;
}

/* In a completion handler: gets the header of the message, and says whether that is now to be sent
 * on as a whole. Those of no bytes are, as they have no packets. */
bool weft_handler_is_stored(ptl_header_t *message, ptl_size_t stream, ptl_size_t dropped_bytes,
                            int flow_control_triggered);

/* Sends a packet, or what was made of one, without any event here. */
int weft_handler_send(const void *local, ptl_size_t length, ptl_process_t target,
                      ptl_match_bits_t match_bits, ptl_size_t remote_offset,
                      ptl_hdr_data_t hdr_data);

/* The same for a whole message that lies in the memory of the entry. */
int weft_handler_send_stored(const ptl_header_t *message, ptl_process_t target,
                             ptl_match_bits_t match_bits);

#endif
