/* SPDX-License-Identifier: BSD-3-Clause */
/* A process is stopped while it says farewell, or the other takes long to listen: what it has sent
 * still arrives. */
#include <signal.h>
#include <unistd.h>

#include "support/tap.h"
#include "world/far/fabric.h"
#include "world/far/tests.h"

#define TIMEOUT (2 * SHORT_TIMEOUT)
#define FULL_AFTER (100 * WEFT_CLOCK_MILLISECOND)
#define SHORTER_TIMEOUT (500 * WEFT_CLOCK_MILLISECOND)
#define PAUSE 5000

static void send_until_full(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    uint32_t count = 0;
    need(send_packet(route, count++));
    wait_until((step_world(), stage->step == 1));
    for (uint64_t sent_at = weft_clock_now(); weft_clock_now() - sent_at < FULL_AFTER;
         step_world())
        if (try_to_send(route, count)) {
            count++;
            sent_at = weft_clock_now();
        }
    stage->committed = count;
    stage->step = 2;
    close_world();
}

static void receive_after_pause(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), nic.peers[2].received));
    stage->step = 1;
    wait_until(stage->step == 3);
    wait_until((step_world(), nic.peers[2].failed));
    need(nic.peers[2].received_before_failure == stage->committed && !nic.damaged);
    close_world();
}

/* Takes some kilobytes at a time, so that it hears of the farewell only after several timeouts. */
static void receive_slowly(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), nic.peers[2].received));
    stage->step = 1;
    wait_until(stage->step == 2);
    uint64_t began = weft_clock_now();
    wait_until((usleep(PAUSE), step_world(), nic.peers[2].failed));
    need(nic.peers[2].received_before_failure == stage->committed && !nic.damaged);
    need(weft_clock_now() - began > 2 * config.timeout);
    close_world();
}

void test_slow_listener(void)
{
    begin("the other listens slowly to a farewell");
    config.timeout = SHORTER_TIMEOUT;
    set("WEFT_LOG", "off");
    pid_t receiver = start(receive_slowly, 1), sender = start(send_until_full, 2);
    check(ended_well(sender));
    check(ended_well(receiver));
}

void test_farewell(void)
{
    begin("a process is stopped while it says farewell");
    config.timeout = TIMEOUT;
    set("WEFT_LOG", "off");
    pid_t receiver = start(receive_after_pause, 1), sender = start(send_until_full, 2);
    wait_until(stage->step == 2);
    usleep(100000);
    kill(sender, SIGSTOP);
    usleep(TIMEOUT / 1000);
    kill(sender, SIGCONT);
    usleep(200000);
    stage->step = 3;
    check(ended_well(sender));
    check(ended_well(receiver));
}
