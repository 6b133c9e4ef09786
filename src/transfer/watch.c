/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that computes does not look at events, and a message that has come for a long receive
 * waits for somebody who begins its pull. With HPU threads the NIC moves by itself (WEFT_HPUS),
 * and so should this: a thread waits for events while no call of the program does. It has nothing
 * to do with a pull that has begun.
 */
#include "base/deadline.h"
#include "base/log.h"
#include "base/setting.h"
#include "base/thread.h"
#include "transfer/request.h"

/* Milliseconds between two looks whether there is something to wait for, and of a wait: a call
 * that comes meanwhile gets its events from here until then. */
#define NAP 1u
#define TURN 2u

static void nap(struct weft_net *net)
{
    uint64_t deadline = weft_deadline_after(NAP * WEFT_CLOCK_MILLISECOND);
    struct timespec until = weft_deadline_timespec(deadline);
    pthread_cond_timedwait(&net->wanted, &net->lock, &until);
}

static void *run(void *argument)
{
    struct weft_net *net = argument;
    pthread_mutex_lock(&net->lock);
    while (!net->watch_ends) {
        bool is_needed = net->watched || !weft_list_is_empty(&net->retries) ||
                         !weft_list_is_empty(&net->direct_pulls) || weft_net_tell_is_due(net);
        if (!is_needed || net->pumping || net->waiters)
            nap(net);
        else if (!weft_net_advance(net, TURN))
            weft_net_idle(net, NULL);
    }
    pthread_mutex_unlock(&net->lock);
    return NULL;
}

void weft_net_watch_start(struct weft_net *net)
{
    if (weft_setting(WEFT_SETTING_HPUS) == 0)
        return;
    net->has_watch = weft_thread_start(&net->watch, run, net);
    if (!net->has_watch)
        weft_log(WEFT_LOG_WARN, "cannot start a thread: transfers begin only during calls");
}

void weft_net_watch_stop(struct weft_net *net)
{
    if (!net->has_watch)
        return;
    net->has_watch = false;
    net->watch_ends = true;
    pthread_cond_signal(&net->wanted);
    pthread_mutex_unlock(&net->lock);
    pthread_join(net->watch, NULL);
    pthread_mutex_lock(&net->lock);
}

void weft_net_watch_begin(struct weft_request *request)
{
    struct weft_net *net = request->net;
    request->is_watched = true;
    net->watched++;
    bool is_urgent =
        request->kind == WEFT_NET_REQUEST_RECEIVE && request->layout.length > net->eager;
    if (is_urgent && net->has_watch)
        pthread_cond_signal(&net->wanted);
}

void weft_net_watch_end(struct weft_request *request)
{
    request->net->watched -= request->is_watched;
    request->is_watched = false;
}
