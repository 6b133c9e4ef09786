/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that come late, never, or one after another with the same address. */
#include "support/tap.h"
#include "world/far/fabric.h"
#include "world/far/tests.h"

static void connect_early(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    step_world();
    need(world->ops->reserve(route, 8) == NULL && !route->failed);
    stage->step = 1;
    need(send_packet(route, 0));
    wait_until((step_world(), stage->step == 2));
    close_world();
}

static void seek_nobody(uint32_t pid)
{
    open_as(pid);
    uint64_t before = weft_clock_now();
    struct weft_nic_route *route = route_to(5);
    wait_until((step_world(), route->failed));
    need(weft_clock_now() - before >= config.timeout / 2);
    need(nic.peers[5].failed == 1);
    need(world->ops->reserve(route, 8) == NULL && route_to(5) == route && route->failed);
    need((route = route_to(MOST_PEERS)) != NULL);
    wait_until((step_world(), route->failed));
    close_world();
}

static void come_and_go(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), nic.peers[2].received == 1));
    close_world();
}

static void meet_successors(uint32_t pid)
{
    open_as(pid);
    for (uint32_t i = 0; i < 3; i++) {
        /* Each of them expects number 0 of a process that it has never heard of. */
        wait_until((step_world(), !route_to(1)->failed));
        need(send_packet(route_to(1), 0));
        wait_until((step_world(), nic.peers[1].failed == i + 1));
        need(route_to(1)->failed || i < 2);
        stage->step++;
    }
    close_world();
}

void test_seeking(void)
{
    begin("a route to a process that does not exist yet");
    check(run_both(appear_late, connect_early));
    begin("a route to a process that never comes, and to one that cannot");
    config.timeout = 50 * WEFT_CLOCK_MILLISECOND;
    set("WEFT_LOG", "off");
    check(ended_well(start(seek_nobody, 1)));
    begin("an address goes from process to process");
    pid_t steady = start(meet_successors, 2);
    for (uint32_t i = 0; i < 3; i++) {
        check(ended_well(start(come_and_go, 1)));
        wait_until(stage->step == i + 1);
    }
    check(ended_well(steady));
}
