/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulation from its beginning to its end: nodes, and the engine that they run on. */
#include "world/sim/sim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "packet/packet.h"
#include "trace/ring.h"
#include "world/sim/state.h"

#define USUAL_STACK ((size_t)256 << 10)
#define NAMED_AT_MOST 16u

/* ---- Running ------------------------------------------------------------------------------ */

static bool waits(const struct weft_sim_node *node)
{
    return node->runs && !node->crashed;
}

static int stuck(struct weft_sim *sim, int error)
{
    char list[NAMED_AT_MOST * 12 + 1] = "";
    size_t length = 0;
    unsigned named = 0;
    for (unsigned i = 0; i < sim->config.nodes && named < NAMED_AT_MOST; i++)
        if (waits(&sim->nodes[i])) {
            length += (size_t)snprintf(list + length, sizeof list - length, " %u", i);
            named++;
        }
    weft_log(WEFT_LOG_ERROR,
             "simulation: stuck at %llu ns, %s: %u of %u programs still wait, on nodes%s%s",
             (unsigned long long)sim->engine.now,
             error == -EDEADLK ? "nothing can happen any more"
                               : "the limit of virtual time is reached (raise it if this is slow)",
             (unsigned)sim->programs, sim->config.nodes, list,
             sim->programs > named ? " and more" : "");
    return error;
}

static int out_of_memory(const struct weft_sim *sim)
{
    weft_log(WEFT_LOG_ERROR, "simulation: out of memory at %llu ns; simulate fewer nodes",
             (unsigned long long)sim->engine.now);
    return -ENOMEM;
}

int weft_sim_run(struct weft_sim *sim)
{
    struct weft_sim_engine *engine = &sim->engine;
    uint64_t limit = weft_sim_later(engine->now, sim->config.limit);
    while (sim->programs && weft_sim_engine_step(engine, limit))
        continue;
    if (sim->programs && !engine->starved)
        return stuck(sim, weft_sim_engine_next(engine) == WEFT_SIM_NEVER ? -EDEADLK : -ETIMEDOUT);
    uint64_t drained = weft_sim_later(engine->now, sim->config.timeout);
    while (sim->network->under_way &&
           weft_sim_engine_step(engine, drained < limit ? drained : limit))
        continue;
    return engine->starved ? out_of_memory(sim) : 0;
}

uint64_t weft_sim_now(const struct weft_sim *sim)
{
    return sim->engine.now;
}

struct weft_sim_totals weft_sim_totals(const struct weft_sim *sim)
{
    struct weft_sim_totals totals = sim->totals;
    totals.lost = sim->network->lost;
    totals.duplicated = sim->network->duplicated;
    totals.reordered = sim->network->reordered;
    totals.events = sim->engine.events;
    return totals;
}

struct weft_nic_world *weft_sim_world(struct weft_sim *sim, unsigned node)
{
    return &sim->nodes[node].world;
}

/* ---- The ends of a simulation ------------------------------------------------------------- */

static uint64_t now(struct weft_nic_world *world)
{
    return weft_sim_node_of(world)->sim->engine.now;
}

static void trace(struct weft_nic_world *world, const struct weft_trace_line *record)
{
    const struct weft_sim_config *config = &weft_sim_node_of(world)->sim->config;
    if (config->trace)
        config->trace(config->trace_argument, world->self.nid - 1, record);
    if (config->ring)
        weft_trace_ring_add(config->ring, &(struct weft_trace_record){.trace = *record,
                                                                      .nid = world->self.nid,
                                                                      .pid = world->self.pid});
}

static const struct weft_nic_world_ops operations = {
    .now = now,
    .route = weft_sim_route,
    .reserve = weft_sim_reserve,
    .commit = weft_sim_commit,
    .poll = weft_sim_poll,
    .check = weft_sim_check,
    .sleep = weft_sim_sleep,
    .wake = weft_sim_wake,
    .relax = weft_sim_relax,
    .trace = trace,
    .close = weft_sim_close,
};

/* NULL if it makes sense. */
static const char *objection_to_routers(const struct weft_sim_config *config)
{
    const struct weft_sim_fabric_config *routers = config->routers;
    if (config->nodes != routers->topology->nodes)
        return "routers connect the nodes of their topology: there must be as many";
    if ((uint64_t)routers->packet * routers->flit_size < config->packet_size + WEFT_PACKET_HEADERS)
        return "the longest packet of routers must have room for payload and headers";
    if (!config->reliable)
        return "routers lose nothing: the world must be reliable";
    if (config->latency || config->bandwidth || config->buffer || config->sinks ||
        config->paths > 1)
        return "routers have latencies, rates, buffers and paths of their own";
    return NULL;
}

/* NULL if it makes sense. */
static const char *objection(const struct weft_sim_config *config)
{
    const uint32_t smallest = WEFT_PACKET_SMALLEST - WEFT_PACKET_HEADERS;
    if (config->nodes == 0 || config->nodes == UINT32_MAX)
        return "it needs nodes";
    if (config->packet_size < smallest || config->packet_size > UINT32_MAX - WEFT_PACKET_HEADERS)
        return "packets must have room for an atomic operation";
    if (config->buffer && config->buffer < config->packet_size + WEFT_PACKET_HEADERS)
        return "the switch must have room for a packet";
    if (config->sinks && !config->buffer)
        return "nodes take what comes at any rate unless there is a switch: give it a buffer";
    if (config->reliable && (config->loss || config->duplicate || config->reorder))
        return "a reliable world has no faults: set one or the other";
    if (config->loss > WEFT_SIM_MILLION || config->duplicate > WEFT_SIM_MILLION ||
        config->reorder > WEFT_SIM_MILLION)
        return "a chance is at most one million in a million";
    if (config->reorder && !config->reorder_delay)
        return "packets are not reordered without a delay";
    if (config->paths > 1 && !config->path_delay)
        return "several paths must differ in length";
    if (config->nic.stages && (!config->nic.hpus.count || config->nic.hpus.are_threads))
        return "stages of a NIC take time only where it has HPUs that keep time";
    if (config->routers && objection_to_routers(config))
        return objection_to_routers(config);
    if (!config->limit)
        return "a run must have a limit of time";
    if (!config->enter || !config->step)
        return "nobody says how to enter and to step a node";
    return NULL;
}

struct weft_sim *weft_sim_create(const struct weft_sim_config *config)
{
    const char *wrong = objection(config);
    if (wrong) {
        weft_log(WEFT_LOG_ERROR, "simulation: %s", wrong);
        errno = EINVAL;
        return NULL;
    }
    struct weft_sim *sim = calloc(1, sizeof *sim);
    if (!sim)
        return NULL;
    sim->config = *config;
    if (!sim->config.stack)
        sim->config.stack = USUAL_STACK;
    sim->ops = operations;
    if (!config->trace && !config->ring)
        sim->ops.trace = NULL;
    sim->nodes = calloc(config->nodes, sizeof *sim->nodes);
    if (!sim->nodes || !weft_sim_ports_init(sim)) {
        free(sim->nodes);
        free(sim);
        return NULL;
    }
    for (unsigned i = 0; i < config->nodes; i++)
        weft_sim_node_init(&sim->nodes[i], sim, i);
    return sim;
}

void weft_sim_destroy(struct weft_sim *sim)
{
    if (!sim)
        return;
    for (unsigned i = 0; i < sim->config.nodes; i++)
        weft_sim_node_fini(&sim->nodes[i]);
    weft_sim_ports_fini(sim);
    weft_sim_engine_fini(&sim->engine);
    free(sim->nodes);
    free(sim);
}
