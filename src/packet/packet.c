/* SPDX-License-Identifier: BSD-3-Clause */
#include "packet/packet.h"

#include <portals4.h>
#include <string.h>

#include "base/little.h"
#include "packet/decode.h"

#define SIZE_NOTHING 0
#define SIZE_REQUEST sizeof(struct weft_packet_request)
#define SIZE_PLACE sizeof(struct weft_packet_place)
#define SIZE_RESULT sizeof(struct weft_packet_result)
#define SIZE_RECEIPT sizeof(struct weft_packet_receipt)

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
    if (packet->head.fail >= PTL_NI_FAIL_LAST || packet->head.opener || result->length > INT64_MAX)
        return false;
    return packet->head.kind == WEFT_PACKET_ACK ? packet->head.length == 0
                                                : packet->head.length <= result->length;
}

enum weft_packet_fault weft_packet_decode(const void *bytes, size_t size,
                                          struct weft_packet *packet)
{
    return weft_packet_decode_inline(bytes, size, packet);
}

/* Headers are read as they were written, field by field. A wider load is not served by the stores
 * that are still on their way: it would wait for all of them, the payload of the packet before
 * among them, whose lines another processor has. Hence volatile: the compiler must not join loads.
 */
#define ENCODE(field)                                                                             \
    do {                                                                                          \
        __typeof__(from->field) value =                                                           \
            weft_little(*(const volatile __typeof__(from->field) *)&from->field);                 \
        memcpy(to + offsetof(__typeof__(*from), field), &value, sizeof value);                    \
    } while (0)

static void encode_head(unsigned char *to, const struct weft_packet_head *from)
{
    ENCODE(version);
    ENCODE(kind);
    ENCODE(flags);
    ENCODE(fail);
    ENCODE(length);
    ENCODE(source_nid);
    ENCODE(source_pid);
    ENCODE(sequence);
    ENCODE(acknowledged);
    ENCODE(operation);
    ENCODE(opener);
}

static void encode_request(unsigned char *to, const struct weft_packet_request *from)
{
    ENCODE(pt_index);
    ENCODE(uid);
    ENCODE(rank);
    ENCODE(ack);
    ENCODE(atomic_operation);
    ENCODE(atomic_type);
    ENCODE(operand);
    ENCODE(match_bits);
    ENCODE(hdr_data);
    ENCODE(remote_offset);
    ENCODE(length);
}

static void encode_place(unsigned char *to, const struct weft_packet_place *from)
{
    ENCODE(offset);
}

static void encode_result(unsigned char *to, const struct weft_packet_result *from)
{
    ENCODE(length);
    ENCODE(offset);
}

static void encode_receipt(unsigned char *to, const struct weft_packet_receipt *from)
{
    ENCODE(arrived);
}

unsigned char *weft_packet_encode(void *bytes, const struct weft_packet *packet)
{
    const struct weft_packet_shape *shape = &weft_packet_shapes[packet->head.kind];
    unsigned char *second = (unsigned char *)bytes + sizeof packet->head;
    encode_head(bytes, &packet->head);
    if (shape->part == WEFT_PACKET_PART_PLACE)
        encode_place(second, &packet->place);
    else if (shape->part == WEFT_PACKET_PART_REQUEST)
        encode_request(second, &packet->request);
    else if (shape->part == WEFT_PACKET_PART_RESULT)
        encode_result(second, &packet->result);
    else if (shape->part == WEFT_PACKET_PART_RECEIPT)
        encode_receipt(second, &packet->receipt);
    return (unsigned char *)bytes + shape->headers;
}
