/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts told by events, puts that are counted, and the bare ring. */
#include "bench/pair/side.h"

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

static void get_with_event(struct side *side, size_t size)
{
    SIDE_MUST(PtlGet(side->get_md, 0, size, side->other, SIDE_PT_GET, 0, 0, NULL));
    side_expect(side->reply, PTL_EVENT_REPLY);
}

/* Never sleeps. */
static void attend(struct side *side)
{
    ptl_event_t event;
    int result;
    while ((result = PtlEQGet(side->eq, &event)) == PTL_EQ_EMPTY)
        ;
    SIDE_MUST(result);
}

const struct side_engine side_engine_events = {
    .send = send_for_events, .receive = side_receive, .get = get_with_event, .attend = attend};

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

static struct bare_ring ring_of(const struct side *side, unsigned sender)
{
    const struct pair_shape *shape = side->shape;
    return bare_ring_at(side->shared->rings +
                            sender * bare_ring_bytes(shape->slots, shape->packet),
                        shape->slots, shape->packet);
}

static void open_rings(struct side *side)
{
    side->out = ring_of(side, side->rank);
    side->in = ring_of(side, 1 - side->rank);
}

static void send_by_ring(struct side *side, size_t size)
{
    bare_ring_send(&side->out, side->source, size);
}

static void receive_by_ring(struct side *side, size_t size, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bare_ring_receive(&side->in, side->target, size);
}

const struct side_engine side_engine_ring = {
    .open = open_rings, .send = send_by_ring, .receive = receive_by_ring};
