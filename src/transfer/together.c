/* SPDX-License-Identifier: BSD-3-Clause */
#include "transfer/together.h"

#include <sched.h>
#include <string.h>

#include "base/deadline.h"
#include "base/setting.h"

#define LINE 64u
/* Lines of a part. */
#define SHORTEST_PART ((uint64_t)64)
#define LONGEST_PART ((uint64_t)8192)

bool weft_net_together_sees(struct weft_net_neighbour *neighbour)
{
    const struct weft_net_locator_root *root = &neighbour->root;
    if (!neighbour->is_viewed)
        weft_heap_view_open(&neighbour->view, root->pid, &root->heap);
    neighbour->is_viewed = true;
    return neighbour->view.at != NULL;
}

/* ---- Reading ------------------------------------------------------------------------------ */

static bool fail(struct weft_request *request, enum weft_net_fallback reason)
{
    request->net->counters.fallbacks[reason]++;
    return false;
}

static const struct weft_heap_view *view_of(const struct weft_request *request)
{
    return &request->net->peers[request->pull.from].neighbour->view;
}

/* After the data was read: as long as its number is there, nobody has used the memory for anything
 * else. */
static bool is_still_there(const struct weft_request *request)
{
    const struct weft_net_pull *pull = &request->pull;
    const struct weft_net_locator *locator =
        weft_heap_view_of(view_of(request), pull->locator_address, sizeof *locator);
    atomic_thread_fence(memory_order_acquire);
    return locator && atomic_load_explicit(&locator->number, memory_order_acquire) == pull->bits;
}

bool weft_net_together_read(struct weft_request *request, void *to, uint64_t address,
                            size_t length)
{
    const void *from = weft_heap_view_of(view_of(request), address, length);
    if (!from || !is_still_there(request))
        return fail(request, WEFT_NET_FALLBACK_GONE);
    memcpy(to, from, length);
    return is_still_there(request) || fail(request, WEFT_NET_FALLBACK_GONE);
}

/* ---- Copying ------------------------------------------------------------------------------ */

static const weft_type *type_of(const struct weft_net_layout *layout)
{
    return layout->type ? layout->type : weft_basic(WEFT_BYTE);
}

static size_t count_of(const struct weft_net_layout *layout)
{
    return layout->type ? layout->count : layout->length;
}

bool weft_net_together_move(const struct weft_heap_view *view, struct weft_net_layout *layout)
{
    struct weft_net_layout_span span;
    const char *seen = weft_net_layout_find_span(layout, &span)
                           ? weft_heap_view_of(view, span.begin, span.bytes)
                           : NULL;
    if (!seen)
        return false;
    layout->base = (char *)((uintptr_t)layout->base + (uintptr_t)seen - span.begin);
    return true;
}

bool weft_net_together_holds(const struct weft_net_layout *layout, uint64_t bytes)
{
    size_t length;
    return !__builtin_mul_overflow(weft_type_size(type_of(layout)), count_of(layout), &length) &&
           bytes <= length;
}

