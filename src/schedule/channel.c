/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/channel.h"

#include <stdlib.h>

#include <weft.h>

#include "base/hash.h"

struct channel {
    struct weft_index_node node;
    uint64_t name;
    uint16_t count;
};

bool weft_schedule_channel_init(struct weft_schedule_channels *channels)
{
    return weft_index_init(&channels->index);
}

void weft_schedule_channel_fini(struct weft_schedule_channels *channels)
{
    struct weft_index *index = &channels->index;
    for (uint64_t i = 0; i <= index->mask; i++)
        while (!weft_list_is_empty(&index->buckets[i])) {
            struct weft_list *link = index->buckets[i].next;
            weft_list_remove(link);
            free(weft_list_object(link, struct channel, node.link));
        }
    weft_index_fini(index);
}

static struct channel *find(const struct weft_index *index, uint64_t hash, uint64_t name)
{
    struct weft_index_node *node = weft_index_first(index, hash);
    for (; node; node = weft_index_next(index, node)) {
        struct channel *channel = weft_list_object(node, struct channel, node);
        if (channel->name == name)
            return channel;
    }
    return NULL;
}

static struct channel *find_or_make(struct weft_index *index, uint64_t name)
{
    uint64_t hash = weft_hash_mix(0, name);
    struct channel *channel = find(index, hash, name);
    if (channel)
        return channel;
    channel = calloc(1, sizeof *channel);
    if (channel) {
        channel->name = name;
        weft_index_add(index, &channel->node, hash);
    }
    return channel;
}

int weft_schedule_channel_next(struct weft_schedule_channels *channels, bool is_send,
                               uint32_t peer, uint16_t tag)
{
    uint64_t name = (uint64_t)peer << 32 | (uint64_t)tag << 1 | is_send;
    struct channel *channel = find_or_make(&channels->index, name);
    if (!channel)
        return WEFT_ERR_MEMORY;
    if (channel->count == UINT16_MAX)
        return WEFT_ERR_OVERFLOW;
    return channel->count++;
}
