/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/bed.h"

#include <stdlib.h>

#include "base/log.h"
#include "schedule/engine.h"

/* Messages that fit into one of the beds, at least. */
#define MESSAGES 16u
/* The longest for which memory is kept: all beds have at most 16 MiB. */
#define LONGEST ((size_t)1 << 18)

static int append(weft_engine *engine, char *start, size_t length, ptl_handle_me_t *handle)
{
    ptl_me_t me = {.start = start,
                   .length = length,
                   .ct_handle = PTL_CT_NONE,
                   .uid = PTL_UID_ANY,
                   .options = PTL_ME_OP_PUT | PTL_ME_MANAGE_LOCAL | PTL_ME_EVENT_COMM_DISABLE |
                              PTL_ME_EVENT_LINK_DISABLE,
                   .match_id = weft_schedule_process(PTL_RANK_ANY),
                   .ignore_bits = ~(ptl_match_bits_t)0,
                   .min_free = length ? engine->eager : 0};
    return PtlMEAppend(engine->ni, WEFT_SCHEDULE_MESSAGES, &me, PTL_OVERFLOW_LIST, start, handle);
}

static char *bed_at(const struct weft_schedule_bed *bed, size_t i)
{
    return bed->memory + i * bed->size;
}

int weft_schedule_bed_open(weft_engine *engine)
{
    struct weft_schedule_bed *bed = &engine->bed;
    *bed =
        (struct weft_schedule_bed){.size = engine->eager <= LONGEST ? MESSAGES * engine->eager : 0,
                                   .floor = PTL_INVALID_HANDLE,
                                   .one = PTL_INVALID_HANDLE};
    for (size_t i = 0; i < WEFT_SCHEDULE_BEDS; i++)
        bed->entries[i] = PTL_INVALID_HANDLE;
    int result = PtlCTAlloc(engine->ni, &bed->one);
    if (result == PTL_OK)
        result = PtlCTInc(bed->one, (ptl_ct_event_t){1, 0});
    if (result == PTL_OK && bed->size && !(bed->memory = malloc(WEFT_SCHEDULE_BEDS * bed->size)))
        result = PTL_NO_SPACE;
    for (size_t i = 0; result == PTL_OK && bed->size && i < WEFT_SCHEDULE_BEDS; i++)
        result = append(engine, bed_at(bed, i), bed->size, &bed->entries[i]);
    return result == PTL_OK ? append(engine, NULL, 0, &bed->floor) : result;
}

/* The old floor may have headers, so it cannot be unlinked at once: a trigger hides it, and
 * unlinks it as soon as they are gone. */
void weft_schedule_bed_heard(weft_engine *engine, const ptl_event_t *event)
{
    struct weft_schedule_bed *bed = &engine->bed;
    char *start = event->user_ptr;
    if (event->type != PTL_EVENT_AUTO_FREE || !start)
        return;
    ptl_handle_me_t old = bed->floor;
    int result =
        append(engine, start, bed->size, &bed->entries[(size_t)(start - bed->memory) / bed->size]);
    if (result == PTL_OK)
        result = append(engine, NULL, 0, &bed->floor);
    if (result == PTL_OK)
        result = PtlTriggeredMEUnlink(old, bed->one, 1);
    if (result != PTL_OK)
        weft_log(WEFT_LOG_WARN, "memory for early messages of schedules is lost: there are no "
                                "list entries left");
}

void weft_schedule_bed_close(weft_engine *engine)
{
    struct weft_schedule_bed *bed = &engine->bed;
    bool is_free = PtlMEUnlink(bed->floor) != PTL_IN_USE;
    for (size_t i = 0; i < WEFT_SCHEDULE_BEDS; i++)
        is_free = PtlMEUnlink(bed->entries[i]) != PTL_IN_USE && is_free;
    PtlCTFree(bed->one);
    if (is_free)
        free(bed->memory);
    bed->memory = NULL;
}
