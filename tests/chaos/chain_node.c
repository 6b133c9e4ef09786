/* SPDX-License-Identifier: BSD-3-Clause */
/* The part of a node's program that sets, fires and cancels triggered operations. */
#include <string.h>

#include "chaos/chain.h"

#define TABLE 20u
#define PATIENCE 10000u /* milliseconds for a counter that must be reached */

static struct chain_node *chain_of(struct node *node)
{
    return &node->scene->chain->nodes[node->number];
}

static void expect(struct node *node, const char *call, int is, int should)
{
    if (is != should)
        scene_fail(node->scene, node->number, "%s of a chain returns %d, not %d", call, is,
                   should);
}

static bool is_matching(const struct node *node)
{
    return node->scene->scenario.chain_interface & PTL_NI_MATCHING;
}

/* Without match bits each counter has a table of its own. */
static ptl_pt_index_t table_of(const struct node *node, unsigned counter)
{
    return TABLE + (is_matching(node) ? 0 : counter);
}

/* ---- Opening ------------------------------------------------------------------------------ */

static void append(struct node *node, unsigned counter)
{
    struct chain_node *chain = chain_of(node);
    ptl_me_t me = {.start = chain->memories[counter],
                   .length = CHAIN_MEMORY,
                   .ct_handle = chain->counters[counter],
                   .uid = PTL_UID_ANY,
                   .options = PTL_ME_OP_PUT | PTL_ME_OP_GET | PTL_ME_EVENT_CT_COMM |
                              PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE,
                   .match_id = {.phys = {PTL_NID_ANY, PTL_PID_ANY}},
                   .match_bits = counter};
    ptl_pt_index_t pt = table_of(node, counter);
    if (!is_matching(node) || counter == 0)
        expect(node, "PtlPTAlloc", PtlPTAlloc(chain->ni, 0, chain->queue, pt, &pt), PTL_OK);
    if (is_matching(node)) {
        expect(node, "PtlMEAppend",
               PtlMEAppend(chain->ni, pt, &me, PTL_PRIORITY_LIST, NULL, &chain->entries[counter]),
               PTL_OK);
        return;
    }
    const ptl_le_t le = {me.start, me.length, me.ct_handle, me.uid, me.options};
    expect(node, "PtlLEAppend",
           PtlLEAppend(chain->ni, pt, &le, PTL_PRIORITY_LIST, NULL, &chain->entries[counter]),
           PTL_OK);
}

static bool make_memories(struct node *node)
{
    struct chain_node *chain = chain_of(node);
    const size_t count = CHAIN_COUNTERS + 2;
    unsigned char *memory = scene_make(node->scene, count * CHAIN_MEMORY);
    if (!memory)
        return false;
    memset(memory, SCENE_GUARD, count * CHAIN_MEMORY);
    chain->source = memory;
    chain->landing = memory + CHAIN_MEMORY;
    for (unsigned i = 0; i < CHAIN_COUNTERS; i++) {
        chain->memories[i] = memory + (i + 2) * CHAIN_MEMORY;
        memset(chain->memories[i] + CHAIN_SUM, 0, 8);
    }
    for (unsigned i = 0; i < node->scene->chain->trigger_count; i++)
        memcpy(chain->source + 8 * i, &node->scene->chain->triggers[i].amount, 8);
    return true;
}

static void bind(struct node *node, unsigned which)
{
    struct chain_node *chain = chain_of(node);
    bool counts = which < CHAIN_COUNTERS;
    /* One descriptor for both ways: the source, and the landing place behind it. */
    const ptl_md_t md = {.start = chain->source,
                         .length = 2 * CHAIN_MEMORY,
                         .options = PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY,
                         .eq_handle = chain->queue,
                         .ct_handle = counts ? chain->counters[which] : PTL_CT_NONE};
    expect(node, "PtlMDBind", PtlMDBind(chain->ni, &md, &chain->mds[which]), PTL_OK);
}

