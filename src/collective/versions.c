/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Multi-version schedules ([DiG15], section IV-A and IV-B). Each slot is a schedule of its own:
 * the calls of a solo collective, then its turn, then what is built. A turn comes when somebody
 * has called, when the version before has had its turn or, if they write the same memory, is
 * complete, and when the process does not own the memory: it takes that by holding the turn.
 *
 *   0 .. recycled .. complete .. posted    versions, of which at most one for each slot is posted
 */
#include <weft_versions.h>

#include <stdbool.h>
#include <stdlib.h>

#define TAG 0
#define WHOLE (-1)

struct version_slot {
    weft_schedule *schedule;
    int called; /* the operation that is complete when somebody has started, */
    int turn;   /* and the one that all else waits for */
};

struct weft_versions {
    unsigned slots;
    unsigned pipelined;
    uint64_t posted, complete, recycled;
    uint64_t filled; /* versions whose sources were given */
    bool is_owned;
    uint64_t owned;
    struct version_slot slot[];
};

static struct version_slot *slot_of(weft_versions *versions, uint64_t version)
{
    return &versions->slot[version % versions->slots];
}

static bool is_pipelined(const weft_versions *versions, unsigned which)
{
    return versions->pipelined & which;
}

/* ---- Building ----------------------------------------------------------------------------- */

/* All slots have the same operations in front, so those of others are known before they exist. */
static int follow(weft_versions *versions, unsigned number)
{
    struct version_slot *slot = &versions->slot[number];
    unsigned before = (number + versions->slots - 1) % versions->slots;
    if (versions->slots == 1)
        return WEFT_OK;
    return weft_schedule_follow(slot->schedule, slot->turn, versions->slot[before].schedule,
                                is_pipelined(versions, WEFT_VERSIONS_RESULTS) ? slot->turn
                                                                              : WHOLE);
}

/* Memory that all versions write to is not written before the turn either. */
static int add_turn(weft_versions *versions, unsigned number)
{
    struct version_slot *slot = &versions->slot[number];
    slot->called = weft_collective_solo(slot->schedule, TAG);
    if (slot->called < 0)
        return slot->called;
    slot->turn = weft_schedule_nop(slot->schedule);
    if (slot->turn < 0)
        return slot->turn;
    int error = weft_schedule_hold(slot->schedule, slot->turn);
    if (!error)
        error = follow(versions, number);
    if (!error)
        error = weft_schedule_begin_with(slot->schedule, slot->turn);
    if (!error && !is_pipelined(versions, WEFT_VERSIONS_RESULTS))
        error = weft_schedule_guard_with(slot->schedule, slot->turn);
    return error;
}

static int post_next(weft_versions *versions)
{
    struct version_slot *slot = slot_of(versions, versions->posted);
    int error = weft_schedule_hold(slot->schedule, slot->turn);
    if (!error && !is_pipelined(versions, WEFT_VERSIONS_SOURCES))
        error = weft_schedule_release(slot->schedule, slot->turn);
    if (!error)
        error = weft_schedule_post(slot->schedule);
    versions->posted += !error;
    return error;
}

static int post_all(weft_versions *versions)
{
    int error = WEFT_OK;
    while (!error && versions->posted < versions->recycled + versions->slots)
        error = post_next(versions);
    return error;
}

static int build_all(weft_versions *versions, weft_engine *engine, uint16_t number,
                     weft_versions_build *build, void *argument)
{
    int error = WEFT_OK;
    for (unsigned i = 0; !error && i < versions->slots; i++)
        error = weft_schedule_create(engine, (uint16_t)(number + i), &versions->slot[i].schedule);
    for (unsigned i = 0; !error && i < versions->slots; i++) {
        error = add_turn(versions, i);
        if (!error)
            error = build(versions->slot[i].schedule, i, argument);
    }
    return error ? error : post_all(versions);
}

int weft_versions_open(weft_engine *engine, uint16_t number, unsigned slots, unsigned pipelined,
                       weft_versions_build *build, void *argument, weft_versions **out)
{
    if (!engine || !slots || slots > (unsigned)UINT16_MAX + 1 - number || !build || !out ||
        pipelined > (WEFT_VERSIONS_SOURCES | WEFT_VERSIONS_RESULTS))
        return WEFT_ERR_ARGUMENT;
    weft_versions *versions = calloc(1, sizeof *versions + slots * sizeof *versions->slot);
    if (!versions)
        return WEFT_ERR_MEMORY;
    versions->slots = slots;
    versions->pipelined = pipelined;
    int error = build_all(versions, engine, number, build, argument);
    if (error)
        weft_versions_close(versions);
    else
        *out = versions;
    return error;
}

void weft_versions_close(weft_versions *versions)
{
    for (unsigned i = 0; versions && i < versions->slots; i++)
        weft_schedule_free(versions->slot[i].schedule);
    free(versions);
}

