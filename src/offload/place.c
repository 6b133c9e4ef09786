/* SPDX-License-Identifier: BSD-3-Clause */
/* Which images are in the memory of the NIC, and the receives that use them. */
#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/list.h"
#include "base/setting.h"
#include "offload/offload.h"
#include "portals/driver.h"

/* An image on the NIC. */
struct image {
    struct weft_list link; /* in the pool, the least recently used first */
    struct weft_index_node node;
    struct weft_offload *offload;
    ptl_handle_hpu_t memory;
    unsigned priority;
    uint64_t users; /* receives; only images without are evicted */
};

struct weft_offload_pool {
    ptl_handle_ni_t ni;
    struct weft_offload_nic nic;
    struct weft_list images;
    struct weft_index index;
    struct weft_offload_counters counters;
};

struct weft_offload_receive {
    struct weft_offload_pool *pool;
    struct weft_offload *offload;
    void *base;
    void *user_ptr;
    ptl_handle_me_t entry;
    struct image *image;   /* NULL: not offloaded */
    ptl_handle_hpu_t head; /* of those that are offloaded */
    uint64_t head_bytes;
    void *buffer; /* NULL: the data goes straight to its place */
    enum weft_offload_fallback fallback;
};

/* Of every entry, and those that the program may add. */
#define RECEIVE_OPTIONS                                                                           \
    (PTL_ME_OP_PUT | PTL_ME_USE_ONCE | PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE)
#define COUNTER_OPTIONS (PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_CT_OVERFLOW | PTL_ME_EVENT_CT_BYTES)

/* ---- The pool ----------------------------------------------------------------------------- */

/* What the driver does not know is as in the paper. */
static struct weft_offload_nic model_of(const struct weft_portals_driver_nic *nic)
{
    struct weft_offload_nic model = weft_offload_nic_of_paper(nic->packet);
    model.first_packet = nic->first_packet;
    model.hpus = nic->hpus;
    model.memory = nic->memory;
    return model;
}

int weft_offload_pool_open(ptl_handle_ni_t ni, weft_offload_pool **out)
{
    struct weft_portals_driver_nic nic;
    int result = out ? weft_portals_driver_nic(ni, &nic) : PTL_ARG_INVALID;
    if (result != PTL_OK)
        return result;
    struct weft_offload_pool *pool = calloc(1, sizeof *pool);
    if (!pool || !weft_index_init(&pool->index)) {
        free(pool);
        return PTL_NO_SPACE;
    }
    pool->ni = ni;
    pool->nic = model_of(&nic);
    weft_list_init(&pool->images);
    *out = pool;
    return PTL_OK;
}

static void remove_image(struct weft_offload_pool *pool, struct image *image)
{
    pool->counters.images--;
    pool->counters.bytes -= weft_offload_facts(image->offload)->image_bytes;
    weft_list_remove(&image->link);
    weft_index_remove(&pool->index, &image->node);
    PtlHPUFreeMem(&image->memory);
    weft_offload_close(image->offload);
    free(image);
}

void weft_offload_pool_close(struct weft_offload_pool *pool)
{
    if (!pool)
        return;
    while (!weft_list_is_empty(&pool->images))
        remove_image(pool, weft_list_object(pool->images.next, struct image, link));
    weft_index_fini(&pool->index);
    free(pool);
}

int weft_offload_pool_counters(const weft_offload_pool *pool,
                               struct weft_offload_counters *counters, size_t size)
{
    if (!pool || !counters)
        return WEFT_ERR_ARGUMENT;
    memcpy(counters, &pool->counters, size < sizeof *counters ? size : sizeof *counters);
    return WEFT_OK;
}

/* ---- Memory of the NIC -------------------------------------------------------------------- */

/* The least recently used of the lowest priority, if that is not above `priority`. */
static struct image *find_victim(const struct weft_offload_pool *pool, unsigned priority)
{
    struct image *victim = NULL;
    for (struct weft_list *link = pool->images.next; link != &pool->images; link = link->next) {
        struct image *image = weft_list_object(link, struct image, link);
        if (image->users == 0 && image->priority <= priority &&
            (!victim || image->priority < victim->priority))
            victim = image;
    }
    return victim;
}

static enum weft_offload_fallback allocate(struct weft_offload_pool *pool, uint64_t bytes,
                                           unsigned priority, ptl_handle_hpu_t *memory)
{
    int result;
    while ((result = PtlHPUAllocMem(bytes, pool->ni, memory)) == PTL_NO_SPACE) {
        struct image *victim = find_victim(pool, priority);
        if (!victim)
            return WEFT_OFFLOAD_FALLBACK_NO_SPACE;
        weft_offload_stays(victim->offload)->evicted++;
        remove_image(pool, victim);
        pool->counters.evicted++;
    }
    if (result != PTL_OK)
        return WEFT_OFFLOAD_FALLBACK_TOO_LARGE;
    pool->counters.bytes += bytes;
    return WEFT_OFFLOAD_FALLBACK_NONE;
}

