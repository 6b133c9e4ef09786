/* SPDX-License-Identifier: BSD-3-Clause */
/* For programs whose instructions or cache lines are counted: a world in which nothing happens but
 * what they do, and a way to end if it does not. */
#ifndef WEFT_TESTS_INSTRUCTIONS_STILL_WORLD_H
#define WEFT_TESTS_INSTRUCTIONS_STILL_WORLD_H

#include <stdio.h>
#include <stdlib.h>

#include "nic/world_ops.h"

static inline void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "this does not hold: %s\n", what);
    exit(1);
}

#define EXPECT(condition) expect(condition, #condition)

static uint64_t now(struct weft_nic_world *world)
{
    (void)world;
    return 0;
}

static unsigned poll(struct weft_nic_world *world, struct weft_nic *nic)
{
    (void)world;
    (void)nic;
    return 0;
}

static void relax(struct weft_nic_world *world)
{
    (void)world;
}

static const struct weft_nic_world_ops still_ops = {.now = now, .poll = poll, .relax = relax};

#define STILL_WORLD(payload)                                                                      \
    {                                                                                             \
        .ops = &still_ops, .self = {1, 1}, .packet_size = (payload) + WEFT_PACKET_HEADERS,        \
        .reliable = true, .timeout = 1                                                            \
    }

#endif
