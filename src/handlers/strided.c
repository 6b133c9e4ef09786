/* SPDX-License-Identifier: BSD-3-Clause */
#include "handlers/handler.h"

/* All writes are under way before the handler waits for the last. */
static ptl_handler_result_t scatter(const ptl_payload_t *payload, void *state)
{
    const struct weft_handler_strided *strided = state;
    ptl_header_t message;
    PtlHandlerHeader(&message);
    ptl_size_t packed = message.offset + payload->offset;
    ptl_size_t block = packed / strided->blocksize;
    ptl_size_t skipped = packed % strided->blocksize;
    ptl_dma_t last = 0;
    for (ptl_size_t done = 0, piece; done < payload->length; done += piece) {
        piece = strided->blocksize - skipped;
        if (piece > payload->length - done)
            piece = payload->length - done;
        if (block >= strided->count)
            return PTL_HANDLER_SEGV;
        int result = PtlHandlerDMAToHostNB(payload->base + done,
                                           strided->start + block * strided->stride + skipped,
                                           piece, PTL_DMA_NO_EVENT, &last);
        if (result != PTL_OK)
            return PTL_HANDLER_FAIL;
        block++;
        skipped = 0;
    }
    return weft_handler_result(PtlHandlerDMAWait(last));
}

int weft_handler_strided(ptl_handle_ni_t ni, const struct weft_handler_strided *strided,
                         ptl_handlers_t *handlers)
{
    if (strided->blocksize == 0)
        return PTL_ARG_INVALID;
    int result = weft_handler_open(ni, strided, sizeof *strided, handlers);
    handlers->payload_handler = scatter;
    return result;
}
