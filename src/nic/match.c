/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/match.h"

#include "base/hash.h"
#include "base/inline.h"
#include "base/rare.h"
#include "nic/atomic.h"
#include "nic/event.h"
#include "nic/hpu.h"

/* ---- Finding ------------------------------------------------------------------------------ */

/* A rank leaves the other half of the union undefined. */
static uint64_t source_key(const struct weft_nic_ni *ni, ptl_process_t source)
{
    return ni->logical ? source.rank : (uint64_t)source.phys.pid << 32 | source.phys.nid;
}

uint64_t weft_nic_match_hash(const struct weft_nic_ni *ni, ptl_pt_index_t pt_index, unsigned list,
                             ptl_process_t source, ptl_match_bits_t bits)
{
    uint64_t hash = weft_hash_mix((uint64_t)pt_index << 1 | list, bits);
    return weft_hash_mix(hash, source_key(ni, source));
}

static ptl_process_t any_source(const struct weft_nic_ni *ni)
{
    ptl_process_t any = {.phys = {PTL_NID_ANY, PTL_PID_ANY}};
    if (ni->logical)
        any.rank = PTL_RANK_ANY;
    return any;
}

static bool source_fits(const struct weft_nic_entry *entry, ptl_process_t source)
{
    ptl_process_t wanted = entry->match_id;
    if (entry->ni->logical)
        return wanted.rank == PTL_RANK_ANY || wanted.rank == source.rank;
    return (wanted.phys.nid == PTL_NID_ANY || wanted.phys.nid == source.phys.nid) &&
           (wanted.phys.pid == PTL_PID_ANY || wanted.phys.pid == source.phys.pid);
}

static uint64_t offset_in(const struct weft_nic_entry *entry,
                          const struct weft_nic_delivery *delivery)
{
    return entry->options & PTL_ME_MANAGE_LOCAL ? entry->local_offset
                                                : delivery->request.remote_offset;
}

static uint64_t free_in(const struct weft_nic_entry *entry, uint64_t offset)
{
    return offset < entry->region.length ? entry->region.length - offset : 0;
}

static bool length_fits(const struct weft_nic_entry *entry,
                        const struct weft_nic_delivery *delivery)
{
    return !(entry->options & PTL_ME_NO_TRUNCATE) ||
           delivery->request.length <= free_in(entry, offset_in(entry, delivery));
}

bool weft_nic_match_fits(const struct weft_nic_entry *entry,
                         const struct weft_nic_delivery *delivery)
{
    if (!entry->ni->matching)
        return true;
    if ((delivery->request.match_bits ^ entry->match_bits) & ~entry->ignore_bits)
        return false;
    return source_fits(entry, delivery->initiator) && length_fits(entry, delivery);
}

/* The first entry of the hash that takes the message. Different keys may share a hash, but not if
 * they differ in the source alone. */
WEFT_INLINE struct weft_nic_entry *find_hashed(const struct weft_nic_delivery *delivery,
                                               ptl_list_t list, ptl_process_t source)
{
    const struct weft_nic_ni *ni = delivery->ni;
    ptl_pt_index_t pt_index = delivery->request.pt_index;
    ptl_match_bits_t bits = delivery->request.match_bits;
    uint64_t hash = weft_nic_match_hash(ni, pt_index, list, source, bits);
    const struct weft_list *bucket = weft_index_bucket(&ni->entry_index, hash);
    for (struct weft_list *link = bucket->next; link != bucket; link = link->next) {
        struct weft_nic_entry *entry = weft_list_object(link, struct weft_nic_entry, node.link);
        if (entry->node.hash == hash && entry->match_bits == bits && entry->pt_index == pt_index &&
            entry->list == list && length_fits(entry, delivery))
            return entry;
    }
    return NULL;
}

static struct weft_nic_entry *earlier(struct weft_nic_entry *a, struct weft_nic_entry *b)
{
    if (!a || !b)
        return a ? a : b;
    return a->order < b->order ? a : b;
}

/* Apart from `find`, so that its shortest way saves no registers for the longer ones. */
static __attribute__((noinline)) struct weft_nic_entry *
find_any_source(const struct weft_nic_delivery *delivery, ptl_list_t list,
                struct weft_nic_entry *best)
{
    return earlier(best, find_hashed(delivery, list, any_source(delivery->ni)));
}

