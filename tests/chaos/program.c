/* SPDX-License-Identifier: BSD-3-Clause */
/* The program of a node: opens everything, takes random steps, waits until all is quiet, and
 * checks that nothing is left. */
#include "chaos/chain.h"
#include "chaos/scene.h"

enum phase { QUIET, RELEASED, CLOSED, GONE };

/* ---- Opening ------------------------------------------------------------------------------ */

static void set_map(struct node *node, ptl_handle_ni_t ni)
{
    ptl_process_t map[SCENARIO_NODES];
    const struct scene *scene = node->scene;
    for (unsigned i = 0; i < scene->scenario.world.nodes; i++)
        map[scene->scenario.ranks[i]] = scene_process(scene, PTL_NI_PHYSICAL, i);
    if (PtlSetMap(ni, scene->scenario.world.nodes, map) != PTL_OK)
        scene_fail(node->scene, node->number, "PtlSetMap fails");
}

ptl_handle_ni_t program_open_interface(struct node *node, unsigned interface,
                                       const ptl_ni_limits_t *desired, ptl_ni_limits_t *limits)
{
    ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
    int result = PtlNIInit(PTL_IFACE_DEFAULT, interface, PTL_PID_ANY, desired, limits, &ni);
    if (result != PTL_OK)
        scene_fail(node->scene, node->number, "PtlNIInit returns %d", result);
    else if (interface & PTL_NI_LOGICAL)
        set_map(node, ni);
    return ni;
}

/* Without a pause in between: what is sent to a node waits until all of it is there. */
static void open_all(struct node *node)
{
    const struct scenario *scenario = &node->scene->scenario;
    PtlInit();
    run_pause(rng_below(&node->rng, 4 * scenario->pace));
    node->ni =
        program_open_interface(node, scenario->interface, &scenario->limits, &node->target.limits);
    if (PtlEQAlloc(node->ni, SCENE_OPS, &node->queue) != PTL_OK)
        scene_fail(node->scene, node->number, "PtlEQAlloc fails");
    bind_open(node);
    post_open(node);
    chain_open_node(node);
}

/* ---- Steps -------------------------------------------------------------------------------- */

static void issue_bundle(struct node *node)
{
    PtlStartBundle(node->ni);
    for (size_t i = rng_below(&node->rng, 4); i > 0; i--)
        issue_random(node);
    if (PtlEndBundle(node->ni) != PTL_OK)
        scene_fail(node->scene, node->number, "PtlEndBundle fails");
}

static void do_something(struct node *node)
{
    size_t choice = rng_below(&node->rng, 100);
    if (choice < 50)
        issue_random(node);
    else if (choice < 53)
        issue_bundle(node);
    else if (choice < 74)
        post_append(node);
    else if (choice < 80)
        post_search(node);
    else if (choice < 88)
        post_unlink(node);
    else if (choice < 91)
        post_trigger(node);
    else if (choice < 93)
        post_fire(node);
    else if (choice < 95)
        post_disable(node);
    else if (choice < 97)
        bind_again(node, (unsigned)rng_below(&node->rng, SCENE_MDS));
    else if (choice < 98)
        post_count(node);
    else if (choice < 99)
        post_free(node);
    else
        target_check_memory(&node->target);
}

static void step(struct node *node)
{
    uint32_t pace = node->scene->scenario.pace;
    if (!rng_one_in(&node->rng, 3))
        run_pause(rng_below(&node->rng, pace + 1));
    drain_some(node, rng_one_in(&node->rng, 3) ? SCENE_OPS : (unsigned)rng_below(&node->rng, 5));
    post_enable_due(node);
    issue_refused_again(node);
    do_something(node);
    chain_step(node);
}

/* ---- The end ------------------------------------------------------------------------------ */

static bool is_quiet(const struct scene *scene)
{
    if (run_has_last_words(&scene->run, &scene->scenario.world))
        return false;
    for (unsigned i = 0; i < scene->op_count; i++)
        if (!scene_is_dead(scene, scene->ops[i]->initiator->number) && !op_is_done(scene->ops[i]))
            return false;
    for (unsigned i = 0; i < scene->scenario.world.nodes; i++)
        if (!scene_is_dead(scene, i) && target_is_receiving(&scene->nodes[i].target))
            return false;
    return chain_is_quiet(scene);
}

static void drain_both(struct node *node)
{
    drain_all(node);
    chain_drain(node);
}

static void check_guards(struct node *node)
{
    for (size_t i = 0; i < SCENE_SLOTS * SCENE_SLOT; i++)
        if (node->landing[i] != SCENE_GUARD) {
            scene_fail(node->scene, node->number, "a reply wrote where no reply was due");
            return;
        }
}

static void close_all(struct node *node)
{
    post_close(node);
    chain_close_node(node);
    check_guards(node);
    drain_both(node);
    if (PtlEQFree(node->queue) != PTL_OK)
        scene_fail(node->scene, node->number, "PtlEQFree fails");
}

void program_run(unsigned number, void *argument)
{
    struct scene *scene = argument;
    struct node *node = &scene->nodes[number];
    open_all(node);
    for (unsigned i = 0; i < scene->scenario.steps && !scene->run.has_failed; i++)
        step(node);
    chain_finish(node);
    scene_wait(node, QUIET, is_quiet, drain_both);
    if (!scene->run.has_failed)
        bind_close(node);
    scene_wait(node, RELEASED, NULL, NULL);
    if (!scene->run.has_failed)
        close_all(node);
    scene_wait(node, CLOSED, NULL, NULL);
    if (scene->run.has_failed)
        return;
    node->is_closed = true;
    chain_gone(node);
    if (PtlNIFini(node->ni) != PTL_OK)
        scene_fail(scene, number, "PtlNIFini fails");
    PtlFini();
}
