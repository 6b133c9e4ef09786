/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/engine.h"
#include "schedule/schedule.h"

/* ---- Its life ----------------------------------------------------------------------------- */

int weft_schedule_create(weft_engine *engine, uint16_t number, weft_schedule **out)
{
    if (!engine || !out)
        return WEFT_ERR_ARGUMENT;
    struct weft_schedule *schedule = calloc(1, sizeof *schedule);
    if (!schedule || !weft_schedule_channel_init(&schedule->channels)) {
        free(schedule);
        return WEFT_ERR_MEMORY;
    }
    schedule->engine = engine;
    schedule->number = number;
    schedule->first = schedule->guard = -1;
    schedule->begin = schedule->finish = PTL_INVALID_HANDLE;
    *out = schedule;
    return WEFT_OK;
}

static void close_operation(struct weft_schedule_operation *operation)
{
    weft_schedule_layout_close(&operation->memory);
    weft_schedule_layout_close(&operation->target);
    free(operation->loan[0]);
    free(operation->loan[1]);
    free(operation->earlier);
}

static void free_memory(struct weft_schedule *schedule)
{
    for (size_t i = 0; i < schedule->count; i++)
        close_operation(&schedule->operations[i]);
    while (schedule->scratches) {
        struct weft_schedule_scratch *scratch = schedule->scratches;
        schedule->scratches = scratch->next;
        free(scratch);
    }
    weft_schedule_channel_fini(&schedule->channels);
    free(schedule->operations);
    free(schedule);
}

void weft_schedule_free(weft_schedule *schedule)
{
    if (schedule && (!schedule->is_prepared || weft_schedule_release_all(schedule)))
        free_memory(schedule);
}

void *weft_schedule_scratch_of(struct weft_schedule *schedule, size_t size)
{
    size_t whole = size + sizeof(struct weft_schedule_scratch) + 63;
    struct weft_schedule_scratch *scratch = aligned_alloc(64, whole & ~(size_t)63);
    if (!scratch)
        return NULL;
    scratch->next = schedule->scratches;
    schedule->scratches = scratch;
    schedule->scratch += size;
    return scratch->bytes;
}

int weft_schedule_scratch(weft_schedule *schedule, size_t size, void **out)
{
    if (!schedule || !out || schedule->is_prepared)
        return WEFT_ERR_ARGUMENT;
    if (size > SIZE_MAX / 2)
        return WEFT_ERR_OVERFLOW;
    void *scratch = weft_schedule_scratch_of(schedule, size);
    if (!scratch)
        return WEFT_ERR_MEMORY;
    *out = scratch;
    return WEFT_OK;
}

/* ---- Operations --------------------------------------------------------------------------- */

struct weft_schedule_operation *weft_schedule_find(const struct weft_schedule *schedule,
                                                   int operation)
{
    if (!schedule || operation < 0 || (size_t)operation >= schedule->count)
        return NULL;
    return &schedule->operations[operation];
}

/* The operation, but only while the graph may change. */
static struct weft_schedule_operation *find_to_change(struct weft_schedule *schedule,
                                                      int operation)
{
    return schedule && !schedule->is_prepared ? weft_schedule_find(schedule, operation) : NULL;
}

static bool make_room(struct weft_schedule *schedule)
{
    if (schedule->count < schedule->room)
        return true;
    size_t room = schedule->room ? 2 * schedule->room : 16;
    struct weft_schedule_operation *operations =
        room <= INT_MAX ? realloc(schedule->operations, room * sizeof *operations) : NULL;
    if (!operations)
        return false;
    schedule->operations = operations;
    schedule->room = room;
    return true;
}

