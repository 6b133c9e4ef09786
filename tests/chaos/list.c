/* SPDX-License-Identifier: BSD-3-Clause */
/* The model of lists: appending, unlinking, and the unexpected messages of overflow entries. */
#include "chaos/scene.h"

/* ---- Entries ------------------------------------------------------------------------------ */

static struct table *table_of(struct target *target, const struct entry *entry)
{
    return &target->tables[entry->table];
}

static void add(struct target *target, struct entry *entry)
{
    struct entry **end = &table_of(target, entry)->lists[entry->list];
    while (*end)
        end = &(*end)->next;
    *end = entry;
    entry->next = NULL;
    entry->is_linked = true;
}

void target_remove(struct target *target, struct entry *entry)
{
    struct entry **place = &table_of(target, entry)->lists[entry->list];
    while (*place != entry)
        place = &(*place)->next;
    *place = entry->next;
    entry->is_linked = false;
}

void target_settle(struct target *target, struct entry *entry)
{
    if (entry->is_linked || entry->pending || entry->headers || entry->awaits_trigger)
        return;
    if (entry->was_used_up && entry->list == PTL_OVERFLOW_LIST &&
        !(entry->me.options & PTL_ME_EVENT_UNLINK_DISABLE))
        target_post_entry(target, entry, PTL_EVENT_AUTO_FREE);
    target->entry_count--;
}

bool target_list_is_full(const struct target *target, const struct entry *entry)
{
    int count = 0;
    for (struct entry *e = target->tables[entry->table].lists[entry->list]; e; e = e->next)
        count++;
    return count >= target->limits.max_list_size;
}

/* ---- Unexpected messages ------------------------------------------------------------------ */

void target_open_header(struct target *target, struct op *op)
{
    struct header *header = scene_make(target->scene, sizeof *header);
    if (!header)
        return;
    header->op = op;
    header->entry = op->entry;
    header->is_arriving = true;
    op->header = header;
    op->entry->headers++;
    target->header_count++;
    struct header **end = &table_of(target, op->entry)->unexpected;
    while (*end)
        end = &(*end)->next;
    *end = header;
}

static void hide(struct target *target, struct header *header)
{
    struct header **place = &table_of(target, header->entry)->unexpected;
    while (*place != header)
        place = &(*place)->next;
    *place = header->next;
}

static void destroy(struct target *target, struct header *header)
{
    struct entry *entry = header->entry;
    header->op->header = NULL;
    target->header_count--;
    entry->headers--;
    target_settle(target, entry);
}

static ptl_event_kind_t overflow_event(enum op_kind kind)
{
    switch (kind) {
    case OP_PUT:
        return PTL_EVENT_PUT_OVERFLOW;
    case OP_GET:
        return PTL_EVENT_GET_OVERFLOW;
    case OP_ATOMIC:
        return PTL_EVENT_ATOMIC_OVERFLOW;
    default:
        return PTL_EVENT_FETCH_ATOMIC_OVERFLOW;
    }
}

static void hand_over(struct target *target, struct header *header)
{
    const struct op *op = header->op;
    const struct entry *claimant = header->claimant;
    unsigned options = claimant->me.options;
    bool is_wanted = op->fail != PTL_NI_OK || !(options & PTL_ME_EVENT_SUCCESS_DISABLE);
    if (is_wanted && !(options & PTL_ME_EVENT_OVER_DISABLE))
        target_post_message(target, op, overflow_event(op->kind), header->entry, (void *)claimant);
    if (options & PTL_ME_EVENT_CT_OVERFLOW)
        target_count(target, claimant, op);
    if (header->is_claimed_once && !(options & PTL_ME_EVENT_UNLINK_DISABLE))
        target_post_entry(target, claimant, PTL_EVENT_AUTO_UNLINK);
    destroy(target, header);
}

void target_close_header(struct target *target, struct header *header)
{
    header->is_arriving = false;
    if (header->claimant) {
        hand_over(target, header);
    } else if (header->op->fail != PTL_NI_OK) {
        hide(target, header);
        destroy(target, header);
    }
}

static void claim(struct target *target, struct header *header, const struct entry *claimant,
                  bool once)
{
    hide(target, header);
    header->claimant = claimant;
    header->is_claimed_once = once;
    if (!header->is_arriving)
        hand_over(target, header);
}

