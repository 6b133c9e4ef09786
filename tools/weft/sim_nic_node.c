/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_nic_node.h"

#include <stdlib.h>

#include "portals/process.h"
#include "sim_nic_image.h"

#define PATHS 8 /* of a network that reorders packets */
#define SECOND 1000000000u

/* ---- Nodes -------------------------------------------------------------------------------- */

static struct weft_nic_world *own_world(void)
{
    return weft_portals_process_self()->world;
}

uint64_t sim_nic_now(void)
{
    return own_world()->ops->now(own_world());
}

void sim_nic_spend(double nanoseconds)
{
    uint64_t until = sim_nic_now() + (uint64_t)nanoseconds;
    while (sim_nic_now() < until)
        own_world()->ops->sleep(own_world(), until);
}

int sim_nic_open(ptl_handle_ni_t *ni)
{
    int result = PtlInit();
    if (result != PTL_OK)
        return result;
    return PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, NULL, NULL,
                     ni);
}

ptl_me_t sim_nic_entry(void *start, size_t length)
{
    return (ptl_me_t){.start = start,
                      .length = length,
                      .ct_handle = PTL_CT_NONE,
                      .uid = PTL_UID_ANY,
                      .options = PTL_ME_OP_PUT | PTL_ME_EVENT_LINK_DISABLE,
                      .match_id.phys = {PTL_NID_ANY, PTL_PID_ANY}};
}

/* ---- The simulation ----------------------------------------------------------------------- */

/* The one list of settings is where images get their core from. */
static void choose_core(const struct sim_nic_study *study)
{
    char core[SIM_NIC_CORE + 32];
    snprintf(core, sizeof core, "%s,picoseconds=%.0f", study->core, 1000 / study->clock);
    setenv("WEFT_HANDLER_CORE", core, 1);
}

/* What is near a core is up to who knows what handlers have there. */
static struct weft_nic_memories memories_of(const struct sim_nic_study *study)
{
    return (struct weft_nic_memories){
        .latency = (uint32_t)study->l2_latency,
        .service = study->l2_rate > 0 ? (uint64_t)(1000 / study->l2_rate) : 0,
        .quantum = (uint64_t)study->quantum,
        .cluster = (uint32_t)study->cluster,
        .stall = (uint32_t)(10 * study->l1_stall)};
}

static struct weft_nic_stages stages_of(const struct sim_nic_study *study)
{
    return (struct weft_nic_stages){.match = (uint64_t)study->match,
                                    .look_up = (uint64_t)study->look_up,
                                    .copy = (uint64_t)study->copy,
                                    .copy_rate = (uint64_t)(study->copy_rate * 1000),
                                    .tlp_header = (uint32_t)study->tlp_header,
                                    .tlp_payload = (uint32_t)study->tlp_payload,
                                    .period = (uint64_t)study->period,
                                    .memories = memories_of(study)};
}

struct weft_sim_config sim_nic_config(const struct sim_nic_study *study,
                                      struct weft_nic_stages *stages)
{
    double packet_time = study->packet * 8 / study->rate;
    *stages = stages_of(study);
    choose_core(study);
    return (struct weft_sim_config){
        .nodes = 2,
        .seed = (uint64_t)study->seed,
        .latency = (uint64_t)study->flight,
        .paths = study->is_shuffled ? PATHS : 1,
        .path_delay = study->is_shuffled ? 1 + (uint64_t)packet_time : 0,
        .bandwidth = (uint64_t)(study->rate * 125),
        .packet_size = (uint32_t)study->packet,
        .timeout = 10ull * SECOND,
        .reliable = true,
        .nic = {.hpus = {.count = (uint32_t)study->hpus,
                         .contexts = (uint32_t)study->contexts,
                         .start = (uint64_t)study->start,
                         .turns = (uint32_t)study->turns,
                         .dma = (uint64_t)study->dma_latency,
                         .dma_rate = (uint64_t)(study->dma_rate * 1000)},
                .stages = stages,
                .memory = (uint64_t)study->memory + sim_nic_image_length},
        .limit = 100ull * SECOND,
    };
}

struct sim_nic_finding sim_nic_finding_of(const struct weft_nic_stage_counts *counts, double bytes,
                                          double time)
{
    double handlers = (double)counts->handlers;
    return (struct sim_nic_finding){.time = time,
                                    .throughput = bytes * 8 / time,
                                    .handler =
                                        handlers > 0 ? (double)counts->handler_time / handlers : 0,
                                    .longest = (double)counts->longest,
                                    .writes = (double)counts->writes.served,
                                    .queue = (double)counts->writes.deepest,
                                    .packets = (double)counts->waiting};
}
