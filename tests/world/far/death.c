/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that are killed, or stopped for a while. */
#include <signal.h>
#include <unistd.h>

#include "support/tap.h"
#include "world/far/fabric.h"
#include "world/far/tests.h"

/* More than the timeout, because the machine may be busy with something else. */
#define NOTICE (10 * SHORT_TIMEOUT)

static void listen_for_ever(uint32_t pid)
{
    open_as(pid);
    for (;;)
        step_world();
}

static void outlive_sender(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), stage->step == 1));
    uint64_t before = weft_clock_now();
    wait_until((step_world(), nic.peers[2].failed));
    need(weft_clock_now() - before < NOTICE);
    need(nic.peers[2].failed == 1 && !nic.damaged);
    need(nic.peers[2].received <= stage->committed + 1);
    close_world();
}

static void outlive_receiver(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    uint32_t count = 0;
    /* Idle when the other dies, or in the middle of sending to it. */
    bool is_idle = stage->committed;
    for (; stage->step == 0; step_world())
        if (!is_idle || count < WINDOW / 2)
            count += try_to_send(route, count);
    uint64_t before = weft_clock_now();
    for (; !route->failed; step_world()) {
        need(weft_clock_now() - before < NOTICE);
        if (!is_idle)
            count += try_to_send(route, count);
    }
    need(nic.peers[1].failed == 1 && world->ops->reserve(route, 8) == NULL);
    need(route_to(1)->failed);
    close_world();
}

static void kill_at(pid_t child, uint32_t committed)
{
    wait_until(stage->committed >= committed);
    kill_and_reap(child);
    stage->step = 1;
}

void test_death(void)
{
    begin("a sender is killed");
    config.timeout = SHORT_TIMEOUT;
    set("WEFT_LOG", "off");
    pid_t survivor = start(outlive_sender, 1);
    kill_at(start(send_for_ever, 2), 200);
    check(ended_well(survivor));
    for (uint32_t is_idle = 0; is_idle < 2; is_idle++) {
        begin(is_idle ? "an idle receiver is killed" : "a receiver is killed");
        config.timeout = SHORT_TIMEOUT;
        set("WEFT_LOG", "off");
        stage->committed = is_idle;
        pid_t victim = start(listen_for_ever, 1);
        survivor = start(outlive_receiver, 2);
        usleep(300000);
        kill_at(victim, 0);
        check(ended_well(survivor));
    }
}

/* ---- Stopped ------------------------------------------------------------------------------- */

static void send_until_refused(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    for (uint32_t i = 0; send_packet(route, i); i++)
        stage->committed = i + 1;
    /* Both sides have given up the other, for good. */
    need(nic.peers[1].failed == 1 && !nic.peers[1].received);
    need(route_to(1)->failed);
    stage->step = 3;
    close_world();
}

static void give_up_stopped(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), nic.peers[2].failed));
    uint32_t received = nic.peers[2].received;
    stage->step = 2;
    wait_until((step_world(), stage->step == 3));
    /* The stub would have noticed anything that comes after the failure. */
    need(nic.peers[2].received == received && nic.peers[2].failed == 1 && !nic.damaged);
    need(!try_to_send(route_to(2), 0));
    close_world();
}

static void send_until_told(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    uint32_t count = 0;
    for (; stage->step < 2; count++) {
        need(send_packet(route, count));
        stage->committed = count + 1;
    }
    stage->committed = count;
    stage->step = 3;
    wait_until((step_world(), stage->step == 4));
    need(!nic.peers[1].failed);
    close_world();
}

static void wait_for_stopped(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), stage->step == 3));
    wait_until((step_world(), nic.peers[2].received == stage->committed));
    need(!nic.damaged && !nic.peers[2].failed);
    stage->step = 4;
    wait_until((step_world(), nic.peers[2].failed));
    close_world();
}

void test_stopped(void)
{
    begin("a process stops for longer than the timeout: both sides give up, once");
    config.timeout = SHORT_TIMEOUT;
    set("WEFT_LOG", "off");
    pid_t survivor = start(give_up_stopped, 1), stopped = start(send_until_refused, 2);
    wait_until(stage->committed >= 100);
    kill(stopped, SIGSTOP);
    wait_until(stage->step == 2);
    kill(stopped, SIGCONT);
    check(ended_well(stopped));
    check(ended_well(survivor));
    begin("a process stops for less than the timeout: nothing happens");
    survivor = start(wait_for_stopped, 1);
    stopped = start(send_until_told, 2);
    wait_until(stage->committed >= 100);
    kill(stopped, SIGSTOP);
    usleep(300000);
    kill(stopped, SIGCONT);
    stage->step = 2;
    check(ended_well(stopped));
    check(ended_well(survivor));
}
