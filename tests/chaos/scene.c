/* SPDX-License-Identifier: BSD-3-Clause */
#include "chaos/scene.h"

#include <stdlib.h>
#include <string.h>

#include "chaos/chain.h"

/* ---- Services ----------------------------------------------------------------------------- */

bool scene_is_dead(const struct scene *scene, unsigned node)
{
    return node == SCENARIO_GHOST || run_is_dead(&scene->run, node);
}

bool scene_has_crashes(const struct scene *scene)
{
    return scene->scenario.crash_count;
}

ptl_process_t scene_process(const struct scene *scene, unsigned interface, unsigned node)
{
    if (interface & PTL_NI_LOGICAL)
        return (ptl_process_t){.rank = scene->scenario.ranks[node]};
    return (ptl_process_t){.phys = {node + 1, WEFT_SIM_PID}};
}

void scene_wait(struct node *node, unsigned phase, bool (*is_idle)(const struct scene *scene),
                void (*work)(struct node *node))
{
    struct scene *scene = node->scene;
    uint64_t nap = 0;
    run_arrive(&scene->run, node->number, phase);
    while (!scene->run.has_failed) {
        if (work)
            work(node);
        if (run_all_present(&scene->run, phase) && (!is_idle || is_idle(scene)))
            return;
        run_nap(&nap);
    }
}

/* ---- Life --------------------------------------------------------------------------------- */

/* What is sent: drawn once, and the same after every run. */
static struct {
    unsigned char bytes[SCENE_PATTERN];
    unsigned char copy[SCENE_PATTERN];
} pattern;

__attribute__((constructor)) static void draw_pattern(void)
{
    struct rng rng = {1};
    for (unsigned i = 0; i < SCENE_PATTERN; i++)
        pattern.bytes[i] = pattern.copy[i] = (unsigned char)rng_next(&rng);
}

static bool open_node(struct scene *scene, unsigned number)
{
    struct node *node = &scene->nodes[number];
    node->scene = scene;
    node->number = number;
    node->rng = rng_stream(scene->scenario.seed, number + 1);
    node->target.scene = scene;
    node->target.number = number;
    const size_t area = TARGET_AREA, landing = SCENE_SLOTS * SCENE_SLOT;
    unsigned char *memory = malloc(2 * area + 2 * landing + SCENE_SCRATCH);
    if (!memory)
        return false;
    memset(memory, SCENE_GUARD, 2 * area + 2 * landing + SCENE_SCRATCH);
    node->target.area = memory;
    node->target.shadow = memory + area;
    node->landing = node->target.shadow + area;
    node->replies = node->landing + landing;
    node->scratch = node->replies + landing;
    return true;
}

static void draw_pairs(struct scene *scene)
{
    struct rng rng = rng_stream(scene->scenario.seed, SCENARIO_NODES + 1);
    for (unsigned from = 0; from <= SCENARIO_GHOST; from++)
        for (unsigned to = 0; to <= SCENARIO_GHOST; to++) {
            struct pair *pair = &scene->pairs[from][to];
            pair->is_chained = to != SCENARIO_GHOST && rng_one_in(&rng, 4);
            pair->is_mute = scene->scenario.is_sparse && !rng_one_in(&rng, 4);
            pair->end = pair->arrival = &pair->first;
        }
    for (unsigned i = 0; i <= SCENARIO_GHOST; i++)
        for (unsigned j = 0; j < TARGET_TABLES; j++)
            scene->nodes[i].target.tables[j].index = 1 + 7 * j;
}

static bool open_scene(struct scene *scene, const struct scenario *scenario, FILE *trace_file)
{
    scene->scenario = *scenario;
    scene->scenario.world.trace = wire_trace;
    scene->scenario.world.trace_argument = scene;
    scene->pattern = pattern.bytes;
    scene->run.trace_file = trace_file;
    scene->run.plan.crashes = scene->scenario.crashes;
    scene->run.plan.crash_count = scenario->crash_count;
    for (unsigned i = 0; i < scenario->world.nodes; i++)
        if (!open_node(scene, i))
            return false;
    draw_pairs(scene);
    scene->chain = chain_open(scene);
    return scene->chain;
}

static void close_scene(struct scene *scene)
{
    for (unsigned i = 0; i < scene->scenario.world.nodes; i++) {
        struct target *target = &scene->nodes[i].target;
        for (unsigned j = 0; j < TARGET_TABLES; j++)
            queue_close(&target->queues[j]);
        free(target->area);
    }
    run_close(&scene->run);
    free(scene);
}

/* Programs that hang cannot say what they wait for. */
static void explain_hang(struct scene *scene, int code)
{
    for (unsigned i = 0; i < scene->op_count; i++) {
        const struct op *op = scene->ops[i];
        if (scene_is_dead(scene, op->initiator->number) || op_is_done(op))
            continue;
        scene_fail(scene, op->initiator->number,
                   "the simulation ends with %d; arrived %d, ended %d, %u SEND, %u results of %s",
                   code, op->arrived, op->ended, op->sends, op->results, op_text(op));
        return;
    }
    for (unsigned i = 0; i < scene->scenario.world.nodes; i++)
        if (!scene_is_dead(scene, i) && target_is_receiving(&scene->nodes[i].target))
            scene_fail(scene, i, "the simulation ends with %d; half a message stays here", code);
    chain_explain(scene);
    scene_fail(scene, 0, "the simulation ends with %d", code);
}

struct outcome scene_run(const struct scenario *scenario, FILE *trace_file)
{
    struct outcome result = {.holds = false};
    struct scene *scene = calloc(1, sizeof *scene);
    if (!scene || !open_scene(scene, scenario, trace_file)) {
        snprintf(result.complaint, sizeof result.complaint, "the test is out of memory");
        if (scene)
            close_scene(scene);
        return result;
    }
    int code = run_simulate(&scene->run, &scene->scenario.world, program_run, scene);
    if (code != 0 && !scene->run.has_failed)
        explain_hang(scene, code);
    if (memcmp(pattern.bytes, pattern.copy, SCENE_PATTERN) != 0)
        scene_fail(scene, 0, "the source of puts was written to");
    result.holds = !scene->run.has_failed;
    memcpy(result.complaint, scene->run.complaint, sizeof result.complaint);
    result.trace_hash = scene->run.trace_hash;
    result.ops = scene->op_count;
    result.packets = scene->run.totals.sent;
    result.end = scene->run.end;
    close_scene(scene);
    return result;
}
