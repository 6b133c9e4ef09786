/* SPDX-License-Identifier: BSD-3-Clause */
#include "chaos/scene.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "chaos/chain.h"
#include "portals/process.h"

/* How long a node that waits for the others sleeps, in nanoseconds. */
#define SHORTEST_NAP 10000u
#define LONGEST_NAP 20000000u

struct block {
    struct block *next;
    alignas(max_align_t) unsigned char bytes[];
};

/* ---- Services ----------------------------------------------------------------------------- */

void scene_fail(struct scene *scene, unsigned node, const char *format, ...)
{
    if (scene->has_failed)
        return;
    scene->has_failed = true;
    int length = snprintf(scene->complaint, sizeof scene->complaint,
                          "node %u at %" PRIu64 " ns: ", node, scene_now(scene));
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(scene->complaint + length, sizeof scene->complaint - (size_t)length, format,
              arguments);
    va_end(arguments);
}

static struct weft_world *world_here(void)
{
    return weft_process_self()->world;
}

uint64_t scene_now(const struct scene *scene)
{
    struct weft_world *world = world_here();
    return world ? world->ops->now(world) : scene->end;
}

void scene_pause(uint64_t nanoseconds)
{
    struct weft_world *world = world_here();
    world->ops->sleep(world, world->ops->now(world) + nanoseconds);
}

bool scene_is_dead(const struct scene *scene, unsigned node)
{
    const struct scenario *scenario = &scene->scenario;
    if (node == SCENARIO_GHOST)
        return true;
    for (unsigned i = 0; i < scenario->crash_count; i++)
        if (scenario->crashes[i].node == node && scene_now(scene) > scenario->crashes[i].when)
            return true;
    return false;
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

/* ---- Waiting for each other --------------------------------------------------------------- */

static bool all_present(const struct scene *scene, unsigned phase)
{
    unsigned nodes = scene->scenario.world.nodes;
    for (unsigned i = 0; i < nodes; i++)
        if (!(scene->present[phase] >> i & 1) && !scene_is_dead(scene, i))
            return false;
    return true;
}

void scene_wait(struct node *node, unsigned phase, bool (*is_idle)(const struct scene *scene),
                void (*work)(struct node *node))
{
    struct scene *scene = node->scene;
    scene->present[phase] |= 1u << node->number;
    uint64_t nap = SHORTEST_NAP;
    for (; !scene->has_failed; nap = nap < LONGEST_NAP ? 2 * nap : nap) {
        if (work)
            work(node);
        if (all_present(scene, phase) && (!is_idle || is_idle(scene)))
            return;
        scene_pause(nap);
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

void *scene_make(struct scene *scene, size_t size)
{
    struct block *block = calloc(1, sizeof *block + size);
    if (!block) {
        scene_fail(scene, 0, "the test is out of memory");
        return NULL;
    }
    block->next = scene->blocks;
    scene->blocks = block;
    return block->bytes;
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
    scene->trace_file = trace_file;
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
    while (scene->blocks) {
        struct block *block = scene->blocks;
        scene->blocks = block->next;
        free(block);
    }
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

struct scene_result scene_run(const struct scenario *scenario, FILE *trace_file)
{
    struct scene_result result = {.holds = false};
    struct scene *scene = calloc(1, sizeof *scene);
    if (!scene || !open_scene(scene, scenario, trace_file)) {
        snprintf(result.complaint, sizeof result.complaint, "the test is out of memory");
        if (scene)
            close_scene(scene);
        return result;
    }
    struct weft_sim_totals totals = {0};
    const struct weft_sim_plan plan = {.crashes = scenario->crashes,
                                       .crash_count = scenario->crash_count,
                                       .totals = &totals,
                                       .end = &scene->end};
    int code = weft_simulate_plan(&scene->scenario.world, program_run, scene, &plan);
    if (code != 0 && !scene->has_failed)
        explain_hang(scene, code);
    if (memcmp(pattern.bytes, pattern.copy, SCENE_PATTERN) != 0)
        scene_fail(scene, 0, "the source of puts was written to");
    result.holds = !scene->has_failed;
    memcpy(result.complaint, scene->complaint, sizeof result.complaint);
    result.trace_hash = scene->trace_hash;
    result.ops = scene->op_count;
    result.packets = totals.sent;
    result.end = scene->end;
    close_scene(scene);
    return result;
}