static struct header *find(struct target *target, const struct entry *entry, struct header *from)
{
    while (from && !target_fits(target, entry, from->op))
        from = from->next;
    return from;
}

/* ---- Calls -------------------------------------------------------------------------------- */

static void append(struct target *target, struct entry *entry)
{
    bool once = entry->me.options & PTL_ME_USE_ONCE;
    struct header *header = NULL;
    while (entry->list == PTL_PRIORITY_LIST &&
           (header = find(target, entry, table_of(target, entry)->unexpected))) {
        claim(target, header, entry, once);
        if (once) {
            target->entry_count--;
            return;
        }
    }
    add(target, entry);
    if (!(entry->me.options & PTL_ME_EVENT_LINK_DISABLE))
        target_post_entry(target, entry, PTL_EVENT_LINK);
}

int target_append(struct target *target, struct entry *entry)
{
    if (target_list_is_full(target, entry))
        return PTL_LIST_TOO_LONG;
    if (target->entry_count == (unsigned)target->limits.max_entries)
        return PTL_NO_SPACE;
    target->entry_count++;
    append(target, entry);
    return PTL_OK;
}

int target_unlink(struct target *target, struct entry *entry)
{
    if (entry->awaits_trigger)
        return PTL_IN_USE;
    if (!entry->is_linked)
        return PTL_ARG_INVALID;
    if (entry->pending || entry->headers)
        return PTL_IN_USE;
    target_remove(target, entry);
    target->entry_count--;
    return PTL_OK;
}

static void report_found(struct target *target, const struct entry *seeker,
                         const struct header *header)
{
    unsigned options = seeker->me.options;
    if (!(options & PTL_ME_EVENT_OVER_DISABLE))
        target_post_message(target, header->op, PTL_EVENT_SEARCH, header->entry, (void *)seeker);
    if (options & PTL_ME_EVENT_CT_OVERFLOW)
        target_count(target, seeker, header->op);
}

static void report_none(struct target *target, const struct entry *seeker)
{
    const struct table *table = table_of(target, seeker);
    const struct expected expected = {.event = {.type = PTL_EVENT_SEARCH,
                                                .user_ptr = (void *)seeker,
                                                .pt_index = table->index,
                                                .ni_fail_type = PTL_NI_NO_MATCH}};
    if (!(seeker->me.options & PTL_ME_EVENT_OVER_DISABLE))
        queue_post(&target->queues[table->queue], &expected, false);
    if (seeker->me.options & PTL_ME_EVENT_CT_OVERFLOW && seeker->counter >= 0)
        target->counters[seeker->counter].value.failure++;
}

void target_search(struct target *target, const struct entry *seeker, ptl_search_op_t how)
{
    struct header *header = find(target, seeker, table_of(target, seeker)->unexpected);
    if (!header)
        report_none(target, seeker);
    while (header) {
        struct header *next = header->next;
        if (how == PTL_SEARCH_ONLY)
            report_found(target, seeker, header);
        else
            claim(target, header, seeker, false);
        header = seeker->me.options & PTL_ME_USE_ONCE ? NULL : find(target, seeker, next);
    }
}

int target_reserve(struct target *target, struct entry *entry)
{
    if (target->entry_count == (unsigned)target->limits.max_entries)
        return PTL_NO_SPACE;
    target->entry_count++;
    entry->awaits_trigger = true;
    return PTL_OK;
}

static void refuse(struct target *target, const struct entry *entry)
{
    const struct table *table = table_of(target, entry);
    const struct expected expected = {.event = {.type = PTL_EVENT_LINK,
                                                .user_ptr = (void *)entry,
                                                .pt_index = table->index,
                                                .ni_fail_type = PTL_NI_UNDELIVERABLE}};
    queue_post(&target->queues[table->queue], &expected, false);
    if (entry->me.options & (PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_CT_OVERFLOW) &&
        entry->counter >= 0)
        target->counters[entry->counter].value.failure++;
    target->entry_count--;
}

void target_append_late(struct target *target, struct entry *entry)
{
    entry->awaits_trigger = false;
    if (target_list_is_full(target, entry))
        refuse(target, entry);
    else
        append(target, entry);
}

void target_unlink_late(struct target *target, struct entry *entry)
{
    if (!entry->is_linked)
        return;
    target_remove(target, entry);
    target_settle(target, entry);
}
