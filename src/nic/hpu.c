/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/hpu.h"

#include <stdlib.h>
#include <string.h>

#include "nic/activation.h"
#include "nic/core.h"
#include "nic/gather.h"
#include "nic/scatter.h"
#include "nic/stages.h"
#include "nic/trace.h"

static struct weft_nic *nic_of(const struct weft_nic_task *task)
{
    return task->gather ? task->gather->ni->nic : task->activation->delivery.ni->nic;
}

static const struct weft_nic_peer *peer_of(const struct weft_nic_task *task)
{
    return task->gather ? task->gather->peer : task->activation->peer;
}

/* An HPU that turns to other handlers has a unit for each that it has begun: the first of all HPUs
 * come before the second ones. */
static uint32_t units_of(const struct weft_nic_hpu_stage *stage)
{
    return stage->config.count * (stage->config.turns ? stage->config.turns : 1);
}

/* ---- Contexts ----------------------------------------------------------------------------- */

static bool is_unstoppable(const struct weft_nic_activation *activation)
{
    return !(activation->delivery.pt->options & PTL_PT_FLOWCTRL);
}

static struct weft_nic_task *take_context(struct weft_nic *nic)
{
    struct weft_nic_hpu_stage *stage = &nic->hpu;
    if (weft_list_is_empty(&stage->free))
        return malloc(sizeof(struct weft_nic_task) + nic->world->packet_size);
    struct weft_nic_task *task = weft_list_object(stage->free.next, struct weft_nic_task, link);
    weft_list_remove(&task->link);
    return task;
}

struct weft_nic_task *weft_nic_hpu_context(struct weft_nic_activation *activation,
                                           enum weft_nic_handler handler,
                                           const ptl_payload_t *payload)
{
    struct weft_nic *nic = activation->delivery.ni->nic;
    struct weft_nic_pt *pt = activation->delivery.pt;
    struct weft_nic_task *task = take_context(nic);
    if (!task)
        return NULL;
    *task = (struct weft_nic_task){
        .activation = activation, .handler = handler, .payload = *payload, .hpu = UINT32_MAX};
    weft_list_init(&task->link);
    weft_list_init(&task->at_work);
    if (payload->length)
        memcpy(task->bytes, payload->base, payload->length);
    task->payload.base = task->bytes;
    nic->hpu.used++;
    pt->contexts++;
    if (weft_rare(nic->timing != NULL))
        task->ready = weft_nic_stages_copy(nic, payload->length);
    if (handler != WEFT_NIC_HANDLER_SCATTER && is_unstoppable(activation) &&
        weft_nic_hpu_is_full(nic, pt))
        activation->peer->waits_for = pt;
    return task;
}

struct weft_nic_task *weft_nic_hpu_outbound(struct weft_nic *nic, struct weft_nic_gather *gather)
{
    struct weft_nic_task *task = take_context(nic);
    if (!task)
        return NULL;
    bool has_handler = gather->operation && gather->operation->command.outbound.handler;
    *task = (struct weft_nic_task){.gather = gather,
                                   .handler = has_handler ? WEFT_NIC_HANDLER_OUTBOUND
                                                          : WEFT_NIC_HANDLER_GATHER,
                                   .vhpu = UINT32_MAX,
                                   .hpu = UINT32_MAX};
    weft_list_init(&task->link);
    weft_list_init(&task->at_work);
    nic->hpu.used++;
    return task;
}

void weft_nic_hpu_release(struct weft_nic_task *task)
{
    struct weft_nic *nic = nic_of(task);
    if (task->activation) {
        struct weft_nic_pt *pt = task->activation->delivery.pt;
        nic->hpu.has_room |= weft_nic_hpu_is_full(nic, pt);
        pt->contexts--;
    }
    nic->hpu.used--;
    weft_list_append(&nic->hpu.free, &task->link);
}

