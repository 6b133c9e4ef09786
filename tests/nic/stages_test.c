/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages that take time: a message in virtual time takes exactly the sum of its parts. */
#include "nic/stages.h"

#include <portals4_spin.h>
#include <stdlib.h>
#include <string.h>

#include "nic/core.h"
#include "portals/process.h"
#include "portals/simulate.h"
#include "support/tap.h"

#define LARGEST ((uint64_t)1 << 20)
#define PACKET 2048u
#define BANDWIDTH 25000u /* bytes in a microsecond */
#define FLIGHT 500
#define DMA 250
#define DMA_RATE 50000u
#define START 10
#define ENTRY 3

static const struct weft_nic_stages stages = {.match = 30,
                                              .look_up = 2,
                                              .copy = 20,
                                              .copy_rate = 50000,
                                              .tlp_header = 24,
                                              .tlp_payload = 256};

/* ---- Handlers ----------------------------------------------------------------------------- */

static ptl_handler_result_t write_packet(const ptl_payload_t *payload, void *state)
{
    ptl_dma_t handle;
    (void)state;
    int result = PtlHandlerDMAToHostNB(payload->base, payload->offset, payload->length,
                                       PTL_DMA_NO_EVENT, &handle);
    return result == PTL_OK ? PTL_HANDLER_SUCCESS : PTL_HANDLER_FAIL;
}

/* Reads something from the host first, and waits for it. */
static ptl_handler_result_t read_and_write(const ptl_payload_t *payload, void *state)
{
    uint64_t word;
    if (PtlHandlerDMAFromHostB(0, &word, sizeof word, PTL_ME_HOST_MEM) != PTL_OK)
        return PTL_HANDLER_FAIL;
    return write_packet(payload, state);
}

/* ---- One message -------------------------------------------------------------------------- */

struct scene {
    uint64_t length;
    bool has_handlers, reads;
    uint32_t turns;
    unsigned char *from, *to;
    uint64_t sent, received; /* when */
    struct weft_nic_stage_counts counts;
};

static uint64_t now(void)
{
    struct weft_nic_world *world = weft_portals_process_self()->world;
    return world->ops->now(world);
}

static ptl_handle_ni_t open_interface(void)
{
    ptl_handle_ni_t ni;
    check_int(PtlInit(), PTL_OK);
    check_int(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL,
                        NULL, &ni),
              PTL_OK);
    return ni;
}

static void receive(struct scene *scene)
{
    ptl_handle_ni_t ni = open_interface();
    ptl_pt_index_t index;
    ptl_handle_eq_t eq;
    ptl_handle_me_t handle;
    ptl_event_t event;
    ptl_handlers_t handlers = {.payload_handler = scene->reads ? read_and_write : write_packet,
                               .hpu_memory = PTL_HPU_NONE};
    ptl_me_t me = {.start = scene->to,
                   .length = scene->length,
                   .ct_handle = PTL_CT_NONE,
                   .uid = PTL_UID_ANY,
                   .options = PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE,
                   .match_id.phys = {PTL_NID_ANY, PTL_PID_ANY}};
    check_int(PtlEQAlloc(ni, 8, &eq), PTL_OK);
    check_int(PtlPTAlloc(ni, 0, eq, ENTRY, &index), PTL_OK);
    if (scene->has_handlers)
        check_int(PtlMEAppendHandlers(ni, index, &me, &handlers, PTL_PRIORITY_LIST, NULL, &handle),
                  PTL_OK);
    else
        check_int(PtlMEAppend(ni, index, &me, PTL_PRIORITY_LIST, NULL, &handle), PTL_OK);
    check_int(PtlEQWait(eq, &event), PTL_OK);
    scene->received = now();
    check_int(event.ni_fail_type, PTL_NI_OK);
    check_uint(event.mlength, scene->length);
    scene->counts = weft_nic_stages_counts(weft_portals_process_self()->nic);
    check_int(PtlNIFini(ni), PTL_OK);
    PtlFini();
}