/* Takes the layouts over, or closes them. */
static int add(struct weft_schedule *schedule, struct weft_schedule_operation operation)
{
    if (!make_room(schedule)) {
        close_operation(&operation);
        return WEFT_ERR_MEMORY;
    }
    operation.schedule = schedule;
    operation.gate = operation.started = operation.meeting = operation.own = PTL_INVALID_HANDLE;
    operation.taken = PTL_INVALID_HANDLE;
    operation.md = operation.entry = PTL_INVALID_HANDLE;
    operation.lasting[0] = operation.lasting[1] = PTL_INVALID_HANDLE;
    operation.hpu = PTL_HPU_NONE;
    schedule->operations[schedule->count] = operation;
    int number = (int)schedule->count++;
    int first = operation.kind == WEFT_SCHEDULE_RECEIVE ? schedule->guard : schedule->first;
    int error = first >= 0 ? weft_schedule_after(schedule, number, first) : WEFT_OK;
    return error ? error : number;
}

int weft_schedule_add_message(struct weft_schedule *schedule, enum weft_schedule_kind kind,
                              const struct weft_schedule_memory *memory, uint32_t peer,
                              uint16_t tag)
{
    if (!schedule || !memory || schedule->is_prepared || peer >= schedule->engine->size)
        return WEFT_ERR_ARGUMENT;
    struct weft_schedule_operation operation = {.kind = kind, .peer = peer, .tag = tag};
    int error = weft_schedule_layout_open(&operation.memory, memory);
    if (error)
        return error;
    int before =
        weft_schedule_channel_next(&schedule->channels, kind == WEFT_SCHEDULE_SEND, peer, tag);
    if (before < 0) {
        close_operation(&operation);
        return before;
    }
    operation.occurrence = (uint16_t)before;
    return add(schedule, operation);
}

int weft_schedule_send(weft_schedule *schedule, const struct weft_schedule_memory *from,
                       uint32_t destination, uint16_t tag)
{
    return weft_schedule_add_message(schedule, WEFT_SCHEDULE_SEND, from, destination, tag);
}

int weft_schedule_receive(weft_schedule *schedule, const struct weft_schedule_memory *to,
                          uint32_t source, uint16_t tag)
{
    return weft_schedule_add_message(schedule, WEFT_SCHEDULE_RECEIVE, to, source, tag);
}

static int add_local(weft_schedule *schedule, struct weft_schedule_operation operation,
                     const struct weft_schedule_memory *from,
                     const struct weft_schedule_memory *to)
{
    if (!schedule || !from || !to || schedule->is_prepared || from->length != to->length)
        return WEFT_ERR_ARGUMENT;
    int error = weft_schedule_layout_open(&operation.memory, from);
    if (!error)
        error = weft_schedule_layout_open(&operation.target, to);
    if (error) {
        close_operation(&operation);
        return error;
    }
    return add(schedule, operation);
}

int weft_schedule_compute(weft_schedule *schedule, ptl_op_t operation, ptl_datatype_t datatype,
                          const struct weft_schedule_memory *from,
                          const struct weft_schedule_memory *to)
{
    size_t item = weft_schedule_item_size(datatype);
    bool is_swap = operation > PTL_SWAP && operation <= PTL_MSWAP;
    if (!from || !item || from->length % item || is_swap || operation >= PTL_OP_LAST)
        return WEFT_ERR_ARGUMENT;
    struct weft_schedule_operation local = {
        .kind = WEFT_SCHEDULE_COMPUTE, .operation = operation, .datatype = datatype};
    return add_local(schedule, local, from, to);
}

int weft_schedule_copy(weft_schedule *schedule, const struct weft_schedule_memory *from,
                       const struct weft_schedule_memory *to)
{
    struct weft_schedule_operation local = {.kind = WEFT_SCHEDULE_COPY};
    return add_local(schedule, local, from, to);
}

int weft_schedule_nop(weft_schedule *schedule)
{
    if (!schedule || schedule->is_prepared)
        return WEFT_ERR_ARGUMENT;
    return add(schedule, (struct weft_schedule_operation){.kind = WEFT_SCHEDULE_NOP});
}

/* ---- What they wait for ------------------------------------------------------------------- */

