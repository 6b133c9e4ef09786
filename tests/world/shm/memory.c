/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that has no memory for those who send to it. */
#include <unistd.h>

#include "support/tap.h"
#include "world/shm/host.h"
#include "world/shm/tests.h"

#define SHORTAGE (WEFT_CLOCK_SECOND / 5)

static void step_for(uint64_t duration)
{
    for (uint64_t end = weft_clock_now() + duration; weft_clock_now() < end;)
        step_world();
}

static void hear_later(uint32_t pid)
{
    open_as(pid);
    nic.has_no_memory = true;
    stage->step = 1;
    step_for(SHORTAGE);
    need(nic.peers[2].received == 0 && !nic.peers[2].failed);
    nic.has_no_memory = false;
    wait_until((step_world(), nic.peers[2].received >= 1000));
    need(!nic.peers[2].failed && !nic.damaged);
    stage->step = 2;
    wait_until((step_world(), nic.peers[2].failed));
    close_world();
}

static void test_short_time(void)
{
    begin("who comes while there is no memory is heard when there is");
    check_outlives_sender(hear_later);
}

static void send_in_vain(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    need(send_packet(route, 0));
    wait_until((step_world(), route->failed));
    need(nic.peers[1].failed == 1);
    close_world();
}

static void never_hear(uint32_t pid)
{
    pid_t sender = start(send_in_vain, 2);
    set("WEFT_TIMEOUT", "200");
    open_as(pid);
    nic.has_no_memory = true;
    wait_until((step_world(), nic.peers[2].failed));
    need(nic.peers[2].received == 0);
    need(ended_well(sender));
    close_world();
}

void test_without_memory(void)
{
    test_short_time();
    begin("who cannot be heard in time is refused, and both sides know");
    check_says(never_hear, "there is not enough memory");
    check(access(rendezvous, F_OK) != 0);
}
