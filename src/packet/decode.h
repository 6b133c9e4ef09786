/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft_packet_decode for the way of every packet, without a call. A message lies in [0, 2^63), so
 * that no sum of an offset and a length of the NIC overflows.
 */
#ifndef WEFT_PACKET_DECODE_H
#define WEFT_PACKET_DECODE_H

#include <portals4.h>
#include <string.h>

#include "base/inline.h"
#include "base/little.h"
#include "base/rare.h"
#include "packet/packet.h"

enum weft_packet_part {
    WEFT_PACKET_PART_NOTHING,
    WEFT_PACKET_PART_REQUEST,
    WEFT_PACKET_PART_PLACE,
    WEFT_PACKET_PART_RESULT,
    WEFT_PACKET_PART_RECEIPT
};

/* Of each kind: the second part, and the bytes of both headers. */
struct weft_packet_shape {
    unsigned char part, headers;
};
extern const struct weft_packet_shape weft_packet_shapes[WEFT_PACKET_KINDS];

bool weft_packet_atomic_is_sound(const struct weft_packet *packet);
bool weft_packet_result_is_sound(const struct weft_packet *packet);

WEFT_INLINE bool weft_packet_request_is_sound(const struct weft_packet *packet)
{
    const struct weft_packet_request *request = &packet->request;
    enum weft_packet_kind kind = packet->head.kind;
    if (packet->head.fail || packet->head.opener || request->ack > PTL_OC_ACK_REQ)
        return false;
    if (kind != WEFT_PACKET_PUT && kind != WEFT_PACKET_GET)
        return weft_packet_atomic_is_sound(packet);
    /* As signed numbers, so that a length that is no size is too short. */
    if (request->operand || request->atomic_operation || request->atomic_type ||
        packet->head.length > (int64_t)request->length)
        return false;
    return kind == WEFT_PACKET_PUT || packet->head.length == 0;
}

WEFT_INLINE bool weft_packet_place_is_sound(const struct weft_packet *packet)
{
    return !packet->head.fail && packet->head.length > 0 && packet->place.offset <= INT64_MAX;
}

/* ---- From the order of the wire to that of the host ---------------------------------------- */

#define WEFT_PACKET_TURN(field) ((field) = weft_little(field))

WEFT_INLINE void weft_packet_turn_head(struct weft_packet_head *head)
{
    WEFT_PACKET_TURN(head->length);
    WEFT_PACKET_TURN(head->source_nid);
    WEFT_PACKET_TURN(head->source_pid);
    WEFT_PACKET_TURN(head->sequence);
    WEFT_PACKET_TURN(head->acknowledged);
    WEFT_PACKET_TURN(head->operation);
    WEFT_PACKET_TURN(head->opener);
}

WEFT_INLINE void weft_packet_turn_request(struct weft_packet_request *request)
{
    WEFT_PACKET_TURN(request->pt_index);
    WEFT_PACKET_TURN(request->uid);
    WEFT_PACKET_TURN(request->rank);
    WEFT_PACKET_TURN(request->match_bits);
    WEFT_PACKET_TURN(request->hdr_data);
    WEFT_PACKET_TURN(request->remote_offset);
    WEFT_PACKET_TURN(request->length);
}

WEFT_INLINE void weft_packet_turn_result(struct weft_packet_result *result)
{
    WEFT_PACKET_TURN(result->length);
    WEFT_PACKET_TURN(result->offset);
}

/* ---- Decoding ------------------------------------------------------------------------------ */

/* Copies the second part, each kind of part on its own because a copy of known size takes few
 * instructions; says whether it is sound. */
WEFT_INLINE bool weft_packet_take_part(struct weft_packet *packet, unsigned part,
                                       const unsigned char *bytes)
{
    if (part == WEFT_PACKET_PART_REQUEST) {
        memcpy(&packet->request, bytes, sizeof packet->request);
        weft_packet_turn_request(&packet->request);
        return weft_packet_request_is_sound(packet);
    }
    if (part == WEFT_PACKET_PART_PLACE) {
        memcpy(&packet->place, bytes, sizeof packet->place);
        WEFT_PACKET_TURN(packet->place.offset);
        return weft_packet_place_is_sound(packet);
    }
    if (part == WEFT_PACKET_PART_RESULT) {
        memcpy(&packet->result, bytes, sizeof packet->result);
        weft_packet_turn_result(&packet->result);
        return weft_packet_result_is_sound(packet);
    }
    if (part == WEFT_PACKET_PART_RECEIPT) {
        memcpy(&packet->receipt, bytes, sizeof packet->receipt);
        WEFT_PACKET_TURN(packet->receipt.arrived);
    }
    return packet->head.length == 0 && !packet->head.fail && !packet->head.opener;
}

WEFT_INLINE enum weft_packet_fault weft_packet_decode_inline(const void *bytes, size_t size,
                                                             struct weft_packet *packet)
{
    struct weft_packet_head *head = &packet->head;
    if (weft_rare(size < sizeof *head))
        return WEFT_PACKET_FAULT_SHORT;
    memcpy(head, bytes, sizeof *head);
    weft_packet_turn_head(head);
    if (weft_rare(head->version != WEFT_PACKET_VERSION))
        return WEFT_PACKET_FAULT_VERSION;
    if (weft_rare(head->kind == WEFT_PACKET_NONE || head->kind >= WEFT_PACKET_KINDS))
        return WEFT_PACKET_FAULT_KIND;
    const struct weft_packet_shape *shape = &weft_packet_shapes[head->kind];
    size_t headers = shape->headers;
    if (weft_rare(size < headers))
        return WEFT_PACKET_FAULT_SHORT;
    if (weft_rare(head->length != size - headers))
        return WEFT_PACKET_FAULT_LENGTH;
    packet->payload = (const unsigned char *)bytes + headers;
    const unsigned char *second = (const unsigned char *)bytes + sizeof *head;
    if (weft_rare((head->flags & ~WEFT_PACKET_FLAGS) ||
                  !weft_packet_take_part(packet, shape->part, second)))
        return WEFT_PACKET_FAULT_FIELD;
    return WEFT_PACKET_FAULT_NONE;
}

#endif
