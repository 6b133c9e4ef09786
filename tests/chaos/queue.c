/* SPDX-License-Identifier: BSD-3-Clause */
#include "chaos/queue.h"

#include <stdlib.h>

bool queue_open(struct queue *queue, uint64_t count, uint64_t reserve)
{
    *queue = (struct queue){.count = count, .reserve = reserve, .room = count + reserve};
    queue->ring = calloc(queue->room, sizeof *queue->ring);
    return queue->ring;
}

void queue_close(struct queue *queue)
{
    free(queue->ring);
    queue->ring = NULL;
}

bool queue_is_empty(const struct queue *queue)
{
    return queue->read == queue->posted;
}

bool queue_has_room(const struct queue *queue, unsigned events)
{
    return queue->posted - queue->read + queue->promised + events <= queue->count;
}

void queue_post(struct queue *queue, const struct expected *expected, bool is_disabled)
{
    uint64_t most = queue->count + (is_disabled ? queue->reserve : 0);
    if (queue->posted - queue->read >= most) {
        queue->read++;
        queue->lost = true;
    }
    queue->ring[queue->posted++ % queue->room] = *expected;
}

static bool is_message(ptl_event_kind_t type)
{
    return type <= PTL_EVENT_FETCH_ATOMIC_OVERFLOW;
}

static bool is_arithmetic(ptl_event_kind_t type)
{
    return type >= PTL_EVENT_ATOMIC && type <= PTL_EVENT_FETCH_ATOMIC_OVERFLOW;
}

static const char *compare_message(const ptl_event_t *is, const ptl_event_t *should,
                                   bool is_logical)
{
    if (is->hdr_data != should->hdr_data)
        return "it is of another message (hdr_data)";
    if (is_logical ? is->initiator.rank != should->initiator.rank
                   : is->initiator.phys.nid != should->initiator.phys.nid ||
                         is->initiator.phys.pid != should->initiator.phys.pid)
        return "the initiator is wrong";
    if (is->match_bits != should->match_bits)
        return "the match bits are wrong";
    if (is->rlength != should->rlength)
        return "the rlength is wrong";
    if (is->mlength != should->mlength)
        return "the mlength is wrong";
    if (is->remote_offset != should->remote_offset)
        return "the remote offset is wrong";
    if (is->mlength && is->start != should->start)
        return "the start is wrong";
    if (is->ptl_list != should->ptl_list)
        return "the list is wrong";
    if (is->uid != should->uid)
        return "the uid is wrong";
    if (is_arithmetic(is->type) && (is->atomic_operation != should->atomic_operation ||
                                    is->atomic_type != should->atomic_type))
        return "the atomic operation or type is wrong";
    return NULL;
}

const char *queue_take(struct queue *queue, int result, const ptl_event_t *event, bool is_logical,
                       struct expected *taken)
{
    if (queue_is_empty(queue))
        return "there should be no event";
    *taken = queue->ring[queue->read++ % queue->room];
    const ptl_event_t *should = &taken->event;
    bool lost = queue->lost;
    queue->lost = false;
    if (result != (lost ? PTL_EQ_DROPPED : PTL_OK))
        return lost ? "the call does not tell that events were lost"
                    : "the call tells of lost events, but none was";
    if (event->type != should->type)
        return "the type is wrong";
    if (event->ni_fail_type != should->ni_fail_type)
        return "the fail type is wrong";
    if (event->pt_index != should->pt_index)
        return "the portal table index is wrong";
    if (event->user_ptr != should->user_ptr)
        return "it is of another entry (user_ptr)";
    if (is_message(event->type) || (event->type == PTL_EVENT_SEARCH && taken->op))
        return compare_message(event, should, is_logical);
    return NULL;
}
