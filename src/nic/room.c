/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/room.h"

/* What programs have allocated goes before all layouts, also what they allocate later. */
static bool is_crowded(const struct weft_nic_hpu_stage *stage)
{
    return stage->rooms_used > stage->memory - stage->memory_used;
}

static uint64_t left_of(const struct weft_nic_hpu_stage *stage)
{
    return is_crowded(stage) ? 0 : stage->memory - stage->memory_used - stage->rooms_used;
}

static struct weft_nic_room *room_at(struct weft_list *link)
{
    return weft_list_object(link, struct weft_nic_room, link);
}

void weft_nic_room_give(struct weft_nic *nic, struct weft_nic_room *room)
{
    if (room->bytes == 0)
        return;
    nic->hpu.rooms_used -= room->bytes;
    room->bytes = 0;
    weft_list_remove(&room->link);
}

/* What there is with all that layouts of lower priority have. */
static uint64_t most_for(struct weft_nic_hpu_stage *stage, unsigned priority)
{
    uint64_t bytes = left_of(stage);
    for (struct weft_list *link = stage->rooms.next; link != &stage->rooms; link = link->next)
        if (room_at(link)->priority < priority)
            bytes += room_at(link)->bytes;
    return bytes;
}

/* The lowest priority that is below, and of those the one that came last; NULL: none is. */
static struct weft_nic_room *first_to_leave(struct weft_nic_hpu_stage *stage, unsigned priority)
{
    struct weft_nic_room *lowest = NULL;
    for (struct weft_list *link = stage->rooms.next; link != &stage->rooms; link = link->next) {
        struct weft_nic_room *room = room_at(link);
        if (room->priority < priority && !room->is_wanted &&
            (!lowest || room->priority <= lowest->priority))
            lowest = room;
    }
    return lowest;
}

/* Those that are to leave, and whose packets no HPU has any more. */
static void collect(struct weft_nic *nic)
{
    struct weft_list *link = nic->hpu.rooms.next;
    while (link != &nic->hpu.rooms) {
        struct weft_nic_room *room = room_at(link);
        link = link->next;
        if (room->is_wanted && *room->packets == 0)
            weft_nic_room_give(nic, room);
    }
}

/* What those below are about to give back. */
static uint64_t leaving(struct weft_nic_hpu_stage *stage, unsigned priority)
{
    uint64_t bytes = 0;
    for (struct weft_list *link = stage->rooms.next; link != &stage->rooms; link = link->next)
        if (room_at(link)->is_wanted && room_at(link)->priority < priority)
            bytes += room_at(link)->bytes;
    return bytes;
}

/* Whether there is enough now. If not, there may be for a later packet. */
static bool make_room(struct weft_nic *nic, const ptl_layout_t *layout)
{
    struct weft_nic_hpu_stage *stage = &nic->hpu;
    struct weft_nic_room *room;
    collect(nic);
    if (most_for(stage, layout->priority) < layout->memory)
        return false;
    while (left_of(stage) + leaving(stage, layout->priority) < layout->memory &&
           (room = first_to_leave(stage, layout->priority)))
        room->is_wanted = true;
    collect(nic);
    return left_of(stage) >= layout->memory;
}

bool weft_nic_room_take(struct weft_nic *nic, struct weft_nic_room *room,
                        const ptl_layout_t *layout, const uint32_t *packets)
{
    struct weft_nic_hpu_stage *stage = &nic->hpu;
    if (room->is_wanted)
        return false;
    if (layout->memory == 0)
        return true;
    if (room->bytes)
        return !is_crowded(stage);
    if (left_of(stage) < layout->memory && !make_room(nic, layout))
        return false;
    stage->rooms_used += layout->memory;
    room->bytes = layout->memory;
    room->priority = layout->priority;
    room->packets = packets;
    weft_list_append(&stage->rooms, &room->link);
    return true;
}
