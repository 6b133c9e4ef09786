/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes of the lists and tables of a node, drawn at random. Each call is made by the program and
 * by the model, and both must say the same. */
#include "chaos/scene.h"

#define LONGEST_ENTRY 12288u
#define PROMPTLY (10 * WEFT_SIM_RELAX) /* nanoseconds */

static bool is_matching(const struct node *node)
{
    return node->scene->scenario.interface & PTL_NI_MATCHING;
}

static void expect(struct node *node, const char *call, int is, int should)
{
    if (is != should)
        scene_fail(node->scene, node->number, "%s returns %d, not %d", call, is, should);
}

/* ---- Drawing an entry --------------------------------------------------------------------- */

static unsigned with_chance(struct rng *rng, size_t one_in, unsigned option)
{
    return rng_one_in(rng, one_in) ? option : 0;
}

static unsigned draw_common(struct rng *rng)
{
    static const struct {
        size_t one_in;
        unsigned option;
    } chances[] = {
        {8, PTL_ME_EVENT_LINK_DISABLE},     {10, PTL_ME_EVENT_COMM_DISABLE},
        {10, PTL_ME_EVENT_SUCCESS_DISABLE}, {10, PTL_ME_EVENT_OVER_DISABLE},
        {8, PTL_ME_EVENT_UNLINK_DISABLE},   {8, PTL_ME_EVENT_FLOWCTRL_DISABLE},
        {2, PTL_ME_EVENT_CT_COMM},          {2, PTL_ME_EVENT_CT_OVERFLOW},
        {3, PTL_ME_EVENT_CT_BYTES},         {10, PTL_ME_ACK_DISABLE},
        {2, PTL_ME_IS_ACCESSIBLE},
    };
    unsigned options = 0;
    for (size_t i = 0; i < sizeof chances / sizeof *chances; i++)
        options |= with_chance(rng, chances[i].one_in, chances[i].option);
    return options;
}

static unsigned draw_options(struct node *node, ptl_list_t list)
{
    struct rng *rng = &node->rng;
    unsigned options = draw_common(rng);
    options |= rng_one_in(rng, 16) ? 0 : PTL_ME_OP_PUT;
    options |= rng_one_in(rng, 8) ? 0 : PTL_ME_OP_GET;
    options |= with_chance(rng, list == PTL_PRIORITY_LIST ? 2 : 5, PTL_ME_USE_ONCE);
    if (list == PTL_OVERFLOW_LIST)
        options |= with_chance(rng, 8, PTL_ME_UNEXPECTED_HDR_DISABLE);
    if (is_matching(node)) {
        options |= with_chance(rng, list == PTL_PRIORITY_LIST ? 4 : 2, PTL_ME_MANAGE_LOCAL);
        options |= with_chance(rng, 5, PTL_ME_NO_TRUNCATE);
        options |= with_chance(rng, 4, PTL_ME_MAY_ALIGN);
    }
    return options;
}

static ptl_process_t draw_source(struct node *node)
{
    const struct scenario *scenario = &node->scene->scenario;
    bool is_logical = scenario->interface & PTL_NI_LOGICAL;
    struct rng *rng = &node->rng;
    ptl_process_t source = scene_process(node->scene, scenario->interface,
                                         (unsigned)rng_below(rng, scenario->world.nodes));
    bool is_any = rng_one_in(rng, 2);
    if (is_logical && is_any)
        source.rank = PTL_RANK_ANY;
    if (!is_logical && (is_any || rng_one_in(rng, 8)))
        source.phys.nid = PTL_NID_ANY;
    if (!is_logical && (is_any || rng_one_in(rng, 8)))
        source.phys.pid = PTL_PID_ANY;
    return source;
}

static void draw_memory(struct node *node, struct entry *entry)
{
    struct rng *rng = &node->rng;
    uint32_t length = rng_one_in(rng, 16) ? 0 : (uint32_t)rng_magnitude(rng, LONGEST_ENTRY);
    if (rng_one_in(rng, 3))
        entry->layout = layout_scattered(rng, TARGET_AREA, length);
    else
        entry->layout = layout_plain((uint32_t)rng_below(rng, TARGET_AREA - length + 1), length);
    entry->me.options |= layout_describe(&entry->layout, node->target.area, entry->vector,
                                         &entry->me.start, &entry->me.length);
    if (entry->me.options & PTL_ME_MANAGE_LOCAL)
        entry->me.min_free = rng_below(rng, length + 1);
}

static void draw_match(struct node *node, struct entry *entry)
{
    struct rng *rng = &node->rng;
    entry->me.match_id = draw_source(node);
    entry->me.match_bits = rng_below(rng, node->scene->scenario.bits);
    switch (rng_below(rng, 6)) {
    case 0:
        entry->me.ignore_bits = ~(ptl_match_bits_t)0;
        break;
    case 1:
    case 2:
        entry->me.ignore_bits = rng_below(rng, 4);
        break;
    }
}

