/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/trigger.h"

#include "base/log.h"
#include "nic/entry.h"
#include "nic/event.h"
#include "nic/trace.h"
#include "nic/tx.h"

/* ---- A pairing heap ----------------------------------------------------------------------- */

static bool is_before(const struct weft_nic_trigger *a, const struct weft_nic_trigger *b)
{
    return a->threshold != b->threshold ? a->threshold < b->threshold : a->order < b->order;
}

static struct weft_nic_trigger *meld(struct weft_nic_trigger *a, struct weft_nic_trigger *b)
{
    if (!a || !b)
        return a ? a : b;
    if (is_before(b, a)) {
        struct weft_nic_trigger *c = a;
        a = b;
        b = c;
    }
    b->sibling = a->child;
    a->child = b;
    return a;
}

/* Melds the children two by two, then the pairs from the last to the first: without recursion,
 * since a heap of n may have a node with n children. */
static struct weft_nic_trigger *meld_children(struct weft_nic_trigger *child)
{
    struct weft_nic_trigger *pairs = NULL, *result = NULL;
    while (child) {
        struct weft_nic_trigger *second = child->sibling;
        struct weft_nic_trigger *rest = second ? second->sibling : NULL;
        child->sibling = NULL;
        if (second)
            second->sibling = NULL;
        struct weft_nic_trigger *pair = meld(child, second);
        pair->sibling = pairs;
        pairs = pair;
        child = rest;
    }
    while (pairs) {
        struct weft_nic_trigger *next = pairs->sibling;
        pairs->sibling = NULL;
        result = meld(result, pairs);
        pairs = next;
    }
    return result;
}

static struct weft_nic_trigger *take_first(struct weft_nic_ct *ct)
{
    struct weft_nic_trigger *first = ct->triggers;
    ct->triggers = meld_children(first->child);
    first->child = NULL;
    return first;
}

/* ---- Waiting and firing ------------------------------------------------------------------- */

struct weft_nic_trigger *weft_nic_trigger_new(struct weft_nic_ni *ni,
                                              enum weft_nic_trigger_what what)
{
    struct weft_nic_trigger *trigger = weft_pool_take(&ni->triggers);
    if (trigger) {
        trigger->ni = ni;
        trigger->what = what;
        trigger->order = ni->trigger_order++;
        weft_list_init(&trigger->fired);
    }
    return trigger;
}

static void hold(struct weft_nic_trigger *trigger, int change)
{
    if (trigger->what != WEFT_NIC_TRIGGER_COMMAND)
        return;
    if (trigger->command.md)
        trigger->command.md->pending += (uint32_t)change;
    if (trigger->command.get_md)
        trigger->command.get_md->pending += (uint32_t)change;
}

void weft_nic_trigger_set(struct weft_nic_trigger *trigger, struct weft_nic_ct *ct,
                          uint64_t threshold)
{
    hold(trigger, 1);
    trigger->threshold = threshold;
    ct->triggers = meld(ct->triggers, trigger);
    weft_nic_trigger_reached(ct);
}

/* Not inlined, so that a counter without triggers saves no registers for it. */
static __attribute__((noinline)) void fire(struct weft_nic_ct *ct, uint64_t count)
{
    while (ct->triggers && ct->triggers->threshold <= count)
        weft_list_append(&ct->ni->nic->fired, &take_first(ct)->fired);
}

void weft_nic_trigger_reached(struct weft_nic_ct *ct)
{
    struct weft_nic *nic = ct->ni->nic;
    uint64_t count = ct->value.success + ct->value.failure;
    nic->posted++;
    weft_nic_trace(nic, WEFT_TRACE_COUNT, NULL, ct->value.success,
                   (uint64_t)ct->slot.id << 32 | (uint32_t)ct->value.failure);
    if (ct->triggers)
        fire(ct, count);
}

static bool wraps(uint64_t value, uint64_t increment)
{
    bool takes_away = increment >> 63;
    return takes_away ? value + increment > value : value + increment < value;
}

bool weft_nic_trigger_add(struct weft_nic_ct *ct, ptl_ct_event_t increment)
{
    if (wraps(ct->value.success, increment.success) || wraps(ct->value.failure, increment.failure))
        return false;
    ct->value.success += increment.success;
    ct->value.failure += increment.failure;
    weft_nic_trigger_reached(ct);
    return true;
}

static void drop(struct weft_nic_trigger *trigger)
{
    hold(trigger, -1);
    weft_pool_give(&trigger->ni->triggers, trigger);
}

void weft_nic_trigger_cancel(struct weft_nic_ct *ct)
{
    while (ct->triggers) {
        struct weft_nic_trigger *trigger = take_first(ct);
        if (trigger->what == WEFT_NIC_TRIGGER_APPEND)
            weft_nic_entry_forget(trigger->ni, trigger->object);
        drop(trigger);
    }
}

static void change_counter(const struct weft_nic_trigger *trigger)
{
    struct weft_nic_ct *ct = weft_pool_find(&trigger->ni->cts, trigger->object);
    if (!ct)
        return;
    if (trigger->what == WEFT_NIC_TRIGGER_SET) {
        ct->value = trigger->value;
        weft_nic_trigger_reached(ct);
    } else if (!weft_nic_trigger_add(ct, trigger->value)) {
        weft_log(WEFT_LOG_ERROR, "a triggered increment would make a counter wrap: it is ignored");
    }
}

static void start(const struct weft_nic_trigger *trigger)
{
    switch (trigger->what) {
    case WEFT_NIC_TRIGGER_COMMAND:
        if (weft_nic_tx_start(trigger->ni, &trigger->command) != PTL_OK)
            weft_nic_tx_fail(&trigger->command, PTL_NI_UNDELIVERABLE);
        break;
    case WEFT_NIC_TRIGGER_INCREMENT:
    case WEFT_NIC_TRIGGER_SET:
        change_counter(trigger);
        break;
    case WEFT_NIC_TRIGGER_APPEND:
        weft_nic_entry_append_late(trigger->ni, trigger->object, trigger->me);
        break;
    case WEFT_NIC_TRIGGER_UNLINK:
        weft_nic_entry_unlink_late(trigger->ni, trigger->object);
        break;
    }
}

void weft_nic_trigger_start_fired(struct weft_nic *nic)
{
    /* Starting one may fire others, which come to the end of the queue. */
    if (nic->fires)
        return;
    nic->fires = true;
    while (!weft_list_is_empty(&nic->fired)) {
        struct weft_nic_trigger *trigger =
            weft_list_object(nic->fired.next, struct weft_nic_trigger, fired);
        weft_list_remove(&trigger->fired);
        start(trigger);
        drop(trigger);
    }
    nic->fires = false;
}
