/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any packet may come from a peer, at any time. An input is a list of commands: most make a packet
 * that is right for what has happened so far, which the next bytes may then spoil; so the fuzzer
 * reaches the inside of the NIC and not only the checks at its door.
 *
 *   input:   flavour, command...
 *   flavour: bit 0 a reliable world, bits 1-2 what runs handlers, bit 3 how it is closed, bits
 *            4-7 the open interfaces; if none, bits 1-2 say which one
 *   command: code | where | fields of its kind | patches (place, value)... | how many bytes to cut
 *   code:    bit 0 the peer, bits 1-3 the kind, bits 4-5 the number of patches, bit 6 whether
 *            bytes are cut off, bit 7 whether the packet is the next bytes as they are
 */
#include <portals4.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "fuzz/scene.h"
#include "fuzz/use.h"
#include "nic/atomic.h"

enum { WHOLE_PUT, LONG_PUT, DATA, GET, ATOMIC, RESULT, LINK, HOST };

struct input {
    const unsigned char *at, *end;
};

/* What an honest peer would know. */
static struct peer {
    uint32_t sequence;
    uint64_t begun, sent; /* of its put */
    uint64_t replied;
} peers[STUB_PEERS];

static unsigned take(struct input *input)
{
    return input->at < input->end ? *input->at++ : 0;
}

static unsigned take_wide(struct input *input)
{
    unsigned high = take(input);
    return high << 8 | take(input);
}

/* ---- Packets that are right ---------------------------------------------------------------- */

static void fill_request(struct input *input, unsigned where, struct weft_packet *packet)
{
    unsigned more = take(input);
    packet->head.operation = 1 + (more & 7);
    packet->request = (struct weft_packet_request){.pt_index = where >> 2 & 7,
                                                   .uid = 1000,
                                                   .ack = more >> 3 & 3,
                                                   .match_bits = where >> 5 | (more >> 5) << 2,
                                                   .remote_offset = take(input)};
}

static void fill_put(struct input *input, struct peer *peer, struct weft_packet *packet,
                     bool is_whole)
{
    packet->head.kind = WEFT_PACKET_PUT;
    packet->request.length = is_whole ? take(input) : take_wide(input) & 0x7ff;
    packet->head.length = is_whole ? (uint32_t)packet->request.length : take_wide(input) & 0x1ff;
    if (packet->head.length > packet->request.length)
        packet->head.length = (uint32_t)packet->request.length;
    peer->begun = packet->request.length;
    peer->sent = packet->head.length;
}

static void fill_data(struct input *input, struct peer *peer, struct weft_packet *packet)
{
    uint64_t left = peer->begun - peer->sent;
    packet->head.kind = WEFT_PACKET_DATA;
    packet->head.length = 1 + (take_wide(input) & 0x1ff);
    if (packet->head.length > left && left)
        packet->head.length = (uint32_t)left;
    packet->place.offset = peer->sent;
    peer->sent += left ? packet->head.length : 0;
}

static void fill_atomic(struct input *input, struct weft_packet *packet)
{
    struct weft_packet_request *request = &packet->request;
    unsigned what = take(input);
    request->atomic_operation = (uint8_t)(what % PTL_OP_LAST);
    request->atomic_type = (uint8_t)(take(input) % PTL_DATATYPE_LAST);
    bool has_operand =
        request->atomic_operation > PTL_SWAP && request->atomic_operation < PTL_DIFF;
    bool is_swap = has_operand || request->atomic_operation == PTL_SWAP;
    packet->head.kind = is_swap       ? WEFT_PACKET_SWAP
                        : what & 0x80 ? WEFT_PACKET_ATOMIC
                                      : WEFT_PACKET_FETCH_ATOMIC;
    size_t size = weft_nic_atomic_size((ptl_datatype_t)request->atomic_type);
    request->operand = has_operand ? (uint8_t)size : 0;
    request->length = size * (has_operand ? 1u : 1 + take(input) % 16);
    packet->head.length = request->operand + (uint32_t)request->length;
}

/* The record of an operation is one of the first of its pool, and of the first generations. */
static void fill_result(struct input *input, struct peer *peer, struct weft_packet *packet)
{
    unsigned more = take(input);
    packet->head.operation = (more & 15) | (1 + (more >> 4 & 1)) << WEFT_POOL_INDEX_BITS;
    if (more >> 5 == 0) {
        packet->head.kind = WEFT_PACKET_ACK;
        packet->head.fail = (uint8_t)(take(input) % PTL_NI_FAIL_LAST);
        packet->result = (struct weft_packet_result){.length = take(input)};
    } else if (more >> 5 < 5) {
        packet->head.kind = WEFT_PACKET_REPLY;
        packet->result.length = take_wide(input) & 0x3ff;
        packet->head.length = take_wide(input) & 0x1ff;
        if (packet->head.length > packet->result.length)
            packet->head.length = (uint32_t)packet->result.length;
        peer->replied = packet->head.length;
    } else {
        packet->head.kind = WEFT_PACKET_REPLY_DATA;
        packet->head.length = 1 + (take_wide(input) & 0x1ff);
        packet->place.offset = peer->replied;
        peer->replied += packet->head.length;
    }
}