static void send(struct scene *scene)
{
    ptl_handle_ni_t ni = open_interface();
    ptl_handle_md_t handle;
    ptl_md_t md = {.start = scene->from, .length = scene->length, .ct_handle = PTL_CT_NONE};
    check_int(PtlEQAlloc(ni, 8, &md.eq_handle), PTL_OK);
    check_int(PtlMDBind(ni, &md, &handle), PTL_OK);
    scene->sent = now();
    check_int(PtlPut(handle, 0, scene->length, PTL_ACK_REQ, (ptl_process_t){.phys = {1, 1}}, ENTRY,
                     0, 0, NULL, 0),
              PTL_OK);
    for (unsigned i = 0; i < 2; i++) {
        ptl_event_t event;
        check_int(PtlEQWait(md.eq_handle, &event), PTL_OK);
        check_int(event.ni_fail_type, PTL_NI_OK);
    }
    check(now() > scene->received);
    check_int(PtlNIFini(ni), PTL_OK);
    PtlFini();
}

static void program(unsigned node, void *argument)
{
    if (node == 0)
        receive(argument);
    else
        send(argument);
}

static struct scene play_scene(struct scene scene, uint32_t hpus, uint64_t handler)
{
    struct weft_nic_core_steady core = weft_nic_core_steady(handler);
    scene.from = malloc(LARGEST);
    scene.to = calloc(1, LARGEST);
    const struct weft_sim_config config = {
        .nodes = 2,
        .seed = 1,
        .latency = FLIGHT,
        .bandwidth = BANDWIDTH,
        .packet_size = PACKET,
        .timeout = 1000000000,
        .reliable = true,
        .nic = {.hpus = {.count = hpus,
                         .contexts = 4096,
                         .start = START,
                         .turns = scene.turns,
                         .dma = DMA,
                         .dma_rate = DMA_RATE},
                .stages = &stages,
                .core = &core.core},
        .limit = 1000000000,
    };
    for (uint64_t i = 0; i < LARGEST; i++)
        scene.from[i] = (unsigned char)(i * 7 + i / 256);
    check_int(weft_portals_simulate(&config, program, &scene), 0);
    check(memcmp(scene.from, scene.to, scene.length) == 0);
    free(scene.from);
    free(scene.to);
    return scene;
}

static struct scene play(uint64_t length, bool has_handlers, uint32_t hpus, uint64_t handler)
{
    return play_scene((struct scene){.length = length, .has_handlers = has_handlers}, hpus,
                      handler);
}

/* ---- Parts -------------------------------------------------------------------------------- */

static uint64_t nanoseconds(uint64_t picoseconds)
{
    return (picoseconds + 999) / 1000;
}

static uint64_t on_wire(uint64_t bytes)
{
    return bytes * 1000 / BANDWIDTH;
}

static uint64_t written(uint64_t bytes)
{
    uint64_t packets = bytes ? (bytes + 255) / 256 : 1;
    return nanoseconds((bytes + packets * 24) * 1000000 / DMA_RATE) + DMA;
}

static uint64_t fetched(uint64_t bytes)
{
    return 2 * DMA + nanoseconds(bytes * 1000000 / DMA_RATE);
}

static uint64_t copied(uint64_t bytes)
{
    return nanoseconds(bytes * 1000000 / 50000) + stages.copy;
}

static uint64_t took(const struct scene *scene)
{
    return scene->received - scene->sent;
}

/* Headers travel with the data: 80 bytes with the first packet of a put. */
#define HEADERS WEFT_PACKET_HEADERS

static void test_single(uint64_t bytes)
{
    uint64_t way = fetched(bytes) + on_wire(bytes + HEADERS) + FLIGHT + stages.match;
    struct scene plain = play(bytes, false, 1, 0);
    check_uint(took(&plain), way + written(bytes));
    struct scene handled = play(bytes, true, 1, 123);
    check_uint(took(&handled), way + copied(bytes) + START + 123 + written(bytes));
    check_uint(handled.counts.handlers, 1);
    check_uint(handled.counts.handler_time, 123);
    check_uint(handled.counts.writes.served_bytes, bytes);
}

/* With few HPUs and long handlers, these decide: the first packet's way to its HPU, then as many
 * rounds as there are packets for each HPU, then the last write. */
