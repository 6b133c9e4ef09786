/* SPDX-License-Identifier: BSD-3-Clause */
/* The switch of the world in virtual time: when packets pass it, and who waits when it is full. */
#include "world/sim/sim_nic.h"

#define SIZE 1000u
#define RATE 1000u /* a packet in a microsecond */
#define SLOW 250u
#define BEGIN 500u

static const uint64_t sinks[] = {RATE, SLOW, RATE};

static void receiver(struct weft_nic *nic)
{
    await_packets(nic, nic->rounds);
    nic->result = now(nic);
}

/* Some packets to the slow node, then one to the other. */
static void sender_to_both(struct weft_nic *nic)
{
    await_time(nic, BEGIN);
    for (unsigned i = 1; i <= nic->rounds; i++)
        send_to(nic, 1, i, SIZE);
    send_to(nic, 2, 1, SIZE);
}

/* Says when all is there; the times are in nics. */
static void run(uint64_t buffer, const uint64_t *rates, unsigned count)
{
    struct weft_sim_config config = usual(3);
    config.bandwidth = RATE;
    config.buffer = buffer;
    config.sinks = rates;
    struct weft_sim *sim = make(&config);
    nics[0].rounds = nics[1].rounds = count;
    nics[2].rounds = 1;
    start(sim, 0, sender_to_both);
    start(sim, 1, receiver);
    start(sim, 2, receiver);
    check_int(weft_sim_run(sim), 0);
    check(nics[1].ordered);
    check_uint(weft_sim_totals(sim).delivered, count + 1);
    weft_sim_destroy(sim);
}

static void test_ports(void)
{
    run(100 * SIZE, NULL, 10);
    check_uint(nics[1].result, BEGIN + 10 * 1000 + 1000 + LATENCY);
    check_uint(nics[2].result, BEGIN + 11 * 1000 + 1000 + LATENCY);
    run(100 * SIZE, sinks, 10);
    check_uint(nics[1].result, BEGIN + 1000 + 10 * 4000 + LATENCY);
    check_uint(nics[2].result, BEGIN + 11 * 1000 + 1000 + LATENCY);
}

/* The packet to the other node leaves its link when all but three before it are out. */
static void test_full_switch(void)
{
    run(4 * SIZE, sinks, 20);
    check_uint(nics[1].result, BEGIN + 1000 + 20 * 4000 + LATENCY);
    check_uint(nics[2].result, BEGIN + 1000 + 17 * 4000 + 1000 + 1000 + LATENCY);
}

/* The last node sends to the one before the slow one: through the same switch, so it waits too. */
static void late_sender(struct weft_nic *nic)
{
    await_time(nic, BEGIN + 50000);
    send_to(nic, 0, 1, SIZE);
}

static void sender_of_many(struct weft_nic *nic)
{
    nic->queued = 1000;
    await_packets(nic, 1);
    nic->result = now(nic);
    nic->queued = 0;
}

static void test_other_links(void)
{
    struct weft_sim_config config = usual(3);
    config.bandwidth = PAYLOAD;
    config.buffer = 4 * PAYLOAD;
    const uint64_t slow[] = {PAYLOAD, PAYLOAD / 16, PAYLOAD};
    config.sinks = slow;
    struct weft_sim *sim = make(&config);
    nics[1].rounds = 1;
    start(sim, 0, sender_of_many);
    start(sim, 1, receiver);
    start(sim, 2, late_sender);
    check_int(weft_sim_run(sim), 0);
    /* It came at 50,500; the next packet for the slow node is out of the switch at 65,000. */
    check(nics[0].result > 65000);
    check(nics[0].refusals > 0);
    weft_sim_destroy(sim);
}

int main(void)
{
    test_ports();
    test_full_switch();
    test_other_links();
    return tap_done();
}
