/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_offload.h"

#include <stdio.h>
#include <stdlib.h>

#include <weft_collective.h>

#include "portals/simulate.h"
#include "trace/record.h"

#define NUMBER 1
#define TAG 1
#define SETUP_MS 1 /* in which all have posted */
#define LIMIT UINT64_C(60000000000)

/* Programs on simulated nodes have no clock: what their NICs tell has the time. */
struct stage {
    const struct sim_offload *offload;
    ptl_process_t *map;
    uint64_t *latest; /* time of the last record of each node */
    uint64_t begin, end;
    int error;
};

struct seat {
    struct stage *stage;
    uint32_t rank;
    weft_engine *engine;
    weft_schedule *schedule;
    ptl_handle_ct_t clock;
    uint16_t *from, *to;
    int awake;
};

static void note_time(void *argument, unsigned node, const struct weft_trace_line *record)
{
    struct stage *stage = argument;
    stage->latest[node] = record->time;
}

/* ---- What a node does --------------------------------------------------------------------- */

static int build(struct seat *seat)
{
    const struct sim_offload *offload = seat->stage->offload;
    struct weft_schedule_memory from = {.base = seat->from, .length = offload->bytes};
    struct weft_schedule_memory to = {.base = seat->to, .length = offload->bytes};
    weft_schedule *schedule = seat->schedule;
    switch (offload->kind) {
    case SIM_OFFLOAD_BCAST:
        return weft_collective_bcast(schedule, WEFT_COLLECTIVE_BINOMIAL, seat->rank ? &to : &from,
                                     0, TAG);
    case SIM_OFFLOAD_ALLREDUCE:
        return weft_collective_allreduce(schedule, WEFT_COLLECTIVE_BINOMIAL, PTL_SUM, PTL_UINT16_T,
                                         &from, &to, TAG);
    case SIM_OFFLOAD_DOUBLING:
        return weft_collective_allreduce(schedule, WEFT_COLLECTIVE_DOUBLING, PTL_SUM, PTL_UINT16_T,
                                         &from, &to, TAG);
    default:
        seat->awake = weft_collective_solo(schedule, TAG);
    }
    if (seat->awake < 0 || offload->kind == SIM_OFFLOAD_ACTIVATION)
        return seat->awake < 0 ? seat->awake : WEFT_OK;
    return weft_collective_reduce(schedule, WEFT_COLLECTIVE_BINOMIAL, PTL_SUM, PTL_UINT16_T, &from,
                                  &to, 0, TAG);
}

static bool starts(const struct seat *seat)
{
    enum sim_offload_kind kind = seat->stage->offload->kind;
    return seat->rank == 0 || kind == SIM_OFFLOAD_ALLREDUCE || kind == SIM_OFFLOAD_DOUBLING;
}

/* Whether the process has all that it gets. */
static bool has_result(const struct seat *seat)
{
    const struct sim_offload *offload = seat->stage->offload;
    uint16_t expected = offload->kind == SIM_OFFLOAD_BCAST ? 1 : (uint16_t)offload->processes;
    if (offload->kind == SIM_OFFLOAD_ACTIVATION)
        return weft_schedule_state(seat->schedule, seat->awake) == WEFT_SCHEDULE_COMPLETE;
    if ((offload->kind == SIM_OFFLOAD_BCAST && seat->rank == 0) ||
        (offload->kind == SIM_OFFLOAD_SOLO_REDUCE && seat->rank > 0))
        return true;
    return *(volatile uint16_t *)&seat->to[offload->bytes / sizeof(uint16_t) - 1] == expected;
}

static void pause_for(struct seat *seat, unsigned milliseconds)
{
    ptl_size_t never = 1;
    ptl_ct_event_t value;
    unsigned which;
    PtlCTPoll(&seat->clock, &never, 1, milliseconds, &value, &which);
}

static int take_part(struct seat *seat)
{
    struct stage *stage = seat->stage;
    int error = build(seat);
    if (!error)
        error = weft_schedule_post(seat->schedule);
    pause_for(seat, SETUP_MS);
    if (!error && starts(seat)) {
        error = weft_schedule_start(seat->schedule);
        if (stage->latest[seat->rank] < stage->begin)
            stage->begin = stage->latest[seat->rank];
    }
    while ((!error || error == WEFT_ERR_TIMEOUT) && !has_result(seat))
        error = weft_schedule_test(seat->schedule);
    if (stage->latest[seat->rank] > stage->end)
        stage->end = stage->latest[seat->rank];
    return error == WEFT_ERR_TIMEOUT || !error ? weft_schedule_wait(seat->schedule, -1) : error;
}

static void play(unsigned number, void *argument)
{
    struct stage *stage = argument;
    const struct sim_offload *offload = stage->offload;
    const struct weft_engine_options options = {.eager = offload->bytes};
    struct seat seat = {.stage = stage, .rank = number};
    ptl_handle_ni_t ni;
    seat.from = calloc(1, offload->bytes);
    seat.to = calloc(1, offload->bytes);
    for (size_t i = 0; i < offload->bytes / sizeof(uint16_t); i++)
        seat.from[i] = 1;
    PtlInit();
    PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, WEFT_SIM_PID, NULL, NULL, &ni);
    PtlSetMap(ni, offload->processes, stage->map);
    PtlCTAlloc(ni, &seat.clock);
    int error = weft_engine_open(ni, number, offload->processes, &options, &seat.engine);
    if (!error)
        error = weft_schedule_create(seat.engine, NUMBER, &seat.schedule);
    if (!error)
        error = take_part(&seat);
    if (error)
        stage->error = error;
    pause_for(&seat, SETUP_MS); /* others may still send to this node */
    weft_schedule_free(seat.schedule);
    weft_engine_close(seat.engine);
    PtlNIFini(ni);
    PtlFini();
    free(seat.from);
    free(seat.to);
}

/* ---- All of them -------------------------------------------------------------------------- */

static struct weft_sim_config config_of(const struct sim_offload *offload, struct stage *stage)
{
    const struct sim_offload_network *network = &offload->network;
    return (struct weft_sim_config){.nodes = offload->processes,
                                    .seed = 1,
                                    .latency = network->latency + network->matching,
                                    .loops_back = true,
                                    .bandwidth = (uint64_t)(1000 / network->gap),
                                    .packet_size = 4096,
                                    .timeout = LIMIT,
                                    .reliable = true,
                                    .limit = LIMIT,
                                    .trace = note_time,
                                    .trace_argument = stage};
}

uint64_t sim_offload_run(const struct sim_offload *offload)
{
    struct stage stage = {.offload = offload, .begin = UINT64_MAX};
    stage.map = malloc(offload->processes * sizeof *stage.map);
    stage.latest = calloc(offload->processes, sizeof *stage.latest);
    for (uint32_t i = 0; i < offload->processes; i++)
        stage.map[i] = (ptl_process_t){.phys = {.nid = i + 1, .pid = WEFT_SIM_PID}};
    const struct weft_sim_config config = config_of(offload, &stage);
    int error = weft_portals_simulate(&config, play, &stage);
    free(stage.map);
    free(stage.latest);
    if (error || stage.error) {
        fprintf(stderr, "weft sim collective: %s\n",
                stage.error ? weft_error_text(stage.error) : "the simulation did not end");
        return 0;
    }
    return stage.end - stage.begin;
}
