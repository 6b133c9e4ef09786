/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_nic_run.h"

#include <math.h>
#include <portals4_device.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "nic/stages.h"
#include "offload/image.h"
#include "offload/offload.h"
#include "portals/driver.h"
#include "portals/process.h"
#include "sim_nic_halo.h"
#include "sim_nic_host.h"
#include "sim_nic_image.h"
#include "sim_nic_native.h"
#include "sim_nic_node.h"
#include "sim_nic_pong.h"
#include "sim_nic_raid.h"
#include "trace/ring.h"
#include "trace/timeline.h"

#define TRACED 1000000u /* records at most */

/* ---- Ways --------------------------------------------------------------------------------- */

static const enum weft_offload_strategy strategies[SIM_NIC_HANDLERS] = {
    [SIM_NIC_SEEK] = WEFT_OFFLOAD_SEEK,           [SIM_NIC_SPECIALIZED] = WEFT_OFFLOAD_SPECIALIZED,
    [SIM_NIC_RW_CP] = WEFT_OFFLOAD_RW_CP,         [SIM_NIC_RO_CP] = WEFT_OFFLOAD_RO_CP,
    [SIM_NIC_HPU_LOCAL] = WEFT_OFFLOAD_HPU_LOCAL,
};

static bool runs_handlers(const struct sim_nic_study *study)
{
    return study->way < SIM_NIC_HANDLERS || study->way == SIM_NIC_OWN;
}

/* ---- The message -------------------------------------------------------------------------- */

struct scene {
    const struct sim_nic_study *study;
    struct ddt_layout layout;
    size_t size, span;     /* of the message, and of where its bytes go */
    unsigned char *packed; /* at the sender */
    unsigned char *memory; /* at the receiver, with gaps */
    unsigned char *landed; /* the same without, of ways that do not unpack on the NIC */
    struct weft_offload *offload;
    struct sim_nic_host_work host;
    struct weft_nic_stages stages;
    uint64_t begin, end;
    struct weft_nic_stage_counts counts;
    const char *wrong; /* NULL: nothing */
};

static void fail(struct scene *scene, const char *what)
{
    if (!scene->wrong)
        scene->wrong = what;
}

static bool need(struct scene *scene, int result, const char *what)
{
    if (result != PTL_OK)
        fail(scene, what);
    return result == PTL_OK;
}

/* The paper's times of handlers, but for packets of this rate. */
static struct weft_offload_nic nic_of(const struct sim_nic_study *study)
{
    struct weft_offload_nic nic = weft_offload_nic_of_paper((uint64_t)study->packet);
    nic.hpus = (unsigned)study->hpus;
    nic.memory = (uint64_t)study->memory;
    nic.times.packet = study->packet * 8 / study->rate;
    return nic;
}

static bool prepare(struct scene *scene)
{
    const struct sim_nic_study *study = scene->study;
    struct weft_offload_options options = {
        .type = scene->layout.type, .count = scene->layout.count, .nic = nic_of(study)};
    options.attributes.strategy =
        study->way < SIM_NIC_HANDLERS ? strategies[study->way] : WEFT_OFFLOAD_SEEK;
    return weft_offload_prepare(&options, &scene->offload) == WEFT_OK;
}

static bool open_scene(struct scene *scene, const struct sim_nic_study *study)
{
    *scene = (struct scene){.study = study};
    if (!sim_nic_layout_open(study, &scene->layout))
        return false;
    scene->size = scene->layout.bytes;
    scene->span = scene->layout.window;
    scene->packed = malloc(scene->size);
    scene->landed = malloc(scene->size);
    scene->memory = calloc(1, scene->span);
    if (!scene->packed || !scene->landed || !scene->memory || !prepare(scene))
        return false;
    for (size_t i = 0; i < scene->size; i++)
        scene->packed[i] = (unsigned char)(1 + i % 251);
    return true;
}

static void close_scene(struct scene *scene)
{
    weft_offload_close(scene->offload);
    ddt_layout_close(&scene->layout);
    free(scene->packed);
    free(scene->landed);
    free(scene->memory);
}

static unsigned char *base_of(const struct scene *scene)
{
    return scene->memory + scene->layout.origin;
}

/* ---- Nodes -------------------------------------------------------------------------------- */

static uint64_t state_bytes(const struct scene *scene)
{
    const struct weft_offload_facts *facts = weft_offload_facts(scene->offload);
    return facts->head_bytes + facts->image_bytes;
}

