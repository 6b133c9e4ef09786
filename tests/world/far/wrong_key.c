/* SPDX-License-Identifier: BSD-3-Clause */
/* Whoever does not know the key of the job. */
#include <string.h>

#include "support/tap.h"
#include "world/far/fabric.h"
#include "world/far/tests.h"

static void knock_with_wrong_key(uint32_t pid)
{
    memset(config.key, 'x', sizeof config.key);
    config.timeout = SHORT_TIMEOUT;
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    wait_until((step_world(), route->failed));
    need(nic.peers[1].failed == 1);
    close_world();
}

static void have_wrong_key(uint32_t pid)
{
    memset(config.key, 'x', sizeof config.key);
    open_as(pid);
    wait_until((step_world(), stage->step == 1));
    need(counts().opened == 0 && counts().forgeries > 0);
    close_world();
}

static uint64_t refused(void)
{
    return counts().strangers + counts().forgeries;
}

void withstand(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), nic.peers[2].failed && stage->step == 1));
    need(nic.peers[2].received_before_failure == stage->stream && !nic.damaged);
    need(nic.peers[3].received == 0);
    wait_until((step_world(), refused() >= stage->refusals));
    /* A stream may have ended before the last interface was connected. */
    need(counts().opened <= rail_count());
    close_world();
}

static void knock_at_wrong_door(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    wait_until((step_world(), route->failed));
    stage->step = 1;
    close_world();
}

void test_wrong_key(void)
{
    begin("a process with a wrong key is not let in");
    set("WEFT_LOG", "off");
    pid_t receiver = start(withstand, 1), sender = start(send_many, 2);
    stage->refusals = 1;
    check(ended_well(start(knock_with_wrong_key, 3)));
    stage->step = 1;
    check(ended_well(sender));
    check(ended_well(receiver));
    begin("a process with a wrong key is not talked to");
    config.timeout = SHORT_TIMEOUT;
    set("WEFT_LOG", "off");
    pid_t other = start(have_wrong_key, 1);
    check(ended_well(start(knock_at_wrong_door, 2)));
    check(ended_well(other));
}