static struct entry *draw_entry(struct node *node, ptl_list_t list)
{
    struct rng *rng = &node->rng;
    struct entry *entry = scene_make(node->scene, sizeof *entry);
    if (!entry)
        return NULL;
    entry->list = list;
    entry->table = (unsigned)rng_below(rng, TARGET_TABLES);
    entry->me.options = draw_options(node, list);
    draw_memory(node, entry);
    draw_match(node, entry);
    entry->me.uid = rng_one_in(rng, 10) ? WEFT_SIM_UID : PTL_UID_ANY;
    if (rng_one_in(rng, 30))
        entry->me.uid = WEFT_SIM_UID + 1;
    entry->counter = (int)rng_below(rng, TARGET_COUNTERS + 1) - 1;
    entry->me.ct_handle =
        entry->counter < 0 ? PTL_CT_NONE : node->target.counters[entry->counter].handle;
    return node->target.tables[entry->table].is_allocated ? entry : NULL;
}

/* ---- Calls -------------------------------------------------------------------------------- */

static ptl_le_t as_le(const ptl_me_t *me)
{
    return (ptl_le_t){me->start, me->length, me->ct_handle, me->uid, me->options};
}

static int append(struct node *node, struct entry *entry)
{
    ptl_pt_index_t pt = node->target.tables[entry->table].index;
    if (is_matching(node))
        return PtlMEAppend(node->ni, pt, &entry->me, entry->list, entry, &entry->handle);
    const ptl_le_t le = as_le(&entry->me);
    return PtlLEAppend(node->ni, pt, &le, entry->list, entry, &entry->handle);
}

static void append_drawn(struct node *node, ptl_list_t list)
{
    struct entry *entry = draw_entry(node, list);
    if (!entry)
        return;
    int should = target_append(&node->target, entry);
    expect(node, "appending an entry", append(node, entry), should);
}

void post_append(struct node *node)
{
    append_drawn(node, rng_one_in(&node->rng, 4) ? PTL_OVERFLOW_LIST : PTL_PRIORITY_LIST);
}

static void search(struct node *node, const struct entry *seeker, ptl_search_op_t how)
{
    ptl_pt_index_t pt = node->target.tables[seeker->table].index;
    int result;
    if (is_matching(node)) {
        result = PtlMESearch(node->ni, pt, &seeker->me, how, (void *)seeker);
    } else {
        const ptl_le_t le = as_le(&seeker->me);
        result = PtlLESearch(node->ni, pt, &le, how, (void *)seeker);
    }
    expect(node, "a search", result, PTL_OK);
    /* After the call, which first takes what has arrived. */
    target_search(&node->target, seeker, how);
}

void post_search(struct node *node)
{
    struct entry *seeker = draw_entry(node, PTL_PRIORITY_LIST);
    if (!seeker)
        return;
    seeker->me.options &= ~(unsigned)PTL_ME_EVENT_SUCCESS_DISABLE;
    search(node, seeker, rng_one_in(&node->rng, 2) ? PTL_SEARCH_ONLY : PTL_SEARCH_DELETE);
}

static int unlink(struct node *node, const struct entry *entry)
{
    return is_matching(node) ? PtlMEUnlink(entry->handle) : PtlLEUnlink(entry->handle);
}

/* Some entry of the lists, or NULL. */
static struct entry *draw_linked(struct node *node)
{
    struct entry *chosen = NULL;
    unsigned seen = 0;
    for (unsigned i = 0; i < 2 * TARGET_TABLES; i++)
        for (struct entry *e = node->target.tables[i / 2].lists[i % 2]; e; e = e->next)
            if (rng_below(&node->rng, ++seen) == 0)
                chosen = e;
    return chosen;
}

void post_unlink(struct node *node)
{
    struct entry *entry = draw_linked(node);
    if (!entry)
        return;
    /* Before the call, which steps the NIC if the entry is in use. */
    int should = target_unlink(&node->target, entry);
    expect(node, "unlinking an entry", unlink(node, entry), should);
}

/* ---- By triggers -------------------------------------------------------------------------- */

