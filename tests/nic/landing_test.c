/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The NIC tells a world where the payload of a packet goes that has not come yet: only of one that
 * goes on with a message that is under way, only in the message's place, and only where that is
 * one block.
 */
#include <portals4.h>
#include <string.h>

#include "nic/stub_process.h"
#include "support/tap.h"

#define MESSAGE ((size_t)20 << 10)
#define PART ((uint32_t)8 << 10)
#define BEFORE 64u /* bytes in front of where the message goes */
#define MEMORY (BEFORE + MESSAGE)
#define GUARD 0x5a

static struct stub_process us;
static unsigned char memory[MEMORY];

static void open_scene(bool is_reliable)
{
    memset(memory, GUARD, sizeof memory);
    stub_process_open(&us, is_reliable, PTL_NI_PHYSICAL);
}

static void append(void *start, size_t length, unsigned options)
{
    ptl_handle_me_t handle;
    ptl_me_t me = {.start = start,
                   .length = length,
                   .ct_handle = PTL_CT_NONE,
                   .uid = PTL_UID_ANY,
                   .options = PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE | options,
                   .match_id = {.phys = {PTL_NID_ANY, PTL_PID_ANY}}};
    check_int(PtlMEAppend(us.ni, STUB_PT, &me, PTL_PRIORITY_LIST, NULL, &handle), PTL_OK);
}

/* ---- Packets ------------------------------------------------------------------------------- */

static struct weft_packet packet_of(enum weft_packet_kind kind, uint32_t payload)
{
    return stub_process_packet(&us, kind, 0, payload);
}

static void receive(const struct weft_packet *packet)
{
    _Alignas(8) unsigned char bytes[WEFT_PACKET_HEADERS + PART];
    unsigned char *payload = weft_packet_encode(bytes, packet);
    memset(payload, 1, packet->head.length);
    weft_nic_receive(us.process.nic, us.peers[0], bytes,
                     (size_t)(payload - bytes) + packet->head.length);
}

/* The first part of a message. */
static void begin_put(void)
{
    struct weft_packet packet = packet_of(WEFT_PACKET_PUT, PART);
    packet.request = (struct weft_packet_request){
        .pt_index = STUB_PT, .length = MESSAGE, .remote_offset = BEFORE};
    receive(&packet);
}

/* A part as the world sees it before it is there: the headers, and how much comes. */
struct announced {
    unsigned char headers[WEFT_PACKET_LANDING];
    size_t size;
};

static struct announced announce(struct weft_packet packet, uint64_t offset)
{
    struct announced announced = {.size = WEFT_PACKET_LANDING + packet.head.length};
    packet.place.offset = offset;
    weft_packet_encode(announced.headers, &packet);
    return announced;
}

static unsigned char *landing_of(const struct announced *announced)
{
    return weft_nic_landing(us.process.nic, us.peers[0], announced->headers, announced->size);
}

static unsigned char *landing_at(uint64_t offset, uint32_t size)
{
    struct announced announced = announce(packet_of(WEFT_PACKET_DATA, size), offset);
    return landing_of(&announced);
}

static bool land(struct weft_packet packet, uint64_t offset)
{
    struct announced announced = announce(packet, offset);
    unsigned char *landing = landing_of(&announced);
    if (!landing)
        return false;
    memset(landing, 2, packet.head.length);
    weft_nic_receive_landed(us.process.nic, us.peers[0], announced.headers, announced.size,
                            landing);
    return true;
}

static bool is_written(void)
{
    for (size_t i = 0; i < MEMORY; i++)
        if (memory[i] != (i < BEFORE ? GUARD : i < BEFORE + PART ? 1 : 2))
            return false;
    return true;
}

static bool has_event(ptl_event_kind_t kind)
{
    ptl_event_t event;
    return PtlEQGet(us.eq, &event) == PTL_OK && event.type == kind &&
           event.ni_fail_type == PTL_NI_OK && event.mlength == MESSAGE;
}

/* ---- Puts ---------------------------------------------------------------------------------- */

