/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/traffic.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "world/children.h"
#include "world/fake_nic.h"

void close_world(void)
{
    world->ops->close(world);
}

struct weft_nic_route *route_to(uint32_t pid)
{
    struct weft_nic_route *route = world->ops->route(world, (struct weft_nic_address){1, pid});
    need(route != NULL);
    return route;
}

void step_world(void)
{
    world->ops->poll(world, &nic);
    world->ops->check(world, &nic);
}

void step_or_sleep(void)
{
    if (!world->ops->poll(world, &nic))
        world->ops->sleep(world, UINT64_MAX);
    world->ops->check(world, &nic);
}

/* Of every other packet, if the world can do that, a part lies elsewhere: all of it now and then,
 * and not in one block with what is in place. */
static void commit_packet(struct weft_nic_route *route, unsigned char *bytes, size_t size,
                          uint32_t number)
{
    bool is_apart = world->ops->commit_from && number % 2;
    unsigned char *written = is_apart ? malloc(size) : bytes;
    need(written != NULL);
    write_packet(written, size, world->self.pid, number);
    if (!is_apart) {
        world->ops->commit(route, size);
        return;
    }
    size_t here = number % 10 == 1 ? 0 : number % size;
    memcpy(bytes, written, here);
    memset(bytes + here, 0, size - here);
    world->ops->commit_from(route, size, written + here, size - here);
    memset(written, 0, size);
    free(written);
}

bool try_to_send(struct weft_nic_route *route, uint32_t number)
{
    size_t size = length_of(world->self.pid, number, world->packet_size);
    unsigned char *bytes = world->ops->reserve(route, size);
    if (!bytes)
        return false;
    commit_packet(route, bytes, size, number);
    return true;
}

bool send_packet(struct weft_nic_route *route, uint32_t number)
{
    while (!try_to_send(route, number)) {
        if (route->failed)
            return false;
        step_world();
        sched_yield();
    }
    return true;
}

/* ---- Roles --------------------------------------------------------------------------------- */

void receive_from_many(uint32_t pid)
{
    open_as(pid);
    for (uint32_t from = 2; from < 2 + stage->senders; from++) {
        wait_until((step_or_sleep(), nic.peers[from].failed));
        need(nic.peers[from].received_before_failure == stage->stream &&
             nic.peers[from].failed == 1);
    }
    need(!nic.damaged);
    close_world();
}

void send_many(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    for (uint32_t i = 0; i < stage->stream; i++)
        need(send_packet(route, i));
    close_world();
}

void send_to_self(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(pid);
    for (uint32_t i = 0; i < 300; i++)
        need(send_packet(route, i));
    wait_until((step_world(), nic.peers[pid].received == 300));
    need(!nic.damaged && !nic.peers[pid].failed);
    close_world();
}

void send_for_ever(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    for (uint32_t i = 0; send_packet(route, i); i++)
        stage->committed = i + 1;
    need(route->failed && nic.peers[1].failed == 1);
}

void appear_late(uint32_t pid)
{
    wait_until(stage->step == 1);
    open_as(pid);
    wait_until((step_world(), nic.peers[2].received == 1));
    stage->step = 2;
    wait_until((step_world(), nic.peers[2].failed));
    close_world();
}
