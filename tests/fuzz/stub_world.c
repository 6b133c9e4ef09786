/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz/stub_world.h"

#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#define HAS_ASAN __has_feature(address_sanitizer)
#endif

#if defined(HAS_ASAN) && HAS_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(start, size) ((void)(start), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(start, size) ((void)(start), (void)(size))
#endif

void stub_require(bool condition)
{
    if (!condition)
        abort();
}

void stub_forbid(void *start, size_t size)
{
    ASAN_POISON_MEMORY_REGION(start, size);
}

void stub_allow(void *start, size_t size)
{
    ASAN_UNPOISON_MEMORY_REGION(start, size);
}

/* ---- Operations ---------------------------------------------------------------------------- */

static struct stub_world *of_world(struct weft_nic_world *world)
{
    return (struct stub_world *)world;
}

static uint64_t now(struct weft_nic_world *world)
{
    return of_world(world)->time;
}

/* Our own address is one that cannot be reached. */
static struct weft_nic_route *route(struct weft_nic_world *world, struct weft_nic_address address)
{
    struct stub_world *stub = of_world(world);
    unsigned which = 0;
    while (which < STUB_PEERS &&
           (stub_peer(which).nid != address.nid || stub_peer(which).pid != address.pid))
        which++;
    struct weft_nic_route *found = &stub->routes[which].route;
    *found = (struct weft_nic_route){world, address, which == STUB_PEERS};
    return found;
}

/* A place of exactly this size, so that a byte more is noticed. */
static void *reserve(struct weft_nic_route *to, size_t size)
{
    struct stub_world *stub = of_world(to->world);
    stub_require(size <= STUB_PACKET);
    if (to->failed || stub->reservations++ % 4 < stub->refusals)
        return NULL;
    free(stub->place);
    stub->place = malloc(size);
    stub->size = size;
    stub_require(stub->place != NULL);
    return stub->place;
}

static void commit(struct weft_nic_route *to, size_t size)
{
    struct stub_world *stub = of_world(to->world);
    struct weft_packet packet;
    stub_require(stub->place && size == stub->size && !to->failed);
    stub_require(weft_packet_decode(stub->place, size, &packet) == WEFT_PACKET_FAULT_NONE);
    if (packet.head.kind != WEFT_PACKET_LINK)
        ((struct stub_route *)to)->sent = packet.head.sequence + 1;
    if (packet.head.operation)
        stub->operation = packet.head.operation;
    free(stub->place);
    stub->place = NULL;
}

static unsigned poll(struct weft_nic_world *world, struct weft_nic *nic)
{
    (void)world;
    (void)nic;
    return 0;
}

static void check(struct weft_nic_world *world, struct weft_nic *nic)
{
    (void)world;
    (void)nic;
}

static void sleep_until(struct weft_nic_world *world, uint64_t until)
{
    struct stub_world *stub = of_world(world);
    stub_require(until != UINT64_MAX);
    if (until > stub->time)
        stub->time = until;
}

static void ignore(struct weft_nic_world *world)
{
    (void)world;
}

static const struct weft_nic_world_ops ops = {
    .now = now,
    .route = route,
    .reserve = reserve,
    .commit = commit,
    .poll = poll,
    .check = check,
    .sleep = sleep_until,
    .wake = ignore,
    .relax = ignore,
    .close = ignore,
};

/* ---- Life ---------------------------------------------------------------------------------- */

struct weft_nic_address stub_peer(unsigned which)
{
    return (struct weft_nic_address){7, 100 + which};
}

void stub_open(struct stub_world *stub, bool reliable)
{
    *stub = (struct stub_world){.world = {.ops = &ops,
                                          .self = {7, 1},
                                          .uid = 1000,
                                          .packet_size = STUB_PACKET,
                                          .reliable = reliable,
                                          .timeout = 64000000}};
}

void stub_close(struct stub_world *stub)
{
    free(stub->place);
}
