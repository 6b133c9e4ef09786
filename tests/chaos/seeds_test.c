/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a seed means, on every host and with every compiler: digests of what the random tests draw
 * from their first seeds before anything runs. Who changes what is drawn changes them here, and
 * the meaning of all seeds that are kept in seeds.txt files.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "chaos/chain.h"
#include "support/tap.h"
#include "type/random/trial.h"

#define SEEDS 200u

/* ---- Digests ------------------------------------------------------------------------------ */

static void add(uint64_t *digest, uint64_t value)
{
    *digest = (*digest ^ value) * UINT64_C(0x9FB21C651E98DF25);
    *digest ^= *digest >> 29;
}

#define ADD_ALL(digest, ...)                                                                      \
    add_all(digest, (const uint64_t[]){__VA_ARGS__},                                              \
            sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void add_all(uint64_t *digest, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(digest, values[i]);
}

static void add_model(uint64_t *digest, const struct model *model)
{
    char *text = model_text(model);
    for (const char *c = text; *c; c++)
        add(digest, (unsigned char)*c);
    free(text);
}

static void add_world(uint64_t *digest, const struct weft_sim_config *world)
{
    ADD_ALL(digest, world->nodes, world->seed, world->latency, world->bandwidth,
            world->packet_size, world->timeout, world->reliable, world->loss, world->duplicate,
            world->reorder, world->reorder_delay);
}

static void add_crashes(uint64_t *digest, const struct weft_portals_crash *crashes, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        ADD_ALL(digest, crashes[i].node, crashes[i].when);
}

/* ---- What is drawn ------------------------------------------------------------------------ */

static uint64_t of_types(void)
{
    uint64_t digest = 0;
    for (unsigned i = 0; i < SEEDS; i++) {
        struct trial trial = trial_generate(1, i);
        add_model(&digest, trial.model);
        add_model(&digest, trial.peer);
        ADD_ALL(&digest, trial.count, trial.seed);
        trial_free(&trial);
    }
    return digest;
}

static uint64_t of_scenarios(void)
{
    uint64_t digest = 0;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        const struct scenario scenario = scenario_draw(seed, (struct run_wish){0});
        add_world(&digest, &scenario.world);
        add_crashes(&digest, scenario.crashes, scenario.crash_count);
        ADD_ALL(&digest, scenario.interface, scenario.chain_interface, scenario.steps,
                scenario.longest, scenario.pace, scenario.queue_length, scenario.is_sparse,
                scenario.crowd, scenario.bits);
        ADD_ALL(&digest, (uint64_t)scenario.limits.max_unexpected_headers,
                (uint64_t)scenario.limits.max_list_size, (uint64_t)scenario.limits.max_entries);
        for (unsigned i = 0; i < scenario.world.nodes; i++)
            add(&digest, scenario.ranks[i]);
    }
    return digest;
}

static void add_trigger(uint64_t *digest, const struct chain_trigger *trigger)
{
    ADD_ALL(digest, trigger->node, trigger->counter, trigger->threshold, trigger->is_early,
            trigger->kind, trigger->target, trigger->target_counter, trigger->amount,
            trigger->length, (uint64_t)trigger->tells, trigger->wants_ack);
}

static void add_chain(uint64_t *digest, const struct chain *chain)
{
    for (unsigned i = 0; i < chain->trigger_count; i++)
        add_trigger(digest, &chain->triggers[i]);
    for (unsigned i = 0; i < SCENARIO_NODES; i++)
        for (unsigned j = 0; j < chain->nodes[i].script_length; j++) {
            const struct chain_act *act = &chain->nodes[i].script[j];
            ADD_ALL(digest, act->deed, act->which, act->amount);
        }
}

static uint64_t of_chains(void)
{
    uint64_t digest = 0;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct scene *scene = model_alloc(1, sizeof *scene);
        scene->scenario = scenario_draw(seed, (struct run_wish){0});
        for (unsigned i = 0; i < SCENARIO_NODES; i++)
            scene->pairs[i][(i + 1) % scene->scenario.world.nodes].is_chained = true;
        add_chain(&digest, chain_open(scene));
        run_close(&scene->run);
        free(scene);
    }
    return digest;
}

int main(void)
{
    static const struct {
        const char *what;
        uint64_t (*draw)(void);
        uint64_t digest;
    } kinds[] = {
        {"random types", of_types, UINT64_C(0xda9464d23eeee23e)},
        {"scenarios of chaos", of_scenarios, UINT64_C(0x785852d0f51ace4e)},
        {"chains of triggered operations", of_chains, UINT64_C(0x07bb318daaa6fe7c)},
    };
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint64_t digest = kinds[i].draw();
        if (!tap_check(digest == kinds[i].digest, __FILE__, __LINE__, kinds[i].what))
            tap_note("the digest is %016" PRIx64, digest);
    }
    return tap_done();
}