/* The head of the receive, with what follows it, and the image of the type, as a core sees them:
 * there, addresses of the host are offsets in the entry. */
static bool write_state(struct scene *scene, unsigned char *state, ptl_handlers_t *handlers)
{
    unsigned char *image = state + weft_offload_facts(scene->offload)->head_bytes;
    struct weft_offload_head head;
    weft_offload_write_image(scene->offload, image);
    if (!weft_offload_bind(scene->offload, image, base_of(scene), scene->memory, scene->span,
                           &head, handlers))
        return false;
    head.mem -= (uintptr_t)scene->memory;
    head.root += PTL_DEVICE_MEMORY - (uintptr_t)state;
    head.checkpoints += PTL_DEVICE_MEMORY - (uintptr_t)state;
    memcpy(state, &head, sizeof head);
    return true;
}

static bool append_handlers(struct scene *scene, ptl_handle_ni_t ni, ptl_pt_index_t index)
{
    ptl_image_handlers_t image = {.payload_handler = weft_offload_facts(scene->offload)->handler};
    ptl_me_t me = sim_nic_entry(scene->memory, scene->span);
    ptl_handlers_t handlers = {0};
    ptl_handle_hpu_t memory;
    ptl_handle_me_t handle;
    if (!need(scene, PtlHandlersLoad(ni, sim_nic_image, sim_nic_image_length, &image.image),
              "PtlHandlersLoad") ||
        !need(scene, PtlHPUAllocMem(state_bytes(scene), ni, &memory),
              "the NIC has less memory than the type needs"))
        return false;
    if (!write_state(scene, weft_portals_driver_memory(memory), &handlers)) {
        fail(scene, "the type cannot be offloaded");
        return false;
    }
    handlers.payload_handler = NULL;
    handlers.completion_handler = NULL;
    handlers.image = &image;
    handlers.hpu_memory = memory;
    handlers.hpu_initial_state = NULL;
    return need(scene,
                PtlMEAppendHandlers(ni, index, &me, &handlers, PTL_PRIORITY_LIST, NULL, &handle),
                "PtlMEAppendHandlers");
}

/* What a handler of the user's finds at the begin of its memory. */
struct own_state {
    uint64_t block, stride, size;
};

#define OWN_MEMORY 65536u
#define OWN_IMAGE 1048576u

static bool load_own(struct scene *scene, ptl_handle_ni_t ni, ptl_handle_image_t *image)
{
    FILE *file = fopen(scene->study->image, "rb");
    unsigned char *bytes = malloc(OWN_IMAGE);
    size_t length = file && bytes ? fread(bytes, 1, OWN_IMAGE, file) : 0;
    bool is_good = need(scene, PtlHandlersLoad(ni, bytes, length, image),
                        file ? "the image cannot be loaded" : "there is no such image");
    free(bytes);
    if (file)
        fclose(file);
    return is_good;
}

static bool append_own(struct scene *scene, ptl_handle_ni_t ni, ptl_pt_index_t index)
{
    const struct own_state state = {(uint64_t)scene->study->block,
                                    2 * (uint64_t)scene->study->block, scene->size};
    ptl_image_handlers_t image = {.payload_handler = scene->study->handler};
    ptl_handlers_t handlers = {
        .hpu_initial_state = &state, .hpu_initial_state_length = sizeof state, .image = &image};
    ptl_me_t me = sim_nic_entry(scene->memory, scene->span);
    ptl_handle_me_t handle;
    return load_own(scene, ni, &image.image) &&
           need(scene, PtlHPUAllocMem(OWN_MEMORY, ni, &handlers.hpu_memory), "PtlHPUAllocMem") &&
           need(scene,
                PtlMEAppendHandlers(ni, index, &me, &handlers, PTL_PRIORITY_LIST, NULL, &handle),
                "the image has no such handler");
}

static bool append_plain(struct scene *scene, ptl_handle_ni_t ni, ptl_pt_index_t index)
{
    ptl_me_t me = sim_nic_entry(scene->landed, scene->size);
    ptl_handle_me_t handle;
    return need(scene, PtlMEAppend(ni, index, &me, PTL_PRIORITY_LIST, NULL, &handle),
                "PtlMEAppend");
}

