/* SPDX-License-Identifier: BSD-3-Clause */
/* A memory of many cores, against a server that gets every access at its time. */
#include "nic/crowd.h"

#include <stdlib.h>

#include "base/random.h"
#include "support/tap.h"

#define STRETCHES 2000u
#define MOST 40u   /* accesses of one */
#define SLOWEST 8u /* nanoseconds from one to the next */

/* What a core does between two calls: so many accesses, evenly, from one time to another. */
struct stretch {
    uint64_t from, to, accesses;
};

static void draw(struct stretch *stretches, uint64_t seed, uint64_t mean_gap)
{
    uint64_t random = seed, clock = 0;
    for (unsigned i = 0; i < STRETCHES; i++) {
        uint64_t gap = weft_random_next(&random) % (2 * mean_gap + 1);
        uint64_t accesses = 1 + weft_random_next(&random) % MOST;
        uint64_t pace = 1 + weft_random_next(&random) % SLOWEST;
        clock += gap;
        stretches[i] = (struct stretch){clock, clock + accesses * pace, accesses};
    }
}

/* ---- The oracle --------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* When all are served, in picoseconds. */
static uint64_t serve_each(const struct stretch *stretches, uint64_t service)
{
    static uint64_t times[STRETCHES * MOST];
    size_t count = 0;
    uint64_t free = 0;
    for (unsigned i = 0; i < STRETCHES; i++)
        for (uint64_t a = 0; a < stretches[i].accesses; a++)
            times[count++] =
                1000 * (stretches[i].from +
                        a * (stretches[i].to - stretches[i].from) / stretches[i].accesses);
    qsort(times, count, sizeof *times, by_time);
    for (size_t i = 0; i < count; i++)
        free = (free > times[i] ? free : times[i]) + service;
    return free;
}

/* ---- The same with quanta ------------------------------------------------------------------ */

struct outcome {
    uint64_t last, delay, accesses;
};

static struct outcome serve_all(const struct stretch *stretches, uint64_t quantum,
                                uint64_t service)
{
    struct weft_nic_crowd crowd;
    struct outcome outcome = {0, 0, 0};
    check(weft_nic_crowd_open(&crowd, quantum, service));
    for (unsigned i = 0; i < STRETCHES; i++) {
        const struct stretch *stretch = &stretches[i];
        weft_nic_crowd_forget(&crowd, stretch->from);
        uint64_t end = weft_nic_crowd_serve(&crowd, stretch->from, stretch->to, stretch->accesses);
        if (end > outcome.last)
            outcome.last = end;
    }
    outcome.delay = crowd.delay;
    outcome.accesses = crowd.accesses;
    weft_nic_crowd_close(&crowd);
    return outcome;
}

static void test_saturated(uint64_t seed, uint64_t quantum)
{
    static struct stretch stretches[STRETCHES];
    const uint64_t service = 2500;
    uint64_t accesses = 0;
    draw(stretches, seed, 20); /* 20 accesses in 20 ns, where 8 are served */
    for (unsigned i = 0; i < STRETCHES; i++)
        accesses += stretches[i].accesses;
    struct outcome outcome = serve_all(stretches, quantum, service);
    uint64_t oracle = serve_each(stretches, service) / 1000;
    tap_note("quantum %llu: %llu ns, each at its time %llu", (unsigned long long)quantum,
             (unsigned long long)outcome.last, (unsigned long long)oracle);
    check_uint(outcome.accesses, accesses);
    check(outcome.delay > 0);
    /* A stretch is booked from its begin on. */
    check(outcome.last + MOST * SLOWEST >= oracle && outcome.last <= oracle + quantum);
}

/* One after the other, and never more than the memory can do: nobody waits. */
static void test_alone(uint64_t quantum)
{
    struct weft_nic_crowd crowd;
    unsigned late = 0;
    check(weft_nic_crowd_open(&crowd, quantum, 500));
    for (uint64_t from = 0; from < 100000; from += 40)
        late += weft_nic_crowd_serve(&crowd, from, from + 40, 40) != from + 40;
    check_uint(late, 0);
    check_uint(crowd.delay, 0);
    weft_nic_crowd_close(&crowd);
}

/* The ring goes round: what was booked long ago is nothing to what comes later. */
static void test_forgetting(void)
{
    struct weft_nic_crowd crowd;
    check(weft_nic_crowd_open(&crowd, 16, 1000));
    check_uint(weft_nic_crowd_serve(&crowd, 0, 1, 1000), 1000);
    for (uint64_t later = 5; later < 64; later += 13) {
        uint64_t from = later << 20;
        weft_nic_crowd_forget(&crowd, from);
        check_uint(weft_nic_crowd_serve(&crowd, from, from + 10, 10), from + 10);
    }
    weft_nic_crowd_close(&crowd);
}

int main(void)
{
    for (uint64_t quantum = 16; quantum <= 1024; quantum *= 4) {
        test_alone(quantum);
        for (uint64_t seed = 1; seed <= 5; seed++)
            test_saturated(seed, quantum);
    }
    test_forgetting();
    return tap_done();
}
