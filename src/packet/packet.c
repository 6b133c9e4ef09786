/* SPDX-License-Identifier: BSD-3-Clause */
#include "packet/packet.h"

#include <portals4.h>
#include <string.h>

enum part { PART_nothing, PART_request, PART_place, PART_result };

static const unsigned char parts[WEFT_PACKET_KINDS] = {
#define PART(name, part) [WEFT_PACKET_##name] = PART_##part,
    WEFT_PACKET_KIND_MAP(PART)
#undef PART
};

static const unsigned char part_size[] = {
    [PART_nothing] = 0,
    [PART_request] = sizeof(struct weft_packet_request),
    [PART_place] = sizeof(struct weft_packet_place),
    [PART_result] = sizeof(struct weft_packet_result),
};

size_t weft_packet_headers(enum weft_packet_kind kind)
{
    return sizeof(struct weft_packet_head) + part_size[parts[kind]];
}

/* A message lies in [0, 2^63): no sum of an offset and a length of the NIC overflows. */
static bool is_size(uint64_t value)
{
    return value <= INT64_MAX;
}

static bool is_atomic(enum weft_packet_kind kind)
{
    return kind == WEFT_PACKET_ATOMIC || kind == WEFT_PACKET_FETCH_ATOMIC ||
           kind == WEFT_PACKET_SWAP;
}

static bool atomic_is_sound(const struct weft_packet *packet)
{
    const struct weft_packet_request *request = &packet->request;
    return request->atomic_operation < PTL_OP_LAST && request->atomic_type < PTL_DATATYPE_LAST &&
           request->operand <= WEFT_PACKET_OPERAND && request->length <= WEFT_PACKET_ATOMIC_MAX &&
           packet->head.length == request->operand + request->length;
}

static bool request_is_sound(const struct weft_packet *packet)
{
    const struct weft_packet_request *request = &packet->request;
    if (packet->head.fail || request->ack > PTL_OC_ACK_REQ || !is_size(request->length))
        return false;
    if (is_atomic(packet->head.kind))
        return atomic_is_sound(packet);
    if (request->operand || request->atomic_operation || request->atomic_type)
        return false;
    return packet->head.kind == WEFT_PACKET_GET ? packet->head.length == 0
                                                : packet->head.length <= request->length;
}

static bool place_is_sound(const struct weft_packet *packet)
{
    return !packet->head.fail && packet->head.length > 0 && is_size(packet->place.offset);
}

static bool result_is_sound(const struct weft_packet *packet)
{
    const struct weft_packet_result *result = &packet->result;
    if (packet->head.fail >= PTL_NI_FAIL_LAST || !is_size(result->length))
        return false;
    return packet->head.kind == WEFT_PACKET_ACK ? packet->head.length == 0
                                                : packet->head.length <= result->length;
}

static bool is_sound(const struct weft_packet *packet)
{
    switch ((enum part)parts[packet->head.kind]) {
    case PART_request:
        return request_is_sound(packet);
    case PART_place:
        return place_is_sound(packet);
    case PART_result:
        return result_is_sound(packet);
    case PART_nothing:
        break;
    }
    return packet->head.length == 0 && !packet->head.fail;
}

enum weft_packet_fault weft_packet_decode(const void *bytes, size_t size,
                                          struct weft_packet *packet)
{
    struct weft_packet_head *head = &packet->head;
    if (size < sizeof *head)
        return WEFT_PACKET_FAULT_SHORT;
    memcpy(head, bytes, sizeof *head);
    if (head->version != WEFT_PACKET_VERSION)
        return WEFT_PACKET_FAULT_VERSION;
    if (head->kind == WEFT_PACKET_NONE || head->kind >= WEFT_PACKET_KINDS)
        return WEFT_PACKET_FAULT_KIND;
    size_t headers = weft_packet_headers(head->kind);
    if (size < headers)
        return WEFT_PACKET_FAULT_SHORT;
    if (head->length != size - headers)
        return WEFT_PACKET_FAULT_LENGTH;
    memcpy(&packet->request, (const unsigned char *)bytes + sizeof *head, headers - sizeof *head);
    packet->payload = (const unsigned char *)bytes + headers;
    if ((head->flags & ~WEFT_PACKET_FLAGS) || head->reserved || !is_sound(packet))
        return WEFT_PACKET_FAULT_FIELD;
    return WEFT_PACKET_FAULT_NONE;
}

unsigned char *weft_packet_encode(void *bytes, const struct weft_packet *packet)
{
    size_t headers = weft_packet_headers(packet->head.kind);
    memcpy(bytes, &packet->head, sizeof packet->head);
    memcpy((unsigned char *)bytes + sizeof packet->head, &packet->request,
           headers - sizeof packet->head);
    return (unsigned char *)bytes + headers;
}
