/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads event queues and hands every event to who can tell whether it is right. */
#include "chaos/scene.h"

static void schedule_enable(struct node *node, const ptl_event_t *event)
{
    struct target *target = &node->target;
    for (unsigned i = 0; i < TARGET_TABLES; i++)
        if (target->tables[i].index == event->pt_index)
            target->tables[i].enable_in = 1 + (unsigned)rng_below(&node->rng, 4);
}

/* Queue `which` of the node, the initiator's being behind those of the target. */
static void take(struct node *node, unsigned which, int result, const ptl_event_t *event)
{
    struct target *target = &node->target;
    if (which < target->queue_count) {
        target_event(target, which, result, event);
        if (event->type == PTL_EVENT_PT_DISABLED)
            schedule_enable(node, event);
    } else if (result == PTL_OK) {
        op_event(node, event);
    } else {
        scene_fail(node->scene, node->number, "the initiator's queue is long, but lost events");
    }
}

static bool is_event(struct node *node, int result)
{
    if (result != PTL_OK && result != PTL_EQ_DROPPED && result != PTL_EQ_EMPTY)
        scene_fail(node->scene, node->number, "reading a queue returns %d", result);
    return result == PTL_OK || result == PTL_EQ_DROPPED;
}

static unsigned list_queues(const struct node *node, ptl_handle_eq_t *handles)
{
    const struct target *target = &node->target;
    for (unsigned i = 0; i < target->queue_count; i++)
        handles[i] = target->queues[i].handle;
    handles[target->queue_count] = node->queue;
    return target->queue_count + 1;
}

void drain_some(struct node *node, unsigned most)
{
    ptl_handle_eq_t handles[TARGET_TABLES + 1];
    unsigned count = list_queues(node, handles), which = 0;
    while (most-- > 0 && !node->scene->run.has_failed) {
        ptl_event_t event;
        int result;
        if (rng_one_in(&node->rng, 3)) {
            which = (unsigned)rng_below(&node->rng, count);
            bool is_there =
                which < node->target.queue_count && !queue_is_empty(&node->target.queues[which]);
            result =
                is_there ? PtlEQWait(handles[which], &event) : PtlEQGet(handles[which], &event);
        } else {
            result = PtlEQPoll(handles, count, 0, &event, &which);
        }
        if (!is_event(node, result))
            return;
        take(node, which, result, &event);
    }
}

void drain_all(struct node *node)
{
    ptl_handle_eq_t handles[TARGET_TABLES + 1];
    unsigned count = list_queues(node, handles), which = 0;
    while (!node->scene->run.has_failed) {
        ptl_event_t event;
        int result = PtlEQPoll(handles, count, 0, &event, &which);
        if (!is_event(node, result))
            break;
        take(node, which, result, &event);
    }
    for (unsigned i = 0; i < node->target.queue_count; i++)
        if (!node->scene->run.has_failed && !queue_is_empty(&node->target.queues[i]))
            scene_fail(node->scene, node->number, "queue %u lacks an event of type %d", i,
                       node->target.queues[i]
                           .ring[node->target.queues[i].read % node->target.queues[i].room]
                           .event.type);
}
