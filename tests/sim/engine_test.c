/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine against the plainest model there is: a list that is searched for what comes next. */
#include "base/random.h"
#include "sim/engine.h"
#include "support/tap.h"

#define MOST 3000u
#define TIMERS 20u

struct model_item {
    uint64_t time;
    uint64_t order;
    bool there;
};

/* The first TIMERS items are those of timers. */
static struct model_item model[TIMERS + MOST];
static struct weft_sim_timer timers[TIMERS];
static unsigned used;
static uint64_t order;
static struct weft_sim_engine engine;
static const void *happened;

static void happen(void *argument)
{
    happened = argument;
}

static struct model_item *model_first(void)
{
    struct model_item *first = NULL;
    for (struct model_item *item = model; item < model + used; item++) {
        if (!item->there)
            continue;
        if (!first || item->time < first->time ||
            (item->time == first->time && item->order < first->order))
            first = item;
    }
    return first;
}

static bool step_both(uint64_t until)
{
    struct model_item *first = model_first();
    uint64_t before = engine.now, events = engine.events;
    if (weft_sim_engine_next(&engine) != (first ? first->time : WEFT_SIM_NEVER))
        return false;
    bool stepped = weft_sim_engine_step(&engine, until);
    if (!first || first->time > until)
        return !stepped && engine.now == before && engine.events == events;
    first->there = false;
    return stepped && happened == first && engine.now == first->time &&
           engine.events == events + 1;
}

static bool set_both(unsigned timer, uint64_t time)
{
    struct model_item *item = &model[timer];
    if (!item->there || item->time != time)
        item->order = order++;
    item->time = time;
    item->there = time != WEFT_SIM_NEVER;
    weft_sim_engine_set(&engine, &timers[timer], time);
    return (timers[timer].place != 0) == item->there;
}

static bool post_both(uint64_t time)
{
    struct model_item *item = &model[used++];
    *item = (struct model_item){.time = time, .order = order++, .there = true};
    weft_sim_engine_post(&engine, time, happen, item);
    return true;
}

static bool stop_both(unsigned timer)
{
    model[timer].there = false;
    weft_sim_engine_stop(&engine, &timers[timer]);
    return timers[timer].place == 0;
}

/* Most within some nanoseconds, so that many are equal, and some in every distance. */
static uint64_t draw_time(uint64_t *random)
{
    uint64_t drawn = weft_random_next(random);
    unsigned bits = drawn % 8 ? 4 : (unsigned)(drawn >> 8) % 60;
    return weft_sim_later(engine.now, (drawn >> 16 | drawn << 48) >> (63 - bits));
}

static bool act(uint64_t *random)
{
    uint64_t drawn = weft_random_next(random);
    unsigned timer = (unsigned)(drawn >> 32) % TIMERS;
    uint64_t time = draw_time(random);
    switch (drawn % 8) {
    case 0:
        return stop_both(timer);
    case 1:
        return set_both(timer, drawn >> 60 ? time : WEFT_SIM_NEVER);
    case 2:
        return step_both(time);
    case 3:
    case 4:
        return step_both(WEFT_SIM_NEVER);
    default:
        return used == TIMERS + MOST || post_both(time);
    }
}

static void test_model(void)
{
    uint64_t random = 1;
    unsigned good = 0, done = 0, left = 0;
    used = TIMERS;
    for (unsigned i = 0; i < TIMERS; i++)
        timers[i] = (struct weft_sim_timer){.act = happen, .argument = &model[i]};
    for (; done < 8000; done++)
        good += act(&random);
    check_uint(good, done);
    for (; model_first(); left++)
        good += step_both(WEFT_SIM_NEVER);
    check(left > 0);
    check_uint(good, done + left);
    check(!weft_sim_engine_step(&engine, WEFT_SIM_NEVER));
    weft_sim_engine_fini(&engine);
}

/* ---- Corners ------------------------------------------------------------------------------ */

static unsigned calls[3], turn;

static void note_turn(void *argument)
{
    calls[turn++] = *(unsigned *)argument;
}

static void post_at_once(void *argument)
{
    note_turn(argument);
    static unsigned last = 2;
    weft_sim_engine_post(&engine, engine.now, note_turn, &last);
    weft_sim_engine_post(&engine, WEFT_SIM_NEVER, note_turn, &last);
}

/* What is posted for now comes after what was there; what is posted for the past comes now. */
static void test_now(void)
{
    static unsigned numbers[] = {0, 1};
    engine = (struct weft_sim_engine){.now = 100};
    weft_sim_engine_post(&engine, 5, post_at_once, &numbers[0]);
    weft_sim_engine_post(&engine, 100, note_turn, &numbers[1]);
    weft_sim_engine_run(&engine, 99);
    check_uint(turn, 0);
    weft_sim_engine_run(&engine, 100);
    check_uint(turn, 3);
    check(calls[0] == 0 && calls[1] == 1 && calls[2] == 2);
    check_uint(engine.now, 100);
    check_uint(weft_sim_engine_next(&engine), WEFT_SIM_NEVER);
    weft_sim_engine_fini(&engine);
}

int main(void)
{
    test_model();
    test_now();
    return tap_done();
}
