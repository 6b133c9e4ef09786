/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a node: its program, which waits and is woken, and the steps of its NIC. */
#include <errno.h>

#include "packet/packet.h"
#include "world/sim/state.h"

/* A NIC that has more to do is stepped again at once, but a NIC that always says so must not stop
 * the time: after so many turns it waits as long as a program that polls. */
#define TURNS 64

/* ---- The NIC ------------------------------------------------------------------------------ */

static uint64_t step_once(struct weft_sim_node *node)
{
    struct weft_sim *sim = node->sim;
    uint32_t waiting = node->inbox.count;
    sim->config.enter(node->context);
    uint64_t next = sim->config.step(node->context);
    /* A program that has not opened its NIC yet takes nothing: it will when it next waits. */
    return node->inbox.count && node->inbox.count < waiting ? sim->engine.now : next;
}

void weft_sim_node_step(struct weft_sim_node *node)
{
    struct weft_sim *sim = node->sim;
    if (node->gone || !node->is_started)
        return;
    uint64_t next = sim->engine.now;
    for (int turn = 0; turn < TURNS && next <= sim->engine.now && !node->gone; turn++)
        next = step_once(node);
    if (node->gone)
        return;
    if (next <= sim->engine.now)
        next = sim->engine.now + WEFT_SIM_RELAX;
    uint64_t room = weft_sim_port_room(node);
    weft_sim_engine_set(&sim->engine, &node->step, next < room ? next : room);
}

static void step(void *argument)
{
    weft_sim_node_step(argument);
}

/* ---- The program -------------------------------------------------------------------------- */

static void run_program(void *argument)
{
    struct weft_sim_node *node = argument;
    node->program(node->argument);
}

static int launch(struct weft_sim_node *node, void *argument, void *context)
{
    struct weft_sim *sim = node->sim;
    node->argument = argument;
    node->context = context;
    node->is_started = node->runs = true;
    sim->programs++;
    weft_sim_engine_set(&sim->engine, &node->resume, sim->engine.now);
    return sim->engine.starved ? -ENOMEM : 0;
}

int weft_sim_start(struct weft_sim *sim, unsigned number, void (*program)(void *), void *argument,
                   void *context)
{
    struct weft_sim_node *node = &sim->nodes[number];
    if (node->runs || node->crashed)
        return -EBUSY;
    node->coroutine = weft_sim_coroutine_create(sim->config.stack, run_program, node);
    if (!node->coroutine)
        return -ENOMEM;
    node->program = program;
    node->react = NULL;
    return launch(node, argument, context);
}

int weft_sim_start_reacting(struct weft_sim *sim, unsigned number,
                            bool (*react)(void *, struct weft_sim_turn *turn), void *argument,
                            void *context)
{
    struct weft_sim_node *node = &sim->nodes[number];
    if (node->runs || node->crashed)
        return -EBUSY;
    node->react = react;
    return launch(node, argument, context);
}

static void end_program(struct weft_sim_node *node)
{
    weft_sim_coroutine_destroy(node->coroutine);
    node->coroutine = NULL;
    node->runs = false;
    node->sim->programs--;
}

/* Whoever woke it while it ran may have come too late to be seen. */
static bool let_react(struct weft_sim_node *node)
{
    struct weft_sim_engine *engine = &node->sim->engine;
    struct weft_sim_turn turn = {.now = engine->now, .next = WEFT_SIM_NEVER};
    if (node->react(node->argument, &turn))
        return true;
    weft_sim_engine_set(engine, &node->resume, node->woken ? engine->now : turn.next);
    node->asleep = !node->woken;
    node->woken = false;
    return false;
}

static bool let_run(struct weft_sim_node *node)
{
    node->sim->running = node;
    bool ended = weft_sim_coroutine_resume(node->coroutine);
    node->sim->running = NULL;
    return ended;
}

