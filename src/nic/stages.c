/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/stages.h"

#include <stdlib.h>

static uint64_t now(const struct weft_nic *nic)
{
    return nic->world->ops->now(nic->world);
}

bool weft_nic_stages_open(struct weft_nic *nic, const struct weft_nic_stages *stages)
{
    if (!stages)
        return true;
    const struct weft_nic_hpus *hpus = &nic->hpu.config;
    struct weft_nic_timing *timing = calloc(1, sizeof *timing);
    if (!timing)
        return false;
    timing->stages = *stages;
    timing->deadline = UINT64_MAX;
    timing->writes.latency = hpus->dma;
    timing->writes.rate = hpus->dma_rate;
    timing->writes.tlp_header = stages->tlp_header;
    timing->writes.tlp_payload = stages->tlp_payload;
    timing->writes.period = stages->period;
    nic->timing = timing;
    return stages->memories.service == 0 ||
           weft_nic_crowd_open(&timing->far, stages->memories.quantum, stages->memories.service);
}

void weft_nic_stages_close(struct weft_nic *nic)
{
    if (nic->timing) {
        weft_nic_crowd_close(&nic->timing->far);
        weft_nic_writes_close(&nic->timing->writes);
    }
    free(nic->timing);
}

uint32_t weft_nic_stages_stall(const struct weft_nic_run *run)
{
    const struct weft_nic_memories *memories = &run->nic->timing->stages.memories;
    const struct weft_nic_hpu_stage *stage = &run->nic->hpu;
    uint32_t first = memories->cluster ? run->hpu / memories->cluster * memories->cluster : 0;
    uint32_t others = 0;
    for (uint32_t i = first; i < first + memories->cluster && i < stage->config.count; i++)
        others += i != run->hpu && stage->units[i];
    return memories->cluster > 1 ? memories->stall * others / (memories->cluster - 1) : 0;
}

void weft_nic_stages_reach(struct weft_nic_run *run, uint64_t from, uint64_t accesses)
{
    struct weft_nic_crowd *far = &run->nic->timing->far;
    if (!far->taken || accesses == 0)
        return;
    weft_nic_crowd_forget(far, now(run->nic));
    run->clock = weft_nic_crowd_serve(far, from, run->clock, accesses);
}

uint64_t weft_nic_stages_copy(struct weft_nic *nic, uint64_t bytes)
{
    struct weft_nic_timing *timing = nic->timing;
    if (nic->hpu.used > timing->counts.waiting)
        timing->counts.waiting = nic->hpu.used;
    if (bytes == 0)
        return now(nic);
    uint64_t service = weft_nic_server_time(bytes, timing->stages.copy_rate);
    uint64_t end = weft_nic_server_serve(&timing->copier, now(nic), service);
    return weft_nic_server_nanoseconds(end) + timing->stages.copy;
}

void weft_nic_stages_write(struct weft_nic *nic, struct weft_nic_activation *activation,
                           uint64_t issue, uint64_t bytes)
{
    weft_nic_writes_add(&nic->timing->writes, issue, bytes, activation->slot.id);
}

uint64_t weft_nic_stages_read(const struct weft_nic *nic, uint64_t issue, uint64_t bytes)
{
    const struct weft_nic_hpus *hpus = &nic->hpu.config;
    uint64_t moving = weft_nic_server_time(bytes, hpus->dma_rate);
    return issue + 2 * hpus->dma + weft_nic_server_nanoseconds(moving);
}

uint64_t weft_nic_stages_dma(const struct weft_nic_run *run, enum weft_trace_dma direction,
                             uint64_t length)
{
    if (direction != WEFT_TRACE_DMA_TO_HOST)
        return weft_nic_stages_read(run->nic, run->clock, length);
    const struct weft_nic_writes *writes = &run->nic->timing->writes;
    weft_nic_stages_write(run->nic, run->activation, run->clock, length);
    return run->clock + writes->latency +
           weft_nic_server_nanoseconds(weft_nic_writes_service(writes, length));
}

void weft_nic_stages_send(struct weft_nic *nic, bool is_from_host, uint64_t bytes)
{
    const struct weft_nic_run *run = weft_nic_run_self();
    uint64_t issue = run && run->nic == nic ? run->clock : now(nic);
    nic->world->ready = is_from_host ? weft_nic_stages_read(nic, issue, bytes) : issue;
}

static void serve_writes(struct weft_nic *nic)
{
    uint32_t message;
    uint64_t end;
    while (weft_nic_writes_serve(&nic->timing->writes, now(nic), &message, &end)) {
        struct weft_nic_activation *of = weft_pool_find(&nic->hpu.activations, message);
        if (of)
            of->settled = end; /* the engine ends them in order */
    }
}

uint64_t weft_nic_stages_settle(struct weft_nic *nic, struct weft_nic_activation *activation)
{
    struct weft_nic_timing *timing = nic->timing;
    if (activation->is_settling)
        return activation->settled;
    serve_writes(nic);
    activation->is_settling = true;
    if (activation->delivery.execution != &timing->plain)
        return activation->settled;
    if (activation->settled < timing->last)
        activation->settled = timing->last;
    timing->last = activation->settled;
    return activation->settled;
}

void weft_nic_stages_count(struct weft_nic *nic, const struct weft_nic_task *task, uint64_t took)
{
    struct weft_nic_stage_counts *counts = &nic->timing->counts;
    if (task->handler != WEFT_NIC_HANDLER_PAYLOAD)
        return;
    counts->handlers++;
    counts->handler_time += took;
    if (took > counts->longest)
        counts->longest = took;
}

struct weft_nic_stage_counts weft_nic_stages_counts(const struct weft_nic *nic)
{
    struct weft_nic_stage_counts counts = nic->timing->counts;
    counts.writes = nic->timing->writes.counts;
    counts.far = nic->timing->far.accesses;
    counts.far_time = nic->timing->far.delay;
    return counts;
}
