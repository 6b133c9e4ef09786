/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/result.h"

#include "nic/activation.h"
#include "nic/dma.h"
#include "nic/event.h"
#include "nic/tx.h"

/* The operation that an answer names, if it is one that this peer may answer now. */
static struct weft_nic_operation *find(const struct weft_nic *nic,
                                       const struct weft_nic_peer *peer,
                                       const struct weft_packet *packet)
{
    struct weft_nic_operation *operation =
        weft_pool_find(&nic->operations, packet->head.operation);
    if (!operation || operation->peer != peer || !operation->wants_result ||
        !operation->is_all_sent)
        return NULL;
    return operation;
}

bool weft_nic_result_ack(struct weft_nic *nic, struct weft_nic_peer *peer,
                         const struct weft_packet *packet)
{
    struct weft_nic_operation *operation = find(nic, peer, packet);
    if (!operation || operation->command.get_md ||
        packet->result.length > operation->command.length)
        return false;
    const struct weft_nic_command *command = &operation->command;
    /* "Operation completed" says nothing of how. */
    bool only_completed = command->ack == PTL_OC_ACK_REQ;
    bool unexpected = packet->head.flags & WEFT_PACKET_OVERFLOW;
    if (!(packet->head.flags & WEFT_PACKET_QUIET))
        weft_nic_event_initiator(command, command->md,
                                 &(struct weft_nic_initiator_event){
                                     .type = PTL_EVENT_ACK,
                                     .fail = only_completed ? PTL_NI_OK : packet->head.fail,
                                     .count_only = command->ack != PTL_ACK_REQ,
                                     .list = unexpected ? PTL_OVERFLOW_LIST : PTL_PRIORITY_LIST,
                                     .length = packet->result.length,
                                     .remote_offset = packet->result.offset});
    weft_nic_tx_end(operation);
    return true;
}

void weft_nic_result_end(struct weft_nic_operation *operation, ptl_ni_fail_t fail)
{
    const struct weft_nic_command *command = &operation->command;
    weft_nic_event_initiator(
        command, command->get_md,
        &(struct weft_nic_initiator_event){.type = PTL_EVENT_REPLY,
                                           .fail = fail,
                                           .length = operation->reply_length,
                                           .remote_offset = operation->reply_offset});
    weft_nic_tx_end(operation);
}

/* HPUs scatter it. When all has come, nothing that becomes of the peer is of interest. */
static __attribute__((noinline)) void hand_on(struct weft_nic_operation *operation,
                                              uint64_t offset, const struct weft_packet *packet)
{
    operation->received += packet->head.length;
    bool last = operation->received == operation->reply_length;
    if (last)
        weft_nic_tx_leave(operation);
    weft_nic_activation_data(operation->activation, packet, offset, last);
}

/* Payload at `offset` of the reply; ends the operation when all has come. */
static void take(struct weft_nic_operation *operation, uint64_t offset,
                 const struct weft_packet *packet)
{
    const struct weft_nic_command *command = &operation->command;
    uint32_t size = packet->head.length;
    if (weft_rare(operation->activation != NULL)) {
        hand_on(operation, offset, packet);
        return;
    }
    if (!weft_nic_dma_write(&command->get_md->region, command->get_offset + offset,
                            packet->payload, size))
        operation->reply_fail = PTL_NI_SEGV;
    operation->received += size;
    if (operation->received == operation->reply_length)
        weft_nic_result_end(operation, operation->reply_fail);
}

bool weft_nic_result_lost(struct weft_nic *nic, struct weft_nic_peer *peer,
                          const struct weft_packet *packet)
{
    const struct weft_nic_operation *newest = find(nic, peer, packet);
    if (packet->head.operation && !newest)
        return false;
    weft_nic_tx_lose(peer, newest);
    return true;
}

bool weft_nic_result_reply(struct weft_nic *nic, struct weft_nic_peer *peer,
                           const struct weft_packet *packet)
{
    struct weft_nic_operation *operation = find(nic, peer, packet);
    if (!operation || !operation->command.get_md || operation->is_replied ||
        packet->result.length > operation->command.length)
        return false;
    operation->is_replied = true;
    operation->reply_fail = packet->head.fail;
    operation->reply_length = packet->result.length;
    operation->reply_offset = packet->result.offset;
    if (weft_rare(nic->is_watched))
        operation->activation = weft_nic_activation_open_reply(operation, packet);
    take(operation, 0, packet);
    return true;
}

/* The operation of a reply that goes on; NULL if it does not. */
static struct weft_nic_operation *find_replied(const struct weft_nic *nic,
                                               const struct weft_nic_peer *peer,
                                               const struct weft_packet *packet)
{
    struct weft_nic_operation *operation = find(nic, peer, packet);
    bool is_next = operation && operation->is_replied &&
                   packet->place.offset == operation->received &&
                   packet->head.length <= operation->reply_length - operation->received;
    return is_next ? operation : NULL;
}

bool weft_nic_result_data(struct weft_nic *nic, struct weft_nic_peer *peer,
                          const struct weft_packet *packet)
{
    struct weft_nic_operation *operation = find_replied(nic, peer, packet);
    if (!operation)
        return false;
    take(operation, operation->received, packet);
    return true;
}

unsigned char *weft_nic_result_landing(const struct weft_nic *nic,
                                       const struct weft_nic_peer *peer,
                                       const struct weft_packet *packet)
{
    const struct weft_nic_operation *operation = find_replied(nic, peer, packet);
    if (!operation || operation->activation)
        return NULL;
    const struct weft_nic_command *command = &operation->command;
    return weft_nic_dma_block(&command->get_md->region, command->get_offset + operation->received,
                              packet->head.length);
}

bool weft_nic_result_range(struct weft_nic *nic, struct weft_nic_peer *peer,
                           const struct weft_packet *packet)
{
    struct weft_nic_operation *operation = find(nic, peer, packet);
    uint32_t size = packet->head.length;
    if (!operation || !operation->is_replied ||
        size > operation->reply_length - operation->received ||
        packet->place.offset > operation->reply_length - size)
        return false;
    take(operation, packet->place.offset, packet);
    return true;
}
