/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/simulate.h"

#include <errno.h>
#include <stdlib.h>

#include "portals/process.h"

struct node {
    struct weft_portals_process process;
    unsigned number;
    void (*program)(unsigned node, void *argument);
    bool (*react)(unsigned node, void *argument, struct weft_sim_turn *turn);
    void *argument;
};

static void enter(void *context)
{
    struct node *node = context;
    weft_portals_process_become(&node->process);
}

static uint64_t step(void *context)
{
    struct weft_portals_process *process = &((struct node *)context)->process;
    uint64_t deadline = UINT64_MAX;
    pthread_mutex_lock(&process->lock);
    if (process->nic) {
        process->world->ops->check(process->world, process->nic);
        weft_portals_process_step(process);
        deadline = weft_nic_deadline(process->nic);
    }
    pthread_mutex_unlock(&process->lock);
    return deadline;
}

static void run(void *argument)
{
    struct node *node = argument;
    node->program(node->number, node->argument);
}

static bool react(void *argument, struct weft_sim_turn *turn)
{
    struct node *node = argument;
    return node->react(node->number, node->argument, turn);
}

static int start(struct weft_sim *sim, struct node *node, const struct weft_sim_config *config,
                 const ptl_process_t *map)
{
    weft_portals_process_init(&node->process);
    node->process.nic_config = config->nic;
    node->process.shared_map = map;
    node->process.world = weft_sim_world(sim, node->number);
    node->process.world_is_given = true;
    if (!node->react)
        return weft_sim_start(sim, node->number, run, node, node);
    /* It sleeps between its turns, without a call that says so. */
    atomic_store(&node->process.sleepers, 1);
    return weft_sim_start_reacting(sim, node->number, react, node, node);
}

static int plan_crashes(struct weft_sim *sim, const struct weft_portals_plan *plan)
{
    int result = 0;
    for (unsigned i = 0; result == 0 && i < plan->crash_count; i++)
        result = weft_sim_crash(sim, plan->crashes[i].node, plan->crashes[i].when);
    return result;
}

/* What programs that crashed could not give back. */
static void clean_up(struct node *nodes, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct weft_portals_process *process = &nodes[i].process;
        weft_portals_process_become(process);
        /* A program that crashed in its sleep will never come home. */
        atomic_store(&process->visitors, 0);
        if (process->nic)
            weft_portals_process_close(process);
    }
    weft_portals_process_become(NULL);
}

int weft_portals_simulate_plan(const struct weft_sim_config *config,
                               void (*program)(unsigned node, void *argument), void *argument,
                               const struct weft_portals_plan *plan)
{
    struct weft_sim_config ours = *config;
    ours.enter = enter;
    ours.step = step;
    struct weft_sim *sim = weft_sim_create(&ours);
    if (!sim)
        return -errno;
    struct node *nodes = calloc(config->nodes, sizeof *nodes);
    int result = nodes ? 0 : -ENOMEM;
    for (unsigned i = 0; result == 0 && i < config->nodes; i++) {
        nodes[i].number = i;
        nodes[i].program = program;
        nodes[i].react = plan->react;
        nodes[i].argument = argument;
        result = start(sim, &nodes[i], config, plan->map);
    }
    if (result == 0)
        result = plan_crashes(sim, plan);
    if (result == 0)
        result = weft_sim_run(sim);
    if (plan->totals)
        *plan->totals = weft_sim_totals(sim);
    if (plan->end)
        *plan->end = weft_sim_now(sim);
    if (nodes)
        clean_up(nodes, config->nodes);
    free(nodes);
    weft_sim_destroy(sim);
    return result;
}

int weft_portals_simulate(const struct weft_sim_config *config,
                          void (*program)(unsigned node, void *argument), void *argument)
{
    return weft_portals_simulate_plan(config, program, argument, &(struct weft_portals_plan){0});
}