static bool copy(const struct weft_net_layout *to, const struct weft_net_layout *from,
                 uint64_t begin, uint64_t length)
{
    return weft_copy(type_of(to), count_of(to), to->base, type_of(from), count_of(from),
                     from->base, begin, length) == WEFT_OK;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t lines_of(uint64_t bytes)
{
    return (bytes + LINE - 1) / LINE;
}

static uint64_t rest_of(uint64_t first, uint64_t end)
{
    return first | end << 32;
}

/* Few parts, of which the last are short: to take one costs as much as to copy some KiB, and the
 * slower of two is waited for. The sender has just written the data, so it copies faster; its
 * caches hold the end of it. */
static uint64_t share_of(uint64_t lines, enum weft_net_end end)
{
    uint64_t share = lines / (end == WEFT_NET_BACK ? 2 : 4);
    share = least(share > SHORTEST_PART ? share : SHORTEST_PART, LONGEST_PART);
    return least(share, lines);
}

/* The bytes from *begin on; 0 if none are left. */
static uint64_t take_part(struct weft_net_work *work, uint64_t bytes, enum weft_net_end end,
                          uint64_t *begin)
{
    uint64_t rest = atomic_load_explicit(&work->rest, memory_order_relaxed), left, share;
    do {
        uint64_t first = rest & UINT32_MAX, last = rest >> 32;
        if (first >= last || last > lines_of(bytes))
            return 0;
        share = share_of(last - first, end);
        *begin = end == WEFT_NET_BACK ? last - share : first;
        left = end == WEFT_NET_BACK ? rest_of(first, *begin) : rest_of(first + share, last);
    } while (!atomic_compare_exchange_weak_explicit(&work->rest, &rest, left, memory_order_acquire,
                                                    memory_order_relaxed));
    *begin *= LINE;
    return least(share * LINE, bytes - *begin);
}

uint64_t weft_net_together_parts(struct weft_net_work *work, uint64_t bytes, enum weft_net_end end,
                                 uint64_t most, const struct weft_net_layout *to,
                                 const struct weft_net_layout *from, weft_net_prepare *prepare)
{
    uint64_t copied = 0, begin, length;
    while (copied < most && (length = take_part(work, bytes, end, &begin))) {
        if (copied == 0 && prepare)
            prepare(to, bytes);
        copy(to, from, begin, length);
        copied += length;
    }
    if (copied)
        atomic_fetch_add_explicit(&work->done, copied, memory_order_release);
    return copied;
}

/* ---- Inviting the sender ------------------------------------------------------------------ */

static struct weft_net_work *work_of(const struct weft_request *request)
{
    const struct weft_net_neighbour *neighbour = request->net->peers[request->pull.from].neighbour;
    uint64_t index = weft_net_locator_of_message(request->pull.bits);
    return weft_heap_view_of(&neighbour->view,
                             neighbour->root.works + index * sizeof(struct weft_net_work),
                             sizeof(struct weft_net_work));
}

static bool is_for_two(const struct weft_request *request)
{
    const struct weft_net_pull *pull = &request->pull;
    return pull->begin == 0 && pull->end >= request->net->together_least &&
           lines_of(pull->end) <= UINT32_MAX && request->net->heap &&
           weft_net_layout_is_in(&request->layout, request->net->heap);
}

static bool claim(struct weft_request *request, struct weft_net_work *work)
{
    uint64_t number = request->pull.bits;
    if (!work ||
        !atomic_compare_exchange_strong(&work->state, &number, number | WEFT_NET_WORK_CLAIMED))
        return false;
    const weft_type *type = request->layout.type;
    if (!type || (request->pull.named = weft_net_name_use(&request->net->names, type)))
        return true;
    atomic_store(&work->state, 0);
    return false;
}

/* Asked after something was written there: who stops to watch looks once more after that. */
static bool is_watched(const struct weft_request *request, struct weft_net_work *work)
{
    return atomic_load(&work->watched) == request->pull.bits;
}

static void invite(struct weft_request *request)
{
    struct weft_net_pull *pull = &request->pull;
    const struct weft_net_layout *layout = &request->layout;
    const struct weft_net_name *name;
    struct weft_net_work *work = work_of(request);
    pull->is_alone = !is_for_two(request) || !claim(request, work);
    if (pull->is_alone)
        return;
    name = pull->named;
    pull->is_claimed = true;
    work->base = (uintptr_t)layout->base;
    work->count = count_of(layout);
    work->key = name ? name->key : 0;
    work->text = name ? (uintptr_t)name->text : 0;
    work->text_length = name ? name->length : 0;
    work->end = pull->end;
    atomic_store_explicit(&work->rest, rest_of(0, lines_of(pull->end)), memory_order_relaxed);
    atomic_store_explicit(&work->done, 0, memory_order_relaxed);
    atomic_store(&work->invited, pull->bits);
    if (!is_watched(request, work))
        weft_net_tell(request->net, pull->from, WEFT_NET_HELP, pull->bits);
}

/* Parts that the sender has taken are written to until they are done, or it is dead. */
static void wait_for_parts(const struct weft_request *request, struct weft_net_work *work)
{
    const struct weft_net_pull *pull = &request->pull;
    uint64_t rest = atomic_exchange(&work->rest, 0), first = rest & UINT32_MAX, last = rest >> 32;
    uint64_t taken = first < last ? pull->end - (least(last * LINE, pull->end) - first * LINE)
                                  : pull->end;
    uint64_t deadline = weft_deadline_of(WEFT_SETTING_TIMEOUT);
    while (atomic_load_explicit(&work->done, memory_order_acquire) < taken &&
           !request->net->peers[pull->from].is_lost && weft_deadline_left(deadline))
        sched_yield();
}

void weft_net_together_leave(struct weft_request *request, bool is_over)
{
    struct weft_net_pull *pull = &request->pull;
    if (!pull->is_claimed)
        return;
    struct weft_net_work *work = work_of(request);
    wait_for_parts(request, work);
    atomic_store(&work->state, is_over ? weft_net_work_over(pull->bits) : 0);
    pull->is_told = is_over && is_watched(request, work);
    if (pull->named)
        pull->named->users--;
    pull->is_claimed = false;
}

void weft_net_together_abandon(struct weft_net *net)
{
    for (struct weft_list *link = net->direct_pulls.next; link != &net->direct_pulls;
         link = link->next)
        weft_net_together_leave(weft_list_object(link, struct weft_request, link), false);
}

/* ---- A step ------------------------------------------------------------------------------- */

static enum weft_net_step copy_alone(struct weft_request *request,
                                     const struct weft_net_layout *from)
{
    struct weft_net_pull *pull = &request->pull;
    uint64_t length = least(pull->end - pull->begin, WEFT_NET_TOGETHER_MOST);
    if (!copy(&request->layout, from, pull->begin, length)) {
        fail(request, WEFT_NET_FALLBACK_LAYOUT);
        return WEFT_NET_STEP_FAILED;
    }
    request->net->counters.together_bytes += length;
    pull->begin += length;
    return WEFT_NET_STEP_DONE;
}

static enum weft_net_step copy_parts(struct weft_request *request,
                                     const struct weft_net_layout *from)
{
    struct weft_net_pull *pull = &request->pull;
    struct weft_net_work *work = work_of(request);
    uint64_t most = weft_list_is_empty(&request->net->watched_offers) ? WEFT_NET_TOGETHER_MOST : 1;
    uint64_t copied = weft_net_together_parts(work, pull->end, WEFT_NET_FRONT, most,
                                              &request->layout, from, NULL);
    request->net->counters.together_bytes += copied;
    if (atomic_load_explicit(&work->done, memory_order_acquire) == pull->end) {
        pull->begin = pull->end;
        return WEFT_NET_STEP_DONE;
    }
    if (copied)
        return WEFT_NET_STEP_DONE;
    pull->looks++;
    return request->net->peers[pull->from].is_lost ? WEFT_NET_STEP_FAILED : WEFT_NET_STEP_WAITS;
}

/* As long as the number is there at the end, all that was copied before was the message. */
enum weft_net_step weft_net_together_copy(struct weft_request *request,
                                          const struct weft_net_layout *theirs)
{
    struct weft_net_pull *pull = &request->pull;
    struct weft_net_layout from = *theirs;
    if (!weft_net_together_move(view_of(request), &from) ||
        !weft_net_together_holds(&from, pull->end)) {
        fail(request, WEFT_NET_FALLBACK_LAYOUT);
        return WEFT_NET_STEP_FAILED;
    }
    if (!pull->is_claimed && !pull->is_alone) {
        invite(request);
        return WEFT_NET_STEP_DONE;
    }
    uint64_t since = weft_net_layout_begin(), begin = pull->begin;
    enum weft_net_step step =
        pull->is_alone ? copy_alone(request, &from) : copy_parts(request, &from);
    weft_net_layout_scattered(&request->layout, since);
    if (step == WEFT_NET_STEP_FAILED || is_still_there(request))
        return step;
    fail(request, WEFT_NET_FALLBACK_GONE);
    pull->begin = begin;
    return WEFT_NET_STEP_FAILED;
}
