/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The receiver has begun to copy a message of ours, and says where it goes. What we read of that
 * is checked against its heap: we write nowhere else.
 */
#include <stdlib.h>
#include <string.h>

#include "transfer/together.h"

/* As it was when it was invited; it stays so while the receiver has the claim. */
struct weft_net_invitation {
    uint64_t base, count, key, text, text_length, end;
};

static bool read_invitation(const struct weft_net_work *work, uint64_t number,
                            struct weft_net_invitation *invitation)
{
    if (atomic_load_explicit(&work->invited, memory_order_acquire) != number)
        return false;
    *invitation = (struct weft_net_invitation){work->base, work->count,       work->key,
                                               work->text, work->text_length, work->end};
    return invitation->end > 0;
}

/* Not only a load: what was read before must have been read when this is. */
static bool is_claimed(struct weft_net_work *work, uint64_t number)
{
    return atomic_fetch_or(&work->state, 0) == (number | WEFT_NET_WORK_CLAIMED);
}

/* Its text is there only as long as the receiver has the claim. */
static weft_type *fetch_type(struct weft_net *net, const struct weft_request *request,
                             const struct weft_heap_view *view, struct weft_net_work *work,
                             const struct weft_net_invitation *invitation)
{
    size_t length = invitation->text_length;
    const void *seen = weft_heap_view_of(view, invitation->text, length);
    unsigned char *text = seen && length <= WEFT_NET_NAME_LONGEST_SHARED ? malloc(length) : NULL;
    weft_type *type = NULL;
    if (text) {
        memcpy(text, seen, length);
        if (is_claimed(work, request->number))
            type = weft_net_direct_learn(net, request->peer, invitation->key, text, length);
    }
    free(text);
    return type;
}

/* Where the message goes, as we see it. */
static bool find_target(struct weft_net *net, const struct weft_request *request,
                        const struct weft_heap_view *view, struct weft_net_work *work,
                        const struct weft_net_invitation *invitation,
                        struct weft_net_layout *target)
{
    *target = (struct weft_net_layout){
        .count = invitation->count, .base = (char *)invitation->base, .length = invitation->count};
    if (invitation->key) {
        target->type = weft_net_name_recall(&net->names, request->peer, invitation->key);
        if (!target->type)
            target->type = fetch_type(net, request, view, work, invitation);
        if (!target->type)
            return false;
    }
    return weft_net_together_move(view, target) &&
           weft_net_together_holds(target, invitation->end) &&
           invitation->end <= request->layout.length;
}

/* The first write to a page that is not mapped yet maps that page alone, and takes 2 us; a read
 * maps all pages around it that are there. Where memory has many times as many bytes as the
 * message, few of these pages have some of it. */
#define AROUND ((uint64_t)64 << 10)
#define SPARSE 16u

static void map_pages(const struct weft_net_layout *target, uint64_t bytes)
{
    struct weft_net_layout_span span;
    if (!weft_net_layout_find_span(target, &span) || span.bytes / SPARSE > bytes)
        return;
    for (uint64_t at = 0; at < span.bytes; at += AROUND)
        (void)*(const volatile char *)(uintptr_t)(span.begin + at);
}

static struct weft_net_work *work_of(const struct weft_request *request)
{
    return &request->net->locators.works[weft_net_locator_of_message(request->number)];
}

void weft_net_help(struct weft_net *net, uint32_t rank, uint64_t number)
{
    struct weft_request *request = weft_net_send_find(net, rank, number);
    bool is_shared = request && request->has_locator && (number & WEFT_NET_LOCATOR_SHARED);
    enum weft_net_fallback reason;
    struct weft_net_neighbour *neighbour =
        is_shared ? weft_net_direct_neighbour(net, rank, &reason) : NULL;
    if (!neighbour || !weft_net_together_sees(neighbour))
        return;
    struct weft_net_work *work = work_of(request);
    struct weft_net_invitation invitation;
    struct weft_net_layout target;
    if (!read_invitation(work, number, &invitation) ||
        !find_target(net, request, &neighbour->view, work, &invitation, &target))
        return;
    weft_net_prepare *prepare = map_pages;
    uint64_t copied;
    while ((copied = weft_net_together_parts(work, invitation.end, WEFT_NET_BACK,
                                             WEFT_NET_TOGETHER_MOST, &target, &request->layout,
                                             prepare))) {
        net->counters.helped_bytes += copied;
        prepare = NULL;
    }
}

/* ---- Watching ------------------------------------------------------------------------------- */

/* Of those that are watched, how many one look sees. */
#define SEEN 4u

/* To help one must know the receiver's heap. The answer comes when the receiver looks next, so it
 * is asked for before it is needed. */
void weft_net_help_watch(struct weft_request *request)
{
    enum weft_net_fallback reason;
    weft_net_direct_neighbour(request->net, request->peer, &reason);
    weft_list_append(&request->net->watched_offers, &request->link);
}

static bool finds_invitation(struct weft_request *request)
{
    if (request->is_invited || atomic_load(&work_of(request)->invited) != request->number)
        return false;
    request->is_invited = true;
    weft_net_help(request->net, request->peer, request->number);
    return true;
}

/* Then the request may be gone. */
static bool finds_end(struct weft_request *request)
{
    if (!request->is_invited ||
        atomic_load(&work_of(request)->state) != weft_net_work_over(request->number))
        return false;
    weft_list_remove(&request->link);
    weft_net_send_pulled(request->net, request->peer, request->number, WEFT_NET_READ);
    return true;
}

static struct weft_request *next_watched(struct weft_net *net)
{
    struct weft_list *link = net->watched_offers.next;
    weft_list_remove(link);
    weft_list_append(&net->watched_offers, link);
    return weft_list_object(link, struct weft_request, link);
}

bool weft_net_help_look(struct weft_net *net)
{
    for (unsigned i = 0; i < SEEN && !weft_list_is_empty(&net->watched_offers); i++) {
        struct weft_request *request = next_watched(net);
        if (finds_invitation(request) || finds_end(request))
            return true;
    }
    return false;
}

/* Whoever claims one after this writes an event; before it, we see that. */
static bool look_last_at(struct weft_request *request)
{
    atomic_store(&work_of(request)->watched, 0);
    weft_list_remove(&request->link);
    bool is_invited = finds_invitation(request);
    return finds_end(request) || is_invited;
}

bool weft_net_help_look_last(struct weft_net *net)
{
    bool has_found = false;
    while (!weft_list_is_empty(&net->watched_offers))
        has_found = look_last_at(next_watched(net)) || has_found;
    return has_found;
}
