/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/entry.h"

#include "base/log.h"
#include "nic/event.h"
#include "nic/execution.h"
#include "nic/header.h"
#include "nic/match.h"

/* ---- Life of an entry --------------------------------------------------------------------- */

static int fill_in(struct weft_nic_entry *entry, const struct weft_nic_entry_spec *spec)
{
    struct weft_nic_ni *ni = entry->ni;
    const ptl_me_t *me = &spec->me;
    enum weft_nic_region_result result = weft_nic_region_open(
        &entry->region, me->start, me->length, me->options, (uint64_t)ni->limits.max_iovecs);
    if (result != WEFT_NIC_REGION_OK)
        return result == WEFT_NIC_REGION_INVALID ? PTL_ARG_INVALID : PTL_NO_SPACE;
    entry->options = me->options;
    entry->ct = spec->ct;
    entry->uid = me->uid;
    entry->pt_index = spec->pt_index;
    entry->list = spec->list;
    entry->user_ptr = spec->user_ptr;
    entry->match_id = me->match_id;
    entry->match_bits = me->match_bits;
    entry->ignore_bits = me->ignore_bits;
    entry->min_free = me->min_free;
    if (!spec->handlers)
        return PTL_OK;
    int opened = weft_nic_execution_open(entry, spec);
    if (opened != PTL_OK)
        weft_nic_region_close(&entry->region);
    return opened;
}

static void destroy(struct weft_nic_entry *entry)
{
    weft_nic_execution_close(entry);
    weft_nic_region_close(&entry->region);
    weft_pool_give(&entry->ni->entries, entry);
}

void weft_nic_entry_settle(struct weft_nic_entry *entry)
{
    if (entry->linked || entry->pending || entry->headers || entry->awaits_trigger)
        return;
    if (entry->auto_unlinked && entry->list == PTL_OVERFLOW_LIST &&
        !(entry->options & PTL_ME_EVENT_UNLINK_DISABLE))
        weft_nic_event_entry(entry, PTL_EVENT_AUTO_FREE);
    destroy(entry);
}

static bool list_is_full(const struct weft_nic_ni *ni, const struct weft_nic_entry_spec *spec)
{
    return ni->pts[spec->pt_index].lists[spec->list].count >= (uint32_t)ni->limits.max_list_size;
}

/* ---- Appending ---------------------------------------------------------------------------- */

static void append(struct weft_nic_entry *entry)
{
    if (entry->list == PTL_PRIORITY_LIST && weft_nic_header_take(entry)) {
        destroy(entry);
        return;
    }
    weft_nic_match_link(entry);
    if (!(entry->options & PTL_ME_EVENT_LINK_DISABLE))
        weft_nic_event_entry(entry, PTL_EVENT_LINK);
}

void weft_nic_entry_relink(struct weft_nic_entry *entry)
{
    bool is_taken = entry->list == PTL_PRIORITY_LIST && weft_nic_header_take(entry);
    if (!is_taken)
        weft_nic_match_relink(entry);
}

int weft_nic_entry_append(struct weft_nic_ni *ni, const struct weft_nic_entry_spec *spec,
                          uint32_t *id)
{
    if (list_is_full(ni, spec))
        return PTL_LIST_TOO_LONG;
    struct weft_nic_entry *entry = weft_pool_take(&ni->entries);
    if (!entry)
        return PTL_NO_SPACE;
    entry->ni = ni;
    int result = fill_in(entry, spec);
    if (result != PTL_OK) {
        weft_pool_give(&ni->entries, entry);
        return result;
    }
    *id = entry->slot.id;
    append(entry);
    return PTL_OK;
}

int weft_nic_entry_unlink(struct weft_nic_ni *ni, uint32_t id)
{
    struct weft_nic_entry *entry = weft_pool_find(&ni->entries, id);
    /* Of an entry with handlers, those of its last message may still decide that it stays. */
    if (entry && (entry->awaits_trigger || (entry->execution && entry->pending)))
        return PTL_IN_USE;
    if (!entry || !entry->linked)
        return PTL_ARG_INVALID;
    if (entry->pending || entry->headers)
        return PTL_IN_USE;
    weft_nic_match_unlink(entry);
    destroy(entry);
    return PTL_OK;
}

