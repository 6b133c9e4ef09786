/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/calendar.h"

#include <stdlib.h>

/* With its link, a chunk has 1 KiB less 24 bytes: short enough for many buckets of one event, long
 * enough to be read as an array. */
#define CHUNK_EVENTS 31u

#define AHEAD 4u /* events, between one turn of fetching and the next, or what happens */
#define TURNS 3u

struct weft_sim_chunk {
    struct weft_sim_chunk *next;
    struct weft_sim_event events[CHUNK_EVENTS];
};

/* ---- Buckets ------------------------------------------------------------------------------ */

static struct weft_sim_chunk *take_chunk(struct weft_sim_calendar *calendar)
{
    struct weft_sim_chunk *chunk = calendar->free;
    if (chunk)
        calendar->free = chunk->next;
    else
        chunk = malloc(sizeof *chunk);
    return chunk;
}

static void give_chunk(struct weft_sim_calendar *calendar, struct weft_sim_chunk *chunk)
{
    chunk->next = calendar->free;
    calendar->free = chunk;
}

static bool lengthen(struct weft_sim_calendar *calendar, struct weft_sim_bucket *bucket)
{
    struct weft_sim_chunk *chunk = take_chunk(calendar);
    if (!chunk)
        return false;
    chunk->next = NULL;
    if (bucket->first) {
        bucket->last->next = chunk;
    } else {
        bucket->first = chunk;
        bucket->begin = 0;
        bucket->earliest = WEFT_SIM_NEVER;
        bucket->latest = 0;
    }
    bucket->last = chunk;
    bucket->end = 0;
    return true;
}

static bool append(struct weft_sim_calendar *calendar, struct weft_sim_bucket *bucket,
                   const struct weft_sim_event *event)
{
    bool is_full = !bucket->first || bucket->end == CHUNK_EVENTS;
    if (is_full && !lengthen(calendar, bucket))
        return false;
    bucket->last->events[bucket->end++] = *event;
    if (event->time < bucket->earliest)
        bucket->earliest = event->time;
    if (event->time > bucket->latest)
        bucket->latest = event->time;
    return true;
}

static uint32_t end_in(const struct weft_sim_bucket *bucket, const struct weft_sim_chunk *chunk)
{
    return chunk == bucket->last ? bucket->end : CHUNK_EVENTS;
}

/* ---- Levels ------------------------------------------------------------------------------- */

static unsigned level_of(const struct weft_sim_calendar *calendar, uint64_t time)
{
    uint64_t difference = (time ^ calendar->time) | 1;
    return (63u - (unsigned)__builtin_clzll(difference)) / WEFT_SIM_DIGIT_BITS;
}

static unsigned digit_of(uint64_t time, unsigned level)
{
    return time >> level * WEFT_SIM_DIGIT_BITS & (WEFT_SIM_DIGITS - 1);
}

static unsigned first_digit(const struct weft_sim_calendar *calendar, unsigned level)
{
    return (unsigned)__builtin_ctzll(calendar->filled[level]);
}

/* Of a calendar that has events. */
static unsigned first_level(const struct weft_sim_calendar *calendar)
{
    unsigned level = 0;
    while (!calendar->filled[level])
        level++;
    return level;
}

static bool place(struct weft_sim_calendar *calendar, const struct weft_sim_event *event)
{
    unsigned level = level_of(calendar, event->time);
    unsigned digit = digit_of(event->time, level);
    if (!append(calendar, &calendar->buckets[level][digit], event))
        return false;
    calendar->filled[level] |= UINT64_C(1) << digit;
    return true;
}

/* Near buckets are empty. */
static void move_near(struct weft_sim_calendar *calendar, const struct weft_sim_bucket *bucket)
{
    unsigned digit = digit_of(bucket->earliest, 0);
    calendar->buckets[0][digit] = *bucket;
    calendar->filled[0] |= UINT64_C(1) << digit;
}

