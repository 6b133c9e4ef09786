/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/entry.h"

#include "base/log.h"
#include "nic/event.h"
#include "nic/match.h"

/* ---- Life of an entry --------------------------------------------------------------------- */

static int fill_in(struct weft_entry *entry, const struct weft_entry_wish *wish)
{
    struct weft_ni *ni = entry->ni;
    const ptl_me_t *me = &wish->me;
    enum weft_region_result result =
        weft_region_open(&entry->region, me->start, me->length, me->options & PTL_IOVEC,
                         (uint64_t)ni->limits.max_iovecs);
    if (result != WEFT_REGION_OK)
        return result == WEFT_REGION_INVALID ? PTL_ARG_INVALID : PTL_NO_SPACE;
    entry->options = me->options;
    entry->ct = wish->ct;
    entry->uid = me->uid;
    entry->pt_index = wish->pt_index;
    entry->list = wish->list;
    entry->user_ptr = wish->user_ptr;
    entry->match_id = me->match_id;
    entry->match_bits = me->match_bits;
    entry->ignore_bits = me->ignore_bits;
    entry->min_free = me->min_free;
    return PTL_OK;
}

static void destroy(struct weft_entry *entry)
{
    weft_region_close(&entry->region);
    weft_pool_give(&entry->ni->entries, entry);
}

/* Once the entry is out of its list and nothing refers to it, it goes. */
static void settle(struct weft_entry *entry)
{
    if (entry->linked || entry->pending || entry->headers || entry->awaits_trigger)
        return;
    if (entry->auto_unlinked && entry->list == PTL_OVERFLOW_LIST &&
        !(entry->options & PTL_ME_EVENT_UNLINK_DISABLE))
        weft_event_entry(entry, PTL_EVENT_AUTO_FREE);
    destroy(entry);
}

void weft_entry_release(struct weft_entry *entry)
{
    entry->pending--;
    settle(entry);
}

static bool list_is_full(const struct weft_ni *ni, const struct weft_entry_wish *wish)
{
    return ni->pts[wish->pt_index].lists[wish->list].count >= (uint32_t)ni->limits.max_list_size;
}

/* ---- Unexpected messages ------------------------------------------------------------------ */

static ptl_event_kind_t overflow_event(uint8_t kind)
{
    switch (kind) {
    case WEFT_PACKET_PUT:
        return PTL_EVENT_PUT_OVERFLOW;
    case WEFT_PACKET_GET:
        return PTL_EVENT_GET_OVERFLOW;
    case WEFT_PACKET_ATOMIC:
        return PTL_EVENT_ATOMIC_OVERFLOW;
    default:
        return PTL_EVENT_FETCH_ATOMIC_OVERFLOW;
    }
}

static uint64_t header_hash(const struct weft_header *header)
{
    const struct weft_delivery *delivery = &header->delivery;
    return weft_match_hash(delivery->ni, delivery->request.pt_index, PTL_OVERFLOW_LIST,
                           delivery->initiator, delivery->request.match_bits);
}

void weft_header_open(struct weft_delivery *delivery)
{
    struct weft_header *header = delivery->header;
    header->delivery = *delivery;
    header->pt = delivery->pt;
    header->entry = delivery->entry;
    header->entry->headers++;
    header->arriving = true;
    weft_list_append(&header->pt->unexpected, &header->link);
    weft_index_add(&delivery->ni->header_index, &header->node, header_hash(header));
}

static void hide(struct weft_header *header)
{
    weft_list_remove(&header->link);
    weft_index_remove(&header->delivery.ni->header_index, &header->node);
}

static void destroy_header(struct weft_header *header)
{
    struct weft_ni *ni = header->delivery.ni;
    struct weft_entry *entry = header->entry;
    weft_pool_give(&ni->headers, header);
    entry->headers--;
    settle(entry);
}

/* Tells who asked for the message that it is here, then forgets it. */
static void hand_over(struct weft_header *header)
{
    struct weft_delivery *delivery = &header->delivery;
    struct weft_ni *ni = delivery->ni;
    unsigned options = header->claim_options;
    bool failed = delivery->fail != PTL_NI_OK;
    if (!(options & PTL_ME_EVENT_OVER_DISABLE) &&
        (failed || !(options & PTL_ME_EVENT_SUCCESS_DISABLE)))
        weft_event_target(delivery, header->entry, overflow_event(delivery->kind),
                          header->claim_user_ptr);
    if (options & PTL_ME_EVENT_CT_OVERFLOW)
        weft_event_count(ni, header->claim_ct, delivery->fail,
                         options & PTL_ME_EVENT_CT_BYTES ? delivery->length : 1);
    if (header->claimed_once && !(options & PTL_ME_EVENT_UNLINK_DISABLE)) {
        struct weft_entry once = {.ni = ni,
                                  .pt_index = delivery->request.pt_index,
                                  .user_ptr = header->claim_user_ptr,
                                  .match_bits = delivery->request.match_bits};
        weft_event_entry(&once, PTL_EVENT_AUTO_UNLINK);
    }
    destroy_header(header);
}

