/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets of every kind: there and back, and every way in which one can be wrong. */
#include "packet/packet.h"

#include <portals4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/rng.h"
#include "support/tap.h"

static const struct {
    const char *name;
    size_t headers;
} kinds[WEFT_PACKET_KINDS] = {
    [WEFT_PACKET_PUT] = {"PUT", 80},
    [WEFT_PACKET_GET] = {"GET", 80},
    [WEFT_PACKET_ATOMIC] = {"ATOMIC", 80},
    [WEFT_PACKET_FETCH_ATOMIC] = {"FETCH_ATOMIC", 80},
    [WEFT_PACKET_SWAP] = {"SWAP", 80},
    [WEFT_PACKET_DATA] = {"DATA", 40},
    [WEFT_PACKET_ACK] = {"ACK", 48},
    [WEFT_PACKET_REPLY] = {"REPLY", 48},
    [WEFT_PACKET_REPLY_DATA] = {"REPLY_DATA", 40},
    [WEFT_PACKET_LINK] = {"LINK", 40},
    [WEFT_PACKET_LOST] = {"LOST", 32},
};

#define BIT(kind) (1u << WEFT_PACKET_##kind)
#define ATOMICS (BIT(ATOMIC) | BIT(FETCH_ATOMIC) | BIT(SWAP))
#define PLAIN_REQUESTS (BIT(PUT) | BIT(GET))
#define REQUESTS (PLAIN_REQUESTS | ATOMICS)
#define PLACES (BIT(DATA) | BIT(REPLY_DATA))
#define RESULTS (BIT(ACK) | BIT(REPLY))
#define EVERY (REQUESTS | PLACES | RESULTS | BIT(LINK) | BIT(LOST))

#define PAYLOAD 48u

static bool has_payload(unsigned kind)
{
    return kind != WEFT_PACKET_GET && kind != WEFT_PACKET_ACK && kind != WEFT_PACKET_LINK &&
           kind != WEFT_PACKET_LOST;
}

/* A packet without fault, in memory of exactly its size, so that a sanitizer sees a byte read
 * too far. */
struct wire {
    unsigned char *bytes;
    size_t size;
};

static void fill_request(struct weft_packet *packet)
{
    packet->request = (struct weft_packet_request){
        .pt_index = 7,
        .uid = 1000,
        .rank = 3,
        .ack = PTL_ACK_REQ,
        .match_bits = UINT64_C(0x123456789abcdef0),
        .hdr_data = UINT64_C(0xfedcba9876543210),
        .remote_offset = UINT64_C(1) << 40,
        .length = packet->head.kind == WEFT_PACKET_SWAP ? PAYLOAD - 8 : PAYLOAD,
    };
    if (1u << packet->head.kind & ATOMICS) {
        packet->request.atomic_operation = PTL_SUM;
        packet->request.atomic_type = PTL_INT64_T;
    }
    if (packet->head.kind == WEFT_PACKET_SWAP) {
        packet->request.atomic_operation = PTL_CSWAP;
        packet->request.operand = 8;
    }
}

static struct weft_packet sound_packet(unsigned kind)
{
    struct weft_packet packet;
    memset(&packet, 0, sizeof packet);
    packet.head = (struct weft_packet_head){
        .version = WEFT_PACKET_VERSION,
        .kind = (uint8_t)kind,
        .flags = 2,
        .length = has_payload(kind) ? PAYLOAD : 0,
        .source_nid = 11,
        .source_pid = 12,
        .sequence = kind == WEFT_PACKET_LINK ? 0 : 13,
        .acknowledged = 14,
        .operation = 15,
    };
    if (1u << kind & REQUESTS)
        fill_request(&packet);
    if (1u << kind & PLACES)
        packet.place.offset = UINT64_C(1) << 33;
    if (1u << kind & RESULTS)
        packet.result = (struct weft_packet_result){.length = PAYLOAD, .offset = 99};
    return packet;
}

static struct wire wire_of(const struct weft_packet *packet)
{
    struct wire wire = {.size = weft_packet_headers(packet->head.kind) + packet->head.length};
    wire.bytes = malloc(wire.size);
    if (!wire.bytes)
        abort();
    unsigned char *payload = weft_packet_encode(wire.bytes, packet);
    for (size_t i = 0; i < packet->head.length; i++)
        payload[i] = (unsigned char)(3 * i + 1);
    return wire;
}

static enum weft_packet_fault fault_of(const struct weft_packet *packet)
{
    struct weft_packet decoded;
    struct wire wire = wire_of(packet);
    enum weft_packet_fault fault = weft_packet_decode(wire.bytes, wire.size, &decoded);
    free(wire.bytes);
    return fault;
}