static bool spread(struct weft_sim_calendar *calendar, unsigned level)
{
    struct weft_sim_bucket *bucket = &calendar->buckets[level][first_digit(calendar, level)];
    struct weft_sim_bucket old = *bucket;
    *bucket = (struct weft_sim_bucket){0};
    calendar->filled[level] &= calendar->filled[level] - 1;
    if (old.earliest == old.latest) {
        move_near(calendar, &old);
        return true;
    }
    bool good = true;
    uint32_t begin = old.begin;
    for (struct weft_sim_chunk *chunk = old.first, *next; chunk; chunk = next) {
        next = chunk->next;
        for (uint32_t i = begin; i < end_in(&old, chunk); i++)
            good = good && place(calendar, &chunk->events[i]);
        begin = 0;
        give_chunk(calendar, chunk);
    }
    return good;
}

/* ---- What others call --------------------------------------------------------------------- */

bool weft_sim_calendar_put(struct weft_sim_calendar *calendar, const struct weft_sim_event *event)
{
    if (!place(calendar, event))
        return false;
    calendar->count++;
    if (event->time < calendar->next)
        calendar->next = event->time;
    return true;
}

uint64_t weft_sim_calendar_next(struct weft_sim_calendar *calendar)
{
    if (calendar->is_known)
        return calendar->next;
    if (!calendar->count)
        return WEFT_SIM_NEVER;
    unsigned level = first_level(calendar);
    const struct weft_sim_bucket *bucket = &calendar->buckets[level][first_digit(calendar, level)];
    calendar->next = bucket->earliest;
    calendar->is_known = true;
    return calendar->next;
}

/* The one so many places behind the first, if it is of the same time. */
static const struct weft_sim_event *event_ahead(const struct weft_sim_bucket *bucket,
                                                uint32_t distance)
{
    const struct weft_sim_chunk *chunk = bucket->first;
    uint32_t place = bucket->begin + distance;
    if (place >= CHUNK_EVENTS) {
        chunk = chunk->next;
        place -= CHUNK_EVENTS;
    }
    return chunk && place < end_in(bucket, chunk) ? &chunk->events[place] : NULL;
}

/* What an event of this time will touch soon is fetched meanwhile. */
static void fetch_ahead(const struct weft_sim_calendar *calendar,
                        const struct weft_sim_bucket *bucket)
{
    const struct weft_sim_event *event = event_ahead(bucket, (TURNS + 1) * AHEAD);
    if (event)
        __builtin_prefetch(event->argument);
    for (unsigned turn = 1; calendar->fetch && turn <= TURNS; turn++) {
        event = event_ahead(bucket, (TURNS + 1 - turn) * AHEAD);
        if (event)
            calendar->fetch(event, turn);
    }
}

const struct weft_sim_event *weft_sim_calendar_first(struct weft_sim_calendar *calendar)
{
    uint64_t time = weft_sim_calendar_next(calendar);
    unsigned level = first_level(calendar);
    if (level) {
        calendar->time = time;
        if (!spread(calendar, level))
            return NULL;
    }
    const struct weft_sim_bucket *bucket = &calendar->buckets[0][digit_of(time, 0)];
    fetch_ahead(calendar, bucket);
    return &bucket->first->events[bucket->begin];
}

static void empty(struct weft_sim_calendar *calendar, struct weft_sim_bucket *bucket)
{
    give_chunk(calendar, bucket->first);
    *bucket = (struct weft_sim_bucket){0};
    calendar->filled[0] &= calendar->filled[0] - 1;
    calendar->is_known = false;
}

void weft_sim_calendar_drop_first(struct weft_sim_calendar *calendar)
{
    struct weft_sim_bucket *bucket = &calendar->buckets[0][first_digit(calendar, 0)];
    calendar->count--;
    bucket->begin++;
    if (bucket->first == bucket->last && bucket->begin == bucket->end) {
        empty(calendar, bucket);
    } else if (bucket->begin == CHUNK_EVENTS) {
        struct weft_sim_chunk *chunk = bucket->first;
        bucket->first = chunk->next;
        bucket->begin = 0;
        give_chunk(calendar, chunk);
    }
}

static void free_chunks(struct weft_sim_chunk *chunk)
{
    while (chunk) {
        struct weft_sim_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
}

void weft_sim_calendar_fini(struct weft_sim_calendar *calendar)
{
    for (unsigned level = 0; level < WEFT_SIM_LEVELS; level++)
        for (unsigned digit = 0; digit < WEFT_SIM_DIGITS; digit++)
            free_chunks(calendar->buckets[level][digit].first);
    free_chunks(calendar->free);
    *calendar = (struct weft_sim_calendar){0};
}