/* An entry of the list without hash that comes before `best`, or that. */
static __attribute__((noinline)) struct weft_nic_entry *
find_wild(const struct weft_nic_delivery *delivery, const struct weft_list *wild,
          struct weft_nic_entry *best)
{
    for (struct weft_list *link = wild->next; link != wild; link = link->next) {
        struct weft_nic_entry *entry = weft_list_object(link, struct weft_nic_entry, node.link);
        if (best && best->order < entry->order)
            break;
        if (weft_nic_match_fits(entry, delivery))
            return entry;
    }
    return best;
}

WEFT_INLINE struct weft_nic_entry *find(const struct weft_nic_delivery *delivery, ptl_list_t which)
{
    const struct weft_nic_match_list *list = &delivery->pt->lists[which];
    struct weft_nic_entry *best = NULL;
    if (list->exact)
        best = find_hashed(delivery, which, delivery->initiator);
    if (list->any_source)
        best = find_any_source(delivery, which, best);
    return weft_list_is_empty(&list->wild) ? best : find_wild(delivery, &list->wild, best);
}

static __attribute__((noinline)) struct weft_nic_entry *
find_overflow(const struct weft_nic_delivery *delivery)
{
    return find(delivery, PTL_OVERFLOW_LIST);
}

/* ---- Lists -------------------------------------------------------------------------------- */

static void classify(struct weft_nic_entry *entry)
{
    ptl_process_t any = any_source(entry->ni), id = entry->match_id;
    bool one_value = entry->ni->matching && entry->ignore_bits == 0;
    entry->any_source = one_value && source_key(entry->ni, id) == source_key(entry->ni, any);
    bool half_wild = entry->ni->logical ? id.rank == PTL_RANK_ANY
                                        : id.phys.nid == PTL_NID_ANY || id.phys.pid == PTL_PID_ANY;
    entry->is_exact = one_value && !half_wild;
}

/* Entries with handlers may come back: before those that were appended later. */
static void restore_order(struct weft_list *list, struct weft_nic_entry *entry)
{
    struct weft_list *place = &entry->node.link;
    while (place->prev != list &&
           weft_list_object(place->prev, struct weft_nic_entry, node.link)->order > entry->order)
        place = place->prev;
    if (place == &entry->node.link)
        return;
    weft_list_remove(&entry->node.link);
    weft_list_insert(place, &entry->node.link);
}

void weft_nic_match_relink(struct weft_nic_entry *entry)
{
    uint64_t order = entry->order;
    weft_nic_match_link(entry);
    entry->order = order;
    entry->auto_unlinked = false;
    struct weft_nic_ni *ni = entry->ni;
    if (entry->is_exact || entry->any_source)
        restore_order(weft_index_bucket(&ni->entry_index, entry->node.hash), entry);
    else
        restore_order(&ni->pts[entry->pt_index].lists[entry->list].wild, entry);
}

void weft_nic_match_link(struct weft_nic_entry *entry)
{
    struct weft_nic_ni *ni = entry->ni;
    struct weft_nic_match_list *list = &ni->pts[entry->pt_index].lists[entry->list];
    classify(entry);
    entry->order = ni->order++;
    entry->linked = true;
    list->count++;
    list->exact += entry->is_exact;
    list->any_source += entry->any_source;
    if (entry->is_exact || entry->any_source)
        weft_index_add(&ni->entry_index, &entry->node,
                       weft_nic_match_hash(ni, entry->pt_index, entry->list, entry->match_id,
                                           entry->match_bits));
    else
        weft_list_append(&list->wild, &entry->node.link);
}

void weft_nic_match_unlink(struct weft_nic_entry *entry)
{
    struct weft_nic_match_list *list = &entry->ni->pts[entry->pt_index].lists[entry->list];
    list->count--;
    list->exact -= entry->is_exact;
    list->any_source -= entry->any_source;
    entry->linked = false;
    if (entry->is_exact || entry->any_source)
        weft_index_remove(&entry->ni->entry_index, &entry->node);
    else
        weft_list_remove(&entry->node.link);
}

