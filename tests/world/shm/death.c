/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that are killed. */
#include <unistd.h>

#include "support/tap.h"
#include "world/shm/host.h"
#include "world/shm/tests.h"

#define KILLS 8u

/* The name of the operation is that of a macro of tap.h. */
static void check_world(void)
{
    (world->ops->check)(world, &nic);
}

static void connect_only(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    wait_until((check_world(), world->ops->reserve(route, 8)));
    stage->step = 100;
    wait_until(stage->step == 101);
    close_world();
}

/* A ring that comes from another sender holds nothing of it. */
static void hear_nothing(void)
{
    nic.peers[4] = (struct weft_nic_peer){0};
    wait_until((world->ops->poll(world, &nic), stage->step == 100));
    world->ops->poll(world, &nic);
    need(nic.peers[4].received == 0);
    stage->step = 101;
    wait_until((step_world(), nic.peers[4].failed));
    need(nic.peers[4].received == 0);
}

/* Receives from senders that are killed one after the other: the same two addresses again and
 * again, through the only ring. */
static void outlive_senders(uint32_t pid)
{
    open_as(pid);
    stage->step = 1;
    for (uint32_t i = 0; i < KILLS; i++) {
        struct weft_nic_peer *peer = &nic.peers[2 + i % 2];
        *peer = (struct weft_nic_peer){0};
        /* Every other one is polled only after its death. */
        if (i % 4 < 2)
            wait_until((world->ops->poll(world, &nic), stage->step == 2 * i + 2));
        wait_until(stage->step == 2 * i + 2);
        uint64_t death = weft_clock_now();
        wait_until((check_world(), peer->failed));
        need(weft_clock_now() - death < world->timeout);
        uint32_t committed = stage->committed;
        need(peer->received == committed || peer->received == committed + 1);
        need(peer->failed == 1 && peer->received_before_failure == peer->received);
        need(!nic.damaged);
        stage->step = 2 * i + 3;
    }
    hear_nothing();
    close_world();
}

void test_killed_senders(void)
{
    begin("what a killed sender has committed arrives, then its death is reported");
    set("WEFT_SHM_PEERS", "1");
    pid_t receiver = start(outlive_senders, 1);
    wait_until(stage->step == 1);
    for (uint32_t i = 0; i < KILLS; i++) {
        stage->committed = 0;
        pid_t sender = start(send_for_ever, 2 + i % 2);
        uint32_t enough = i % 4 < 2 ? 1 + i * 317 : SLOTS;
        wait_until(stage->committed >= enough);
        kill_and_reap(sender);
        stage->step = 2 * i + 2;
        wait_until(stage->step == 2 * i + 3);
    }
    check(ended_well(start(connect_only, 4)));
    check(ended_well(receiver));
    check(access(rendezvous, F_OK) != 0);
}

static void receive_for_ever(uint32_t pid)
{
    open_as(pid);
    for (;;) {
        step_world();
        if (nic.peers[2].received >= 10 && stage->step % 2 == 0)
            stage->step++;
    }
}

static void outlive_receivers(uint32_t pid)
{
    open_as(pid);
    for (uint32_t i = 0; i < 3; i++) {
        struct weft_nic_route *route;
        wait_until(!(route = route_to(1))->failed);
        uint32_t number = 0;
        while (send_packet(route, number))
            number++;
        need(number >= 10 && nic.peers[1].failed == i + 1);
        need(world->ops->reserve(route, 8) == NULL);
        /* The dead one is not taken for its successor. */
        need(route_to(1) == route && route->failed);
        stage->committed = i + 1;
    }
    close_world();
}

void test_killed_receivers(void)
{
    begin("a killed receiver fails the route, and its successor is reached");
    pid_t receiver = start(receive_for_ever, 1);
    pid_t sender = start(outlive_receivers, 2);
    for (uint32_t i = 0; i < 3; i++) {
        wait_until(stage->step == 2 * i + 1);
        kill_and_reap(receiver);
        wait_until(stage->committed == i + 1);
        stage->step = 2 * i + 2;
        if (i < 2)
            receiver = start(receive_for_ever, 1);
    }
    check(ended_well(sender));
    check(access(rendezvous, F_OK) != 0);
}
