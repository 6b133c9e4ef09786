/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that come late, or never. */
#include "support/tap.h"
#include "world/shm/host.h"
#include "world/shm/tests.h"

static void connect_early(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    step_world();
    need(world->ops->reserve(route, 8) == NULL && !route->failed);
    stage->step = 1;
    need(send_packet(route, 0));
    wait_until(stage->step == 2);
    close_world();
}

static void seek_nobody(uint32_t pid)
{
    open_as(pid);
    uint64_t before = weft_clock_now();
    struct weft_nic_route *route = route_to(5);
    wait_until((step_world(), route->failed));
    need(weft_clock_now() - before >= 50 * WEFT_CLOCK_MILLISECOND);
    need(nic.peers[5].failed == 1);
    need(world->ops->reserve(route, 8) == NULL && route_to(5) == route && route->failed);
    close_world();
}

void test_seeking(void)
{
    begin("a route to a process that does not exist yet");
    check(run_both(appear_late, connect_early));
    begin("a route to a process that never comes");
    set("WEFT_TIMEOUT", "50");
    set("WEFT_LOG", "off");
    check(run_alone(seek_nobody));
}