/* ---- Running ------------------------------------------------------------------------------ */

/* The oldest version that was not complete is. */
static int note_complete(weft_versions *versions)
{
    versions->complete++;
    if (!is_pipelined(versions, WEFT_VERSIONS_RESULTS))
        versions->recycled = versions->complete;
    return post_all(versions);
}

/* WEFT_ERR_BUSY: the process has to give something back first. */
static int wait_for_oldest(weft_versions *versions, int milliseconds)
{
    if (versions->complete == versions->posted)
        return WEFT_ERR_BUSY;
    struct version_slot *slot = slot_of(versions, versions->complete);
    int error = weft_schedule_wait(slot->schedule, milliseconds);
    return error ? error : note_complete(versions);
}

static int settle(weft_versions *versions)
{
    int error = WEFT_OK;
    while (!error && versions->complete < versions->posted)
        error = wait_for_oldest(versions, 0);
    return error == WEFT_ERR_TIMEOUT ? WEFT_OK : error;
}

int weft_versions_wait(weft_versions *versions, uint64_t version, int milliseconds)
{
    if (!versions)
        return WEFT_ERR_ARGUMENT;
    int error = WEFT_OK;
    while (!error && versions->complete <= version)
        error = wait_for_oldest(versions, milliseconds);
    return error;
}

uint64_t weft_versions_complete(weft_versions *versions)
{
    if (versions)
        settle(versions);
    return versions ? versions->complete : 0;
}

static bool is_started(weft_versions *versions, uint64_t version)
{
    struct version_slot *slot = slot_of(versions, version);
    return weft_schedule_state(slot->schedule, slot->called) == WEFT_SCHEDULE_COMPLETE;
}

int weft_versions_start(weft_versions *versions, uint64_t *version)
{
    if (!versions)
        return WEFT_ERR_ARGUMENT;
    int error = settle(versions);
    uint64_t v = versions->complete;
    while (v < versions->posted && is_started(versions, v))
        v++;
    if (!error && v == versions->posted)
        error = WEFT_ERR_BUSY;
    if (!error)
        error = weft_schedule_start(slot_of(versions, v)->schedule);
    if (!error && version)
        *version = v;
    return error;
}

int weft_versions_recycle(weft_versions *versions)
{
    if (!versions || versions->recycled == versions->complete)
        return WEFT_ERR_ARGUMENT;
    versions->recycled++;
    return post_all(versions);
}

/* ---- Ownership ---------------------------------------------------------------------------- */

/* Holds the first version that has not begun. At most as many are waited for as are posted. */
static int hold_first(weft_versions *versions, int milliseconds, uint64_t *version)
{
    for (uint64_t v = versions->complete;; v++) {
        int error = WEFT_OK;
        while (!error && v == versions->posted)
            error = wait_for_oldest(versions, milliseconds);
        if (error)
            return error;
        struct version_slot *slot = slot_of(versions, v);
        error = weft_schedule_hold(slot->schedule, slot->turn);
        *version = v;
        if (error != WEFT_ERR_BUSY)
            return error;
    }
}

/* All versions read the same sources: those that have begun may still do. */
static int own_all(weft_versions *versions, int milliseconds, uint64_t *version)
{
    int error = settle(versions);
    if (!error)
        error = hold_first(versions, milliseconds, version);
    if (error || *version == 0)
        return error;
    error = weft_versions_wait(versions, *version - 1, milliseconds);
    if (error)
        weft_schedule_release(slot_of(versions, *version)->schedule,
                              slot_of(versions, *version)->turn);
    return error;
}

/* Versions are posted held, so that nothing has to be taken from the NIC. */
static int own_next(weft_versions *versions, int milliseconds, uint64_t *version)
{
    int error = settle(versions);
    while (!error && versions->filled == versions->posted)
        error = wait_for_oldest(versions, milliseconds);
    *version = versions->filled;
    return error;
}

int weft_versions_own(weft_versions *versions, int milliseconds, uint64_t *version)
{
    if (!versions)
        return WEFT_ERR_ARGUMENT;
    uint64_t owned = versions->owned;
    int error = WEFT_OK;
    if (!versions->is_owned)
        error = is_pipelined(versions, WEFT_VERSIONS_SOURCES)
                    ? own_next(versions, milliseconds, &owned)
                    : own_all(versions, milliseconds, &owned);
    if (error)
        return error;
    versions->is_owned = true;
    versions->owned = owned;
    if (version)
        *version = owned;
    return WEFT_OK;
}

int weft_versions_disown(weft_versions *versions)
{
    if (!versions || !versions->is_owned)
        return WEFT_ERR_ARGUMENT;
    struct version_slot *slot = slot_of(versions, versions->owned);
    versions->is_owned = false;
    versions->filled = versions->owned + 1;
    return weft_schedule_release(slot->schedule, slot->turn);
}