/* ---- Taking ------------------------------------------------------------------------------- */

static const unsigned char needed_options[WEFT_PACKET_KINDS] = {
    [WEFT_PACKET_PUT] = PTL_ME_OP_PUT,
    [WEFT_PACKET_GET] = PTL_ME_OP_GET,
    [WEFT_PACKET_ATOMIC] = PTL_ME_OP_PUT,
    [WEFT_PACKET_FETCH_ATOMIC] = PTL_ME_OP_PUT | PTL_ME_OP_GET,
    [WEFT_PACKET_SWAP] = PTL_ME_OP_PUT | PTL_ME_OP_GET,
};

/* PTL_NI_OK, or why the entry may not be used; counts it. A job has one user: whoever the world has
 * let in is of it, whatever the packet says. */
static ptl_ni_fail_t permission(const struct weft_nic_entry *entry,
                                const struct weft_nic_delivery *delivery)
{
    int *status = delivery->ni->status;
    if (entry->uid != PTL_UID_ANY && entry->uid != delivery->ni->nic->world->uid) {
        status[PTL_SR_PERMISSION_VIOLATIONS]++;
        return PTL_NI_PERM_VIOLATION;
    }
    if (needed_options[delivery->kind] & ~entry->options) {
        status[PTL_SR_OPERATION_VIOLATIONS]++;
        return PTL_NI_OP_VIOLATION;
    }
    return PTL_NI_OK;
}

static void refuse(struct weft_nic_delivery *delivery, ptl_ni_fail_t fail)
{
    delivery->fail = fail;
    delivery->pt = NULL;
}

static void drop(struct weft_nic_delivery *delivery, ptl_ni_fail_t fail)
{
    delivery->ni->status[PTL_SR_DROP_COUNT]++;
    refuse(delivery, fail);
}

static ptl_ni_fail_t disable(struct weft_nic_ni *ni, struct weft_nic_pt *pt, unsigned options)
{
    if (!(pt->options & PTL_PT_FLOWCTRL))
        return PTL_NI_DROPPED;
    if (pt->enabled && !(options & PTL_ME_EVENT_FLOWCTRL_DISABLE))
        weft_nic_event_pt_disabled(ni, pt);
    pt->enabled = false;
    return PTL_NI_PT_DISABLED;
}

ptl_ni_fail_t weft_nic_match_disable(const struct weft_nic_delivery *delivery)
{
    delivery->ni->status[PTL_SR_DROP_COUNT]++;
    return disable(delivery->ni, delivery->pt, delivery->entry->options);
}

/* Nothing is left to take the message with, or not enough; `options` are of the entry that wanted
 * it, if one did. */
static __attribute__((noinline)) void exhausted(struct weft_nic_delivery *delivery,
                                                unsigned options)
{
    drop(delivery, disable(delivery->ni, delivery->pt, options));
}

static inline void place(struct weft_nic_delivery *delivery, struct weft_nic_entry *entry,
                         uint64_t offset)
{
    uint64_t length = free_in(entry, offset);
    if (length > delivery->request.length)
        length = delivery->request.length;
    if (delivery->kind != WEFT_PACKET_PUT && delivery->kind != WEFT_PACKET_GET)
        length -= length % weft_nic_atomic_size((ptl_datatype_t)delivery->request.atomic_type);
    delivery->entry = entry;
    delivery->list = entry->list;
    delivery->offset = offset;
    delivery->length = length;
}

static bool is_last_use(const struct weft_nic_entry *entry, uint64_t length)
{
    if (entry->options & PTL_ME_USE_ONCE)
        return true;
    return entry->options & PTL_ME_MANAGE_LOCAL && entry->min_free > 0 &&
           free_in(entry, entry->local_offset + length) < entry->min_free;
}

/* Events that the message will cause at the most. */
static unsigned events_of(const struct weft_nic_delivery *delivery,
                          const struct weft_nic_entry *entry)
{
    unsigned options = entry->options;
    return !(options & PTL_ME_EVENT_COMM_DISABLE) +
           (delivery->last_use && !(options & PTL_ME_EVENT_UNLINK_DISABLE));
}

