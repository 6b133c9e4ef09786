/* SPDX-License-Identifier: BSD-3-Clause */
#include "chaos/chain.h"

#include "packet/packet.h"

bool chain_has_data(const struct chain_trigger *trigger)
{
    return trigger->kind <= CHAIN_SWAP;
}

static bool has_reply(const struct chain_trigger *trigger)
{
    return trigger->kind >= CHAIN_FETCH && trigger->kind <= CHAIN_GET;
}

static bool is_message(const struct chain_trigger *trigger)
{
    return trigger->kind <= CHAIN_GET;
}

bool chain_has_result(const struct chain_trigger *trigger)
{
    return has_reply(trigger) || (is_message(trigger) && trigger->wants_ack);
}

/* ---- Drawing ------------------------------------------------------------------------------ */

/* A node that this one sends triggered operations to; false if there is none. */
static bool draw_target(const struct scene *scene, struct rng *rng, unsigned from,
                        unsigned *target)
{
    unsigned nodes = scene->scenario.world.nodes;
    *target = (unsigned)rng_below(rng, nodes);
    for (unsigned i = 0; i < nodes; i++) {
        if (scene->pairs[from][*target].is_chained)
            return true;
        *target = (*target + 1) % nodes;
    }
    return false;
}

static void draw_effect(const struct scene *scene, struct rng *rng, struct chain_trigger *trigger)
{
    trigger->amount = 1 + rng_below(rng, 3);
    trigger->target_counter = (unsigned)rng_below(rng, CHAIN_COUNTERS);
    trigger->tells = -1;
    trigger->kind = (enum chain_kind)rng_below(rng, CHAIN_INC + 1);
    if (!is_message(trigger))
        return;
    if (!draw_target(scene, rng, trigger->node, &trigger->target)) {
        trigger->kind = CHAIN_INC;
        return;
    }
    trigger->amount = rng_next(rng);
    trigger->length = 8;
    trigger->wants_ack = rng_one_in(rng, 2);
    if (trigger->kind == CHAIN_PUT && rng_one_in(rng, 3))
        trigger->length = rng_below(rng, CHAIN_LONG);
    if (chain_has_result(trigger) && rng_one_in(rng, 2))
        trigger->tells = (int)rng_below(rng, CHAIN_COUNTERS);
}

static struct chain_trigger *new_trigger(struct chain *chain, unsigned node, unsigned counter,
                                         uint64_t threshold)
{
    if (chain->trigger_count == CHAIN_TRIGGERS)
        return NULL;
    struct chain_trigger *trigger = &chain->triggers[chain->trigger_count];
    *trigger = (struct chain_trigger){.number = chain->trigger_count++,
                                      .node = node,
                                      .counter = counter,
                                      .threshold = threshold};
    return trigger;
}

static void add_act(struct chain_node *node, enum chain_deed deed, unsigned which, uint64_t amount)
{
    if (node->script_length < CHAIN_SCRIPT)
        node->script[node->script_length++] = (struct chain_act){deed, which, amount};
}

/* Values rise with the thresholds, so that the counter never falls. */
static void draw_sets(struct chain *chain, struct rng *rng, unsigned node)
{
    uint64_t threshold = 0, value = 0;
    for (size_t i = rng_below(rng, 4); i > 0; i--) {
        threshold += 1 + rng_below(rng, 3);
        value += 1 + rng_below(rng, 4);
        struct chain_trigger *trigger = new_trigger(chain, node, 0, threshold);
        if (!trigger)
            return;
        trigger->kind = CHAIN_CTSET;
        trigger->amount = value;
        trigger->tells = -1;
        trigger->is_early = true;
    }
}