static bool append(struct scene *scene, ptl_handle_ni_t ni, ptl_pt_index_t index)
{
    if (scene->study->way == SIM_NIC_OWN)
        return append_own(scene, ni, index);
    return runs_handlers(scene->study) ? append_handlers(scene, ni, index)
                                       : append_plain(scene, ni, index);
}

static void unpack(struct scene *scene)
{
    weft_offload_unpack(scene->offload, base_of(scene), scene->landed, scene->size);
    if (scene->study->way == SIM_NIC_HOST)
        sim_nic_spend(scene->host.time);
}

static void receive(struct scene *scene)
{
    ptl_handle_ni_t ni;
    ptl_pt_index_t index;
    ptl_handle_eq_t eq;
    ptl_event_t event;
    bool is_good = need(scene, sim_nic_open(&ni), "PtlNIInit") &&
                   need(scene, PtlEQAlloc(ni, 8, &eq), "PtlEQAlloc") &&
                   need(scene, PtlPTAlloc(ni, 0, eq, SIM_NIC_ENTRY, &index), "PtlPTAlloc") &&
                   append(scene, ni, index) && need(scene, PtlEQWait(eq, &event), "PtlEQWait");
    if (!is_good)
        return;
    if (event.ni_fail_type != PTL_NI_OK || event.mlength != scene->size)
        fail(scene, "the message did not come whole");
    scene->counts = weft_nic_stages_counts(weft_portals_process_self()->nic);
    if (!runs_handlers(scene->study))
        unpack(scene);
    scene->end = sim_nic_now();
}

static void send(struct scene *scene)
{
    ptl_handle_ni_t ni;
    ptl_handle_md_t handle;
    ptl_event_t event;
    ptl_md_t md = {.start = scene->packed, .length = scene->size, .ct_handle = PTL_CT_NONE};
    const ptl_process_t target = {.phys = {1, WEFT_SIM_PID}};
    if (!need(scene, sim_nic_open(&ni), "PtlNIInit") ||
        !need(scene, PtlEQAlloc(ni, 8, &md.eq_handle), "PtlEQAlloc") ||
        !need(scene, PtlMDBind(ni, &md, &handle), "PtlMDBind"))
        return;
    scene->begin = sim_nic_now();
    sim_nic_spend(scene->study->overhead);
    if (need(scene,
             PtlPut(handle, 0, scene->size, PTL_ACK_REQ, target, SIM_NIC_ENTRY, 0, 0, NULL, 0),
             "PtlPut"))
        for (unsigned i = 0; i < 2; i++)
            need(scene, PtlEQWait(md.eq_handle, &event), "PtlEQWait");
}

static void program(unsigned node, void *argument)
{
    if (node == 0)
        receive(argument);
    else
        send(argument);
}

/* ---- The simulation ----------------------------------------------------------------------- */

static bool simulate(struct scene *scene, const char *trace)
{
    struct weft_sim_config config = sim_nic_config(scene->study, &scene->stages);
    scene->stages.memories.near = weft_offload_facts(scene->offload)->head_bytes;
    config.ring = trace ? weft_trace_ring_open(TRACED) : NULL;
    if (trace && !config.ring)
        return false;
    bool is_good = weft_portals_simulate(&config, program, scene) == 0;
    if (trace && is_good) {
        int error =
            weft_trace_timeline_write(&(struct weft_trace_timeline){.ring = config.ring}, trace);
        if (error) {
            fprintf(stderr, "weft sim nic: %s: %s\n", trace, strerror(error));
            scene->wrong = "there is no timeline";
        }
    }
    weft_trace_ring_close(config.ring);
    return is_good;
}

/* Until the first byte of the message is at the receiver. */
static double lead_of(const struct scene *scene)
{
    const struct sim_nic_study *study = scene->study;
    double first = fmin((double)scene->size, study->packet);
    return study->overhead + 2 * study->dma_latency + first / study->dma_rate + study->flight;
}

struct list_walk {
    const struct sim_nic_study *study;
    struct weft_nic_writes engine;
    double first, time;
    size_t count;
};

static void write_piece(void *self, const struct sim_nic_piece *piece)
{
    struct list_walk *walk = self;
    const struct sim_nic_study *study = walk->study;
    double arrival = walk->first + (double)(piece->offset + piece->length) * 8 / study->rate;
    if (walk->count > 0 && walk->count % (size_t)study->iovec == 0)
        walk->time += study->iovec_fetch;
    walk->time = fmax(walk->time, arrival) +
                 (double)weft_nic_writes_service(&walk->engine, piece->length) / 1000;
    walk->count++;
}