/* Both are on one counter that only the program changes, so it is known when they fire. */
void post_trigger(struct node *node)
{
    if (!is_matching(node) || node->triggered[0] || node->triggered[1])
        return;
    struct entry *entry = draw_entry(node, PTL_PRIORITY_LIST);
    if (entry) {
        int should = target_reserve(&node->target, entry);
        int result = PtlTriggeredMEAppend(node->ni, node->target.tables[entry->table].index,
                                          &entry->me, entry->list, entry, &entry->handle,
                                          node->trigger, node->trigger_count + 1);
        expect(node, "a triggered append", result, should);
        node->triggered[0] = should == PTL_OK ? entry : NULL;
    }
    struct entry *old = draw_linked(node);
    if (old) {
        int result = PtlTriggeredMEUnlink(old->handle, node->trigger, node->trigger_count + 1);
        expect(node, "a triggered unlink", result, PTL_OK);
        node->triggered[1] = old;
    }
}

static void cancel(struct node *node)
{
    expect(node, "PtlCTCancelTriggered", PtlCTCancelTriggered(node->trigger), PTL_OK);
    if (node->triggered[0]) {
        node->triggered[0]->awaits_trigger = false;
        node->target.entry_count--;
    }
    node->triggered[0] = node->triggered[1] = NULL;
}

static bool finds_room(const struct node *node)
{
    return !node->triggered[0] || !target_list_is_full(&node->target, node->triggered[0]);
}

void post_fire(struct node *node)
{
    /* Full lists are rare enough. */
    if (finds_room(node) && rng_one_in(&node->rng, 4))
        cancel(node);
    if (node->triggered[0])
        target_append_late(&node->target, node->triggered[0]);
    if (node->triggered[1])
        target_unlink_late(&node->target, node->triggered[1]);
    node->triggered[0] = node->triggered[1] = NULL;
    node->trigger_count++;
    expect(node, "PtlCTInc", PtlCTInc(node->trigger, (ptl_ct_event_t){.success = 1}), PTL_OK);
}

/* ---- Tables ------------------------------------------------------------------------------- */

void post_disable(struct node *node)
{
    struct table *table = &node->target.tables[rng_below(&node->rng, TARGET_TABLES)];
    if (!table->is_allocated)
        return;
    table->is_enabled = false;
    table->enable_in = 1 + (unsigned)rng_below(&node->rng, 4);
    uint64_t due = scene_now(node->scene);
    expect(node, "PtlPTDisable", PtlPTDisable(node->ni, table->index), PTL_OK);
    if (table->last_end > due)
        due = table->last_end;
    if (scene_now(node->scene) > due + PROMPTLY)
        scene_fail(node->scene, node->number, "PtlPTDisable returns %llu ns too late",
                   (unsigned long long)(scene_now(node->scene) - due));
}

void post_enable_due(struct node *node)
{
    for (unsigned i = 0; i < TARGET_TABLES; i++) {
        struct table *table = &node->target.tables[i];
        /* Nobody told us if the entry did not want it. */
        if (table->is_allocated && !table->is_enabled && rng_one_in(&node->rng, 8))
            table->enable_in = 1;
        if (!table->enable_in || --table->enable_in)
            continue;
        table->is_enabled = true;
        expect(node, "PtlPTEnable", PtlPTEnable(node->ni, table->index), PTL_OK);
    }
}

/* Only the program can unlink it. */
static bool has_lasting_entry(const struct node *node, const struct entry *list)
{
    for (; list; list = list->next)
        if (!(list->me.options & (PTL_ME_USE_ONCE | PTL_ME_MANAGE_LOCAL)) &&
            list != node->triggered[1])
            return true;
    return false;
}

/* What is in use cannot be freed. The call may first take messages that use up other entries. */
void post_free(struct node *node)
{
    const struct table *table = &node->target.tables[rng_below(&node->rng, TARGET_TABLES)];
    if (has_lasting_entry(node, table->lists[PTL_PRIORITY_LIST]) ||
        has_lasting_entry(node, table->lists[PTL_OVERFLOW_LIST]))
        expect(node, "PtlPTFree", PtlPTFree(node->ni, table->index), PTL_IN_USE);
}

/* Counters that entries count at may be changed by the program, too. */
void post_count(struct node *node)
{
    struct counter *counter = &node->target.counters[rng_below(&node->rng, TARGET_COUNTERS)];
    ptl_ct_event_t value = {.success = rng_below(&node->rng, 3)};
    if (rng_one_in(&node->rng, 2)) {
        counter->value = value;
        expect(node, "PtlCTSet", PtlCTSet(counter->handle, value), PTL_OK);
    } else {
        counter->value.success += value.success;
        expect(node, "PtlCTInc", PtlCTInc(counter->handle, value), PTL_OK);
    }
}

static void open_queues(struct node *node, unsigned flow_control)
{
    struct target *target = &node->target;
    uint64_t length = node->scene->scenario.queue_length;
    for (unsigned i = 0; i < target->queue_count; i++) {
        unsigned reserve = 0;
        for (unsigned j = 0; j < TARGET_TABLES; j++)
            reserve += target->tables[j].queue == i && flow_control >> j & 1;
        struct queue *queue = &target->queues[i];
        if (!queue_open(queue, length, reserve))
            scene_fail(node->scene, node->number, "the test is out of memory");
        expect(node, "PtlEQAlloc", PtlEQAlloc(node->ni, length, &queue->handle), PTL_OK);
    }
}

