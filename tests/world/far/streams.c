/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets arrive in order and intact. */
#include "support/tap.h"
#include "world/far/fabric.h"
#include "world/far/tests.h"

void check_streams(void (*receive)(uint32_t pid))
{
    stage->senders = 2;
    pid_t receiver = start(receive, 1);
    pid_t one = start(send_many, 2), two = start(send_many, 3);
    check(ended_well(one));
    check(ended_well(two));
    check(ended_well(receiver));
}

void test_streams(void)
{
    begin("several senders, each in order and intact, then an orderly end");
    check_streams(receive_from_many);
}

/* Both greet at once, and both send. */
static void talk(uint32_t pid)
{
    uint32_t other = 3 - pid;
    open_as(pid);
    stage->step++;
    wait_until(stage->step >= 2);
    struct weft_nic_route *route = route_to(other);
    for (uint32_t i = 0; i < stage->stream; i++)
        need(send_packet(route, i));
    wait_until((step_world(), nic.peers[other].received == stage->stream));
    need(!nic.damaged && !nic.peers[other].failed);
    stage->step++;
    wait_until((step_world(), stage->step >= 4));
    need(counts().opened == rail_count());
    close_world();
}

void test_talk(void)
{
    begin("a process sends to itself");
    check(ended_well(start(send_to_self, 1)));
    begin("two processes greet and send to each other at once");
    pid_t one = start(talk, 1), two = start(talk, 2);
    check(ended_well(one));
    check(ended_well(two));
}