/* Blocks come in order and are written one by one; whenever the list is used up, it is fetched. */
static void go_through_list(struct scene *scene)
{
    const struct sim_nic_study *study = scene->study;
    double first = lead_of(scene) + study->match;
    struct list_walk walk = {.study = study,
                             .engine = {.rate = (uint64_t)(study->dma_rate * 1000),
                                        .tlp_header = (uint32_t)study->tlp_header,
                                        .tlp_payload = (uint32_t)study->tlp_payload},
                             .first = first,
                             .time = first};
    sim_nic_layout_each(&scene->layout, write_piece, &walk);
    scene->begin = 0;
    scene->end = (uint64_t)(walk.time + study->dma_latency);
    weft_offload_unpack(scene->offload, base_of(scene), scene->packed, scene->size);
}

static double memory_of(const struct scene *scene)
{
    if (scene->study->way == SIM_NIC_OWN)
        return OWN_MEMORY;
    if (scene->study->way == SIM_NIC_IOVEC)
        return (double)(scene->layout.pieces * sizeof(struct iovec));
    return runs_handlers(scene->study) ? (double)state_bytes(scene) : 0;
}

static void report(const struct scene *scene, struct sim_nic_finding *finding)
{
    const struct weft_nic_stage_counts *counts = &scene->counts;
    double time = (double)(scene->end - scene->begin);
    *finding = sim_nic_finding_of(counts, (double)scene->size, time);
    finding->busy = (double)counts->handler_time / time / scene->study->hpus;
    finding->memory = memory_of(scene);
    finding->handling = time - lead_of(scene);
    finding->moved = (double)scene->size + scene->host.lines * SIM_NIC_LINE;
    finding->prepared = sim_nic_host_prepare(scene->study, &scene->layout, finding->memory);
    finding->is_right = sim_nic_layout_holds(&scene->layout, scene->memory, scene->packed);
    for (size_t i = 0; i < SIM_NIC_PERIODS; i++)
        finding->queues[i] = (double)counts->writes.deepest_in[i];
}

static bool complain(const char *what)
{
    fprintf(stderr, "weft sim nic: %s\n", what);
    return false;
}

bool sim_nic_is_possible(const struct sim_nic_study *study)
{
    struct scene scene = {.study = study};
    bool is_possible = sim_nic_layout_open(study, &scene.layout) && prepare(&scene) &&
                       weft_offload_facts(scene.offload)->obstacle == WEFT_OFFLOAD_FALLBACK_NONE;
    close_scene(&scene);
    return is_possible;
}

bool sim_nic_run(const struct sim_nic_study *study, const char *trace,
                 struct sim_nic_finding *finding)
{
    struct scene scene;
    bool has_handlers = study->way < SIM_NIC_HANDLERS || study->way == SIM_NIC_PONG_STORE ||
                        study->way == SIM_NIC_PONG_STREAM || study->way == SIM_NIC_RAID;
    if (has_handlers && sim_nic_image_length == 0)
        return complain("handlers run on a RISC-V core, and there was no compiler for it when "
                        "this was built: install the packages clang and lld, or "
                        "gcc-riscv64-unknown-elf");
    if (study->way >= SIM_NIC_HALO)
        return sim_nic_halo(study, finding);
    if (study->way >= SIM_NIC_RAID)
        return sim_nic_raid(study, finding);
    if (study->way >= SIM_NIC_BUSY)
        return sim_nic_native(study, finding);
    if (study->way >= SIM_NIC_PONG_RDMA)
        return sim_nic_pong(study, finding);
    if (study->block > study->size)
        return complain("a block does not fit into the message");
    bool is_good = open_scene(&scene, study);
    if (is_good && study->way == SIM_NIC_HOST)
        scene.host = sim_nic_host_unpack(study, &scene.layout);
    if (is_good && study->way == SIM_NIC_IOVEC)
        go_through_list(&scene);
    else if (is_good)
        is_good = simulate(&scene, trace);
    if (is_good && !scene.wrong)
        report(&scene, finding);
    else
        complain(is_good ? scene.wrong : "the simulation failed: is there memory for it?");
    is_good = is_good && !scene.wrong;
    close_scene(&scene);
    return is_good;
}
