/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * usage: receive_packets CASE COUNT. Lets a NIC receive COUNT packets, in a world in which nothing
 * else happens, for instructions.py to count what that takes. Fails if they do not arrive.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <portals4_spin.h>

#include "instructions/still_world.h"
#include "portals/process.h"

#define PT 1
#define BITS 7
#define SMALL 8u
#define PAYLOAD 2048u
#define OTHERS 100 /* entries that do not match */

static struct weft_nic_world world = STILL_WORLD(PAYLOAD);
static const struct weft_nic_address sender = {1, 2};

/* ---- Its program -------------------------------------------------------------------------- */

struct program {
    struct weft_portals_process process;
    struct weft_nic_peer *peer;
    unsigned char *memory;
    ptl_handle_ni_t ni;
    ptl_handle_eq_t eq;
    ptl_handle_ct_t ct;
    const ptl_handlers_t *handlers; /* of the entries; NULL: none */
};

static ptl_handler_result_t do_nothing(const ptl_payload_t *payload, void *state)
{
    (void)payload;
    (void)state;
    return PTL_HANDLER_SUCCESS;
}

static const ptl_handlers_t empty = {.payload_handler = do_nothing, .hpu_memory = PTL_HPU_NONE};

static void append(struct program *program, ptl_match_bits_t bits, size_t length, unsigned options)
{
    ptl_handle_me_t handle;
    ptl_me_t me = {.start = program->memory,
                   .length = length,
                   .ct_handle = program->ct,
                   .uid = PTL_UID_ANY,
                   .options = PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE | options,
                   .match_id = {.phys = {sender.nid, sender.pid}},
                   .match_bits = bits};
    int code = program->handlers
                   ? PtlMEAppendHandlers(program->ni, PT, &me, program->handlers,
                                         PTL_PRIORITY_LIST, NULL, &handle)
                   : PtlMEAppend(program->ni, PT, &me, PTL_PRIORITY_LIST, NULL, &handle);
    EXPECT(code == PTL_OK);
}

static void open_all(struct program *program, size_t length, unsigned options)
{
    ptl_pt_index_t pt_index;
    weft_portals_process_init(&program->process);
    program->process.world = &world;
    program->process.world_is_given = true;
    weft_portals_process_become(&program->process);
    program->memory = calloc(length, 1);
    EXPECT(program->memory && PtlInit() == PTL_OK);
    EXPECT(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL,
                     &program->ni) == PTL_OK);
    EXPECT(PtlEQAlloc(program->ni, 16, &program->eq) == PTL_OK);
    EXPECT(PtlCTAlloc(program->ni, &program->ct) == PTL_OK);
    EXPECT(PtlPTAlloc(program->ni, 0, program->eq, PT, &pt_index) == PTL_OK);
    for (ptl_match_bits_t i = 1; i <= OTHERS; i++)
        append(program, BITS + i, length, options);
    append(program, BITS, length, options);
    program->peer = weft_nic_peer(program->process.nic, sender);
    EXPECT(program->peer);
}

static void close_all(struct program *program)
{
    EXPECT(program->process.nic->refused == 0);
    PtlFini();
    free(program->memory);
}

/* ---- Packets ------------------------------------------------------------------------------ */

static struct weft_packet packet_of(enum weft_packet_kind kind, uint32_t payload)
{
    const struct weft_portals_process *process = weft_portals_process_self();
    unsigned number = 0;
    while (!process->nic->nis[number].open)
        number++;
    return (struct weft_packet){.head = {.version = WEFT_PACKET_VERSION,
                                         .kind = (uint8_t)kind,
                                         .flags = (uint8_t)number,
                                         .length = payload,
                                         .source_nid = sender.nid,
                                         .source_pid = sender.pid}};
}

static void receive(struct program *program, const struct weft_packet *packet)
{
    _Alignas(64) static unsigned char bytes[PAYLOAD + WEFT_PACKET_HEADERS];
    unsigned char *payload = weft_packet_encode(bytes, packet);
    memset(payload, 3, packet->head.length);
    weft_nic_receive(program->process.nic, program->peer, bytes,
                     (size_t)(payload - bytes) + packet->head.length);
}

static void receive_put(struct program *program, uint64_t length, uint32_t payload)
{
    struct weft_packet packet = packet_of(WEFT_PACKET_PUT, payload);
    packet.request =
        (struct weft_packet_request){.pt_index = PT, .match_bits = BITS, .length = length};
    receive(program, &packet);
}

static void expect_event(struct program *program, uint64_t length)
{
    ptl_event_t event;
    EXPECT(PtlEQGet(program->eq, &event) == PTL_OK);
    EXPECT(event.type == PTL_EVENT_PUT && event.mlength == length && event.match_bits == BITS);
}

/* ---- Cases -------------------------------------------------------------------------------- */

static void put_event(struct program *program, size_t count)
{
    open_all(program, SMALL, 0);
    for (size_t i = 0; i < count; i++) {
        receive_put(program, SMALL, SMALL);
        expect_event(program, SMALL);
    }
}

static void put_counter(struct program *program, size_t count)
{
    ptl_ct_event_t value;
    open_all(program, SMALL, PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_CT_COMM);
    for (size_t i = 0; i < count; i++)
        receive_put(program, SMALL, SMALL);
    EXPECT(PtlCTGet(program->ct, &value) == PTL_OK && value.success == count);
}

/* One message of a first packet without data and `count` packets that continue it. */
static void data(struct program *program, size_t count)
{
    uint64_t length = count * PAYLOAD;
    open_all(program, length, 0);
    receive_put(program, length, 0);
    for (size_t i = 0; i < count; i++) {
        struct weft_packet packet = packet_of(WEFT_PACKET_DATA, PAYLOAD);
        packet.place.offset = i * PAYLOAD;
        receive(program, &packet);
    }
    expect_event(program, length);
    EXPECT(program->memory[length - 1] == (program->handlers ? 0 : 3));
}

static void handled_put(struct program *program, size_t count)
{
    program->handlers = &empty;
    put_event(program, count);
}

static void handled_data(struct program *program, size_t count)
{
    program->handlers = &empty;
    data(program, count);
}

static const struct {
    const char *name;
    void (*run)(struct program *program, size_t count);
} cases[] = {{"put-event", put_event},
             {"put-counter", put_counter},
             {"data", data},
             {"handled-put", handled_put},
             {"handled-data", handled_data}};

int main(int argc, char **argv)
{
    static struct program program;
    size_t count = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    for (size_t i = 0; count > 0 && i < sizeof(cases) / sizeof(cases[0]); i++)
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run(&program, count);
            close_all(&program);
            return 0;
        }
    fprintf(stderr, "usage: receive_packets "
                    "put-event|put-counter|data|handled-put|handled-data COUNT\n");
    return 2;
}