static void report(bool holds, const char *kind, const char *what)
{
    char text[100];
    snprintf(text, sizeof text, "%s: %s", kind, what);
    tap_check(holds, __FILE__, __LINE__, text);
}

static bool same_headers(const struct weft_packet *a, const struct weft_packet *b)
{
    return memcmp(&a->head, &b->head, sizeof a->head) == 0 &&
           memcmp(&a->request, &b->request, weft_packet_headers(a->head.kind) - sizeof a->head) ==
               0;
}

static void there_and_back(unsigned kind)
{
    struct weft_packet packet = sound_packet(kind), decoded;
    unsigned char memory[200];
    memset(memory, 0x5a, sizeof memory);
    /* At an odd address; a packet may lie anywhere. */
    unsigned char *payload = weft_packet_encode(memory + 1, &packet);
    report(weft_packet_headers(kind) == kinds[kind].headers, kinds[kind].name, "size");
    report(payload == memory + 1 + kinds[kind].headers, kinds[kind].name, "place of the payload");
    report(memory[0] == 0x5a && *payload == 0x5a, kinds[kind].name,
           "encode writes the headers only");
    size_t size = kinds[kind].headers + packet.head.length;
    bool sound = weft_packet_decode(memory + 1, size, &decoded) == WEFT_PACKET_FAULT_NONE;
    report(sound && decoded.payload == payload, kinds[kind].name, "decodes");
    /* A sender that changes its memory later changes nothing of what was decoded. */
    memset(memory, 0xff, sizeof memory);
    report(sound && same_headers(&packet, &decoded), kinds[kind].name, "comes back as it was");
}

static void truncations(unsigned kind)
{
    struct weft_packet packet = sound_packet(kind), decoded;
    struct wire wire = wire_of(&packet);
    bool refused = true;
    for (size_t size = 0; size < wire.size; size++) {
        unsigned char *part = malloc(size ? size : 1);
        if (!part)
            abort();
        memcpy(part, wire.bytes, size);
        enum weft_packet_fault fault = weft_packet_decode(part, size, &decoded);
        refused &= fault == (size < kinds[kind].headers ? WEFT_PACKET_FAULT_SHORT
                                                        : WEFT_PACKET_FAULT_LENGTH);
        free(part);
    }
    report(refused, kinds[kind].name, "refused if cut off anywhere");
    wire.bytes = realloc(wire.bytes, wire.size + 1);
    if (!wire.bytes)
        abort();
    wire.bytes[wire.size] = 0;
    report(weft_packet_decode(wire.bytes, wire.size + 1, &decoded) == WEFT_PACKET_FAULT_LENGTH,
           kinds[kind].name, "refused if a byte too long");
    free(wire.bytes);
}

/* ---- Fields ------------------------------------------------------------------------------- */

#define FIELD(member)                                                                             \
    offsetof(struct weft_packet, member), sizeof(((struct weft_packet *)0)->member)