static bool needs_header(const struct weft_nic_entry *entry)
{
    return entry->list == PTL_OVERFLOW_LIST && !(entry->options & PTL_ME_UNEXPECTED_HDR_DISABLE);
}

/* What can run out: headers, and with flow control contexts and the room for events. */
static bool secure(struct weft_nic_delivery *delivery, const struct weft_nic_entry *entry)
{
    struct weft_nic_ni *ni = delivery->ni;
    const struct weft_nic_pt *pt = delivery->pt;
    if (entry->execution && !weft_nic_hpu_has_context(ni->nic, pt))
        return false;
    if (pt->options & PTL_PT_FLOWCTRL) {
        delivery->promised = (uint8_t)events_of(delivery, entry);
        if (!weft_nic_event_has_room(ni, pt->eq, delivery->promised))
            return false;
    }
    if (needs_header(entry)) {
        delivery->header = weft_pool_take(&ni->headers);
        if (!delivery->header)
            return false;
    }
    weft_nic_event_promise(ni, pt->eq, delivery->promised);
    return true;
}

static void hold(struct weft_nic_delivery *delivery, struct weft_nic_entry *entry)
{
    entry->pending++;
    delivery->pt->pending++;
}

/* A put to an entry that anybody may use, that stays as it is, and that nothing can run out for:
 * the way of most packets, so all this is asked at once. */
static bool is_plain(const struct weft_nic_delivery *delivery, const struct weft_nic_entry *entry)
{
    const unsigned change = PTL_ME_USE_ONCE | PTL_ME_MANAGE_LOCAL | PTL_ME_ACK_DISABLE;
    return delivery->kind == WEFT_PACKET_PUT && entry->uid == PTL_UID_ANY &&
           (entry->options & (change | PTL_ME_OP_PUT)) == PTL_ME_OP_PUT &&
           entry->list == PTL_PRIORITY_LIST && !(delivery->pt->options & PTL_PT_FLOWCTRL);
}

static __attribute__((noinline)) void take(struct weft_nic_delivery *delivery,
                                           struct weft_nic_entry *entry)
{
    ptl_ni_fail_t fail = permission(entry, delivery);
    if (fail != PTL_NI_OK) {
        refuse(delivery, fail);
        return;
    }
    place(delivery, entry, offset_in(entry, delivery));
    delivery->last_use = is_last_use(entry, delivery->length);
    if (!secure(delivery, entry)) {
        delivery->entry = NULL;
        delivery->length = 0;
        delivery->promised = 0;
        exhausted(delivery, entry->options);
        return;
    }
    /* Only now: a message that flow control refuses must say so whatever the entry wants. */
    delivery->no_ack = entry->options & PTL_ME_ACK_DISABLE;
    delivery->execution = entry->execution;
    hold(delivery, entry);
    if (entry->options & PTL_ME_MANAGE_LOCAL)
        entry->local_offset += delivery->length;
    if (delivery->last_use) {
        weft_nic_match_unlink(entry);
        entry->auto_unlinked = true;
    }
}

static struct weft_nic_pt *pt_of(const struct weft_nic_delivery *delivery)
{
    const struct weft_nic_ni *ni = delivery->ni;
    ptl_pt_index_t index = delivery->request.pt_index;
    if (!ni->open || index > (ptl_pt_index_t)ni->limits.max_pt_index || !ni->pts[index].allocated)
        return NULL;
    return &ni->pts[index];
}

void weft_nic_match(struct weft_nic_delivery *delivery)
{
    delivery->pt = pt_of(delivery);
    if (weft_rare(!delivery->pt)) {
        drop(delivery, PTL_NI_DROPPED);
        return;
    }
    if (weft_rare(!delivery->pt->enabled)) {
        drop(delivery, PTL_NI_PT_DISABLED);
        return;
    }
    struct weft_nic_entry *entry = find(delivery, PTL_PRIORITY_LIST);
    if (!entry)
        entry = find_overflow(delivery);
    if (!entry) {
        exhausted(delivery, 0);
        return;
    }
    if (!is_plain(delivery, entry)) {
        take(delivery, entry);
        return;
    }
    place(delivery, entry, delivery->request.remote_offset);
    delivery->execution = entry->execution;
    hold(delivery, entry);
}
