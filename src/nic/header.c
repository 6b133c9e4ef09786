/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/header.h"

#include "nic/entry.h"
#include "nic/event.h"
#include "nic/match.h"

/* ---- Life of a header --------------------------------------------------------------------- */

static const ptl_event_kind_t overflow_events[] = {
    [WEFT_PACKET_PUT] = PTL_EVENT_PUT_OVERFLOW,
    [WEFT_PACKET_GET] = PTL_EVENT_GET_OVERFLOW,
    [WEFT_PACKET_ATOMIC] = PTL_EVENT_ATOMIC_OVERFLOW,
    [WEFT_PACKET_FETCH_ATOMIC] = PTL_EVENT_FETCH_ATOMIC_OVERFLOW,
    [WEFT_PACKET_SWAP] = PTL_EVENT_FETCH_ATOMIC_OVERFLOW};

static uint64_t header_hash(const struct weft_nic_header *header)
{
    const struct weft_nic_delivery *delivery = &header->delivery;
    return weft_nic_match_hash(delivery->ni, delivery->request.pt_index, PTL_OVERFLOW_LIST,
                               delivery->initiator, delivery->request.match_bits);
}

void weft_nic_header_open(struct weft_nic_delivery *delivery)
{
    struct weft_nic_header *header = delivery->header;
    header->delivery = *delivery;
    header->pt = delivery->pt;
    header->entry = delivery->entry;
    header->entry->headers++;
    header->arriving = true;
    weft_list_append(&header->pt->unexpected, &header->link);
    weft_index_add(&delivery->ni->header_index, &header->node, header_hash(header));
}

static void hide(struct weft_nic_header *header)
{
    weft_list_remove(&header->link);
    weft_index_remove(&header->delivery.ni->header_index, &header->node);
}

static void destroy_header(struct weft_nic_header *header)
{
    struct weft_nic_ni *ni = header->delivery.ni;
    struct weft_nic_entry *entry = header->entry;
    weft_pool_give(&ni->headers, header);
    entry->headers--;
    weft_nic_entry_settle(entry);
}

/* Tells who asked for the message that it is here, then forgets it. */
static void hand_over(struct weft_nic_header *header)
{
    struct weft_nic_delivery *delivery = &header->delivery;
    struct weft_nic_ni *ni = delivery->ni;
    unsigned options = header->claim_options;
    bool failed = delivery->fail != PTL_NI_OK;
    if (!(options & PTL_ME_EVENT_OVER_DISABLE) &&
        (failed || !(options & PTL_ME_EVENT_SUCCESS_DISABLE)))
        weft_nic_event_target(delivery, header->entry, overflow_events[delivery->kind],
                              header->claim_user_ptr);
    if (options & PTL_ME_EVENT_CT_OVERFLOW)
        weft_nic_event_count(ni, header->claim_ct, delivery->fail,
                             options & PTL_ME_EVENT_CT_BYTES ? delivery->length : 1);
    if (header->claimed_once && !(options & PTL_ME_EVENT_UNLINK_DISABLE)) {
        struct weft_nic_entry once = {.ni = ni,
                                      .pt_index = delivery->request.pt_index,
                                      .user_ptr = header->claim_user_ptr,
                                      .match_bits = delivery->request.match_bits};
        weft_nic_event_entry(&once, PTL_EVENT_AUTO_UNLINK);
    }
    destroy_header(header);
}

void weft_nic_header_close(const struct weft_nic_delivery *delivery)
{
    struct weft_nic_header *header = delivery->header;
    header->arriving = false;
    header->delivery.fail = delivery->fail;
    header->delivery.length = delivery->length; /* handlers may have dropped some */
    if (header->claimed) {
        hand_over(header);
    } else if (delivery->fail != PTL_NI_OK) {
        /* Half a message is no message: nobody has seen it yet. */
        hide(header);
        destroy_header(header);
    }
}

static void claim(struct weft_nic_header *header, const struct weft_nic_entry *by, bool once)
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

/* ---- Finding ------------------------------------------------------------------------------ */

/* The first header from `link` on that the entry takes, or NULL. */
static struct weft_nic_header *find_listed(const struct weft_nic_entry *entry,
                                           struct weft_list *link)
{
    struct weft_list *end = &entry->ni->pts[entry->pt_index].unexpected;
    for (; link != end; link = link->next) {
        struct weft_nic_header *header = weft_list_object(link, struct weft_nic_header, link);
        if (weft_nic_match_fits(entry, &header->delivery))
            return header;
    }
    return NULL;
}

/* The same for an entry of one source and one value, without walking the list. */
static struct weft_nic_header *find_hashed(const struct weft_nic_entry *entry)
{
    struct weft_nic_ni *ni = entry->ni;
    uint64_t hash = weft_nic_match_hash(ni, entry->pt_index, PTL_OVERFLOW_LIST, entry->match_id,
                                        entry->match_bits);
    struct weft_index_node *node = weft_index_first(&ni->header_index, hash);
    for (; node; node = weft_index_next(&ni->header_index, node)) {
        struct weft_nic_header *header = weft_list_object(node, struct weft_nic_header, node);
        if (header->pt == &ni->pts[entry->pt_index] &&
            weft_nic_match_fits(entry, &header->delivery))
            return header;
    }
    return NULL;
}

static bool names_one_source(const struct weft_nic_entry *entry)
{
    ptl_process_t id = entry->match_id;
    return entry->ni->logical ? id.rank != PTL_RANK_ANY
                              : id.phys.nid != PTL_NID_ANY && id.phys.pid != PTL_PID_ANY;
}

static struct weft_nic_header *find_first(const struct weft_nic_entry *entry)
{
    if (entry->ni->matching && entry->ignore_bits == 0 && names_one_source(entry))
        return find_hashed(entry);
    return find_listed(entry, entry->ni->pts[entry->pt_index].unexpected.next);
}

/* ---- Taking and searching ----------------------------------------------------------------- */

bool weft_nic_header_take(const struct weft_nic_entry *entry)
{
    bool once = entry->options & PTL_ME_USE_ONCE;
    struct weft_nic_header *header;
    while ((header = find_first(entry))) {
        claim(header, entry, once);
        if (once)
            return true;
    }
    return false;
}

static void report_found(const struct weft_nic_entry *seeker, const struct weft_nic_header *header)
{
    if (!(seeker->options & PTL_ME_EVENT_OVER_DISABLE))
        weft_nic_event_target(&header->delivery, header->entry, PTL_EVENT_SEARCH,
                              seeker->user_ptr);
    if (seeker->options & PTL_ME_EVENT_CT_OVERFLOW)
        weft_nic_event_count(seeker->ni, seeker->ct, PTL_NI_OK,
                             seeker->options & PTL_ME_EVENT_CT_BYTES ? header->delivery.length
                                                                     : 1);
}

unsigned weft_nic_header_show(const struct weft_nic_entry *seeker)
{
    bool once = seeker->options & PTL_ME_USE_ONCE;
    unsigned found = 0;
    struct weft_nic_header *header = find_first(seeker);
    while (header) {
        report_found(seeker, header);
        found++;
        header = once ? NULL : find_listed(seeker, header->link.next);
    }
    return found;
}

unsigned weft_nic_header_delete(const struct weft_nic_entry *seeker)
{
    bool once = seeker->options & PTL_ME_USE_ONCE;
    unsigned found = 0;
    struct weft_nic_header *header = find_first(seeker);
    while (header) {
        claim(header, seeker, false);
        found++;
        header = once ? NULL : find_first(seeker);
    }
    return found;
}