/* Of each field, for some kinds: the values from `low` to `high` are fine, all others are not. */
static const struct field {
    const char *name;
    size_t offset;
    size_t size;
    unsigned kinds;
    uint64_t low, high;
} fields[] = {
    {"flags", FIELD(head.flags), EVERY, 0, WEFT_PACKET_FLAGS},
    {"fail", FIELD(head.fail), EVERY & ~RESULTS, 0, 0},
    {"fail", FIELD(head.fail), RESULTS, 0, PTL_NI_FAIL_LAST - 1},
    {"nid", FIELD(head.source_nid), EVERY, 0, UINT32_MAX},
    {"pid", FIELD(head.source_pid), EVERY, 0, UINT32_MAX},
    {"sequence", FIELD(head.sequence), EVERY & ~BIT(LINK), 0, UINT32_MAX},
    {"acknowledged", FIELD(head.acknowledged), EVERY, 0, UINT32_MAX},
    {"operation", FIELD(head.operation), EVERY, 0, UINT32_MAX},
    {"opener", FIELD(head.opener), PLACES, 0, UINT32_MAX},
    {"opener", FIELD(head.opener), EVERY & ~PLACES, 0, 0},
    {"pt_index", FIELD(request.pt_index), REQUESTS, 0, UINT32_MAX},
    {"uid", FIELD(request.uid), REQUESTS, 0, UINT32_MAX},
    {"rank", FIELD(request.rank), REQUESTS, 0, UINT32_MAX},
    {"ack", FIELD(request.ack), REQUESTS, 0, PTL_OC_ACK_REQ},
    {"atomic_operation", FIELD(request.atomic_operation), ATOMICS, 0, PTL_OP_LAST - 1},
    {"atomic_operation", FIELD(request.atomic_operation), PLAIN_REQUESTS, 0, 0},
    {"atomic_type", FIELD(request.atomic_type), ATOMICS, 0, PTL_DATATYPE_LAST - 1},
    {"atomic_type", FIELD(request.atomic_type), PLAIN_REQUESTS, 0, 0},
    {"operand", FIELD(request.operand), PLAIN_REQUESTS | BIT(ATOMIC) | BIT(FETCH_ATOMIC), 0, 0},
    {"operand", FIELD(request.operand), BIT(SWAP), 8, 8},
    {"match_bits", FIELD(request.match_bits), REQUESTS, 0, UINT64_MAX},
    {"hdr_data", FIELD(request.hdr_data), REQUESTS, 0, UINT64_MAX},
    {"remote_offset", FIELD(request.remote_offset), REQUESTS, 0, UINT64_MAX},
    {"length", FIELD(request.length), BIT(PUT), PAYLOAD, INT64_MAX},
    {"length", FIELD(request.length), BIT(GET), 0, INT64_MAX},
    {"length", FIELD(request.length), BIT(ATOMIC) | BIT(FETCH_ATOMIC), PAYLOAD, PAYLOAD},
    {"length", FIELD(request.length), BIT(SWAP), PAYLOAD - 8, PAYLOAD - 8},
    {"offset", FIELD(place.offset), PLACES, 0, INT64_MAX},
    {"length", FIELD(result.length), BIT(ACK), 0, INT64_MAX},
    {"length", FIELD(result.length), BIT(REPLY), PAYLOAD, INT64_MAX},
    {"offset", FIELD(result.offset), RESULTS, 0, UINT64_MAX},
    {"arrived", FIELD(receipt.arrived), BIT(LINK), 0, UINT64_MAX},
};

static void set_field(struct weft_packet *packet, const struct field *field, uint64_t value)
{
    unsigned char *place = (unsigned char *)packet + field->offset;
    if (field->size == sizeof(uint8_t))
        *place = (uint8_t)value;
    else if (field->size == sizeof(uint32_t))
        memcpy(place, &(uint32_t){(uint32_t)value}, sizeof(uint32_t));
    else
        memcpy(place, &value, sizeof value);
}

/* The wire has each field where the structure has it; the first byte is the lowest. */
static bool is_little_endian(const struct field *field, unsigned kind)
{
    struct weft_packet packet = sound_packet(kind);
    unsigned char bytes[WEFT_PACKET_HEADERS];
    bool good = true;
    set_field(&packet, field, UINT64_C(0x8877665544332211));
    weft_packet_encode(bytes, &packet);
    for (size_t i = 0; i < field->size; i++)
        good &= bytes[field->offset + i] == 0x11 * (i + 1);
    return good;
}

static bool obeys(const struct field *field, unsigned kind, uint64_t value)
{
    struct weft_packet packet = sound_packet(kind);
    set_field(&packet, field, value);
    bool fine = value >= field->low && value <= field->high;
    return fault_of(&packet) == (fine ? WEFT_PACKET_FAULT_NONE : WEFT_PACKET_FAULT_FIELD);
}

/* All values of a byte; of longer fields the ends of the range, and what is just beyond. */
static bool field_obeys(const struct field *field, unsigned kind)
{
    uint64_t most = UINT64_MAX >> (64 - 8 * field->size);
    bool good = true;
    if (field->size == 1)
        for (uint64_t value = 0; value <= most; value++)
            good &= obeys(field, kind, value);
    good &= obeys(field, kind, field->low) && obeys(field, kind, field->high);
    good &= obeys(field, kind, 0) && obeys(field, kind, most);
    if (field->low > 0)
        good &= obeys(field, kind, field->low - 1);
    if (field->high < most)
        good &= obeys(field, kind, field->high + 1);
    for (unsigned bit = 0; bit < 8 * field->size; bit++)
        good &= obeys(field, kind, UINT64_C(1) << bit);
    return good;
}

static void every_field(unsigned kind)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].kinds & 1u << kind)
            report(field_obeys(&fields[i], kind) && is_little_endian(&fields[i], kind),
                   kinds[kind].name, fields[i].name);

    struct weft_packet packet = sound_packet(kind);
    bool refused = true;
    for (unsigned version = 0; version < 256; version++) {
        packet.head.version = (uint8_t)version;
        refused &= fault_of(&packet) ==
                   (version == 1 ? WEFT_PACKET_FAULT_NONE : WEFT_PACKET_FAULT_VERSION);
    }
    report(refused, kinds[kind].name, "only version 1");
}

