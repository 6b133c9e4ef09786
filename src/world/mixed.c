/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/mixed.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "world/real_time.h"

/* To ask a fabric costs system calls, to look into a ring does not. While nothing comes from afar
 * it is asked once in so many rounds, which costs a far packet less than a microsecond. */
#define FAR_ROUNDS 16u

/* After a packet from afar the next is likely soon. */
#define EAGER_ROUNDS 256u

/* Neither world's sleep ends when the other has something. */
#define LONGEST_SLEEP 200000u

struct mixed {
    struct weft_nic_world world; /* must be first */
    struct weft_nic_world *near;
    struct weft_nic_world *far;
    unsigned round;
    unsigned eager;       /* rounds left in which the far world is always asked */
    atomic_bool has_far;  /* something has been sent or received from afar */
    atomic_bool naps_far; /* whose turn it is to sleep */
};

static struct mixed *of(struct weft_nic_world *world)
{
    return (struct mixed *)world;
}

static struct weft_nic_route *route(struct weft_nic_world *world, struct weft_nic_address address)
{
    struct mixed *mixed = of(world);
    bool is_near = address.nid == world->self.nid;
    if (!is_near)
        atomic_store_explicit(&mixed->has_far, true, memory_order_relaxed);
    struct weft_nic_world *part = is_near ? mixed->near : mixed->far;
    return part->ops->route(part, address);
}

static void *reserve(struct weft_nic_route *way, size_t size)
{
    return way->world->ops->reserve(way, size);
}

static void commit(struct weft_nic_route *way, size_t size)
{
    way->world->ops->commit(way, size);
}

static unsigned poll_both(struct weft_nic_world *world, struct weft_nic *nic)
{
    struct mixed *mixed = of(world);
    unsigned count = mixed->near->ops->poll(mixed->near, nic);
    if (mixed->eager == 0 && ++mixed->round % FAR_ROUNDS != 0)
        return count;
    unsigned far = mixed->far->ops->poll(mixed->far, nic);
    if (far > 0) {
        mixed->eager = EAGER_ROUNDS;
        atomic_store_explicit(&mixed->has_far, true, memory_order_relaxed);
    } else if (mixed->eager > 0) {
        mixed->eager--;
    }
    return count + far;
}

static void check(struct weft_nic_world *world, struct weft_nic *nic)
{
    struct mixed *mixed = of(world);
    mixed->near->ops->check(mixed->near, nic);
    mixed->far->ops->check(mixed->far, nic);
}

/* `has_far` and `naps_far` may be stale: then the wrong one sleeps, for a short time. */
static void sleep_in_turn(struct weft_nic_world *world, uint64_t until)
{
    struct mixed *mixed = of(world);
    if (!atomic_load_explicit(&mixed->has_far, memory_order_relaxed)) {
        mixed->near->ops->sleep(mixed->near, until);
        return;
    }
    uint64_t most = weft_clock_now() + LONGEST_SLEEP;
    bool naps_far = !atomic_load_explicit(&mixed->naps_far, memory_order_relaxed);
    atomic_store_explicit(&mixed->naps_far, naps_far, memory_order_relaxed);
    struct weft_nic_world *part = naps_far ? mixed->far : mixed->near;
    part->ops->sleep(part, until < most ? until : most);
}

static void wake(struct weft_nic_world *world)
{
    struct mixed *mixed = of(world);
    mixed->near->ops->wake(mixed->near);
    mixed->far->ops->wake(mixed->far);
}

static void close_both(struct weft_nic_world *world)
{
    struct mixed *mixed = of(world);
    mixed->far->ops->close(mixed->far);
    mixed->near->ops->close(mixed->near);
    free(mixed);
}

static const struct weft_nic_world_ops ops = {
    .now = weft_world_clock,
    .route = route,
    .reserve = reserve,
    .commit = commit,
    .poll = poll_both,
    .check = check,
    .sleep = sleep_in_turn,
    .wake = wake,
    .relax = weft_world_relax,
    .close = close_both,
};

struct weft_nic_world *weft_world_mixed_open(struct weft_nic_world *near,
                                             struct weft_nic_world *far)
{
    struct mixed *mixed = calloc(1, sizeof *mixed);
    if (!mixed) {
        far->ops->close(far);
        near->ops->close(near);
        return NULL;
    }
    mixed->world = *near;
    mixed->world.ops = &ops;
    /* Who makes room for packets must make it for those of both. */
    if (far->packet_size > near->packet_size)
        mixed->world.packet_size = far->packet_size;
    mixed->world.reorders = near->reorders || far->reorders;
    mixed->near = near;
    mixed->far = far;
    return &mixed->world;
}