/* ---- Setting triggers --------------------------------------------------------------------- */

static uint64_t remote_offset(const struct chain_trigger *trigger)
{
    if (trigger->kind == CHAIN_ATOMIC || trigger->kind == CHAIN_FETCH)
        return CHAIN_SUM;
    return trigger->length == 8 ? 8 * trigger->number : CHAIN_SUM + 8;
}

static int set_message(struct node *node, const struct chain_trigger *trigger)
{
    const struct chain_node *chain = chain_of(node);
    const struct scene *scene = node->scene;
    ptl_process_t to = scene_process(scene, scene->scenario.chain_interface, trigger->target);
    ptl_pt_index_t pt = table_of(node, trigger->target_counter);
    ptl_handle_md_t md = chain->mds[trigger->tells < 0 ? (int)CHAIN_COUNTERS : trigger->tells];
    ptl_handle_ct_t ct = chain->counters[trigger->counter];
    ptl_match_bits_t bits = trigger->target_counter;
    ptl_ack_req_t ack = trigger->wants_ack ? PTL_ACK_REQ : PTL_NO_ACK_REQ;
    uint64_t cell = 8 * trigger->number, landing = CHAIN_MEMORY + cell;
    uint64_t offset = remote_offset(trigger), threshold = trigger->threshold;
    void *user_ptr = (void *)trigger;
    ptl_hdr_data_t data = trigger->number;
    switch (trigger->kind) {
    case CHAIN_PUT:
        return PtlTriggeredPut(md, trigger->length == 8 ? cell : 0, trigger->length, ack, to, pt,
                               bits, offset, user_ptr, data, ct, threshold);
    case CHAIN_ATOMIC:
        return PtlTriggeredAtomic(md, cell, 8, ack, to, pt, bits, offset, user_ptr, data, PTL_SUM,
                                  PTL_UINT64_T, ct, threshold);
    case CHAIN_FETCH:
        return PtlTriggeredFetchAtomic(md, landing, md, cell, 8, to, pt, bits, offset, user_ptr,
                                       data, PTL_SUM, PTL_UINT64_T, ct, threshold);
    case CHAIN_SWAP:
        return PtlTriggeredSwap(md, landing, md, cell, 8, to, pt, bits, offset, user_ptr, data,
                                NULL, PTL_SWAP, PTL_UINT64_T, ct, threshold);
    default:
        return PtlTriggeredGet(md, landing, 8, to, pt, bits, offset, user_ptr, ct, threshold);
    }
}

static void set_trigger(struct node *node, struct chain_trigger *trigger)
{
    const struct chain_node *chain = chain_of(node);
    ptl_handle_ct_t ct = chain->counters[trigger->counter];
    ptl_ct_event_t value = {.success = trigger->amount};
    int result;
    trigger->is_set = true;
    if (trigger->kind == CHAIN_INC)
        result = PtlTriggeredCTInc(chain->counters[trigger->target_counter], value, ct,
                                   trigger->threshold);
    else if (trigger->kind == CHAIN_CTSET)
        result = PtlTriggeredCTSet(chain->counters[CHAIN_SET], value, ct, trigger->threshold);
    else
        result = set_message(node, trigger);
    expect(node, "a trigger", result, PTL_OK);
}

void chain_open_node(struct node *node)
{
    struct scene *scene = node->scene;
    struct chain_node *chain = chain_of(node);
    chain->ni = program_open_interface(node, scene->scenario.chain_interface, NULL, NULL);
    expect(node, "PtlEQAlloc", PtlEQAlloc(chain->ni, 8 * CHAIN_TRIGGERS, &chain->queue), PTL_OK);
    if (!make_memories(node))
        return;
    for (unsigned i = 0; i < CHAIN_ALL; i++)
        expect(node, "PtlCTAlloc", PtlCTAlloc(chain->ni, &chain->counters[i]), PTL_OK);
    for (unsigned i = 0; i < CHAIN_COUNTERS; i++)
        append(node, i);
    for (unsigned i = 0; i < CHAIN_MDS; i++)
        bind(node, i);
    for (unsigned i = 0; i < scene->chain->trigger_count; i++) {
        struct chain_trigger *trigger = &scene->chain->triggers[i];
        if (trigger->node == node->number && trigger->is_early)
            set_trigger(node, trigger);
    }
}

