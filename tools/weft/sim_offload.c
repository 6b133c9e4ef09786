/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim_offload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <weft_collective.h>

#include "portals/simulate.h"

#define NUMBER 1
#define TAG 1
#define SETUP UINT64_C(1000000) /* nanoseconds in which all have posted, or sent their last */
#define FIRST_MORE 1000
#define LAST_MORE 3000
#define FEW_EVENTS 16 /* nothing fails, and no message comes before its receive */
#define LIMIT UINT64_C(60000000000)

enum phase { OPENING, POSTED, RUNNING, DONE };

struct stage {
    const struct sim_offload *offload;
    ptl_process_t *map;
    struct seat *seats;
    uint64_t begin, end;
    int error;
};

/* Of one process. It never waits, so that it needs no stack, and there can be many. */
struct seat {
    struct stage *stage;
    uint32_t rank;
    enum phase phase;
    ptl_handle_ni_t ni;
    weft_engine *engine;
    weft_schedule *schedule;
    uint16_t *from, *to;
    int awake;
    bool has_ended; /* with its result */
    uint64_t until; /* it stays, when it is done */
};

/* ---- What a node does --------------------------------------------------------------------- */

static int build(struct seat *seat)
{
    const struct sim_offload *offload = seat->stage->offload;
    struct weft_schedule_memory from = {.base = seat->from, .length = offload->bytes};
    struct weft_schedule_memory to = {.base = seat->to, .length = offload->bytes};
    weft_schedule *schedule = seat->schedule;
    switch (offload->kind) {
    case SIM_OFFLOAD_TURN:
        return offload->build(schedule, offload->turn, seat->from, seat->to);
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
    return seat->rank == 0 || kind == SIM_OFFLOAD_ALLREDUCE || kind == SIM_OFFLOAD_DOUBLING ||
           kind == SIM_OFFLOAD_TURN;
}

/* What a process adds to a sum. The first and the last add more, so that no sum of some is that
 * of all, which has 16 bits only: in an exchange both meet in the last round. */
static uint16_t share_of(const struct sim_offload *offload, uint32_t rank)
{
    return rank == 0 ? 1 + FIRST_MORE : rank == offload->processes - 1 ? 1 + LAST_MORE : 1;
}

/* Whether the process has all that it gets. */
static bool has_result(const struct seat *seat)
{
    const struct sim_offload *offload = seat->stage->offload;
    uint16_t expected = offload->kind == SIM_OFFLOAD_BCAST
                            ? share_of(offload, 0)
                            : (uint16_t)(offload->processes + FIRST_MORE + LAST_MORE);
    if (offload->kind == SIM_OFFLOAD_TURN)
        return weft_schedule_test(seat->schedule) != WEFT_ERR_TIMEOUT;
    if (offload->kind == SIM_OFFLOAD_ACTIVATION)
        return weft_schedule_state(seat->schedule, seat->awake) == WEFT_SCHEDULE_COMPLETE;
    if ((offload->kind == SIM_OFFLOAD_BCAST && seat->rank == 0) ||
        (offload->kind == SIM_OFFLOAD_SOLO_REDUCE && seat->rank > 0))
        return true;
    return *(volatile uint16_t *)&seat->to[offload->bytes / sizeof(uint16_t) - 1] == expected;
}

/* What a schedule needs of an interface is little, and the rest takes memory. */
static int open_interface(struct seat *seat)
{
    const ptl_ni_limits_t limits = {.max_pt_index = 63};
    int result = PtlInit();
    if (result == PTL_OK)
        result = PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_MATCHING | PTL_NI_LOGICAL, WEFT_SIM_PID,
                           &limits, NULL, &seat->ni);
    if (result == PTL_OK)
        result = PtlSetMap(seat->ni, seat->stage->offload->processes, seat->stage->map);
    return result == PTL_OK ? WEFT_OK : WEFT_ERR_MEMORY;
}

static int open_seat(struct seat *seat)
{
    const struct sim_offload *offload = seat->stage->offload;
    const struct weft_engine_options options = {.eager = offload->bytes, .events = FEW_EVENTS};
    seat->from = calloc(1, offload->bytes);
    seat->to = calloc(1, offload->bytes);
    if (!seat->from || !seat->to)
        return WEFT_ERR_MEMORY;
    for (size_t i = 0; i < offload->bytes / sizeof(uint16_t); i++) {
        seat->from[i] = share_of(offload, seat->rank);
        seat->to[i] = UINT16_MAX;
    }
    int error = open_interface(seat);
    if (!error)
        error =
            weft_engine_open(seat->ni, seat->rank, offload->processes,
                             offload->kind == SIM_OFFLOAD_TURN ? NULL : &options, &seat->engine);
    if (!error)
        error = weft_schedule_create(seat->engine, NUMBER, &seat->schedule);
    if (!error)
        error = build(seat);
    return error ? error : weft_schedule_post(seat->schedule);
}

