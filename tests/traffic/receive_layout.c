/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: receive_layout seek|host LAYOUT BYTES COUNT, or --list. Receives COUNT messages of about
 * BYTES into a layout of the benchmarks, for traffic.py to count what goes between the caches and
 * the memory: by handlers that scatter each packet, or contiguous and then unpacked. Packets come
 * from a ring that another process would fill.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft_offload.h>

#include "bench/layouts/layouts.h"
#include "instructions/still_world.h"
#include "portals/process.h"

#define PT 1
#define PAYLOAD 8192u
#define SLOTS 32u

static struct weft_nic_world world = STILL_WORLD(PAYLOAD);
static const struct weft_nic_address sender = {1, 2};

/* ---- The receiver ------------------------------------------------------------------------- */

struct receiver {
    struct weft_portals_process process;
    struct weft_nic_peer *peer;
    ptl_handle_ni_t ni;
    ptl_handle_eq_t eq;
    weft_offload_pool *pool;
    weft_offload *scatter; /* NULL: the host unpacks */
    struct layout layout;
    weft_type *type;
    size_t bytes;
    unsigned char *window, *packed;
    _Alignas(64) unsigned char ring[SLOTS][PAYLOAD + 128];
    unsigned slot;
};

static void open_nic(struct receiver *receiver)
{
    ptl_pt_index_t pt_index;
    weft_portals_process_init(&receiver->process);
    receiver->process.world = &world;
    receiver->process.world_is_given = true;
    weft_portals_process_become(&receiver->process);
    EXPECT(PtlInit() == PTL_OK);
    EXPECT(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL,
                     &receiver->ni) == PTL_OK);
    EXPECT(PtlEQAlloc(receiver->ni, 16, &receiver->eq) == PTL_OK);
    EXPECT(PtlPTAlloc(receiver->ni, 0, receiver->eq, PT, &pt_index) == PTL_OK);
    receiver->peer = weft_nic_peer(receiver->process.nic, sender);
    EXPECT(receiver->peer && weft_offload_pool_open(receiver->ni, &receiver->pool) == PTL_OK);
}

static void open_layout(struct receiver *receiver, const char *name, size_t target, bool seeks)
{
    const struct layout_entry *entry = layout_entry_find(name);
    EXPECT(entry);
    layout_build(entry, target, &receiver->layout);
    receiver->type = (weft_type *)layout_make(&receiver->layout, &maker_weft);
    receiver->bytes = layout_bytes(&receiver->layout);
    receiver->window = calloc(layout_window(&receiver->layout), 1);
    receiver->packed = calloc(receiver->bytes, 1);
    EXPECT(receiver->window && receiver->packed);
    struct weft_offload_attributes attributes = {.strategy = WEFT_OFFLOAD_SEEK};
    if (seeks)
        EXPECT(weft_offload_open(receiver->pool, receiver->type, receiver->layout.count,
                                 &attributes, &receiver->scatter) == WEFT_OK);
}

static unsigned char *base_of(const struct receiver *receiver)
{
    return receiver->window + receiver->layout.origin;
}

/* ---- Packets ------------------------------------------------------------------------------ */

static void receive_packet(struct receiver *receiver, uint64_t at, uint64_t left)
{
    unsigned number = 0;
    while (!receiver->process.nic->nis[number].open)
        number++;
    enum weft_packet_kind kind = at ? WEFT_PACKET_DATA : WEFT_PACKET_PUT;
    struct weft_packet packet = {.head = {.version = WEFT_PACKET_VERSION,
                                          .kind = (uint8_t)kind,
                                          .flags = (uint8_t)number,
                                          .length = (uint32_t)(left < PAYLOAD ? left : PAYLOAD),
                                          .source_nid = sender.nid,
                                          .source_pid = sender.pid}};
    if (at)
        packet.place.offset = at;
    else
        packet.request = (struct weft_packet_request){.pt_index = PT, .length = left};
    unsigned char *bytes = receiver->ring[receiver->slot++ % SLOTS];
    unsigned char *payload = weft_packet_encode(bytes, &packet);
    weft_nic_receive(receiver->process.nic, receiver->peer, bytes,
                     (size_t)(payload - bytes) + packet.head.length);
}

static void receive_packets(struct receiver *receiver)
{
    for (uint64_t at = 0; at < receiver->bytes; at += PAYLOAD)
        receive_packet(receiver, at, receiver->bytes - at);
}

static ptl_me_t entry(const struct receiver *receiver)
{
    return (ptl_me_t){.start = receiver->packed,
                      .length = receiver->bytes,
                      .ct_handle = PTL_CT_NONE,
                      .uid = PTL_UID_ANY,
                      .match_id = {.phys = {sender.nid, sender.pid}}};
}

static void receive_scattered(struct receiver *receiver)
{
    ptl_me_t me = entry(receiver);
    weft_offload_receive *receive;
    struct weft_offload_result result = {0};
    EXPECT(weft_offload_receive_post(receiver->pool, receiver->scatter, base_of(receiver), PT, &me,
                                     NULL, &receive) == PTL_OK);
    receive_packets(receiver);
    while (!result.is_over) {
        ptl_event_t event;
        EXPECT(PtlEQGet(receiver->eq, &event) == PTL_OK);
        result = weft_offload_receive_event(receive, &event);
    }
    EXPECT(result.fail == PTL_NI_OK && result.length == receiver->bytes &&
           result.fallback == WEFT_OFFLOAD_FALLBACK_NONE);
}

static void receive_contiguous(struct receiver *receiver)
{
    ptl_me_t me = entry(receiver);
    ptl_handle_me_t handle;
    ptl_event_t event;
    me.options =
        PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE;
    EXPECT(PtlMEAppend(receiver->ni, PT, &me, PTL_PRIORITY_LIST, NULL, &handle) == PTL_OK);
    receive_packets(receiver);
    EXPECT(PtlEQGet(receiver->eq, &event) == PTL_OK && event.mlength == receiver->bytes);
    EXPECT(weft_unpack(receiver->type, receiver->layout.count, base_of(receiver), 0,
                       receiver->packed, receiver->bytes) == WEFT_OK);
}

static int list(void)
{
    for (size_t i = 0; i < layout_entry_count(); i++)
        puts(layout_entry_name(i));
    return 0;
}

int main(int argc, char **argv)
{
    static struct receiver receiver;
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list();
    if (argc != 5) {
        fprintf(stderr, "usage: receive_layout seek|host LAYOUT BYTES COUNT\n");
        return 2;
    }
    open_nic(&receiver);
    open_layout(&receiver, argv[2], strtoul(argv[3], NULL, 10), strcmp(argv[1], "seek") == 0);
    for (unsigned long i = strtoul(argv[4], NULL, 10); i > 0; i--) {
        if (receiver.scatter)
            receive_scattered(&receiver);
        else
            receive_contiguous(&receiver);
    }
    EXPECT(receiver.process.nic->refused == 0);
    weft_offload_close(receiver.scatter);
    weft_offload_pool_close(receiver.pool);
    PtlFini();
    weft_type_free(receiver.type);
    layout_clear(&receiver.layout);
    free(receiver.window);
    free(receiver.packed);
    return 0;
}
