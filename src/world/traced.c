/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/traced.h"

#include "trace/tracer.h"

/* A process has one world at a time. */
static struct {
    struct weft_nic_world_ops ops; /* of the world, but for what is traced */
    const struct weft_nic_world_ops *inner;
    struct weft_trace_ring *ring;
} traced;

static void trace(struct weft_nic_world *world, const struct weft_trace_line *record)
{
    weft_trace_ring_add(traced.ring, &(struct weft_trace_record){.trace = *record,
                                                                 .nid = world->self.nid,
                                                                 .pid = world->self.pid});
}

static void close_world(struct weft_nic_world *world)
{
    world->ops = traced.inner;
    weft_trace_close();
    world->ops->close(world);
}

void weft_world_trace(struct weft_nic_world *world, const struct weft_job *job)
{
    struct weft_trace_ring *ring =
        weft_trace_open(&(struct weft_trace_owner){.nid = world->self.nid,
                                                   .pid = world->self.pid,
                                                   .has_rank = job,
                                                   .rank = job ? job->rank : 0});
    if (!ring)
        return;
    traced.ring = ring;
    traced.inner = world->ops;
    traced.ops = *world->ops;
    traced.ops.trace = trace;
    traced.ops.close = close_world;
    world->ops = &traced.ops;
}