void weft_nic_hpu_drop(struct weft_nic_task *task)
{
    struct weft_nic_hpu_stage *stage = &nic_of(task)->hpu;
    weft_list_remove(&task->link);
    weft_list_remove(&task->at_work);
    for (uint32_t i = 0; stage->units && i < units_of(stage); i++)
        if (stage->units[i] == task)
            stage->units[i] = NULL;
    weft_nic_hpu_release(task);
}

/* ---- Running ------------------------------------------------------------------------------ */

static ptl_request_type_t type_of(uint8_t kind)
{
    return (ptl_request_type_t)(kind - WEFT_PACKET_PUT);
}

ptl_header_t weft_nic_hpu_header(const struct weft_nic_activation *activation)
{
    const struct weft_nic_delivery *delivery = &activation->delivery;
    const struct weft_nic_ni *ni = delivery->ni;
    struct weft_nic_address self = ni->nic->world->self;
    ptl_header_t header = {
        .type = type_of(delivery->kind),
        .length = delivery->request.length,
        .source_id = delivery->initiator,
        .match_bits = delivery->request.match_bits,
        .offset = delivery->offset,
        .hdr_data = delivery->request.hdr_data,
    };
    if (ni->logical)
        header.target_id = (ptl_process_t){.rank = ni->rank};
    else
        header.target_id = (ptl_process_t){.phys = {self.nid, self.pid}};
    return header;
}

static ptl_handler_result_t call(struct weft_nic_task *task, struct weft_nic_run *run)
{
    if (task->gather)
        return weft_nic_gather_run(task, run);
    const struct weft_nic_activation *activation = task->activation;
    const struct weft_nic_execution *execution = activation->delivery.execution;
    struct weft_nic_call call = {.handler = task->handler, .state = execution->state};
    ptl_payload_t payload;
    ptl_header_t header;
    if (task->handler == WEFT_NIC_HANDLER_SCATTER)
        return weft_nic_scatter_run(task);
    if (task->handler == WEFT_NIC_HANDLER_PAYLOAD) {
        payload = weft_nic_hpu_payload(activation, &task->payload);
        call.function.payload = execution->handlers.payload_handler;
        call.argument.payload = &payload;
    } else if (task->handler == WEFT_NIC_HANDLER_HEADER) {
        header = weft_nic_hpu_header(activation);
        header.user_hdr = task->payload.base;
        header.user_hdr_length = task->payload.length;
        call.function.header = execution->handlers.header_handler;
        call.argument.header = &header;
    } else {
        call.function.completion = execution->handlers.completion_handler;
        call.argument.completion.dropped = activation->dropped;
        call.argument.completion.flow_control = activation->flow_control;
    }
    struct weft_nic_core *core = execution->core ? execution->core : run->nic->core;
    return weft_nic_core_run(core, &call, run);
}

/* A core of the entry's own keeps to the budget by itself. */
static bool has_budget(const struct weft_nic_activation *activation)
{
    return !activation->delivery.execution->core &&
           activation->delivery.ni->handler_limits.max_cycles_per_byte != PTL_CYCLES_UNLIMITED;
}

/* A cycle is a nanosecond. Native code cannot be stopped, so this is found out afterwards. */
static void check_budget(struct weft_nic_run *run, uint64_t spent, uint64_t bytes)
{
    uint64_t most = run->activation->delivery.ni->handler_limits.max_cycles_per_byte;
    if (spent / most >= bytes && spent > most * bytes && run->fault == PTL_NI_OK)
        run->fault = PTL_NI_HANDLER;
}

static uint64_t now(const struct weft_nic *nic)
{
    return nic->world->ops->now(nic->world);
}