/* ---- The script --------------------------------------------------------------------------- */

static void cancel(struct node *node, unsigned counter)
{
    struct chain_node *chain = chain_of(node);
    expect(node, "PtlCTCancelTriggered", PtlCTCancelTriggered(chain->counters[counter]), PTL_OK);
}

static void act(struct node *node, const struct chain_act *deed)
{
    struct chain_node *chain = chain_of(node);
    switch (deed->deed) {
    case DEED_TRIGGER:
        set_trigger(node, &node->scene->chain->triggers[deed->which]);
        break;
    case DEED_COUNT:
        chain->counted[deed->which] += deed->amount;
        expect(node, "PtlCTInc",
               PtlCTInc(chain->counters[deed->which], (ptl_ct_event_t){.success = deed->amount}),
               PTL_OK);
        break;
    case DEED_CANCEL:
        cancel(node, deed->which);
        chain->is_cancelled = true;
        chain->own_when_cancelled = chain->counted[CHAIN_OWN];
        break;
    }
}

void chain_step(struct node *node)
{
    struct chain_node *chain = chain_of(node);
    if (chain->script_done < chain->script_length && rng_one_in(&node->rng, 2))
        act(node, &chain->script[chain->script_done++]);
    if (rng_one_in(&node->rng, 4))
        chain_drain(node);
}

/* ---- Events ------------------------------------------------------------------------------- */

/* Those that were there before their counter counted come in the order of their thresholds. */
static void check_order(struct node *node, const struct chain_trigger *trigger)
{
    const struct chain_trigger **last = &chain_of(node)->last[trigger->node][trigger->counter];
    if (!trigger->is_early || trigger->kind == CHAIN_GET)
        return;
    bool is_before =
        *last && (trigger->threshold < (*last)->threshold ||
                  (trigger->threshold == (*last)->threshold && trigger->number < (*last)->number));
    if (is_before)
        scene_fail(node->scene, node->number, "trigger %u of node %u fired after %u",
                   trigger->number, trigger->node, (*last)->number);
    *last = trigger;
}

/* The trigger that caused an event at its target; NULL if none can have. */
static struct chain_trigger *cause_of(struct node *node, const ptl_event_t *event)
{
    const struct scene *scene = node->scene;
    uint64_t number = event->type == PTL_EVENT_GET ? event->remote_offset / 8 : event->hdr_data;
    if (number >= scene->chain->trigger_count || event->type > PTL_EVENT_FETCH_ATOMIC)
        return NULL;
    struct chain_trigger *trigger = &scene->chain->triggers[number];
    /* The rest of a message may have died with its sender. */
    bool is_cut =
        event->ni_fail_type == PTL_NI_UNDELIVERABLE && scene_is_dead(scene, trigger->node);
    bool fits = trigger->target == node->number && trigger->is_set &&
                event->remote_offset == remote_offset(trigger) &&
                event->mlength == trigger->length && (event->ni_fail_type == PTL_NI_OK || is_cut);
    return fits ? trigger : NULL;
}

static void take_target_event(struct node *node, const ptl_event_t *event)
{
    struct chain_trigger *trigger = cause_of(node, event);
    if (!trigger)
        scene_fail(node->scene, node->number,
                   "event %d with hdr_data %llu and fail %d of a chain comes from no trigger",
                   event->type, (unsigned long long)event->hdr_data, event->ni_fail_type);
    else if (trigger->events++)
        scene_fail(node->scene, node->number, "trigger %u arrives twice", trigger->number);
    else
        check_order(node, trigger);
}