void weft_header_close(struct weft_header *header, ptl_ni_fail_t fail)
{
    header->arriving = false;
    header->delivery.fail = fail;
    if (header->claimed) {
        hand_over(header);
    } else if (fail != PTL_NI_OK) {
        /* Half a message is no message: nobody has seen it yet. */
        hide(header);
        destroy_header(header);
    }
}

static void claim(struct weft_header *header, const struct weft_entry *by, bool once)
{
    hide(header);
    header->claimed = true;
    header->claimed_once = once;
    header->claim_options = by->options;
    header->claim_ct = by->ct;
    header->claim_user_ptr = by->user_ptr;
    if (!header->arriving)
        hand_over(header);
}

/* The first header from `link` on that the entry takes, or NULL. */
static struct weft_header *find_listed(const struct weft_entry *entry, struct weft_list *link)
{
    struct weft_list *end = &entry->ni->pts[entry->pt_index].unexpected;
    for (; link != end; link = link->next) {
        struct weft_header *header = weft_list_object(link, struct weft_header, link);
        if (weft_match_fits(entry, &header->delivery))
            return header;
    }
    return NULL;
}

/* The same for an entry of one source and one value, without walking the list. */
static struct weft_header *find_hashed(const struct weft_entry *entry)
{
    struct weft_ni *ni = entry->ni;
    uint64_t hash = weft_match_hash(ni, entry->pt_index, PTL_OVERFLOW_LIST, entry->match_id,
                                    entry->match_bits);
    struct weft_index_node *node = weft_index_first(&ni->header_index, hash);
    for (; node; node = weft_index_next(&ni->header_index, node)) {
        struct weft_header *header = weft_list_object(node, struct weft_header, node);
        if (header->pt == &ni->pts[entry->pt_index] && weft_match_fits(entry, &header->delivery))
            return header;
    }
    return NULL;
}

static bool names_one_source(const struct weft_entry *entry)
{
    ptl_process_t id = entry->match_id;
    return entry->ni->logical ? id.rank != PTL_RANK_ANY
                              : id.phys.nid != PTL_NID_ANY && id.phys.pid != PTL_PID_ANY;
}

static struct weft_header *find_first(const struct weft_entry *entry)
{
    if (entry->ni->matching && entry->ignore_bits == 0 && names_one_source(entry))
        return find_hashed(entry);
    return find_listed(entry, entry->ni->pts[entry->pt_index].unexpected.next);
}

/* Whether an entry for one message has had it. */
static bool take_unexpected(const struct weft_entry *entry)
{
    bool once = entry->options & PTL_ME_USE_ONCE;
    struct weft_header *header;
    while ((header = find_first(entry))) {
        claim(header, entry, once);
        if (once)
            return true;
    }
    return false;
}

/* ---- Appending ---------------------------------------------------------------------------- */

static void append(struct weft_entry *entry)
{
    if (entry->list == PTL_PRIORITY_LIST && take_unexpected(entry)) {
        destroy(entry);
        return;
    }
    weft_match_link(entry);
    if (!(entry->options & PTL_ME_EVENT_LINK_DISABLE))
        weft_event_entry(entry, PTL_EVENT_LINK);
}

int weft_entry_append(struct weft_ni *ni, const struct weft_entry_wish *wish, uint32_t *id)
{
    if (list_is_full(ni, wish))
        return PTL_LIST_TOO_LONG;
    struct weft_entry *entry = weft_pool_take(&ni->entries);
    if (!entry)
        return PTL_NO_SPACE;
    entry->ni = ni;
    int result = fill_in(entry, wish);
    if (result != PTL_OK) {
        weft_pool_give(&ni->entries, entry);
        return result;
    }
    *id = entry->slot.id;
    append(entry);
    return PTL_OK;
}