static void draw_script(struct chain_node *node, struct rng *rng)
{
    for (size_t i = rng_below(rng, 5); i > 0; i--) {
        uint64_t amount = 1 + rng_below(rng, 4);
        add_act(node, DEED_COUNT, (unsigned)rng_below(rng, CHAIN_COUNTERS), amount);
    }
    /* Shuffled; only the deeds at the own counter must stay in their order. */
    for (unsigned i = 1; i < node->script_length; i++) {
        size_t other = rng_below(rng, i + 1);
        struct chain_act act = node->script[i];
        node->script[i] = node->script[other];
        node->script[other] = act;
    }
    add_act(node, DEED_COUNT, CHAIN_OWN, rng_below(rng, 5));
    add_act(node, DEED_CANCEL, CHAIN_OWN, 0);
    add_act(node, DEED_COUNT, CHAIN_OWN, rng_below(rng, 5));
}

static void draw_node(struct scene *scene, struct chain *chain, struct rng *rng, unsigned number)
{
    struct chain_node *node = &chain->nodes[number];
    unsigned share = CHAIN_TRIGGERS / scene->scenario.world.nodes;
    draw_sets(chain, rng, number);
    for (size_t i = rng_below(rng, share < 24 ? share : 24); i > 0; i--) {
        unsigned counter = (unsigned)rng_below(rng, CHAIN_ALL);
        struct chain_trigger *trigger = new_trigger(chain, number, counter, rng_below(rng, 8));
        if (!trigger)
            break;
        draw_effect(scene, rng, trigger);
        trigger->is_early = counter == CHAIN_OWN || rng_one_in(rng, 2);
        /* Else it could make another counter count before all triggers of that one are set. */
        if (trigger->is_early && trigger->threshold == 0)
            trigger->threshold = 1;
        if (!trigger->is_early)
            add_act(node, DEED_TRIGGER, trigger->number, 0);
    }
    draw_script(node, rng);
}

/* ---- The fixed point ---------------------------------------------------------------------- */

static void predict_effect(uint64_t values[][CHAIN_ALL], const struct chain_trigger *trigger)
{
    if (is_message(trigger))
        values[trigger->target][trigger->target_counter]++;
    if (trigger->tells >= 0)
        values[trigger->node][trigger->tells]++;
    if (trigger->kind == CHAIN_INC)
        values[trigger->node][trigger->target_counter] += trigger->amount;
    if (trigger->kind == CHAIN_CTSET && trigger->amount > values[trigger->node][CHAIN_SET])
        values[trigger->node][CHAIN_SET] = trigger->amount;
}

/* What the programs count; of the own counter, what its triggers see before they are cancelled. */
static void predict_counts(const struct chain_node *node, uint64_t values[CHAIN_ALL])
{
    for (unsigned i = 0; i < node->script_length; i++) {
        const struct chain_act *act = &node->script[i];
        if (act->deed == DEED_CANCEL)
            break;
        if (act->deed == DEED_COUNT)
            values[act->which] += act->amount;
    }
}

static void predict(struct chain *chain, unsigned nodes)
{
    uint64_t values[SCENARIO_NODES][CHAIN_ALL] = {{0}};
    for (unsigned i = 0; i < nodes; i++)
        predict_counts(&chain->nodes[i], values[i]);
    bool changes = true;
    while (changes) {
        changes = false;
        for (unsigned i = 0; i < chain->trigger_count; i++) {
            struct chain_trigger *trigger = &chain->triggers[i];
            if (trigger->must_fire || values[trigger->node][trigger->counter] < trigger->threshold)
                continue;
            trigger->must_fire = changes = true;
            predict_effect(values, trigger);
        }
    }
    for (unsigned i = 0; i < nodes; i++)
        for (unsigned j = 0; j < CHAIN_COUNTERS; j++)
            chain->nodes[i].must_be[j] = values[i][j];
}

struct chain *chain_open(struct scene *scene)
{
    struct chain *chain = scene_make(scene, sizeof *chain);
    if (!chain)
        return NULL;
    struct rng rng = rng_stream(scene->scenario.seed, SCENARIO_NODES + 2);
    unsigned nodes = scene->scenario.world.nodes;
    for (unsigned i = 0; i < nodes; i++)
        draw_node(scene, chain, &rng, i);
    predict(chain, nodes);
    return chain;
}

/* ---- What was seen ------------------------------------------------------------------------ */

