/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of the engine: none for each event, and an end in good order when there is no more. */
#include "sim/engine.h"
#include "support/allocations.h"
#include "support/tap.h"

#define CROWD 1000u
#define FAR 4096u /* nanoseconds: the crowd is spread over many buckets when its time comes */

static struct weft_sim_engine engine;

static void nothing(void *argument)
{
    (void)argument;
}

static void post_crowd(void)
{
    for (unsigned i = 0; i < CROWD; i++)
        weft_sim_engine_post(&engine, engine.now + FAR + i, nothing, NULL);
}

static void test_no_allocation_for_an_event(void)
{
    engine = (struct weft_sim_engine){0};
    for (unsigned i = 0; i < 10; i++) {
        post_crowd();
        weft_sim_engine_run(&engine, WEFT_SIM_NEVER);
    }
    size_t before = allocations_made();
    for (unsigned i = 0; i < 100; i++) {
        post_crowd();
        weft_sim_engine_run(&engine, WEFT_SIM_NEVER);
    }
    size_t made = allocations_made() - before;
    check_uint(engine.events, 110 * CROWD);
    check(made < 100);
    weft_sim_engine_fini(&engine);
}

static void check_nothing_happens(void)
{
    uint64_t now = engine.now;
    check(engine.starved);
    check_uint(weft_sim_engine_next(&engine), WEFT_SIM_NEVER);
    check(!weft_sim_engine_step(&engine, WEFT_SIM_NEVER));
    check_uint(engine.now, now);
    weft_sim_engine_fini(&engine);
}

static void test_post_without_memory(void)
{
    engine = (struct weft_sim_engine){0};
    allocations_fail_after(1);
    post_crowd();
    check_nothing_happens();
    allocations_work_again();
}

static void test_timer_without_memory(void)
{
    struct weft_sim_timer timer = {.act = nothing};
    engine = (struct weft_sim_engine){0};
    allocations_fail_after(0);
    weft_sim_engine_set(&engine, &timer, FAR);
    check_uint(timer.place, 0);
    check_nothing_happens();
    allocations_work_again();
}

/* The time of the crowd has come, but not all of it finds a bucket. */
static void test_step_without_memory(void)
{
    engine = (struct weft_sim_engine){0};
    post_crowd();
    allocations_fail_after(0);
    weft_sim_engine_run(&engine, WEFT_SIM_NEVER);
    check(engine.events < CROWD);
    check_nothing_happens();
    allocations_work_again();
}

int main(void)
{
    test_no_allocation_for_an_event();
    test_post_without_memory();
    test_timer_without_memory();
    test_step_without_memory();
    return tap_done();
}