int weft_entry_unlink(struct weft_ni *ni, uint32_t id)
{
    struct weft_entry *entry = weft_pool_find(&ni->entries, id);
    if (entry && entry->awaits_trigger)
        return PTL_IN_USE;
    if (!entry || !entry->linked)
        return PTL_ARG_INVALID;
    if (entry->pending || entry->headers)
        return PTL_IN_USE;
    weft_match_unlink(entry);
    destroy(entry);
    return PTL_OK;
}

/* ---- Searching ---------------------------------------------------------------------------- */

static void report_found(const struct weft_entry *seeker, const struct weft_header *header)
{
    if (!(seeker->options & PTL_ME_EVENT_OVER_DISABLE))
        weft_event_target(&header->delivery, header->entry, PTL_EVENT_SEARCH, seeker->user_ptr);
    if (seeker->options & PTL_ME_EVENT_CT_OVERFLOW)
        weft_event_count(seeker->ni, seeker->ct, PTL_NI_OK,
                         seeker->options & PTL_ME_EVENT_CT_BYTES ? header->delivery.length : 1);
}

static unsigned search_only(const struct weft_entry *seeker, const struct weft_pt *pt)
{
    bool once = seeker->options & PTL_ME_USE_ONCE;
    unsigned found = 0;
    struct weft_header *header = find_listed(seeker, pt->unexpected.next);
    while (header) {
        report_found(seeker, header);
        found++;
        header = once ? NULL : find_listed(seeker, header->link.next);
    }
    return found;
}

static unsigned search_and_delete(const struct weft_entry *seeker)
{
    bool once = seeker->options & PTL_ME_USE_ONCE;
    unsigned found = 0;
    struct weft_header *header = find_first(seeker);
    while (header) {
        claim(header, seeker, false);
        found++;
        header = once ? NULL : find_first(seeker);
    }
    return found;
}

int weft_entry_search(struct weft_ni *ni, const struct weft_entry_wish *wish, ptl_search_op_t op)
{
    struct weft_pt *pt = &ni->pts[wish->pt_index];
    struct weft_entry seeker = {.ni = ni};
    int result = fill_in(&seeker, wish);
    if (result != PTL_OK)
        return result;
    unsigned found = op == PTL_SEARCH_ONLY ? search_only(&seeker, pt) : search_and_delete(&seeker);
    if (found == 0) {
        if (!(seeker.options & PTL_ME_EVENT_OVER_DISABLE))
            weft_event_no_match(ni, pt, seeker.user_ptr);
        if (seeker.options & PTL_ME_EVENT_CT_OVERFLOW)
            weft_event_count(ni, seeker.ct, PTL_NI_NO_MATCH, 1);
    }
    weft_region_close(&seeker.region);
    return PTL_OK;
}

/* ---- By triggers -------------------------------------------------------------------------- */

int weft_entry_reserve(struct weft_ni *ni, const struct weft_entry_wish *wish, uint32_t *id)
{
    struct weft_entry *entry = weft_pool_take(&ni->entries);
    if (!entry)
        return PTL_NO_SPACE;
    entry->ni = ni;
    entry->pt_index = wish->pt_index;
    entry->list = wish->list;
    entry->user_ptr = wish->user_ptr;
    entry->ct = wish->ct;
    entry->awaits_trigger = true;
    *id = entry->slot.id;
    return PTL_OK;
}

void weft_entry_append_late(struct weft_ni *ni, uint32_t id, const ptl_me_t *me)
{
    struct weft_entry *entry = weft_pool_find(&ni->entries, id);
    if (!entry || !entry->awaits_trigger)
        return;
    struct weft_entry_wish wish = {entry->pt_index, entry->list, *me, entry->ct, entry->user_ptr};
    entry->awaits_trigger = false;
    if (ni->pts[wish.pt_index].allocated && !list_is_full(ni, &wish) &&
        fill_in(entry, &wish) == PTL_OK) {
        append(entry);
        return;
    }
    weft_log(WEFT_LOG_ERROR,
             "a triggered append to portal table entry %u failed: its list is "
             "full, its descriptor is not valid, or the table entry was freed",
             wish.pt_index);
    destroy(entry);
}

/* Unlike a program, a trigger cannot try again: the entry goes as soon as it is no longer used. */
void weft_entry_unlink_late(struct weft_ni *ni, uint32_t id)
{
    struct weft_entry *entry = weft_pool_find(&ni->entries, id);
    if (!entry || !entry->linked)
        return;
    weft_match_unlink(entry);
    settle(entry);
}

void weft_entry_forget(struct weft_ni *ni, uint32_t id)
{
    struct weft_entry *entry = weft_pool_find(&ni->entries, id);
    if (entry && entry->awaits_trigger)
        destroy(entry);
}