/* The payload must be as long as the kind wants it, not only as long as the head says. */
static void payloads(void)
{
    const struct {
        unsigned kind;
        uint32_t length;
        bool fine;
    } cases[] = {
        {WEFT_PACKET_PUT, 0, true},         {WEFT_PACKET_PUT, PAYLOAD + 1, false},
        {WEFT_PACKET_GET, 1, false},        {WEFT_PACKET_ATOMIC, PAYLOAD - 1, false},
        {WEFT_PACKET_SWAP, 7, false},       {WEFT_PACKET_SWAP, PAYLOAD - 8, false},
        {WEFT_PACKET_DATA, 0, false},       {WEFT_PACKET_DATA, 1, true},
        {WEFT_PACKET_REPLY_DATA, 0, false}, {WEFT_PACKET_REPLY_DATA, 5000, true},
        {WEFT_PACKET_REPLY, 0, true},       {WEFT_PACKET_REPLY, PAYLOAD + 1, false},
        {WEFT_PACKET_ACK, 1, false},        {WEFT_PACKET_LINK, 1, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weft_packet packet = sound_packet(cases[i].kind);
        char what[60];
        packet.head.length = cases[i].length;
        snprintf(what, sizeof what, "a payload of %u is %s", cases[i].length,
                 cases[i].fine ? "fine" : "refused");
        report(fault_of(&packet) ==
                   (cases[i].fine ? WEFT_PACKET_FAULT_NONE : WEFT_PACKET_FAULT_FIELD),
               kinds[cases[i].kind].name, what);
    }
}

static enum weft_packet_fault atomic_fault(uint32_t operand, uint32_t length)
{
    struct weft_packet packet = sound_packet(WEFT_PACKET_SWAP);
    packet.request.operand = (uint8_t)operand;
    packet.request.length = length;
    packet.head.length = operand + length;
    return fault_of(&packet);
}

static void largest_atomics(void)
{
    check_uint(atomic_fault(WEFT_PACKET_OPERAND, WEFT_PACKET_ATOMIC_MAX), WEFT_PACKET_FAULT_NONE);
    check_uint(atomic_fault(0, 0), WEFT_PACKET_FAULT_NONE);
    check_uint(atomic_fault(WEFT_PACKET_OPERAND + 1, 32), WEFT_PACKET_FAULT_FIELD);
    check_uint(atomic_fault(8, WEFT_PACKET_ATOMIC_MAX + 1), WEFT_PACKET_FAULT_FIELD);
    check_uint(WEFT_PACKET_SMALLEST, 80 + 32 + 512);
}

static void unknown_kinds(void)
{
    struct weft_packet packet = sound_packet(WEFT_PACKET_LINK), decoded;
    struct wire wire = wire_of(&packet);
    bool refused = true;
    for (unsigned kind = 0; kind < 256; kind++) {
        wire.bytes[offsetof(struct weft_packet_head, kind)] = (unsigned char)kind;
        enum weft_packet_fault fault = weft_packet_decode(wire.bytes, wire.size, &decoded);
        refused &= (fault == WEFT_PACKET_FAULT_KIND) == (kind == 0 || kind >= WEFT_PACKET_KINDS);
    }
    check(refused);
    free(wire.bytes);
}

/* Whatever the bytes, what is let through keeps its promises. */
static void random_bytes(void)
{
    struct rng rng = rng_stream(2, 0);
    struct weft_packet decoded;
    unsigned passed = 0, wrong = 0;
    for (unsigned round = 0; round < 50000; round++) {
        struct weft_packet packet = sound_packet(1 + round % (WEFT_PACKET_KINDS - 1));
        struct wire wire = wire_of(&packet);
        for (size_t changes = rng_below(&rng, 4); changes > 0; changes--) {
            unsigned char *changed = &wire.bytes[rng_below(&rng, wire.size)];
            *changed = (unsigned char)rng_next(&rng);
        }
        if (weft_packet_decode(wire.bytes, wire.size, &decoded) == WEFT_PACKET_FAULT_NONE) {
            unsigned char again[WEFT_PACKET_HEADERS];
            unsigned char *payload = weft_packet_encode(again, &decoded);
            wrong += memcmp(again, wire.bytes, (size_t)(payload - again)) != 0;
            wrong += decoded.payload + decoded.head.length != wire.bytes + wire.size;
            passed++;
        }
        free(wire.bytes);
    }
    check_uint(wrong, 0);
    check(passed > 10000 && passed < 40000);
}

int main(void)
{
    for (unsigned kind = 1; kind < WEFT_PACKET_KINDS; kind++) {
        there_and_back(kind);
        truncations(kind);
        every_field(kind);
    }
    payloads();
    largest_atomics();
    unknown_kinds();
    random_bytes();
    return tap_done();
}