void post_open(struct node *node)
{
    struct target *target = &node->target;
    struct rng *rng = &node->rng;
    unsigned flow_control = (unsigned)rng_next(rng), missing = rng_one_in(rng, 4);
    target->queue_count = 1 + (unsigned)rng_below(rng, TARGET_TABLES);
    for (unsigned i = missing; i < TARGET_TABLES; i++)
        target->tables[i].queue = (unsigned)rng_below(rng, target->queue_count);
    if (missing)
        flow_control &= ~1u;
    open_queues(node, flow_control);
    for (unsigned i = missing; i < TARGET_TABLES; i++) {
        struct table *table = &target->tables[i];
        table->is_allocated = table->is_enabled = true;
        table->has_flow_control = flow_control >> i & 1;
        expect(node, "PtlPTAlloc",
               PtlPTAlloc(node->ni, table->has_flow_control ? PTL_PT_FLOWCTRL : 0,
                          target->queues[table->queue].handle, table->index, &table->index),
               PTL_OK);
    }
    for (unsigned i = 0; i < TARGET_COUNTERS; i++)
        expect(node, "PtlCTAlloc", PtlCTAlloc(node->ni, &target->counters[i].handle), PTL_OK);
    expect(node, "PtlCTAlloc", PtlCTAlloc(node->ni, &node->trigger), PTL_OK);
    for (size_t i = rng_below(rng, node->scene->scenario.crowd + 1); i > 0; i--)
        post_append(node);
}

/* ---- The end ------------------------------------------------------------------------------ */

static void empty_table(struct node *node, struct table *table)
{
    struct entry *everything = scene_make(node->scene, sizeof *everything);
    if (!everything)
        return;
    everything->table = (unsigned)(table - node->target.tables);
    everything->counter = -1;
    everything->me = (ptl_me_t){.ct_handle = PTL_CT_NONE,
                                .uid = PTL_UID_ANY,
                                .match_id = {.phys = {PTL_NID_ANY, PTL_PID_ANY}},
                                .ignore_bits = ~(ptl_match_bits_t)0};
    if (table->unexpected)
        search(node, everything, PTL_SEARCH_DELETE);
    for (unsigned list = 0; list < 2; list++)
        while (table->lists[list] && !node->scene->run.has_failed) {
            struct entry *entry = table->lists[list];
            int should = target_unlink(&node->target, entry);
            expect(node, "unlinking an entry at the end", unlink(node, entry), should);
            expect(node, "unlinking an idle entry", should, PTL_OK);
        }
}

static void check_counters(struct node *node)
{
    for (unsigned i = 0; i < TARGET_COUNTERS; i++) {
        const struct counter *counter = &node->target.counters[i];
        ptl_ct_event_t is = {0};
        expect(node, "PtlCTGet", PtlCTGet(counter->handle, &is), PTL_OK);
        if (is.success != counter->value.success || is.failure != counter->value.failure)
            scene_fail(node->scene, node->number, "a counter is %llu/%llu, not %llu/%llu",
                       (unsigned long long)is.success, (unsigned long long)is.failure,
                       (unsigned long long)counter->value.success,
                       (unsigned long long)counter->value.failure);
    }
    for (unsigned i = 0; i < PTL_SR_LAST; i++) {
        ptl_sr_value_t is = -1;
        expect(node, "PtlNIStatus", PtlNIStatus(node->ni, (ptl_sr_index_t)i, &is), PTL_OK);
        expect(node, "a status register", is, node->target.status[i]);
    }
}

void post_close(struct node *node)
{
    struct target *target = &node->target;
    cancel(node);
    for (unsigned i = 0; i < TARGET_TABLES; i++)
        if (target->tables[i].is_allocated)
            empty_table(node, &target->tables[i]);
    drain_all(node);
    check_counters(node);
    expect(node, "the number of entries at the end", (int)target->entry_count, 0);
    expect(node, "the number of headers at the end", (int)target->header_count, 0);
    for (unsigned i = 0; i < TARGET_TABLES; i++)
        if (target->tables[i].is_allocated)
            expect(node, "PtlPTFree", PtlPTFree(node->ni, target->tables[i].index), PTL_OK);
    for (unsigned i = 0; i < target->queue_count; i++)
        expect(node, "PtlEQFree", PtlEQFree(target->queues[i].handle), PTL_OK);
    target->queue_count = 0;
    target_check_memory(target);
}