void weft_nic_hpu_run(struct weft_nic_task *task, bool owns_nic)
{
    struct weft_nic *nic = nic_of(task);
    const struct weft_nic_hpus *hpus = &nic->hpu.config;
    bool keeps_time = hpus->count && !hpus->are_threads;
    uint64_t begin = now(nic);
    struct weft_nic_run run = {.activation = task->activation,
                               .nic = nic,
                               .hpu = task->hpu,
                               .vhpu = task->vhpu,
                               .owns_nic = owns_nic,
                               .clock = begin + hpus->start};
    weft_nic_trace(nic, WEFT_TRACE_HANDLER, peer_of(task),
                   task->handler | (uint64_t)task->hpu << 8, task->payload.length);
    if (weft_rare(nic->timing != NULL))
        nic->timing->waited = 0;
    task->result = call(task, &run);
    task->end = run.clock;
    if (task->handler == WEFT_NIC_HANDLER_PAYLOAD && has_budget(task->activation))
        check_budget(&run, (keeps_time ? run.clock : now(nic)) - begin, task->payload.length);
    task->fault = run.fault;
    if (weft_rare(nic->timing != NULL)) {
        task->waited = nic->timing->waited;
        weft_nic_stages_count(nic, task, run.clock - begin - hpus->start);
    }
}

/* ---- Scheduling --------------------------------------------------------------------------- */

static void trace_end(const struct weft_nic_task *task, uint64_t time)
{
    struct weft_nic *nic = nic_of(task);
    if (weft_rare(nic->traces))
        weft_nic_trace_write_at(nic->world, time, WEFT_TRACE_HANDLER_END, peer_of(task),
                                task->handler | (uint64_t)task->hpu << 8, task->result);
}

void weft_nic_hpu_submit(struct weft_nic_task *task)
{
    struct weft_nic *nic = nic_of(task);
    task->activation->running++;
    if (weft_nic_hpu_is_inline(nic)) {
        task->hpu = 0;
        weft_nic_hpu_run(task, true);
        weft_nic_hpu_done(task);
        return;
    }
    weft_list_append(&task->activation->at_work, &task->at_work);
    weft_nic_hpu_enqueue(task);
}

void weft_nic_hpu_enqueue(struct weft_nic_task *task)
{
    struct weft_nic *nic = nic_of(task);
    weft_list_append(&nic->hpu.ready, &task->link);
    nic->posted++; /* threads may sleep */
}

static struct weft_nic_task *first_ready(const struct weft_nic *nic)
{
    if (weft_list_is_empty(&nic->hpu.ready))
        return NULL;
    return weft_list_object(nic->hpu.ready.next, struct weft_nic_task, link);
}

struct weft_nic_task *weft_nic_hpu_take(struct weft_nic *nic, uint32_t hpu)
{
    struct weft_nic_task *task = first_ready(nic);
    if (!task)
        return NULL;
    weft_list_remove(&task->link);
    task->hpu = hpu;
    return task;
}

void weft_nic_hpu_done(struct weft_nic_task *task)
{
    struct weft_nic *nic = nic_of(task);
    if (weft_rare(nic->traces))
        trace_end(task, nic->hpu.units ? task->end : now(nic));
    if (task->gather)
        weft_nic_gather_done(task);
    else
        weft_nic_activation_done(task);
}

/* ---- Units in virtual time ---------------------------------------------------------------- */

/* The unit that is done first, if it is done by now. */
static struct weft_nic_task **first_done(struct weft_nic_hpu_stage *stage, uint64_t time)
{
    struct weft_nic_task **first = NULL;
    for (uint32_t i = 0; i < units_of(stage); i++) {
        struct weft_nic_task **unit = &stage->units[i];
        if (*unit && (*unit)->end <= time && (!first || (*unit)->end < (*first)->end))
            first = unit;
    }
    return first;
}

static bool start_idle(struct weft_nic *nic)
{
    struct weft_nic_hpu_stage *stage = &nic->hpu;
    bool any = false;
    for (uint32_t i = 0; i < units_of(stage); i++) {
        uint32_t hpu = i % stage->config.count;
        if (stage->units[i] || stage->idle[hpu] > now(nic))
            continue;
        const struct weft_nic_task *first = first_ready(nic);
        if (!first || first->ready > now(nic))
            break;
        struct weft_nic_task *task = weft_nic_hpu_take(nic, hpu);
        stage->units[i] = task;
        weft_nic_hpu_run(task, true);
        stage->idle[hpu] = task->end - task->waited;
        any = true;
    }
    return any;
}

