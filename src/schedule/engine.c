/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/engine.h"

#include <stdlib.h>

#include "portals/driver.h"

#define EAGER 4096u
#define EVENTS 4096u
#define FIRST_NUMBERS 8u
/* Milliseconds that the NIC gets to let go of what it holds. */
#define LAST_WORDS 2000u
/* What the weakest interface does in one atomic operation. */
#define ATOMIC 512u

static int open_tables(struct weft_engine *engine, size_t events)
{
    int result = PtlEQAlloc(engine->ni, events ? events : EVENTS, &engine->eq);
    while (result == PTL_OK && engine->tables < WEFT_SCHEDULE_TABLES) {
        ptl_pt_index_t index;
        result =
            PtlPTAlloc(engine->ni, 0, engine->eq, WEFT_SCHEDULE_MESSAGES + engine->tables, &index);
        engine->tables += result == PTL_OK;
    }
    return result;
}

/* An entry of no bytes that anybody may put to. */
static int append_for_all(struct weft_engine *engine, ptl_me_t me, ptl_handle_me_t *handle)
{
    me.ct_handle = PTL_CT_NONE;
    me.uid = PTL_UID_ANY;
    me.match_id = weft_schedule_process(PTL_RANK_ANY);
    me.options |= PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL | PTL_ME_EVENT_LINK_DISABLE |
                  PTL_ME_EVENT_UNLINK_DISABLE;
    return PtlMEAppend(engine->ni, WEFT_SCHEDULE_LOCAL, &me, PTL_PRIORITY_LIST, NULL, handle);
}

static int open_parts(struct weft_engine *engine, size_t events)
{
    const ptl_me_t echo = {.match_bits = WEFT_SCHEDULE_ECHO, .options = PTL_ME_EVENT_COMM_DISABLE};
    const ptl_me_t alarm = {.match_bits = WEFT_SCHEDULE_ALARM};
    int result = open_tables(engine, events);
    engine->is_traced = weft_portals_driver_traces(engine->ni);
    if (result == PTL_OK)
        result = weft_schedule_bed_open(engine);
    if (result == PTL_OK)
        result = append_for_all(engine, echo, &engine->echo);
    if (result == PTL_OK)
        result = append_for_all(engine, alarm, &engine->alarm);
    ptl_md_t md = {.options = PTL_MD_EVENT_SUCCESS_DISABLE | PTL_MD_EVENT_SEND_DISABLE,
                   .eq_handle = engine->eq,
                   .ct_handle = PTL_CT_NONE};
    if (result == PTL_OK)
        result = PtlMDBind(engine->ni, &md, &engine->ping);
    return weft_client_error(result);
}

int weft_engine_open(ptl_handle_ni_t ni, uint32_t rank, uint32_t size,
                     const struct weft_engine_options *options, weft_engine **out)
{
    if (!out || rank >= size)
        return WEFT_ERR_ARGUMENT;
    struct weft_engine *engine = malloc(sizeof *engine);
    if (!engine)
        return WEFT_ERR_MEMORY;
    *engine = (struct weft_engine){.ni = ni,
                                   .rank = rank,
                                   .size = size,
                                   .eager = options ? options->eager : EAGER,
                                   .atomic = ATOMIC,
                                   .eq = PTL_INVALID_HANDLE,
                                   .echo = PTL_INVALID_HANDLE,
                                   .alarm = PTL_INVALID_HANDLE,
                                   .ping = PTL_INVALID_HANDLE};
    size_t events = options ? options->events : 0;
    int error = ni == PTL_INVALID_HANDLE ? WEFT_OK : open_parts(engine, events);
    if (error)
        weft_engine_close(engine);
    else
        *out = engine;
    return error;
}

/* The last words of this process may still be on their way. */
static void release_ping(struct weft_engine *engine)
{
    ptl_event_t event;
    unsigned which;
    for (unsigned i = 0; i < LAST_WORDS && PtlMDRelease(engine->ping) == PTL_IN_USE; i++)
        PtlEQPoll(&engine->eq, 1, 1, &event, &which);
}

static void close_parts(struct weft_engine *engine)
{
    if (engine->tables)
        weft_client_forget(engine->ni, WEFT_SCHEDULE_MESSAGES);
    weft_schedule_bed_close(engine);
    PtlMEUnlink(engine->echo);
    PtlMEUnlink(engine->alarm);
    release_ping(engine);
    while (engine->tables)
        PtlPTFree(engine->ni, WEFT_SCHEDULE_MESSAGES + --engine->tables);
    PtlEQFree(engine->eq);
}

void weft_engine_close(weft_engine *engine)
{
    if (!engine)
        return;
    if (engine->ni != PTL_INVALID_HANDLE)
        close_parts(engine);
    free(engine->executions);
    free(engine->is_dead);
    free(engine->is_broken);
    free(engine);
}

/* Numbers are mostly small, and an engine may be one of very many. */
static bool make_room(struct weft_engine *engine, uint16_t number)
{
    uint32_t numbers = engine->numbers ? engine->numbers : FIRST_NUMBERS;
    while (numbers <= number)
        numbers *= 2;
    uint16_t *executions = realloc(engine->executions, numbers * sizeof *executions);
    if (!executions)
        return false;
    for (uint32_t i = engine->numbers; i < numbers; i++)
        executions[i] = 0;
    engine->executions = executions;
    engine->numbers = numbers;
    return true;
}

int weft_schedule_next_execution(weft_engine *engine, uint16_t number)
{
    if (number >= engine->numbers && !make_room(engine, number))
        return -1;
    return ++engine->executions[number];
}

bool weft_schedule_has_event(const weft_engine *engine)
{
    return weft_portals_driver_has_event(engine->eq);
}

uint32_t weft_engine_rank(const weft_engine *engine)
{
    return engine->rank;
}

uint32_t weft_engine_size(const weft_engine *engine)
{
    return engine->size;
}
