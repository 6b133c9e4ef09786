/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/outbound.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "nic/core.h"
#include "nic/dma.h"

/* ---- Handlers ----------------------------------------------------------------------------- */

ptl_handler_result_t weft_nic_outbound_run(struct weft_nic_run *run,
                                           const struct weft_nic_command *command, uint64_t offset,
                                           unsigned char *to, size_t size)
{
    const struct weft_nic_outbound *outbound = &command->outbound;
    ptl_outbound_t packet = {size, offset, to};
    const struct weft_nic_call call = {.handler = WEFT_NIC_HANDLER_OUTBOUND,
                                       .function.outbound = outbound->handler,
                                       .argument.outbound = &packet,
                                       .state = outbound->state};
    run->outbound = command->md;
    ptl_handler_result_t result = weft_nic_core_run(run->nic->core, &call, run);
    if (result != PTL_HANDLER_SUCCESS || run->fault != PTL_NI_OK)
        memset(to, 0, size); /* rather than what the last packet left in this place */
    return result;
}

ptl_ni_fail_t weft_nic_outbound_fail(ptl_handler_result_t result, ptl_ni_fail_t fault)
{
    if (fault != PTL_NI_OK || result == PTL_HANDLER_SUCCESS)
        return fault;
    return result == PTL_HANDLER_SEGV ? PTL_NI_SEGV : PTL_NI_HANDLER;
}

ptl_ni_fail_t weft_nic_outbound_fill(struct weft_nic *nic, const struct weft_nic_command *command,
                                     uint64_t offset, unsigned char *to, size_t size)
{
    struct weft_nic_run run = {.nic = nic, .vhpu = UINT32_MAX, .owns_nic = true};
    ptl_handler_result_t result = weft_nic_outbound_run(&run, command, offset, to, size);
    return weft_nic_outbound_fail(result, run.fault);
}

/* ---- Streams ------------------------------------------------------------------------------ */

struct weft_nic_stream *weft_nic_stream_open(void)
{
    return calloc(1, sizeof(struct weft_nic_stream));
}

void weft_nic_stream_close(struct weft_nic_stream *stream)
{
    if (stream)
        free(stream->pieces);
    free(stream);
}

/* Pieces that have left make room before more memory does. */
static bool make_room(struct weft_nic_stream *stream)
{
    if (stream->count < stream->room)
        return true;
    if (stream->first > stream->count / 2) {
        stream->count -= stream->first;
        memmove(stream->pieces, stream->pieces + stream->first,
                stream->count * sizeof *stream->pieces);
        stream->first = 0;
        return true;
    }
    return weft_array_reserve(&stream->pieces, stream->count, &stream->room,
                              sizeof *stream->pieces);
}

bool weft_nic_stream_add(struct weft_nic_stream *stream, uint64_t offset, uint64_t length)
{
    if (length == 0)
        return true;
    struct weft_nic_stream_piece *last = stream->count ? &stream->pieces[stream->count - 1] : NULL;
    if (last && stream->count > stream->first && last->offset + last->length == offset) {
        last->length += length;
    } else {
        if (!make_room(stream))
            return false;
        stream->pieces[stream->count++] = (struct weft_nic_stream_piece){offset, length};
    }
    stream->given += length;
    return true;
}

void weft_nic_stream_read(struct weft_nic_stream *stream, const struct weft_nic_region *region,
                          unsigned char *to, size_t size)
{
    while (size > 0) {
        const struct weft_nic_stream_piece *piece = &stream->pieces[stream->first];
        uint64_t part = piece->length - stream->taken;
        if (part > size)
            part = size;
        weft_nic_dma_read(region, piece->offset + stream->taken, to, part);
        stream->taken += part;
        to += part;
        size -= part;
        if (stream->taken == piece->length) {
            stream->first++;
            stream->taken = 0;
        }
    }
}
