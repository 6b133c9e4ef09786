/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scatters what arrives into blocks at a constant distance, without a copy of the packed data
 * ([sPIN17], section 5.2). The offset of a message is one in the packed data, so a part of it may
 * come alone. What does not fit into the blocks ends the message with PTL_NI_SEGV.
 */
#ifndef WEFT_HANDLERS_STRIDED_H
#define WEFT_HANDLERS_STRIDED_H

#include "handlers/handler.h"

/* In bytes. */
struct weft_handler_strided {
    ptl_size_t start; /* of the first block, in the memory of the entry */
    ptl_size_t stride;
    ptl_size_t blocksize; /* not 0 */
    ptl_size_t count;
};

int weft_handler_strided(ptl_handle_ni_t ni, const struct weft_handler_strided *strided,
                         ptl_handlers_t *handlers);

#endif
