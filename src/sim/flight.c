/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/flight.h"

#include "base/random.h"

uint64_t weft_sim_flight_random(uint64_t seed, uint32_t node)
{
    /* Two rounds, as states a constant apart would give one sequence twice. */
    uint64_t state = seed;
    state = weft_random_next(&state) ^ (node + 1);
    return weft_random_next(&state);
}

static bool happens(uint64_t *random, uint32_t chance)
{
    return (weft_random_next(random) >> 32) * WEFT_SIM_MILLION >> 32 < chance;
}

static void arrive(void *argument)
{
    weft_sim_network_deliver(argument);
}

void weft_sim_flight_land(struct weft_sim_packet *packet)
{
    struct weft_sim_engine *engine = packet->network->engine;
    packet->departure = engine->now;
    weft_sim_engine_post(engine, engine->now, arrive, packet);
}

/* By how much the path that a packet takes is longer than the shortest. */
static uint64_t detour(const struct weft_sim_network_config *config, uint64_t *random)
{
    if (config->paths <= 1)
        return 0;
    return weft_random_next(random) % config->paths * config->path_delay;
}

/* Every copy of a packet takes a path of its own, and is late or not for itself. */
static void fly(struct weft_sim_packet *packet, const struct weft_sim_network_config *config,
                uint64_t *random)
{
    struct weft_sim_network *network = packet->network;
    uint64_t now = network->engine->now;
    uint64_t begin = packet->departure > now ? packet->departure : now;
    uint64_t arrival =
        weft_sim_later(weft_sim_later(begin, config->latency), detour(config, random));
    if (config->reorder && happens(random, config->reorder)) {
        arrival = weft_sim_later(arrival, 1 + weft_random_next(random) % config->reorder_delay);
        network->reordered++;
    }
    weft_sim_engine_post(network->engine, arrival, arrive, packet);
}

static void fly_twice(struct weft_sim_packet *packet, const struct weft_sim_network_config *config,
                      uint64_t *random)
{
    struct weft_sim_network *network = packet->network;
    struct weft_sim_packet *copy = network->user.copy(network->user.self, packet);
    if (!copy) {
        network->engine->starved = true;
        return;
    }
    copy->network = network;
    copy->departure = packet->departure;
    network->under_way++;
    network->duplicated++;
    fly(packet, config, random);
    fly(copy, config, random);
}

static void get_lost(struct weft_sim_packet *packet)
{
    struct weft_sim_network *network = packet->network;
    network->under_way--;
    network->lost++;
    network->user.lose(network->user.self, packet);
}

void weft_sim_flight_begin(struct weft_sim_packet *packet,
                           const struct weft_sim_network_config *config, uint64_t *random)
{
    bool is_faulty = config->loss || config->duplicate || config->reorder;
    /* Both are drawn for each packet, so that one chance does not shift the other's luck. */
    bool lost = is_faulty && happens(random, config->loss);
    bool twice = is_faulty && happens(random, config->duplicate);
    if (lost)
        get_lost(packet);
    else if (twice)
        fly_twice(packet, config, random);
    else
        fly(packet, config, random);
}
