/* SPDX-License-Identifier: BSD-3-Clause */
/* A peer says in its packets what is not so: of itself, of others, and of what it was asked for.
 */
#include <portals4.h>
#include <string.h>

#include "nic/stub_process.h"
#include "support/tap.h"

#define LENGTH 24u
#define FIRST 8u
#define GUARD 0x5a
#define MEMORY 64u

enum { HONEST, LIAR };

static struct {
    struct stub_process us;
    uint32_t sequences[STUB_PEERS];
    bool is_logical;
    unsigned char memory[MEMORY];
    uint32_t operation; /* that waits for an answer */
} scene;

/* ---- The process --------------------------------------------------------------------------- */

static void open_scene(bool is_reliable, unsigned kind)
{
    memset(&scene, 0, sizeof scene);
    memset(scene.memory, GUARD, sizeof scene.memory);
    stub_process_open(&scene.us, is_reliable, kind);
    scene.is_logical = kind == PTL_NI_LOGICAL;
}

static void close_scene(void)
{
    stub_process_close(&scene.us);
}

static void append(ptl_uid_t uid)
{
    ptl_handle_me_t handle;
    ptl_me_t me = {.start = scene.memory,
                   .length = LENGTH,
                   .ct_handle = PTL_CT_NONE,
                   .uid = uid,
                   .options = PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE,
                   .match_id = {.phys = {PTL_NID_ANY, PTL_PID_ANY}}};
    if (scene.is_logical)
        me.match_id.rank = PTL_RANK_ANY;
    check_int(PtlMEAppend(scene.us.ni, STUB_PT, &me, PTL_PRIORITY_LIST, NULL, &handle), PTL_OK);
}

/* ---- Packets ------------------------------------------------------------------------------- */

static struct weft_packet packet_of(enum weft_packet_kind kind, unsigned peer, uint32_t payload)
{
    struct weft_packet packet = stub_process_packet(&scene.us, kind, peer, payload);
    packet.head.sequence = scene.sequences[peer];
    return packet;
}

/* It comes from that peer, whatever it says. */
static void receive(unsigned peer, const struct weft_packet *packet)
{
    _Alignas(8) unsigned char bytes[STUB_PACKET];
    unsigned char *payload = weft_packet_encode(bytes, packet);
    memset(payload, 3, packet->head.length);
    weft_nic_receive(scene.us.process.nic, scene.us.peers[peer], bytes,
                     (size_t)(payload - bytes) + packet->head.length);
}

static void receive_in_turn(unsigned peer, struct weft_packet packet)
{
    receive(peer, &packet);
    scene.sequences[peer]++;
}

static struct weft_packet put_of(unsigned peer, uint32_t rank, uint32_t uid)
{
    struct weft_packet packet = packet_of(WEFT_PACKET_PUT, peer, FIRST);
    packet.request = (struct weft_packet_request){
        .pt_index = STUB_PT, .rank = rank, .uid = uid, .length = FIRST};
    return packet;
}

static bool has_written(size_t from, size_t to)
{
    for (size_t i = 0; i < MEMORY; i++)
        if (scene.memory[i] != (i >= from && i < to ? 3 : GUARD))
            return false;
    return true;
}

static bool has_event(ptl_event_kind_t kind, ptl_event_t *event)
{
    return PtlEQGet(scene.us.eq, event) == PTL_OK && event->type == kind;
}

static bool has_none(void)
{
    ptl_event_t event;
    return PtlEQGet(scene.us.eq, &event) == PTL_EQ_EMPTY;
}

/* ---- Who it is ----------------------------------------------------------------------------- */

static void test_source(void)
{
    ptl_event_t event;
    tap_note("a packet that says that another has sent it");
    open_scene(true, PTL_NI_PHYSICAL);
    append(PTL_UID_ANY);
    struct weft_packet lie = put_of(HONEST, 0, 1000);
    receive(LIAR, &lie);
    check(has_none() && has_written(0, 0));
    check_uint(scene.us.process.nic->refused, 1);
    receive_in_turn(LIAR, put_of(LIAR, 0, 1000));
    check(has_event(PTL_EVENT_PUT, &event) && event.initiator.phys.pid == stub_peer(LIAR).pid);
    close_scene();
}

static void test_rank(void)
{
    ptl_event_t event;
    tap_note("a packet that claims the rank of another, or one that nobody has");
    open_scene(true, PTL_NI_LOGICAL);
    append(PTL_UID_ANY);
    receive_in_turn(LIAR, put_of(LIAR, HONEST, 1000));
    receive_in_turn(LIAR, put_of(LIAR, STUB_PEERS, 1000));
    check(has_none() && has_written(0, 0));
    receive_in_turn(LIAR, put_of(LIAR, LIAR, 1000));
    check(has_event(PTL_EVENT_PUT, &event) && event.initiator.rank == LIAR);
    close_scene();
}