static bool is_reached(const struct chain_node *node, const struct chain_trigger *trigger,
                       const uint64_t values[CHAIN_ALL])
{
    uint64_t value = values[trigger->counter];
    if (trigger->counter == CHAIN_OWN && node->is_cancelled)
        value = node->own_when_cancelled;
    return trigger->is_set && value >= trigger->threshold;
}

void chain_values(const struct scene *scene, unsigned number, uint64_t values[CHAIN_ALL],
                  bool fired[CHAIN_TRIGGERS])
{
    const struct chain *chain = scene->chain;
    const struct chain_node *node = &chain->nodes[number];
    for (unsigned i = 0; i < CHAIN_ALL; i++)
        values[i] = node->counted[i];
    for (unsigned i = 0; i < chain->trigger_count; i++) {
        const struct chain_trigger *trigger = &chain->triggers[i];
        fired[i] = false;
        if (is_message(trigger) && trigger->target == number)
            values[trigger->target_counter] += trigger->events;
        if (trigger->node == number && trigger->tells >= 0)
            values[trigger->tells] += trigger->results;
    }
    bool changes = true;
    while (changes) {
        changes = false;
        for (unsigned i = 0; i < chain->trigger_count; i++) {
            const struct chain_trigger *trigger = &chain->triggers[i];
            if (trigger->node != number || fired[i] || !is_reached(node, trigger, values))
                continue;
            fired[i] = changes = true;
            if (trigger->kind == CHAIN_INC)
                values[trigger->target_counter] += trigger->amount;
            if (trigger->kind == CHAIN_CTSET && trigger->amount > values[CHAIN_SET])
                values[CHAIN_SET] = trigger->amount;
        }
    }
}

/* Everything that it causes has been seen. */
static bool is_over(const struct scene *scene, const struct chain_trigger *trigger)
{
    if (chain_has_data(trigger) && !trigger->sends)
        return false;
    if (chain_has_result(trigger) && !trigger->results)
        return false;
    return !is_message(trigger) || trigger->events || scene_is_dead(scene, trigger->target);
}

static const struct chain_trigger *unfinished(const struct scene *scene)
{
    const struct chain *chain = scene->chain;
    for (unsigned n = 0; n < scene->scenario.world.nodes; n++) {
        uint64_t values[CHAIN_ALL];
        bool fired[CHAIN_TRIGGERS];
        if (scene_is_dead(scene, n))
            continue;
        chain_values(scene, n, values, fired);
        for (unsigned i = 0; i < chain->trigger_count; i++)
            if (fired[i] && !is_over(scene, &chain->triggers[i]))
                return &chain->triggers[i];
    }
    return NULL;
}

void chain_packet(struct pair *pair, unsigned kind, uint64_t bytes)
{
    if (kind == WEFT_PACKET_DATA)
        pair->arriving -= bytes;
    else
        pair->begun = kind == WEFT_PACKET_PUT ? bytes : 0;
}

void chain_match(struct pair *pair, bool is_taken, uint64_t length)
{
    pair->arriving = is_taken && pair->begun ? length - pair->begun : 0;
}

/* The rest of a message may have died with its sender: its event comes when that is found out. */
static bool is_receiving(const struct scene *scene, unsigned node)
{
    for (unsigned i = 0; i < scene->scenario.world.nodes; i++)
        if (scene->pairs[i][node].arriving)
            return true;
    return false;
}

bool chain_is_quiet(const struct scene *scene)
{
    for (unsigned i = 0; i < scene->scenario.world.nodes; i++)
        if (!scene_is_dead(scene, i) && is_receiving(scene, i))
            return false;
    return !unfinished(scene);
}

void chain_explain(struct scene *scene)
{
    const struct chain_trigger *trigger = unfinished(scene);
    if (trigger)
        scene_fail(scene, trigger->node,
                   "trigger %u of kind %d on counter %u at %llu, to node %u: seen %u SEND, %u "
                   "results, %u events",
                   trigger->number, trigger->kind, trigger->counter,
                   (unsigned long long)trigger->threshold, trigger->target, trigger->sends,
                   trigger->results, trigger->events);
}
