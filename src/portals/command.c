/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/command.h"

#include <string.h>

#include "nic/atomic.h"
#include "nic/trigger.h"
#include "nic/tx.h"

static bool is_target(const struct weft_nic_ni *ni, ptl_process_t target)
{
    if (ni->logical)
        return ni->map && target.rank < ni->map_size;
    return target.phys.nid != PTL_NID_ANY && target.phys.pid != PTL_PID_ANY;
}

/* The descriptor, if the range lies within it. */
static struct weft_nic_md *find_md(const struct weft_nic_ni *ni, struct weft_portals_local local,
                                   ptl_size_t length)
{
    struct weft_nic_md *md = weft_portals_find(ni, local.md, WEFT_PORTALS_HANDLE_MD);
    if (!md || local.offset > md->region.length || length > md->region.length - local.offset)
        return NULL;
    return md;
}

static bool has_operand(ptl_op_t operation)
{
    return operation > PTL_SWAP && operation <= PTL_MSWAP;
}

static bool arithmetic_is_valid(const struct weft_nic_ni *ni,
                                const struct weft_portals_request *request)
{
    const struct weft_portals_arithmetic *a = &request->arithmetic;
    if (request->kind == WEFT_PACKET_PUT || request->kind == WEFT_PACKET_GET)
        return true;
    if ((unsigned)a->operation >= PTL_OP_LAST || (unsigned)a->datatype >= PTL_DATATYPE_LAST ||
        !weft_nic_atomic_exists(a->operation, a->datatype))
        return false;
    bool is_swap = a->operation >= PTL_SWAP && a->operation <= PTL_MSWAP;
    if (is_swap != (request->kind == WEFT_PACKET_SWAP))
        return false;
    size_t size = weft_nic_atomic_size(a->datatype);
    if (has_operand(a->operation))
        return a->operand && request->length == size;
    ptl_size_t most = request->kind == WEFT_PACKET_ATOMIC ? ni->limits.max_atomic_size
                                                          : ni->limits.max_fetch_atomic_size;
    return request->length <= most && request->length % size == 0;
}

bool weft_portals_command_fill(const struct weft_nic_ni *ni,
                               const struct weft_portals_request *request,
                               struct weft_nic_command *command)
{
    if (request->length > ni->limits.max_msg_size || (unsigned)request->ack > PTL_OC_ACK_REQ ||
        !is_target(ni, request->to.target) || !arithmetic_is_valid(ni, request))
        return false;
    *command = (struct weft_nic_command){
        .kind = request->kind,
        .local_offset = request->put.offset,
        .get_offset = request->get.offset,
        .length = request->length,
        .remote_offset = request->to.remote_offset,
        .match_bits = ni->matching ? request->to.match_bits : 0,
        .hdr_data = request->to.hdr_data,
        .user_ptr = request->to.user_ptr,
        .target = request->to.target,
        .pt_index = request->to.pt_index,
        .ack = request->ack,
        .atomic_operation = (uint8_t)request->arithmetic.operation,
        .atomic_type = (uint8_t)request->arithmetic.datatype,
    };
    if (request->kind == WEFT_PACKET_SWAP && has_operand(request->arithmetic.operation)) {
        command->operand_size = (uint8_t)weft_nic_atomic_size(request->arithmetic.datatype);
        memcpy(command->operand, request->arithmetic.operand, command->operand_size);
    }
    return true;
}

static bool fill_in(const struct weft_nic_ni *ni, const struct weft_portals_request *request,
                    struct weft_nic_command *command)
{
    if (!weft_portals_command_fill(ni, request, command))
        return false;
    bool puts = request->kind != WEFT_PACKET_GET;
    bool gets = request->kind != WEFT_PACKET_PUT && request->kind != WEFT_PACKET_ATOMIC;
    if (puts)
        command->md = find_md(ni, request->put, request->length);
    if (gets)
        command->get_md = find_md(ni, request->get, request->length);
    return (command->md || !puts) && (command->get_md || !gets);
}

static ptl_handle_md_t first_md(const struct weft_portals_request *request)
{
    return request->kind == WEFT_PACKET_GET ? request->get.md : request->put.md;
}

int weft_portals_command_execute(const struct weft_portals_request *request)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, first_md(request), WEFT_PORTALS_HANDLE_MD))
        return scope.result;
    struct weft_nic_command command;
    int result = fill_in(scope.ni, request, &command) ? weft_nic_tx_start(scope.ni, &command)
                                                      : PTL_ARG_INVALID;
    return weft_portals_leave(&scope, result);
}

int weft_portals_command_run_later(const struct weft_portals_request *request,
                                   ptl_handle_ct_t trigger_handle, ptl_size_t threshold)
{
    struct weft_portals_scope scope;
    if (!weft_portals_enter(&scope, trigger_handle, WEFT_PORTALS_HANDLE_CT))
        return scope.result;
    struct weft_nic_command command;
    if (!fill_in(scope.ni, request, &command))
        return weft_portals_leave(&scope, PTL_ARG_INVALID);
    struct weft_nic_trigger *trigger = weft_nic_trigger_new(scope.ni, WEFT_NIC_TRIGGER_COMMAND);
    if (!trigger)
        return weft_portals_leave(&scope, PTL_NO_SPACE);
    trigger->command = command;
    weft_nic_trigger_set(trigger, scope.object, threshold);
    return weft_portals_leave(&scope, PTL_OK);
}
