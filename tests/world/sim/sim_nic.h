/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A NIC for the tests of the world in virtual time, to be included by one file of a program: with
 * the functions that the world calls defined here, the library's are not linked. It writes down
 * what arrives, wakes its program, and sends what it is told to.
 */
#ifndef WEFT_TESTS_UNIT_SIM_NIC_H
#define WEFT_TESTS_UNIT_SIM_NIC_H

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "nic/nic.h"
#include "support/tap.h"
#include "world/sim/sim.h"

#define PAYLOAD 2048u
#define LATENCY 1000u
#define TIMEOUT 1000000u
#define MOST_NODES 1000u

struct weft_nic_peer {
    struct weft_nic_address address;
};

/* A node: its NIC, its program and what they saw. */
struct weft_nic {
    struct weft_nic_world *world;
    struct weft_sim *sim;
    void (*body)(struct weft_nic *nic);
    unsigned number;
    bool closed;
    bool quiet;          /* packets do not wake the program */
    uint64_t deadline;   /* what `step` returns */
    uint64_t period;     /* if not 0, `step` moves the deadline on by this */
    uint64_t busy_until; /* `step` asks for another one at once until then */
    unsigned steps;
    uint64_t last_step;
    struct weft_nic_peer peer; /* whose packet is being received */
    unsigned arrived;
    uint64_t arrival;   /* time of the last */
    uint32_t from;      /* and its sender's nid */
    uint64_t number_in; /* and what it said */
    size_t size;
    bool ordered; /* the numbers of all of them went up by one */
    uint64_t log; /* hash of all of that, in order */
    unsigned failures;
    uint64_t failure_time;
    unsigned arrived_before_failure;
    uint32_t failed_nid;
    unsigned queued; /* packets that `step` is to send to the next node */
    unsigned refusals;
    unsigned rounds;
    uint64_t result;
};

static struct weft_nic nics[MOST_NODES];
static struct weft_nic *current;
static unsigned wrong_current;

static inline uint64_t now(const struct weft_nic *nic)
{
    return nic->world->ops->now(nic->world);
}

struct weft_nic_peer *weft_nic_peer(struct weft_nic *nic, struct weft_nic_address address)
{
    nic->peer.address = address;
    return &nic->peer;
}

bool weft_nic_peer_waits(struct weft_nic *nic, struct weft_nic_peer *peer)
{
    (void)nic;
    (void)peer;
    return false;
}

void weft_nic_receive(struct weft_nic *nic, struct weft_nic_peer *peer, const void *bytes,
                      size_t size)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    nic->ordered = nic->ordered && value == nic->number_in + 1;
    nic->arrived++;
    nic->arrival = now(nic);
    nic->from = peer->address.nid;
    nic->number_in = value;
    nic->size = size;
    nic->log = weft_hash_mix(nic->log, nic->arrival);
    nic->log = weft_hash_mix(nic->log, value ^ (uint64_t)nic->from << 32);
    wrong_current += current != nic;
    if (!nic->quiet)
        nic->world->ops->wake(nic->world);
}

void weft_nic_peer_failed(struct weft_nic *nic, struct weft_nic_address address)
{
    nic->failures++;
    nic->failure_time = now(nic);
    nic->arrived_before_failure = nic->arrived;
    nic->failed_nid = address.nid;
    nic->world->ops->wake(nic->world);
}

static inline bool send_value(struct weft_nic *nic, struct weft_nic_address address,
                              uint64_t value, size_t size)
{
    const struct weft_nic_world_ops *ops = nic->world->ops;
    struct weft_nic_route *route = ops->route(nic->world, address);
    void *bytes = ops->reserve(route, size);
    if (!bytes)
        return false;
    memset(bytes, 0, size);
    memcpy(bytes, &value, sizeof value);
    ops->commit(route, size);
    return true;
}

static inline struct weft_nic_address address_of(unsigned node)
{
    return (struct weft_nic_address){.nid = node + 1, .pid = 1};
}

static inline bool send_to(struct weft_nic *nic, unsigned node, uint64_t value, size_t size)
{
    return send_value(nic, address_of(node), value, size);
}

static inline void enter(void *context)
{
    current = context;
}

static inline uint64_t step(void *context)
{
    struct weft_nic *nic = context;
    wrong_current += current != nic;
    nic->steps++;
    nic->last_step = now(nic);
    if (nic->closed)
        return UINT64_MAX;
    nic->world->ops->poll(nic->world, nic);
    while (nic->queued && send_to(nic, nic->number + 1, nic->result + 1, PAYLOAD)) {
        nic->result++;
        nic->queued--;
    }
    nic->refusals += nic->queued > 0;
    if (now(nic) < nic->busy_until)
        return 0;
    if (nic->period)
        nic->deadline = now(nic) + nic->period;
    return nic->deadline > now(nic) ? nic->deadline : UINT64_MAX;
}

static inline void program(void *argument)
{
    struct weft_nic *nic = argument;
    nic->body(nic);
}

static inline void sleep_until(struct weft_nic *nic, uint64_t until)
{
    wrong_current += current != nic;
    nic->world->ops->sleep(nic->world, until);
    wrong_current += current != nic;
}

static inline void await_packets(struct weft_nic *nic, unsigned count)
{
    while (nic->arrived < count)
        sleep_until(nic, UINT64_MAX);
}

static inline void await_time(struct weft_nic *nic, uint64_t time)
{
    while (now(nic) < time)
        sleep_until(nic, time);
}

static inline void do_nothing(struct weft_nic *nic)
{
    nic->result = now(nic);
}

static inline struct weft_sim_config usual(unsigned nodes)
{
    return (struct weft_sim_config){
        .nodes = nodes,
        .seed = 1,
        .latency = LATENCY,
        .packet_size = PAYLOAD,
        .timeout = TIMEOUT,
        .reliable = true,
        .limit = UINT64_C(1000000000),
        .enter = enter,
        .step = step,
    };
}

static inline struct weft_sim *make(const struct weft_sim_config *config)
{
    struct weft_sim *sim = weft_sim_create(config);
    if (!sim)
        abort();
    for (unsigned i = 0; i < config->nodes; i++)
        nics[i] = (struct weft_nic){.world = weft_sim_world(sim, i),
                                    .sim = sim,
                                    .number = i,
                                    .ordered = true,
                                    .deadline = UINT64_MAX};
    return sim;
}

static inline void start(struct weft_sim *sim, unsigned node, void (*body)(struct weft_nic *nic))
{
    nics[node].body = body;
    if (weft_sim_start(sim, node, program, &nics[node], &nics[node]) != 0)
        abort();
}

static inline void sender(struct weft_nic *nic)
{
    await_time(nic, 500);
    for (unsigned i = 1; i <= nic->rounds; i++)
        send_to(nic, 1, i, 1000);
    nic->result = now(nic);
}

#endif