/* ---- Searching ---------------------------------------------------------------------------- */

int weft_nic_entry_search(struct weft_nic_ni *ni, const struct weft_nic_entry_spec *spec,
                          ptl_search_op_t op)
{
    struct weft_nic_entry seeker = {.ni = ni};
    int result = fill_in(&seeker, spec);
    if (result != PTL_OK)
        return result;
    unsigned found =
        op == PTL_SEARCH_ONLY ? weft_nic_header_show(&seeker) : weft_nic_header_delete(&seeker);
    if (found == 0) {
        if (!(seeker.options & PTL_ME_EVENT_OVER_DISABLE))
            weft_nic_event_no_match(ni, &ni->pts[spec->pt_index], seeker.user_ptr);
        if (seeker.options & PTL_ME_EVENT_CT_OVERFLOW)
            weft_nic_event_count(ni, seeker.ct, PTL_NI_NO_MATCH, 1);
    }
    weft_nic_region_close(&seeker.region);
    return PTL_OK;
}

/* ---- By triggers -------------------------------------------------------------------------- */

int weft_nic_entry_reserve(struct weft_nic_ni *ni, const struct weft_nic_entry_spec *spec,
                           uint32_t *id)
{
    struct weft_nic_entry *entry = weft_pool_take(&ni->entries);
    if (!entry)
        return PTL_NO_SPACE;
    entry->ni = ni;
    entry->pt_index = spec->pt_index;
    entry->list = spec->list;
    entry->user_ptr = spec->user_ptr;
    entry->ct = spec->ct;
    entry->awaits_trigger = true;
    *id = entry->slot.id;
    return PTL_OK;
}

/* There is no call left to return this, and the program may wait for what the entry would have
 * told: the queue and the counter tell this instead, whatever options hide a success. */
static void refuse_late(struct weft_nic_entry *entry, unsigned options)
{
    if (!weft_nic_event_not_linked(entry))
        weft_log(WEFT_LOG_ERROR,
                 "a triggered append to portal table entry %u failed: the list is full, the "
                 "descriptor is not valid, the table entry was freed, or there is no memory",
                 entry->pt_index);
    if (options & (PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_CT_OVERFLOW))
        weft_nic_event_count(entry->ni, entry->ct, PTL_NI_UNDELIVERABLE, 1);
    destroy(entry);
}

void weft_nic_entry_append_late(struct weft_nic_ni *ni, uint32_t id, const ptl_me_t *me)
{
    struct weft_nic_entry *entry = weft_pool_find(&ni->entries, id);
    if (!entry || !entry->awaits_trigger)
        return;
    struct weft_nic_entry_spec spec = {.pt_index = entry->pt_index,
                                       .list = entry->list,
                                       .me = *me,
                                       .ct = entry->ct,
                                       .user_ptr = entry->user_ptr};
    entry->awaits_trigger = false;
    if (ni->pts[spec.pt_index].allocated && !list_is_full(ni, &spec) &&
        fill_in(entry, &spec) == PTL_OK)
        append(entry);
    else
        refuse_late(entry, me->options);
}

/* Unlike a program, a trigger cannot try again: the entry goes as soon as it is no longer used. */
void weft_nic_entry_unlink_late(struct weft_nic_ni *ni, uint32_t id)
{
    struct weft_nic_entry *entry = weft_pool_find(&ni->entries, id);
    if (!entry || !entry->linked)
        return;
    weft_nic_match_unlink(entry);
    weft_nic_entry_settle(entry);
}

void weft_nic_entry_forget(struct weft_nic_ni *ni, uint32_t id)
{
    struct weft_nic_entry *entry = weft_pool_find(&ni->entries, id);
    if (entry && entry->awaits_trigger)
        destroy(entry);
}