static void test_many(uint32_t hpus, uint64_t handler)
{
    const uint64_t packets = 64, bytes = PACKET * packets;
    struct scene scene = play(bytes, true, hpus, handler);
    uint64_t way = fetched(PACKET) + on_wire(PACKET + HEADERS) + FLIGHT + stages.match;
    uint64_t rounds = packets / hpus;
    uint64_t expected = way + copied(PACKET) + rounds * (START + handler) + written(PACKET);
    /* What the HPUs of a round begin later than the first, by which packets follow each other. */
    uint64_t slack = hpus * (on_wire(PACKET + HEADERS) + stages.look_up);
    tap_note("%u HPUs: %llu ns, closed form %llu", hpus, (unsigned long long)took(&scene),
             (unsigned long long)expected);
    check(took(&scene) >= expected && took(&scene) <= expected + slack);
    check_uint(scene.counts.writes.issued, scene.counts.handlers);
    check_uint(scene.counts.writes.waiting, 0);
    check_uint(scene.counts.writes.served_bytes, bytes);
    check_uint(scene.counts.handler_time, scene.counts.handlers * handler);
}

/* Little's law: n HPUs hold the rate of the link as long as a handler takes no longer than n
 * packets
 * ([sPIN17], section 4.4.2); beyond, the rate is theirs. */
static void test_little(uint32_t hpus)
{
    const uint64_t bytes = LARGEST, packets = bytes / PACKET;
    uint64_t between = on_wire(PACKET + 40); /* headers of packets that continue a message */
    struct scene plain = play(bytes, false, 1, 0);
    struct scene within = play(bytes, true, hpus, hpus * between - START);
    check((double)took(&within) < 1.02 * (double)took(&plain));
    uint64_t longer = hpus * between * 5 / 4 - START;
    struct scene beyond = play(bytes, true, hpus, longer);
    uint64_t ends = fetched(PACKET) + on_wire(PACKET + HEADERS) + FLIGHT + stages.match +
                    copied(PACKET) + written(PACKET);
    uint64_t least = ends + packets / hpus * (START + longer);
    check(took(&beyond) >= least && (double)took(&beyond) < 1.02 * (double)least);
}

/* What one HPU waits for the host is lost, unless it turns to other handlers meanwhile: then only
 * the last one's is. */
static void test_turns(uint32_t turns)
{
    const uint64_t packets = 64, handler = 200;
    struct scene scene = {
        .length = PACKET * packets, .has_handlers = true, .reads = true, .turns = turns};
    scene = play_scene(scene, 1, handler);
    uint64_t way = fetched(PACKET) + on_wire(PACKET + HEADERS) + FLIGHT + stages.match;
    uint64_t waits = (turns > 1 ? 1 : packets) * fetched(sizeof(uint64_t));
    uint64_t expected =
        way + copied(PACKET) + packets * (START + handler) + waits + written(PACKET);
    tap_note("%u turns: %llu ns, closed form %llu", turns, (unsigned long long)took(&scene),
             (unsigned long long)expected);
    check_uint(took(&scene), expected);
}

/* Two handlers for each HPU: whoever waits keeps its place. */
static void test_few_turns(void)
{
    struct scene scene = {.length = PACKET * 64, .has_handlers = true, .reads = true, .turns = 2};
    struct scene none = scene, many = scene;
    none.turns = 1;
    many.turns = 8;
    scene = play_scene(scene, 1, 200);
    none = play_scene(none, 1, 200);
    many = play_scene(many, 1, 200);
    check(took(&many) < took(&scene) && took(&scene) < took(&none));
    check(took(&scene) > took(&none) / 2);
}

/* Without handlers, the link decides. */
static void test_stream(void)
{
    const uint64_t bytes = LARGEST;
    struct scene scene = play(bytes, false, 1, 0);
    double rate = (double)bytes / (double)(took(&scene) - 2 * DMA - FLIGHT - DMA);
    tap_note("%.2f bytes in a nanosecond", rate);
    check(rate > 0.95 * BANDWIDTH / 1000 && rate < 1.0 * BANDWIDTH / 1000);
    check_uint(scene.counts.writes.served_bytes, bytes);
}

int main(void)
{
    for (uint64_t bytes = 1; bytes <= PACKET; bytes = bytes * 3 + 1)
        test_single(bytes);
    test_many(1, 200);
    test_many(4, 1000);
    test_many(16, 5000);
    test_little(4);
    test_little(8);
    test_turns(1);
    test_turns(8);
    test_few_turns();
    test_stream();
    return tap_done();
}