static void test_put(void)
{
    tap_note("a put lands part by part");
    open_scene(true);
    append(memory, MEMORY, 0);
    check(!landing_at(0, PART));
    begin_put();
    check(landing_at(PART, PART) == memory + BEFORE + PART);
    check(!landing_at(0, PART));
    check(!landing_at(2 * PART, MESSAGE - 2 * PART));
    check(!landing_at(PART, MESSAGE - PART + 1));
    check(!landing_at(PART, 64));
    check(land(packet_of(WEFT_PACKET_DATA, PART), PART));
    check(land(packet_of(WEFT_PACKET_DATA, MESSAGE - 2 * PART), 2 * PART));
    check(has_event(PTL_EVENT_PUT) && is_written());
    check(!landing_at(MESSAGE, PART));
    stub_process_close(&us);
}

static void test_strange(void)
{
    tap_note("what is no part of it does not land");
    open_scene(true);
    append(memory, MEMORY, 0);
    begin_put();
    struct weft_packet packet = packet_of(WEFT_PACKET_DATA, PART);
    packet.head.source_pid++;
    check(!land(packet, PART));
    packet = packet_of(WEFT_PACKET_REPLY_DATA, PART);
    check(!land(packet, PART));
    packet.head.operation = 1;
    check(!land(packet, PART));
    struct announced put = announce(packet_of(WEFT_PACKET_DATA, PART), PART);
    put.headers[offsetof(struct weft_packet_head, kind)] = WEFT_PACKET_PUT;
    check(!landing_of(&put));
    stub_process_close(&us);
}

static void test_truncated(void)
{
    tap_note("what is cut off does not land");
    open_scene(true);
    append(memory, BEFORE + PART + 4096, 0);
    begin_put();
    check(!landing_at(PART, PART));
    check(landing_at(PART, 4096) == memory + BEFORE + PART);
    stub_process_close(&us);
}

static void test_pieces(void)
{
    tap_note("what goes to several pieces is scattered");
    ptl_iovec_t pieces[] = {{memory, MEMORY / 2}, {memory + MEMORY / 2, MEMORY / 2}};
    open_scene(true);
    append(pieces, 2, PTL_IOVEC);
    begin_put();
    check(!landing_at(PART, PART));
    stub_process_close(&us);
}

static void test_numbered(void)
{
    tap_note("what may be lost or come twice is looked at first");
    open_scene(false);
    append(memory, MEMORY, 0);
    begin_put();
    check(!landing_at(PART, PART));
    stub_process_close(&us);
}

/* ---- Gets ---------------------------------------------------------------------------------- */

static void test_get(void)
{
    tap_note("a reply lands part by part");
    open_scene(true);
    ptl_md_t md = {
        .start = memory, .length = MEMORY, .ct_handle = PTL_CT_NONE, .eq_handle = us.eq};
    ptl_process_t target = {.phys = {stub_peer(0).nid, stub_peer(0).pid}};
    ptl_handle_md_t handle;
    check_int(PtlMDBind(us.ni, &md, &handle), PTL_OK);
    check_int(PtlGet(handle, BEFORE, MESSAGE, target, STUB_PT, 0, 0, NULL), PTL_OK);
    struct weft_packet packet = packet_of(WEFT_PACKET_REPLY, PART);
    packet.head.operation = us.stub.operation;
    struct weft_packet more = packet_of(WEFT_PACKET_REPLY_DATA, PART);
    more.head.operation = us.stub.operation;
    check(!land(more, 0));
    packet.result = (struct weft_packet_result){.length = MESSAGE};
    receive(&packet);
    check(!land(more, 0));
    check(land(more, PART));
    more.head.length = MESSAGE - 2 * PART;
    check(land(more, 2 * PART));
    check(has_event(PTL_EVENT_REPLY) && is_written());
    stub_process_close(&us);
}

int main(void)
{
    test_put();
    test_strange();
    test_truncated();
    test_pieces();
    test_numbered();
    test_get();
    return tap_done();
}