static void take_initiator_event(struct node *node, const ptl_event_t *event)
{
    struct chain_trigger *trigger = event->user_ptr;
    unsigned *seen = event->type == PTL_EVENT_SEND ? &trigger->sends : &trigger->results;
    bool is_fine =
        event->ni_fail_type == PTL_NI_OK || (event->ni_fail_type == PTL_NI_UNDELIVERABLE &&
                                             scene_is_dead(node->scene, trigger->target));
    bool is_due =
        event->type == PTL_EVENT_SEND ? chain_has_data(trigger) : chain_has_result(trigger);
    if (trigger->node != node->number || !is_due || !is_fine || (*seen)++)
        scene_fail(node->scene, node->number, "event %d of trigger %u (kind %d) with fail %d",
                   event->type, trigger->number, trigger->kind, event->ni_fail_type);
}

void chain_drain(struct node *node)
{
    ptl_event_t event;
    while (!node->scene->run.has_failed) {
        int result = PtlEQGet(chain_of(node)->queue, &event);
        if (result == PTL_EQ_EMPTY)
            return;
        expect(node, "PtlEQGet", result, PTL_OK);
        if (event.type >= PTL_EVENT_REPLY && event.type <= PTL_EVENT_ACK)
            take_initiator_event(node, &event);
        else
            take_target_event(node, &event);
    }
}

/* ---- The end ------------------------------------------------------------------------------ */

/* Waits for a counter to become what it must at last, which nothing but a crash can prevent. */
static void wait_for_counters(struct node *node)
{
    struct chain_node *chain = chain_of(node);
    ptl_size_t tests[CHAIN_COUNTERS];
    ptl_ct_event_t value;
    unsigned which = 0;
    for (unsigned i = 0; i < CHAIN_COUNTERS; i++)
        tests[i] = chain->must_be[i] + 1;
    expect(node, "a poll for more than can come",
           PtlCTPoll(chain->counters, tests, CHAIN_COUNTERS, 0, &value, &which),
           PTL_CT_NONE_REACHED);
    unsigned counter = (unsigned)rng_below(&node->rng, CHAIN_COUNTERS);
    tests[0] = chain->must_be[counter];
    expect(node, "a poll for what must come",
           PtlCTPoll(&chain->counters[counter], tests, 1, PATIENCE, &value, &which), PTL_OK);
    expect(node, "PtlCTWait", PtlCTWait(chain->counters[counter], tests[0], &value), PTL_OK);
}

void chain_finish(struct node *node)
{
    struct chain_node *chain = chain_of(node);
    while (chain->script_done < chain->script_length && !node->scene->run.has_failed)
        act(node, &chain->script[chain->script_done++]);
    if (!scene_has_crashes(node->scene) && !node->scene->run.has_failed)
        wait_for_counters(node);
}

static uint64_t cell_at(const unsigned char *memory, size_t offset)
{
    uint64_t value;
    memcpy(&value, memory + offset, sizeof value);
    return value;
}

/* The memory of a counter holds the data of what has arrived, each in its cell, and the sum. */
static void check_cells(struct node *node, unsigned counter)
{
    const struct chain *chain = node->scene->chain;
    const unsigned char *memory = chain_of(node)->memories[counter];
    uint64_t sum = 0, guard;
    memset(&guard, SCENE_GUARD, sizeof guard);
    for (unsigned i = 0; i < chain->trigger_count; i++) {
        const struct chain_trigger *trigger = &chain->triggers[i];
        bool is_here = trigger->events && trigger->target == node->number &&
                       trigger->target_counter == counter;
        bool fills =
            trigger->kind == CHAIN_SWAP || (trigger->kind == CHAIN_PUT && trigger->length == 8);
        if (is_here && (trigger->kind == CHAIN_ATOMIC || trigger->kind == CHAIN_FETCH))
            sum += trigger->amount;
        if (cell_at(memory, 8 * i) != (is_here && fills ? trigger->amount : guard))
            scene_fail(node->scene, node->number, "the data of trigger %u is wrong", i);
    }
    if (cell_at(memory, CHAIN_SUM) != sum)
        scene_fail(node->scene, node->number, "the sum of a chain is wrong");
}

