/* SPDX-License-Identifier: BSD-3-Clause */
/* More processes than there may be connections. */
#include "support/tap.h"
#include "world/far/fabric.h"
#include "world/far/tests.h"

#define LIMIT 2u
#define CIRCLE 5u
#define ROUNDS 8u

static bool has_heard_all(uint32_t round)
{
    for (uint32_t i = 1; i <= CIRCLE; i++)
        if (i != world->self.pid && nic.peers[i].received < round)
            return false;
    return true;
}

/* All talk with all, though each may have only two connections. */
static void talk_in_circle(uint32_t pid)
{
    open_as(pid);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 1; i < CIRCLE; i++)
            need(send_packet(route_to(1 + (pid - 1 + i) % CIRCLE), round));
        wait_until((step_world(), has_heard_all(round + 1)));
    }
    stage->step++;
    wait_until((step_world(), stage->step == CIRCLE));
    wait_until((step_world(), counts().sessions <= LIMIT * rail_count()));
    for (uint32_t i = 1; i <= CIRCLE; i++)
        need(!nic.peers[i].failed);
    need(!nic.damaged && counts().parked > 0);
    stage->committed++;
    wait_until((step_world(), stage->committed == CIRCLE));
    close_world();
}

void test_parking(void)
{
    begin("five processes talk, each with at most two connections");
    config.session_limit = LIMIT;
    pid_t children[CIRCLE];
    for (uint32_t i = 0; i < CIRCLE; i++)
        children[i] = start(talk_in_circle, 1 + i);
    for (uint32_t i = 0; i < CIRCLE; i++)
        check(ended_well(children[i]));
}
