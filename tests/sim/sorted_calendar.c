/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calendar of the engine once more, as the simplest queue that there is: a list in the order
 * of times, later ones first. Linked before the library, it takes the place of the calendar in a
 * whole command, whose results must be the same.
 */
#include "sim/calendar.h"

#include <stdlib.h>
#include <string.h>

/* All events, in the first bucket. */
struct weft_sim_chunk {
    size_t room;
    struct weft_sim_event events[];
};

static struct weft_sim_chunk **list_of(struct weft_sim_calendar *calendar)
{
    return &calendar->buckets[0][0].first;
}

void weft_sim_calendar_fini(struct weft_sim_calendar *calendar)
{
    free(*list_of(calendar));
}

static bool make_room(struct weft_sim_calendar *calendar)
{
    struct weft_sim_chunk **list = list_of(calendar);
    if (*list && calendar->count < (*list)->room)
        return true;
    size_t room = 64 + 2 * calendar->count;
    struct weft_sim_chunk *longer = realloc(*list, sizeof *longer + room * sizeof *longer->events);
    if (!longer)
        return false;
    longer->room = room;
    *list = longer;
    return true;
}

bool weft_sim_calendar_put(struct weft_sim_calendar *calendar, const struct weft_sim_event *event)
{
    if (!make_room(calendar))
        return false;
    struct weft_sim_event *events = (*list_of(calendar))->events;
    size_t place = calendar->count++;
    for (; place > 0 && events[place - 1].time <= event->time; place--)
        events[place] = events[place - 1];
    events[place] = *event;
    return true;
}

uint64_t weft_sim_calendar_next(struct weft_sim_calendar *calendar)
{
    return calendar->count ? (*list_of(calendar))->events[calendar->count - 1].time
                           : WEFT_SIM_NEVER;
}

const struct weft_sim_event *weft_sim_calendar_first(struct weft_sim_calendar *calendar)
{
    return &(*list_of(calendar))->events[calendar->count - 1];
}

void weft_sim_calendar_drop_first(struct weft_sim_calendar *calendar)
{
    calendar->count--;
}