static void fill(struct input *input, unsigned kind, struct peer *peer, struct weft_packet *packet)
{
    unsigned where = take(input);
    packet->head.flags = where & WEFT_PACKET_NI_MASK;
    if (kind == WHOLE_PUT || kind == LONG_PUT || kind == GET || kind == ATOMIC)
        fill_request(input, where, packet);
    switch (kind) {
    case WHOLE_PUT:
    case LONG_PUT:
        fill_put(input, peer, packet, kind == WHOLE_PUT);
        break;
    case DATA:
        fill_data(input, peer, packet);
        break;
    case GET:
        packet->head.kind = WEFT_PACKET_GET;
        packet->request.length = take_wide(input) & 0x7ff;
        break;
    case ATOMIC:
        fill_atomic(input, packet);
        break;
    case RESULT:
        fill_result(input, peer, packet);
        break;
    default:
        packet->head.kind = WEFT_PACKET_LINK;
        packet->head.flags |= where & WEFT_PACKET_PROBE;
    }
}

/* ---- Sending them -------------------------------------------------------------------------- */

static size_t make(struct input *input, unsigned code, unsigned char *bytes)
{
    unsigned which = code & 1;
    struct weft_nic_address address = stub_peer(which);
    struct weft_packet packet = {.head = {.version = WEFT_PACKET_VERSION,
                                          .source_nid = address.nid,
                                          .source_pid = address.pid,
                                          .sequence = peers[which].sequence,
                                          .acknowledged = scene.stub.routes[which].sent}};
    fill(input, code >> 1 & 7, &peers[which], &packet);
    if (packet.head.kind <= WEFT_PACKET_SWAP)
        packet.request.rank = which;
    size_t headers = weft_packet_headers(packet.head.kind);
    unsigned char *payload = weft_packet_encode(bytes, &packet);
    for (uint32_t i = 0; i < packet.head.length; i++)
        payload[i] = (unsigned char)(i * 7 + code);
    for (unsigned patches = code >> 4 & 3; patches; patches--) {
        unsigned place = take(input) % (unsigned)headers;
        bytes[place] = (unsigned char)take(input);
    }
    size_t size = headers + packet.head.length, cut = code & 0x40 ? take(input) : 0;
    return cut < size ? size - cut : 0;
}

static size_t copy_raw(struct input *input, unsigned char *bytes)
{
    size_t size = take(input), left = (size_t)(input->end - input->at);
    if (size > left)
        size = left;
    memcpy(bytes, input->at, size);
    input->at += size;
    return size;
}

/* The peer goes on counting only if the packet counts: as the link sees it. */
static void count(unsigned which, const unsigned char *bytes, size_t size)
{
    struct weft_packet packet;
    struct weft_nic_address address = stub_peer(which);
    if (weft_packet_decode(bytes, size, &packet) == WEFT_PACKET_FAULT_NONE &&
        packet.head.source_nid == address.nid && packet.head.source_pid == address.pid &&
        packet.head.kind != WEFT_PACKET_LINK && packet.head.sequence == peers[which].sequence)
        peers[which].sequence++;
}

static void run(struct input *input)
{
    unsigned char bytes[2048];
    unsigned code = take(input);
    if ((code >> 1 & 7) == HOST && !(code & 0x80)) {
        unsigned what = take(input);
        scene_act(what >> 2, what & 3, take(input));
        return;
    }
    size_t size = code & 0x80 ? copy_raw(input, bytes) : make(input, code, bytes);
    /* A copy of its own size, so that a look behind its end is noticed. */
    unsigned char *packet = malloc(size ? size : 1);
    stub_require(packet != NULL);
    memcpy(packet, bytes, size);
    scene_receive(code & 1, packet, size);
    count(code & 1, packet, size);
    free(packet);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct input input = {data, data + size};
    unsigned flavour = take(&input);
    memset(peers, 0, sizeof peers);
    /* One of the four is always open, or nothing could happen. */
    scene_open(flavour & 1, flavour >> 4 ? flavour >> 4 : 1u << (flavour >> 1 & 3),
               (enum scene_hpus)(flavour >> 1 & 3));
    while (input.at < input.end)
        run(&input);
    scene_close(flavour >> 3 & 1);
    return 0;
}
