/* SPDX-License-Identifier: BSD-3-Clause */
/* Nobody sends more than the receiver has room for. */
#include <unistd.h>

#include "support/tap.h"
#include "world/far/fabric.h"
#include "world/ofi/peer.h"
#include "world/ofi/tests.h"

/* Sends until there has been no room for a while, though it polls. */
static uint32_t send_all_that_fits(struct weft_nic_route *route)
{
    uint32_t count = 0;
    need(send_packet(route, count));
    count++;
    for (unsigned in_vain = 0; in_vain < 300; in_vain++) {
        if (try_to_send(route, count)) {
            count++;
            in_vain = 0;
        }
        step_world();
        usleep(100);
    }
    return count;
}

static void fill_window(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    wait_until((step_world(), weft_ofi_counts(world).sessions == 1));
    stage->step = 1;
    wait_until(stage->step == 2);
    need(send_all_that_fits(route) == WINDOW && !route->failed);
    stage->step = 3;
    for (uint32_t i = WINDOW; i < 5 * WINDOW; i++)
        need(send_packet(route, i));
    wait_until((step_world(), stage->step == 4));
    close_world();
}

static void look_away(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), stage->step == 1));
    /* The handshake is over when we have seen the first frame of the session. */
    wait_until((step_world(), weft_ofi_counts(world).sessions == 1));
    stage->step = 2;
    wait_until(stage->step == 3);
    wait_until((step_world(), nic.peers[2].received == 5 * WINDOW));
    need(!nic.damaged && !nic.peers[2].failed);
    stage->step = 4;
    wait_until((step_world(), nic.peers[2].failed));
    close_world();
}

#define SENDERS 6u
#define ALL_TOGETHER 512u

static void send_one_of_many(uint32_t pid)
{
    open_as(pid);
    struct weft_nic_route *route = route_to(1);
    wait_until((step_world(), weft_ofi_counts(world).sessions == 1));
    stage->step++;
    wait_until((step_world(), stage->step > SENDERS));
    stage->committed += send_all_that_fits(route);
    stage->step++;
    wait_until((step_world(), stage->step == 2 * SENDERS + 2));
    close_world();
}

static uint32_t received_in_all(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < MOST_PEERS; i++)
        count += nic.peers[i].received;
    return count;
}

static void look_away_from_many(uint32_t pid)
{
    open_as(pid);
    wait_until((step_world(), weft_ofi_counts(world).sessions == SENDERS));
    wait_until((step_world(), stage->step == SENDERS));
    stage->step++;
    wait_until(stage->step == 2 * SENDERS + 1);
    need(stage->committed <= ALL_TOGETHER && stage->committed > ALL_TOGETHER / 2);
    wait_until((step_world(), received_in_all() == stage->committed));
    need(!nic.damaged);
    stage->step++;
    close_world();
}

void test_credits(void)
{
    begin("a process that does not look gets as much as it has granted, and no more");
    check(run_both(look_away, fill_window));
    begin("what many processes may send to one together is bounded");
    config.window = ALL_TOGETHER / 4;
    pid_t senders[SENDERS];
    pid_t receiver = start(look_away_from_many, 1);
    for (uint32_t i = 0; i < SENDERS; i++)
        senders[i] = start(send_one_of_many, 2 + i);
    for (uint32_t i = 0; i < SENDERS; i++)
        check(ended_well(senders[i]));
    check(ended_well(receiver));
    config.window = WINDOW;
}