static void resume(void *argument)
{
    struct weft_sim_node *node = argument;
    struct weft_sim *sim = node->sim;
    node->asleep = false;
    sim->totals.resumes++;
    sim->config.enter(node->context);
    if (node->react ? let_react(node) : let_run(node))
        end_program(node);
    /* What the program did may need to be sent, or to be seen to later. */
    weft_sim_node_step(node);
}

static void park(struct weft_sim_node *node, uint64_t until)
{
    weft_sim_engine_set(&node->sim->engine, &node->resume, until);
    weft_sim_coroutine_suspend(node->coroutine);
}

void weft_sim_sleep(struct weft_nic_world *world, uint64_t until)
{
    struct weft_sim_node *node = weft_sim_node_of(world);
    if (node->sim->running != node || until <= node->sim->engine.now)
        return;
    if (node->woken) {
        node->woken = false;
        return;
    }
    node->asleep = true;
    park(node, until);
}

void weft_sim_wake(struct weft_nic_world *world)
{
    struct weft_sim_node *node = weft_sim_node_of(world);
    if (node->asleep) {
        node->asleep = false;
        weft_sim_engine_set(&node->sim->engine, &node->resume, node->sim->engine.now);
    } else {
        node->woken = true;
    }
}

void weft_sim_relax(struct weft_nic_world *world)
{
    struct weft_sim_node *node = weft_sim_node_of(world);
    if (node->sim->running == node)
        park(node, node->sim->engine.now + WEFT_SIM_RELAX);
}

/* ---- The end ------------------------------------------------------------------------------ */

void weft_sim_close(struct weft_nic_world *world)
{
    struct weft_sim_node *node = weft_sim_node_of(world);
    if (node->gone)
        return;
    node->gone = true;
    weft_sim_engine_stop(&node->sim->engine, &node->step);
    weft_sim_inbox_clear(node);
    weft_sim_route_lose(node);
}

static void crash(void *argument)
{
    struct weft_sim_node *node = argument;
    if (node->crashed)
        return;
    node->crashed = true;
    node->crash_time = node->sim->engine.now;
    node->asleep = false;
    weft_sim_engine_stop(&node->sim->engine, &node->resume);
    weft_sim_close(&node->world);
    /* Its stack stays until the end: others may hold addresses of what lies there. */
    if (node->runs)
        node->sim->programs--;
}

int weft_sim_crash(struct weft_sim *sim, unsigned node, uint64_t when)
{
    weft_sim_engine_post(&sim->engine, when, crash, &sim->nodes[node]);
    return sim->engine.starved ? -ENOMEM : 0;
}

/* Whether packets may overtake each other. Routers that make detours let them. */
static bool lets_overtake(const struct weft_sim_config *config)
{
    return config->paths > 1 || config->reorder ||
           (config->routers && config->routers->routing.kind != WEFT_SIM_MINIMAL);
}

void weft_sim_node_init(struct weft_sim_node *node, struct weft_sim *sim, unsigned number)
{
    node->sim = sim;
    node->world = (struct weft_nic_world){
        .ops = &sim->ops,
        .self = {.nid = number + 1, .pid = WEFT_SIM_PID},
        .uid = WEFT_SIM_UID,
        .packet_size = sim->config.packet_size + (uint32_t)WEFT_PACKET_HEADERS,
        .reliable = sim->config.reliable,
        .reorders = lets_overtake(&sim->config),
        .timeout = sim->config.timeout,
    };
    node->resume = (struct weft_sim_timer){.act = resume, .argument = node};
    node->step = (struct weft_sim_timer){.act = step, .argument = node};
    weft_sim_queue_init(&node->inbox);
    node->failed_end = &node->failed;
}

void weft_sim_node_fini(struct weft_sim_node *node)
{
    weft_sim_coroutine_destroy(node->coroutine);
    weft_sim_inbox_clear(node);
    weft_sim_routes_fini(&node->routes);
}
