/* SPDX-License-Identifier: BSD-3-Clause */
/* Millions of events, some thousand of them at a time. */
#include "base/random.h"
#include "sim/engine.h"
#include "sim/rate.h"
#include "support/tap.h"

#define MILLIONS 3000000u

/* Every event of a crowd posts another one, until enough have been. */
struct crowd {
    struct weft_sim_engine engine;
    uint64_t longest; /* delay */
    uint64_t left;
    uint64_t random;
    uint64_t last; /* time */
    uint64_t backwards;
};

static void post_another(void *argument)
{
    struct crowd *crowd = argument;
    uint64_t now = crowd->engine.now;
    crowd->backwards += now < crowd->last;
    crowd->last = now;
    if (crowd->left == 0)
        return;
    crowd->left--;
    uint64_t delay = 1 + weft_random_next(&crowd->random) % crowd->longest;
    weft_sim_engine_post(&crowd->engine, now + delay, post_another, crowd);
}

static void test_crowd(unsigned size, uint64_t longest)
{
    struct crowd crowd = {.longest = longest, .left = MILLIONS};
    for (unsigned i = 0; i < size; i++)
        weft_sim_engine_post(&crowd.engine, 0, post_another, &crowd);
    tap_note("%u events, within %llu ns:", size, (unsigned long long)longest);
    rate_run(&crowd.engine, WEFT_SIM_NEVER);
    check_uint(crowd.engine.events, MILLIONS + size);
    check_uint(crowd.backwards, 0);
    weft_sim_engine_fini(&crowd.engine);
}

int main(void)
{
    test_crowd(1, 1000);
    test_crowd(1000, 1000);
    test_crowd(5256, 1000);
    test_crowd(100000, 1000);
    test_crowd(100000, 1000000);
    return tap_done();
}