/* When a unit is done, or an idle one may begin. */
static uint64_t next_change(const struct weft_nic *nic)
{
    const struct weft_nic_hpu_stage *stage = &nic->hpu;
    const struct weft_nic_task *first = first_ready(nic);
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < units_of(stage); i++) {
        uint64_t begin = stage->idle[i % stage->config.count];
        if (first && begin < first->ready)
            begin = first->ready;
        if (stage->units[i] && stage->units[i]->end < next)
            next = stage->units[i]->end;
        if (!stage->units[i] && first && begin < next)
            next = begin;
    }
    return next;
}

bool weft_nic_hpu_step(struct weft_nic *nic)
{
    struct weft_nic_hpu_stage *stage = &nic->hpu;
    stage->deadline = UINT64_MAX;
    if (!stage->units || stage->used == 0)
        return false;
    bool any = start_idle(nic);
    struct weft_nic_task **unit;
    while ((unit = first_done(stage, now(nic)))) {
        struct weft_nic_task *task = *unit;
        *unit = NULL;
        weft_nic_hpu_done(task);
        start_idle(nic);
        any = true;
    }
    /* What waits in the world has come before, and nothing else would make the NIC look. */
    stage->deadline = stage->has_room ? now(nic) : next_change(nic);
    stage->has_room = false;
    return any;
}

bool weft_nic_hpu_is_busy(const struct weft_nic *nic, const struct weft_nic_ni *ni)
{
    for (const struct weft_list *link = nic->hpu.active.next; link != &nic->hpu.active;
         link = link->next) {
        const struct weft_nic_activation *activation =
            weft_list_object(link, struct weft_nic_activation, link);
        if (activation->delivery.ni == ni && activation->running)
            return true;
    }
    for (const struct weft_list *link = nic->hpu.gathering.next; link != &nic->hpu.gathering;
         link = link->next) {
        const struct weft_nic_gather *gather =
            weft_list_object(link, struct weft_nic_gather, link);
        if (gather->ni == ni && gather->running)
            return true;
    }
    return false;
}

/* ---- Life --------------------------------------------------------------------------------- */

bool weft_nic_hpu_open(struct weft_nic *nic, const struct weft_nic_config *config)
{
    struct weft_nic_hpu_stage *stage = &nic->hpu;
    stage->config = config->hpus;
    stage->memory = config->memory ? config->memory : WEFT_NIC_HPU_NIC_MEMORY;
    stage->deadline = UINT64_MAX;
    stage->scatters = config->hpus.count && !config->stages && !config->core;
    weft_pool_init(&stage->activations, sizeof(struct weft_nic_activation), WEFT_POOL_MOST, 0);
    weft_pool_init(&stage->codes, sizeof(struct weft_nic_code), WEFT_POOL_MOST, 0);
    weft_pool_init(&stage->gathers, sizeof(struct weft_nic_gather), WEFT_POOL_MOST, 0);
    struct weft_list *const lists[] = {&stage->active, &stage->gathering, &stage->ready,
                                       &stage->free, &stage->rooms};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        weft_list_init(lists[i]);
    if (stage->config.count == 0 || stage->config.are_threads)
        return true;
    stage->units = calloc(units_of(stage), sizeof *stage->units);
    stage->idle = calloc(stage->config.count, sizeof *stage->idle);
    return stage->units && stage->idle;
}

void weft_nic_hpu_close(struct weft_nic *nic)
{
    struct weft_nic_hpu_stage *stage = &nic->hpu;
    while (!weft_list_is_empty(&stage->free)) {
        struct weft_nic_task *task =
            weft_list_object(stage->free.next, struct weft_nic_task, link);
        weft_list_remove(&task->link);
        free(task);
    }
    weft_pool_fini(&stage->activations);
    weft_pool_fini(&stage->codes);
    weft_pool_fini(&stage->gathers);
    free(stage->units);
    free(stage->idle);
}
