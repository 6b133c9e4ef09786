/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets arrive in order and intact, through rings that are full and to those who sleep. */
#include <unistd.h>

#include "support/tap.h"
#include "world/shm/host.h"
#include "world/shm/peer.h"
#include "world/shm/tests.h"

void test_streams(void)
{
    begin("several senders, each in order and intact, then an orderly end");
    stage->senders = 3;
    pid_t receiver = start(receive_from_many, 1);
    pid_t senders[3];
    for (uint32_t i = 0; i < 3; i++)
        senders[i] = start(send_many, 2 + i);
    for (uint32_t i = 0; i < 3; i++)
        check(ended_well(senders[i]));
    check(ended_well(receiver));
    check(access(rendezvous, F_OK) != 0);
}

static void fill_ring(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    for (uint32_t i = 0; i < SLOTS; i++)
        need(send_packet(route, i));
    need(world->ops->reserve(route, 8) == NULL && !route->failed);
    stage->step = 1;
    for (uint32_t i = SLOTS; i < 3 * SLOTS; i++)
        need(send_packet(route, i));
    wait_until(stage->step == 2);
    close_world();
}

static void drain_ring(uint32_t pid)
{
    open_as(pid);
    wait_until(stage->step == 1);
    wait_until((step_world(), nic.peers[2].received == 3 * SLOTS));
    need(!nic.damaged);
    stage->step = 2;
    wait_until((step_world(), nic.peers[2].failed == 1));
    close_world();
}

void test_full_ring(void)
{
    begin("a process sends to itself");
    check(run_alone(send_to_self));
    begin("a full ring has no room until the receiver has read");
    check(run_both(drain_ring, fill_ring));
    begin("a ring of one slot");
    set("WEFT_SHM_SLOTS", "1");
    check(run_alone(send_to_self));
}

static void fall_asleep(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), nic.peers[2].received == 1));
    while (stage->step == 0)
        world->ops->sleep(world, weft_clock_now() + WEFT_CLOCK_SECOND);
    close_world();
}

static void wake_up(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    need(send_packet(route, 0));
    const struct weft_shm_segment_head *head = ((struct weft_shm_peer *)route)->claim.head;
    wait_until(head->sleeping);
    uint32_t bell = head->doorbell;
    need(send_packet(route, 1));
    need(head->doorbell == bell + 1);
    stage->step = 1;
    wait_until((step_world(), route->failed));
    close_world();
}

void test_sleep(void)
{
    begin("a packet for a sleeping process rings its doorbell");
    check(run_both(fall_asleep, wake_up));
}
