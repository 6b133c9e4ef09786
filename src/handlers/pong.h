/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends every message back to where it came from, at the same offset and with the same hdr_data
 * ([sPIN17], section 4.4.1). What is answered packet by packet never meets the memory of the
 * entry. */
#ifndef WEFT_HANDLERS_PONG_H
#define WEFT_HANDLERS_PONG_H

#include "handlers/handler.h"

struct weft_handler_pong {
    ptl_match_bits_t match_bits; /* of the answers */
    ptl_size_t stream;           /* WEFT_HANDLER_STREAM, WEFT_HANDLER_STORE, or between */
};

int weft_handler_pong(ptl_handle_ni_t ni, const struct weft_handler_pong *pong,
                      ptl_handlers_t *handlers);

#endif
