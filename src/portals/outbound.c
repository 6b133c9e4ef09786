/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts whose data is made while they leave: by a handler, or by calls of the program. */
#include "nic/outbound.h"

#include "nic/tx.h"
#include "portals/command.h"

/* Enters a call that puts from a descriptor, and fills in all of its command but the source. */
static bool enter(struct weft_portals_scope *scope, ptl_handle_md_t md_handle,
                  const struct weft_portals_request *request, struct weft_nic_command *command)
{
    if (!weft_portals_enter(scope, md_handle, WEFT_PORTALS_HANDLE_MD))
        return false;
    if (weft_portals_command_fill(scope->ni, request, command))
        command->md = scope->object;
    else
        scope->result = weft_portals_leave(scope, PTL_ARG_INVALID);
    return scope->result == PTL_OK;
}

/* Of arguments that have the same names in both calls. */
#define PUT                                                                                       \
    &(struct weft_portals_request)                                                                \
    {                                                                                             \
        .kind = WEFT_PACKET_PUT, .length = length, .ack = ack_req, .to = {                        \
            target_id,                                                                            \
            pt_index,                                                                             \
            match_bits,                                                                           \
            remote_offset,                                                                        \
            user_ptr,                                                                             \
            hdr_data                                                                              \
        }                                                                                         \
    }

static bool choose_state(const struct weft_nic_ni *ni, const ptl_outbound_handlers_t *handlers,
                         struct weft_nic_outbound *outbound)
{
    if (!handlers || !handlers->handler)
        return false;
    outbound->handler = handlers->handler;
    outbound->state = handlers->state;
    if (handlers->hpu_memory == PTL_HPU_NONE)
        return true;
    outbound->memory = weft_portals_find(ni, handlers->hpu_memory, WEFT_PORTALS_HANDLE_HPU);
    if (!outbound->memory)
        return false;
    outbound->state = outbound->memory->bytes;
    return true;
}

int PtlProcessPut(ptl_handle_md_t md_handle, ptl_size_t length, ptl_ack_req_t ack_req,
                  ptl_process_t target_id, ptl_pt_index_t pt_index, ptl_match_bits_t match_bits,
                  ptl_size_t remote_offset, void *user_ptr, ptl_hdr_data_t hdr_data,
                  const ptl_outbound_handlers_t *handlers)
{
    struct weft_portals_scope scope;
    struct weft_nic_command command;
    if (!enter(&scope, md_handle, PUT, &command))
        return scope.result;
    if (!choose_state(scope.ni, handlers, &command.outbound))
        return weft_portals_leave(&scope, PTL_ARG_INVALID);
    command.source = WEFT_NIC_SOURCE_HANDLER;
    return weft_portals_leave(&scope, weft_nic_tx_start(scope.ni, &command));
}

/* ---- Streams ------------------------------------------------------------------------------ */

static bool has_range(const struct weft_nic_md *md, ptl_size_t offset, ptl_size_t size)
{
    return weft_nic_region_has(&md->region, offset, size);
}

int PtlSPutStart(ptl_handle_md_t md_handle, ptl_size_t local_offset, ptl_size_t size,
                 ptl_size_t length, ptl_ack_req_t ack_req, ptl_process_t target_id,
                 ptl_pt_index_t pt_index, ptl_match_bits_t match_bits, ptl_size_t remote_offset,
                 void *user_ptr, ptl_hdr_data_t hdr_data, ptl_handle_sput_t *sput_handle)
{
    struct weft_portals_scope scope;
    struct weft_nic_command command;
    if (!enter(&scope, md_handle, PUT, &command))
        return scope.result;
    if (!sput_handle || size > length || !has_range(scope.object, local_offset, size))
        return weft_portals_leave(&scope, PTL_ARG_INVALID);
    command.local_offset = local_offset;
    command.source = WEFT_NIC_SOURCE_STREAM;
    uint32_t id;
    int result = weft_nic_tx_start_stream(scope.ni, &command, size, &id);
    if (result == PTL_OK)
        *sput_handle = weft_portals_handle(WEFT_PORTALS_HANDLE_STREAM, scope.ni->number, id);
    return weft_portals_leave(&scope, result);
}

/* The stream of a handle, unless the message has ended. */
static struct weft_nic_operation *find_stream(const struct weft_portals_scope *scope,
                                              ptl_handle_any_t handle)
{
    struct weft_nic_operation *operation =
        weft_pool_find(&scope->process->nic->operations, weft_portals_handle_id(handle));
    return operation && operation->ni == scope->ni && operation->stream ? operation : NULL;
}

int PtlSPutStream(ptl_handle_sput_t sput_handle, ptl_size_t local_offset, ptl_size_t size,
                  int end_of_message)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, sput_handle, WEFT_PORTALS_HANDLE_STREAM))
        return scope.result;
    struct weft_nic_operation *operation = find_stream(&scope, sput_handle);
    if (!operation || operation->stream->is_ended)
        return weft_portals_leave(&scope, PTL_ARG_INVALID);
    uint64_t left = operation->command.length - operation->stream->given;
    if (size > left || (end_of_message && size < left) ||
        !has_range(operation->command.md, local_offset, size))
        return weft_portals_leave(&scope, PTL_ARG_INVALID);
    int result =
        weft_nic_tx_continue_stream(operation, local_offset, size, end_of_message || size == left);
    return weft_portals_leave(&scope, result);
}