/* All processes of a job are of one user. */
static void test_user(void)
{
    ptl_event_t event;
    tap_note("a packet that says that it is of another user");
    open_scene(true, PTL_NI_PHYSICAL);
    append(1001);
    receive_in_turn(LIAR, put_of(LIAR, 0, 1001));
    check(has_none() && has_written(0, 0));
    close_scene();
    open_scene(true, PTL_NI_PHYSICAL);
    append(1000);
    receive_in_turn(LIAR, put_of(LIAR, 0, 1001));
    check(has_event(PTL_EVENT_PUT, &event) && event.uid == 1000 && has_written(0, FIRST));
    close_scene();
}

/* ---- Answers ------------------------------------------------------------------------------- */

static void ask(void)
{
    ptl_handle_md_t handle;
    ptl_md_t md = {.start = scene.memory,
                   .length = MEMORY,
                   .eq_handle = scene.us.eq,
                   .ct_handle = PTL_CT_NONE};
    struct weft_nic_address to = stub_peer(HONEST);
    check_int(PtlMDBind(scene.us.ni, &md, &handle), PTL_OK);
    check_int(
        PtlGet(handle, 0, LENGTH, (ptl_process_t){.phys = {to.nid, to.pid}}, STUB_PT, 0, 0, NULL),
        PTL_OK);
    weft_nic_step(scene.us.process.nic);
    scene.operation = scene.us.stub.operation;
    check(scene.operation != 0);
}

static struct weft_packet reply_of(unsigned peer, uint64_t length, uint32_t payload)
{
    struct weft_packet packet = packet_of(WEFT_PACKET_REPLY, peer, payload);
    packet.head.operation = scene.operation;
    packet.result.length = length;
    return packet;
}

static struct weft_packet data_of(unsigned peer, uint64_t offset, uint32_t payload)
{
    struct weft_packet packet = packet_of(WEFT_PACKET_REPLY_DATA, peer, payload);
    packet.head.operation = scene.operation;
    packet.head.opener = 0;
    packet.place.offset = offset;
    return packet;
}

static void test_answer_of_another(bool is_reliable)
{
    ptl_event_t event;
    tap_note("who was not asked answers");
    open_scene(is_reliable, PTL_NI_PHYSICAL);
    ask();
    receive_in_turn(LIAR, reply_of(LIAR, LENGTH, LENGTH));
    check(has_none() && has_written(0, 0));
    receive_in_turn(HONEST, reply_of(HONEST, LENGTH, FIRST));
    receive_in_turn(LIAR, data_of(LIAR, FIRST, LENGTH - FIRST));
    check(has_none() && has_written(0, FIRST));
    receive_in_turn(HONEST, data_of(HONEST, FIRST, LENGTH - FIRST));
    check(has_event(PTL_EVENT_REPLY, &event) && event.mlength == LENGTH);
    check(has_written(0, LENGTH));
    close_scene();
}

static void test_long_answer(bool is_reliable)
{
    ptl_event_t event;
    tap_note("more is answered than was asked for, or than the answer announced");
    open_scene(is_reliable, PTL_NI_PHYSICAL);
    ask();
    receive_in_turn(HONEST, reply_of(HONEST, LENGTH + 1, FIRST));
    check(has_none() && has_written(0, 0));
    receive_in_turn(HONEST, reply_of(HONEST, 2 * FIRST, FIRST));
    receive_in_turn(HONEST, data_of(HONEST, FIRST, 2 * FIRST));
    check(has_none() && has_written(0, FIRST));
    receive_in_turn(HONEST, data_of(HONEST, 2 * FIRST, FIRST));
    check(has_none() && has_written(0, FIRST));
    receive_in_turn(HONEST, data_of(HONEST, FIRST, FIRST));
    check(has_event(PTL_EVENT_REPLY, &event) && event.mlength == 2 * FIRST);
    check(has_written(0, 2 * FIRST));
    close_scene();
}

int main(void)
{
    test_source();
    test_rank();
    test_user();
    for (int is_reliable = 0; is_reliable < 2; is_reliable++) {
        tap_note(is_reliable ? "a world that keeps packets in order" : "a world that loses some");
        test_answer_of_another(is_reliable);
        test_long_answer(is_reliable);
    }
    return tap_done();
}