static struct image *find_image(const struct weft_offload_pool *pool,
                                const struct weft_offload *offload)
{
    struct weft_index_node *node = weft_index_first(&pool->index, weft_offload_hash(offload));
    for (; node; node = weft_index_next(&pool->index, node)) {
        struct image *image = weft_list_object(node, struct image, node);
        if (weft_offload_is_same(image->offload, offload))
            return image;
    }
    return NULL;
}

static enum weft_offload_fallback add_image(struct weft_offload_pool *pool,
                                            const struct weft_offload *offload, struct image **out)
{
    const struct weft_offload_facts *facts = weft_offload_facts(offload);
    struct image *image = calloc(1, sizeof *image);
    if (!image)
        return WEFT_OFFLOAD_FALLBACK_NO_SPACE;
    enum weft_offload_fallback fallback =
        allocate(pool, facts->image_bytes, facts->priority, &image->memory);
    if (fallback != WEFT_OFFLOAD_FALLBACK_NONE) {
        free(image);
        return fallback;
    }
    image->offload = weft_offload_retain(offload);
    weft_offload_write_image(offload, weft_portals_driver_memory(image->memory));
    weft_index_add(&pool->index, &image->node, weft_offload_hash(offload));
    weft_list_append(&pool->images, &image->link);
    pool->counters.images++;
    weft_offload_stays(offload)->admitted++;
    *out = image;
    return WEFT_OFFLOAD_FALLBACK_NONE;
}

/* ---- Types -------------------------------------------------------------------------------- */

/* The positions among the choices of the setting are those of the strategies. */
static struct weft_offload_attributes complete(const struct weft_offload_attributes *wished)
{
    struct weft_offload_attributes attributes = {0};
    if (wished)
        attributes = *wished;
    if (attributes.strategy == WEFT_OFFLOAD_AUTO)
        attributes.strategy =
            (enum weft_offload_strategy)weft_setting(WEFT_SETTING_OFFLOAD_STRATEGY);
    if (attributes.memory == 0)
        attributes.memory = weft_setting(WEFT_SETTING_OFFLOAD_MEM);
    return attributes;
}

int weft_offload_open(const weft_offload_pool *pool, const weft_type *type, size_t count,
                      const struct weft_offload_attributes *attributes, weft_offload **out)
{
    if (!pool || !out)
        return WEFT_ERR_ARGUMENT;
    struct weft_offload_options options = {.type = type, .count = count, .nic = pool->nic};
    options.attributes = complete(attributes);
    if (options.attributes.memory && options.attributes.memory < options.nic.memory)
        options.nic.memory = options.attributes.memory;
    return weft_offload_prepare(&options, out);
}

int weft_offload_query(const weft_offload_pool *pool, const weft_offload *offload,
                       struct weft_offload_info *info, size_t size)
{
    if (!pool || !offload || !info)
        return WEFT_ERR_ARGUMENT;
    const struct weft_offload_facts *facts = weft_offload_facts(offload);
    const struct weft_offload_stays *stays = weft_offload_stays(offload);
    struct weft_offload_info all = {.strategy = facts->strategy,
                                    .obstacle = facts->obstacle,
                                    .is_contiguous = facts->is_contiguous,
                                    .bytes = facts->size,
                                    .image_bytes = facts->image_bytes,
                                    .head_bytes = facts->head_bytes,
                                    .interval = facts->interval.bytes,
                                    .is_resident = find_image(pool, offload),
                                    .admitted = stays->admitted,
                                    .evicted = stays->evicted};
    memcpy(info, &all, size < sizeof all ? size : sizeof all);
    return WEFT_OK;
}

/* ---- Receives ----------------------------------------------------------------------------- */

/* Gives the receive an image and a head, or says why not. */
static enum weft_offload_fallback place(struct weft_offload_receive *receive)
{
    struct weft_offload_pool *pool = receive->pool;
    const struct weft_offload_facts *facts = weft_offload_facts(receive->offload);
    struct image *image = find_image(pool, receive->offload);
    bool was_there = image;
    enum weft_offload_fallback fallback = facts->obstacle;
    if (fallback == WEFT_OFFLOAD_FALLBACK_NONE && !image)
        fallback = add_image(pool, receive->offload, &image);
    if (fallback != WEFT_OFFLOAD_FALLBACK_NONE)
        return fallback;
    weft_list_remove(&image->link);
    weft_list_append(&pool->images, &image->link);
    image->priority = facts->priority;
    image->users++; /* before there is a head, which must not drive it out */
    fallback = allocate(pool, facts->head_bytes, facts->priority, &receive->head);
    if (fallback != WEFT_OFFLOAD_FALLBACK_NONE) {
        image->users--;
        return fallback;
    }
    receive->image = image;
    receive->head_bytes = facts->head_bytes;
    pool->counters.reused += was_there;
    return WEFT_OFFLOAD_FALLBACK_NONE;
}

static void count_late(const struct weft_offload_receive *receive)
{
    const struct weft_offload_head *head = weft_portals_driver_memory(receive->head);
    struct weft_offload_counters *counters = &receive->pool->counters;
    enum weft_offload_strategy strategy = weft_offload_facts(receive->offload)->strategy;
    if (head) /* its interface may be closed */
        *(strategy == WEFT_OFFLOAD_RW_CP ? &counters->reverts : &counters->resets) += head->late;
}

