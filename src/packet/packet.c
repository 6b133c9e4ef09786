/* SPDX-License-Identifier: BSD-3-Clause */
#include "packet/packet.h"

#include <portals4.h>
#include <string.h>

#include "packet/decode.h"

#define SIZE_NOTHING 0
#define SIZE_REQUEST sizeof(struct weft_packet_request)
#define SIZE_PLACE sizeof(struct weft_packet_place)
#define SIZE_RESULT sizeof(struct weft_packet_result)

const struct weft_packet_shape weft_packet_shapes[WEFT_PACKET_KINDS] = {
#define SHAPE(name, part)                                                                         \
    [WEFT_PACKET_##                                                                               \
        name] = {WEFT_PACKET_PART_##part, sizeof(struct weft_packet_head) + SIZE_##part},
    WEFT_PACKET_KIND_MAP(SHAPE)
#undef SHAPE
};

size_t weft_packet_headers(enum weft_packet_kind kind)
{
    return weft_packet_shapes[kind].headers;
}

bool weft_packet_atomic_is_sound(const struct weft_packet *packet)
{
    const struct weft_packet_request *request = &packet->request;
    return request->atomic_operation < PTL_OP_LAST && request->atomic_type < PTL_DATATYPE_LAST &&
           request->operand <= WEFT_PACKET_OPERAND && request->length <= WEFT_PACKET_ATOMIC_MAX &&
           packet->head.length == request->operand + request->length;
}

bool weft_packet_result_is_sound(const struct weft_packet *packet)
{
    const struct weft_packet_result *result = &packet->result;
    if (packet->head.fail >= PTL_NI_FAIL_LAST || result->length > INT64_MAX)
        return false;
    return packet->head.kind == WEFT_PACKET_ACK ? packet->head.length == 0
                                                : packet->head.length <= result->length;
}

enum weft_packet_fault weft_packet_decode(const void *bytes, size_t size,
                                          struct weft_packet *packet)
{
    return weft_packet_decode_inline(bytes, size, packet);
}

unsigned char *weft_packet_encode(void *bytes, const struct weft_packet *packet)
{
    size_t headers = weft_packet_headers(packet->head.kind);
    memcpy(bytes, &packet->head, sizeof packet->head);
    memcpy((unsigned char *)bytes + sizeof packet->head, &packet->request,
           headers - sizeof packet->head);
    return (unsigned char *)bytes + headers;
}