static void check_triggers(struct node *node)
{
    struct scene *scene = node->scene;
    struct chain_node *chain = chain_of(node);
    uint64_t values[CHAIN_ALL];
    bool fired[CHAIN_TRIGGERS];
    chain_values(scene, node->number, values, fired);
    for (unsigned i = 0; i < CHAIN_ALL; i++) {
        ptl_ct_event_t is = {0};
        expect(node, "PtlCTGet", PtlCTGet(chain->counters[i], &is), PTL_OK);
        if (is.success + is.failure != values[i])
            scene_fail(scene, node->number, "counter %u of a chain is %llu/%llu, not %llu", i,
                       (unsigned long long)is.success, (unsigned long long)is.failure,
                       (unsigned long long)values[i]);
    }
    for (unsigned i = 0; i < scene->chain->trigger_count; i++) {
        const struct chain_trigger *trigger = &scene->chain->triggers[i];
        if (trigger->node != node->number)
            continue;
        if (!fired[i] && (trigger->sends || trigger->results || trigger->events))
            scene_fail(scene, node->number, "trigger %u fired too early", i);
        if (!scene_has_crashes(scene) && fired[i] != trigger->must_fire)
            scene_fail(scene, node->number, "trigger %u should %shave fired", i,
                       trigger->must_fire ? "" : "not ");
    }
}

/* What never fired holds its descriptor until it is cancelled, and never fires afterwards. */
static void cancel_rest(struct node *node)
{
    struct scene *scene = node->scene;
    struct chain_node *chain = chain_of(node);
    uint64_t values[CHAIN_ALL];
    bool fired[CHAIN_TRIGGERS], is_held[CHAIN_MDS] = {false};
    chain_values(scene, node->number, values, fired);
    for (unsigned i = 0; i < scene->chain->trigger_count; i++) {
        const struct chain_trigger *trigger = &scene->chain->triggers[i];
        if (trigger->node == node->number && !fired[i] && trigger->kind <= CHAIN_GET &&
            trigger->counter != CHAIN_OWN)
            is_held[trigger->tells < 0 ? (int)CHAIN_COUNTERS : trigger->tells] = true;
    }
    for (unsigned i = 0; i < CHAIN_MDS; i++)
        if (is_held[i])
            expect(node, "releasing a descriptor that triggers hold", PtlMDRelease(chain->mds[i]),
                   PTL_IN_USE);
    for (unsigned i = 0; i < CHAIN_ALL; i++)
        cancel(node, i);
    for (unsigned i = 0; i < CHAIN_ALL; i++)
        expect(node, "PtlCTInc", PtlCTInc(chain->counters[i], (ptl_ct_event_t){.success = 1000}),
               PTL_OK);
    for (unsigned i = 0; i < CHAIN_MDS; i++)
        expect(node, "PtlMDRelease", PtlMDRelease(chain->mds[i]), PTL_OK);
}

void chain_close_node(struct node *node)
{
    check_triggers(node);
    for (unsigned i = 0; i < CHAIN_COUNTERS; i++)
        check_cells(node, i);
    cancel_rest(node);
}

void chain_gone(struct node *node)
{
    struct chain_node *chain = chain_of(node);
    chain_drain(node);
    for (unsigned i = 0; i < CHAIN_COUNTERS; i++)
        expect(node, "unlinking an entry",
               is_matching(node) ? PtlMEUnlink(chain->entries[i]) : PtlLEUnlink(chain->entries[i]),
               PTL_OK);
    expect(node, "PtlNIFini", PtlNIFini(chain->ni), PTL_OK);
}