static void forget(struct weft_offload_receive *receive)
{
    if (receive->image) {
        count_late(receive);
        PtlHPUFreeMem(&receive->head);
        receive->pool->counters.bytes -= receive->head_bytes;
        receive->image->users--;
    }
    free(receive->buffer);
    weft_offload_close(receive->offload);
    free(receive);
}

/* Not by adding to a pointer: the base may be NULL, and displacements addresses. */
static void *address(const struct weft_offload_receive *receive, int64_t displacement)
{
    return (void *)((uintptr_t)receive->base + (uintptr_t)displacement);
}

static int append(struct weft_offload_receive *receive, ptl_pt_index_t pt_index, ptl_me_t me)
{
    const struct weft_offload_facts *facts = weft_offload_facts(receive->offload);
    ptl_handle_ni_t ni = receive->pool->ni;
    me.options |= RECEIVE_OPTIONS;
    if (!receive->image) {
        me.start = receive->buffer ? receive->buffer : address(receive, facts->at);
        me.length = facts->size;
        return PtlMEAppend(ni, pt_index, &me, PTL_PRIORITY_LIST, receive, &receive->entry);
    }
    struct weft_offload_head head;
    ptl_handlers_t handlers;
    me.start = address(receive, facts->low);
    me.length = (ptl_size_t)(facts->high - facts->low);
    if (!weft_offload_bind(receive->offload, weft_portals_driver_memory(receive->image->memory),
                           receive->base, me.start, me.length, &head, &handlers))
        return PTL_ARG_INVALID;
    handlers.hpu_memory = receive->head;
    return PtlMEAppendHandlers(ni, pt_index, &me, &handlers, PTL_PRIORITY_LIST, receive,
                               &receive->entry);
}

static bool prepare(struct weft_offload_receive *receive)
{
    const struct weft_offload_facts *facts = weft_offload_facts(receive->offload);
    if (facts->size == 0 || facts->is_contiguous)
        return true;
    receive->fallback = place(receive);
    if (receive->fallback == WEFT_OFFLOAD_FALLBACK_NONE)
        return true;
    receive->buffer = malloc(facts->size);
    return receive->buffer;
}

/* Every receive is counted once, by what becomes of it. */
static uint64_t *counter_of(struct weft_offload_receive *receive)
{
    struct weft_offload_counters *counters = &receive->pool->counters;
    if (receive->fallback != WEFT_OFFLOAD_FALLBACK_NONE)
        return &counters->fallback[receive->fallback];
    return receive->image ? &counters->offloaded : &counters->contiguous;
}

int weft_offload_receive_post(weft_offload_pool *pool, const weft_offload *offload, void *base,
                              ptl_pt_index_t pt_index, const ptl_me_t *me, void *user_ptr,
                              weft_offload_receive **out)
{
    if (!pool || !offload || !me || !out || me->options & ~(RECEIVE_OPTIONS | COUNTER_OPTIONS))
        return PTL_ARG_INVALID;
    struct weft_offload_receive *receive = calloc(1, sizeof *receive);
    if (!receive)
        return PTL_NO_SPACE;
    receive->pool = pool;
    receive->offload = weft_offload_retain(offload);
    receive->base = base;
    receive->user_ptr = user_ptr;
    int result = prepare(receive) ? append(receive, pt_index, *me) : PTL_NO_SPACE;
    if (result != PTL_OK) {
        forget(receive);
        return result;
    }
    ++*counter_of(receive);
    *out = receive;
    return PTL_OK;
}

/* ---- The end of a receive ----------------------------------------------------------------- */

static void unpack(struct weft_offload_receive *receive, const void *packed, uint64_t length)
{
    uint64_t size = weft_offload_facts(receive->offload)->size;
    weft_offload_unpack(receive->offload, receive->base, packed, length < size ? length : size);
}

struct weft_offload_result weft_offload_receive_event(weft_offload_receive *receive,
                                                      const ptl_event_t *event)
{
    if (event->type != PTL_EVENT_PUT && event->type != PTL_EVENT_PUT_OVERFLOW)
        return (struct weft_offload_result){.is_over = false};
    if (event->type == PTL_EVENT_PUT_OVERFLOW) {
        --*counter_of(receive);
        receive->fallback = WEFT_OFFLOAD_FALLBACK_UNEXPECTED;
        ++*counter_of(receive);
        unpack(receive, event->start, event->mlength);
    } else if (receive->buffer) {
        unpack(receive, receive->buffer, event->mlength);
    }
    struct weft_offload_result result = {.is_over = true,
                                         .user_ptr = receive->user_ptr,
                                         .fail = event->ni_fail_type,
                                         .length = event->mlength,
                                         .fallback = receive->fallback};
    forget(receive);
    return result;
}

int weft_offload_receive_cancel(weft_offload_receive *receive)
{
    int result = receive ? PtlMEUnlink(receive->entry) : PTL_ARG_INVALID;
    if (result == PTL_OK) {
        --*counter_of(receive);
        forget(receive);
    }
    return result;
}