static void close_seat(struct seat *seat)
{
    weft_schedule_free(seat->schedule);
    weft_engine_close(seat->engine);
    PtlNIFini(seat->ni);
    PtlFini();
    free(seat->from);
    free(seat->to);
}

/* WEFT_ERR_TIMEOUT while it goes on. */
static int look(struct seat *seat, uint64_t now)
{
    struct stage *stage = seat->stage;
    int error = weft_schedule_test(seat->schedule);
    if ((!error || error == WEFT_ERR_TIMEOUT) && !seat->has_ended && has_result(seat)) {
        seat->has_ended = true;
        if (now > stage->end)
            stage->end = now;
    }
    return !error && !seat->has_ended ? WEFT_ERR_TIMEOUT : error;
}

static int begin(struct seat *seat, uint64_t now)
{
    struct stage *stage = seat->stage;
    seat->phase = RUNNING;
    if (!starts(seat))
        return WEFT_ERR_TIMEOUT;
    if (now < stage->begin)
        stage->begin = now;
    int error = weft_schedule_start(seat->schedule);
    return error ? error : look(seat, now);
}

/* WEFT_ERR_TIMEOUT while there is something to do or to wait for. */
static int go_on(struct seat *seat, uint64_t now)
{
    switch (seat->phase) {
    case OPENING:
        seat->phase = POSTED;
        int error = open_seat(seat);
        return error ? error : WEFT_ERR_TIMEOUT;
    case POSTED:
        return now < SETUP ? WEFT_ERR_TIMEOUT : begin(seat, now);
    case RUNNING:
        return look(seat, now);
    case DONE:
        break;
    }
    return WEFT_OK;
}

/* Who has ended stays for a while: others may still send to it. */
static bool play(unsigned number, void *argument, struct weft_sim_turn *turn)
{
    struct stage *stage = argument;
    struct seat *seat = &stage->seats[number];
    if (seat->phase == DONE && turn->now >= seat->until) {
        close_seat(seat);
        return true;
    }
    int error = go_on(seat, turn->now);
    if (error && error != WEFT_ERR_TIMEOUT)
        stage->error = error;
    if (error != WEFT_ERR_TIMEOUT && seat->phase != DONE) {
        seat->phase = DONE;
        seat->until = turn->now + SETUP;
    }
    if (seat->phase == POSTED)
        turn->next = SETUP;
    else if (seat->phase == DONE)
        turn->next = seat->until;
    return false;
}

/* ---- All of them -------------------------------------------------------------------------- */

static struct weft_sim_config config_of(const struct sim_offload *offload)
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
                                    .limit = LIMIT};
}

static int simulate(struct stage *stage)
{
    uint32_t processes = stage->offload->processes;
    const struct weft_portals_plan plan = {.react = play, .map = stage->map};
    for (uint32_t i = 0; i < processes; i++) {
        stage->map[i] = (ptl_process_t){.phys = {.nid = i + 1, .pid = WEFT_SIM_PID}};
        stage->seats[i] = (struct seat){.stage = stage, .rank = i, .ni = PTL_INVALID_HANDLE};
    }
    const struct weft_sim_config config = config_of(stage->offload);
    int result = weft_portals_simulate_plan(&config, NULL, stage, &plan);
    if (stage->error)
        return stage->error;
    return result == 0 ? WEFT_OK : result == -ENOMEM ? WEFT_ERR_MEMORY : WEFT_ERR_TIMEOUT;
}

uint64_t sim_offload_run(const struct sim_offload *offload)
{
    struct stage stage = {.offload = offload, .begin = UINT64_MAX};
    stage.map = malloc(offload->processes * sizeof *stage.map);
    stage.seats = malloc(offload->processes * sizeof *stage.seats);
    int error = stage.map && stage.seats ? simulate(&stage) : WEFT_ERR_MEMORY;
    free(stage.map);
    free(stage.seats);
    if (!error)
        return stage.end - stage.begin;
    fprintf(stderr, "weft sim collective: %s\n", weft_error_text(error));
    return 0;
}
