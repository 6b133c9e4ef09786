/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts told by events, puts that are counted, and the bare ring. */
#include "side.h"

static void send_for_events(struct side *side, size_t size)
{
    side_put(side, SIDE_PT_EVENTS, 0, size);
}

void side_receive(struct side *side, size_t size, size_t count)
{
    (void)size;
    for (size_t i = 0; i < count; i++)
        side_expect(side->eq, PTL_EVENT_PUT);
}

const struct side_engine side_engine_events = {.send = send_for_events, .receive = side_receive};

static void send_for_counters(struct side *side, size_t size)
{
    side_put(side, SIDE_PT_COUNTERS, 0, size);
}

static void receive_counters(struct side *side, size_t size, size_t count)
{
    ptl_ct_event_t value;
    (void)size;
    side->counted += count;
    SIDE_MUST(PtlCTWait(side->ct, side->counted, &value));
    if (value.failure)
        side_fail("a message was counted as failed");
}

const struct side_engine side_engine_counters = {.send = send_for_counters,
                                                 .receive = receive_counters};

static void send_bare(struct side *side, size_t size)
{
    bare_ring_send(&side->out, side->source, size);
}

static void receive_bare(struct side *side, size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bare_ring_receive(&side->in, side->target, size);
}

const struct side_engine side_engine_bare = {.send = send_bare, .receive = receive_bare};
