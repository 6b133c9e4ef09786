/* SPDX-License-Identifier: BSD-3-Clause */
/* Events, in the order in which they come, to those whom they concern. */
#include "base/deadline.h"
#include "base/log.h"
#include "transfer/direct.h"
#include "transfer/together.h"

typedef void take_news(struct weft_net *net, uint32_t rank, uint64_t number);

static take_news *const news[] = {[WEFT_NET_CREDIT] = weft_net_peer_returned,
                                  [WEFT_NET_ASK] = weft_net_send_asked,
                                  [WEFT_NET_GONE] = weft_net_pull_gone,
                                  [WEFT_NET_HELP] = weft_net_help,
                                  [WEFT_NET_HELD] = weft_net_offer_held};

static void handle_control(struct weft_net *net, const ptl_event_t *event)
{
    uint32_t rank = event->initiator.rank;
    ptl_match_bits_t kind = event->match_bits;
    if (kind == WEFT_NET_DONE || kind == WEFT_NET_READ || kind == WEFT_NET_REFUSED)
        weft_net_send_pulled(net, rank, event->hdr_data, kind);
    else if (kind < sizeof news / sizeof *news && news[kind])
        news[kind](net, rank, event->hdr_data);
    else
        net->met |= UINT64_C(1) << (kind % 64);
}

static void handle_ack(const ptl_event_t *event)
{
    struct weft_request *request = event->user_ptr;
    switch (request->kind) {
    case WEFT_NET_REQUEST_SEND:
        weft_net_send_acknowledged(request, event);
        break;
    case WEFT_NET_REQUEST_PUT:
        weft_net_expose_put_done(request, event);
        break;
    default:
        weft_net_peer_answered(request, event);
    }
}

static void handle_reply(struct weft_request *request, const ptl_event_t *event)
{
    if (request->kind == WEFT_NET_REQUEST_DOOR)
        weft_net_direct_introduced(request, event);
    else
        weft_net_pull_replied(request, event);
}

static void handle_sent(struct weft_request *request, const ptl_event_t *event)
{
    request->has_left = true;
    weft_net_pull_sent(request, event);
}

static void handle(struct weft_net *net, const ptl_event_t *event)
{
    switch (event->type) {
    case PTL_EVENT_PUT:
        if (event->pt_index == WEFT_NET_CONTROL) {
            handle_control(net, event);
            break;
        } /* fall through */
    case PTL_EVENT_PUT_OVERFLOW:
        weft_net_receive_arrived(event->user_ptr, event);
        break;
    case PTL_EVENT_ACK:
        handle_ack(event);
        break;
    case PTL_EVENT_REPLY:
        handle_reply(event->user_ptr, event);
        break;
    case PTL_EVENT_SEND:
        handle_sent(event->user_ptr, event);
        break;
    case PTL_EVENT_AUTO_FREE:
        weft_net_overflow_renew(net, event->user_ptr);
        break;
    default:
        break;
    }
}

/* Another thread waits for events: it will tell. */
static void wait_for_other(struct weft_net *net, unsigned milliseconds)
{
    if (!milliseconds)
        return;
    uint64_t deadline = weft_deadline_after(milliseconds * WEFT_CLOCK_MILLISECOND);
    struct timespec until = weft_deadline_timespec(deadline);
    net->waiters++;
    pthread_cond_timedwait(&net->moved, &net->lock, &until);
    net->waiters--;
}

static void feed(struct weft_net *net)
{
    for (struct weft_list *link = net->unfed.next, *next; link != &net->unfed; link = next) {
        next = link->next;
        weft_net_pull_feed(weft_list_object(link, struct weft_request, link));
    }
}

/* What no event tells of. Messages of ours come first: we have just written them, and so copy them
 * faster than those of others. */
static bool copy_some(struct weft_net *net, unsigned milliseconds)
{
    bool has_helped = milliseconds ? weft_net_help_look_last(net) : weft_net_help_look(net);
    bool has_read = weft_net_direct_step(net);
    if (has_helped || has_read)
        pthread_cond_broadcast(&net->moved);
    return has_helped || has_read;
}

/* Who only copies, message after message, must look at the network now and then: others ask there
 * where its memory is, for one. */
#define MOST_COPIED_UNSEEING 4u

static bool may_leave_events(struct weft_net *net)
{
    if (++net->unseeing % MOST_COPIED_UNSEEING == 0)
        return false;
    return weft_list_is_empty(&net->direct_pulls);
}

bool weft_net_advance(struct weft_net *net, unsigned milliseconds)
{
    bool has_copied = copy_some(net, milliseconds);
    if (has_copied && may_leave_events(net))
        return true;
    if (net->pumping) {
        if (!has_copied)
            wait_for_other(net, milliseconds);
        return has_copied;
    }
    ptl_event_t event;
    unsigned which;
    net->pumping = true;
    net->turns++;
    pthread_mutex_unlock(&net->lock);
    int result = PtlEQPoll(&net->eq, 1, has_copied ? 0 : milliseconds, &event, &which);
    pthread_mutex_lock(&net->lock);
    net->pumping = false;
    bool found = result == PTL_OK || result == PTL_EQ_DROPPED;
    if (result == PTL_EQ_DROPPED)
        weft_log(WEFT_LOG_ERROR, "events of transfers were lost: this is a defect of Weft");
    if (found && !net->is_abandoned)
        handle(net, &event);
    feed(net);
    weft_net_tell_again(net);
    pthread_cond_broadcast(&net->moved);
    return found || has_copied;
}

static enum weft_net_look look(struct weft_net *net)
{
    enum weft_net_look result = WEFT_NET_LOOK_QUIET;
    while (weft_net_advance(net, 0))
        result = WEFT_NET_LOOK_FOUND;
    return result;
}

enum weft_net_look weft_net_look_in(struct weft_net *net, uint64_t *turns)
{
    enum weft_net_look result = WEFT_NET_LOOK_OTHERS;
    if (pthread_mutex_trylock(&net->lock) != 0)
        return result;
    if (!turns || (!net->pumping && net->turns == *turns))
        result = look(net);
    if (turns)
        *turns = net->turns;
    pthread_mutex_unlock(&net->lock);
    return result;
}

static void retry(struct weft_net *net)
{
    struct weft_list *last = net->retries.prev;
    while (!weft_list_is_empty(&net->retries)) {
        struct weft_list *link = net->retries.next;
        weft_list_remove(link);
        weft_net_pull_again(weft_list_object(link, struct weft_request, link));
        if (link == last)
            break;
    }
}

void weft_net_idle(struct weft_net *net, struct weft_request *waited_for)
{
    retry(net);
    weft_net_request_free_lingering(net);
    if (waited_for && !waited_for->is_done)
        weft_net_peer_ping(waited_for);
}