static bool is_power_of_two(size_t n)
{
    return (n & (n - 1)) == 0;
}

/* An operation waits for another once, however often it is said: a gate counts each once. */
int weft_schedule_after(weft_schedule *schedule, int later, int earlier)
{
    struct weft_schedule_operation *operation = find_to_change(schedule, later);
    if (!operation || earlier < 0 || earlier >= later)
        return WEFT_ERR_ARGUMENT;
    size_t count = operation->earlier_count;
    for (size_t i = 0; i < count; i++)
        if (operation->earlier[i] == earlier)
            return WEFT_OK;
    if (is_power_of_two(count)) {
        size_t room = count ? 2 * count : 1;
        int *list = realloc(operation->earlier, room * sizeof *list);
        if (!list)
            return WEFT_ERR_MEMORY;
        operation->earlier = list;
    }
    operation->earlier[operation->earlier_count++] = earlier;
    schedule->dependencies++;
    return WEFT_OK;
}

int weft_schedule_any(weft_schedule *schedule, int number)
{
    struct weft_schedule_operation *operation = find_to_change(schedule, number);
    if (!operation || operation->followed || operation->stream)
        return WEFT_ERR_ARGUMENT;
    operation->is_any = true;
    return WEFT_OK;
}

int weft_schedule_optional(weft_schedule *schedule, int number)
{
    struct weft_schedule_operation *operation = find_to_change(schedule, number);
    if (!operation || operation->memory.length || operation->kind == WEFT_SCHEDULE_COMPUTE ||
        operation->kind == WEFT_SCHEDULE_COPY)
        return WEFT_ERR_ARGUMENT;
    operation->is_optional = true;
    schedule->has_optional = true;
    return WEFT_OK;
}

int weft_schedule_begin_with(weft_schedule *schedule, int operation)
{
    if (!find_to_change(schedule, operation))
        return WEFT_ERR_ARGUMENT;
    schedule->first = operation;
    return WEFT_OK;
}

int weft_schedule_guard_with(weft_schedule *schedule, int operation)
{
    if (!find_to_change(schedule, operation))
        return WEFT_ERR_ARGUMENT;
    schedule->guard = operation;
    return WEFT_OK;
}

int weft_schedule_follow(weft_schedule *schedule, int later, weft_schedule *other, int earlier)
{
    struct weft_schedule_operation *operation = find_to_change(schedule, later);
    if (!operation || !other || other == schedule || other->engine != schedule->engine ||
        operation->is_any || operation->followed || operation->stream)
        return WEFT_ERR_ARGUMENT;
    operation->followed = other;
    operation->followed_operation = earlier;
    return WEFT_OK;
}

/* ---- Asking ------------------------------------------------------------------------------- */

size_t weft_schedule_item_size(ptl_datatype_t datatype)
{
    static const unsigned char sizes[] = {1, 1, 2, 2, 4, 4, 4, 8, 8, 8, 8, 16, 16, 32};
    _Static_assert(sizeof sizes == PTL_DATATYPE_LAST, "one size for each type");
    return (unsigned)datatype < PTL_DATATYPE_LAST ? sizes[datatype] : 0;
}

weft_engine *weft_schedule_engine(const weft_schedule *schedule)
{
    return schedule ? schedule->engine : NULL;
}

int weft_schedule_query(const weft_schedule *schedule, struct weft_schedule_info *info,
                        size_t size)
{
    if (!schedule || !info)
        return WEFT_ERR_ARGUMENT;
    struct weft_schedule_info all = {
        .operations = schedule->count,
        .dependencies = schedule->dependencies,
        .memory = sizeof *schedule + schedule->room * sizeof *schedule->operations +
                  schedule->dependencies * sizeof(int),
        .scratch = schedule->scratch,
        .lent = schedule->lent,
    };
    memcpy(info, &all, size < sizeof all ? size : sizeof all);
    return WEFT_OK;
}
