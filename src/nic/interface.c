/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/interface.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "nic/execution.h"
#include "nic/sched.h"
#include "nic/tx.h"

const ptl_ni_limits_t weft_nic_ni_limits = {
    .max_entries = WEFT_POOL_MOST,
    .max_unexpected_headers = WEFT_POOL_MOST,
    .max_mds = WEFT_POOL_MOST,
    .max_cts = WEFT_POOL_MOST,
    .max_eqs = WEFT_POOL_MOST,
    .max_pt_index = 255,
    .max_iovecs = 1 << 20,
    .max_list_size = WEFT_POOL_MOST,
    .max_triggered_ops = WEFT_POOL_MOST,
    .max_msg_size = (ptl_size_t)1 << 47,
    .max_atomic_size = WEFT_PACKET_ATOMIC_MAX,
    .max_fetch_atomic_size = WEFT_PACKET_ATOMIC_MAX,
    /* Packets of a pair are written in order, whatever their size. */
    .max_waw_ordered_size = (ptl_size_t)1 << 47,
    .max_war_ordered_size = WEFT_PACKET_ATOMIC_MAX,
    .max_volatile_size = WEFT_NIC_VOLATILE_MAX,
    .features = PTL_TOTAL_DATA_ORDERING | PTL_COHERENT_ATOMICS,
};

/* ---- Limits ------------------------------------------------------------------------------- */

static int lower_int(int most, int desired)
{
    return desired > 0 && desired < most ? desired : most;
}

static ptl_size_t lower_size(ptl_size_t most, ptl_size_t desired)
{
    return desired > 0 && desired < most ? desired : most;
}

static ptl_ni_limits_t agree(const ptl_ni_limits_t *desired)
{
    ptl_ni_limits_t limits = weft_nic_ni_limits;
    if (!desired)
        return limits;
#define LOWER_INT(name) limits.name = lower_int(limits.name, desired->name)
#define LOWER_SIZE(name) limits.name = lower_size(limits.name, desired->name)
    LOWER_INT(max_entries);
    LOWER_INT(max_unexpected_headers);
    LOWER_INT(max_mds);
    LOWER_INT(max_cts);
    LOWER_INT(max_eqs);
    LOWER_INT(max_iovecs);
    LOWER_INT(max_list_size);
    LOWER_INT(max_triggered_ops);
    LOWER_SIZE(max_msg_size);
    LOWER_SIZE(max_atomic_size);
    LOWER_SIZE(max_fetch_atomic_size);
    LOWER_SIZE(max_volatile_size);
#undef LOWER_INT
#undef LOWER_SIZE
    /* The specification promises 64 portal table entries at least. */
    if (desired->max_pt_index > 63 && desired->max_pt_index < limits.max_pt_index)
        limits.max_pt_index = desired->max_pt_index;
    else if (desired->max_pt_index > 0 && desired->max_pt_index <= 63)
        limits.max_pt_index = 63;
    return limits;
}

#define MAX_INITIAL_STATE 65536u

static ptl_handler_limits_t handler_limits(const struct weft_nic *nic)
{
    return (ptl_handler_limits_t){
        .max_user_hdr_size = WEFT_NIC_USER_HEADER_MAX,
        .max_payload_size = weft_packet_room(nic->world->packet_size, WEFT_PACKET_DATA),
        .max_handler_mem = nic->hpu.memory,
        .max_initial_state = MAX_INITIAL_STATE,
        .min_fragmentation_limit = WEFT_PACKET_FRAGMENT,
        .max_cycles_per_byte = PTL_CYCLES_UNLIMITED,
    };
}

void weft_nic_ni_lower_handler_limits(struct weft_nic_ni *ni, const ptl_handler_limits_t *desired)
{
    ptl_handler_limits_t *limits = &ni->handler_limits;
    limits->max_user_hdr_size = lower_size(limits->max_user_hdr_size, desired->max_user_hdr_size);
    limits->max_handler_mem = lower_size(limits->max_handler_mem, desired->max_handler_mem);
    limits->max_initial_state = lower_size(limits->max_initial_state, desired->max_initial_state);
    limits->max_cycles_per_byte =
        lower_size(limits->max_cycles_per_byte, desired->max_cycles_per_byte);
}

/* ---- Life --------------------------------------------------------------------------------- */

struct weft_nic_ni *weft_nic_ni_of(struct weft_nic *nic, unsigned options)
{
    unsigned number = (options & PTL_NI_NO_MATCHING ? 1 : 0) | (options & PTL_NI_PHYSICAL ? 2 : 0);
    return &nic->nis[number];
}

static void init_pools(struct weft_nic_ni *ni, uint32_t generation)
{
    const ptl_ni_limits_t *limits = &ni->limits;
    weft_pool_init(&ni->mds, sizeof(struct weft_nic_md), (uint32_t)limits->max_mds, generation);
    weft_pool_init(&ni->entries, sizeof(struct weft_nic_entry), (uint32_t)limits->max_entries,
                   generation);
    weft_pool_init(&ni->eqs, sizeof(struct weft_nic_eq), (uint32_t)limits->max_eqs, generation);
    weft_pool_init(&ni->cts, sizeof(struct weft_nic_ct), (uint32_t)limits->max_cts, generation);
    weft_pool_init(&ni->headers, sizeof(struct weft_nic_header),
                   (uint32_t)limits->max_unexpected_headers, generation);
    weft_pool_init(&ni->memories, sizeof(struct weft_nic_memory), WEFT_POOL_MOST, generation);
    weft_pool_init(&ni->triggers, sizeof(struct weft_nic_trigger),
                   (uint32_t)limits->max_triggered_ops, generation);
}

static bool init_tables(struct weft_nic_ni *ni)
{
    size_t count = (size_t)ni->limits.max_pt_index + 1;
    ni->pts = calloc(count, sizeof *ni->pts);
    if (!ni->pts || !weft_index_init(&ni->entry_index) || !weft_index_init(&ni->header_index))
        return false;
    for (size_t i = 0; i < count; i++) {
        weft_list_init(&ni->pts[i].lists[PTL_PRIORITY_LIST].wild);
        weft_list_init(&ni->pts[i].lists[PTL_OVERFLOW_LIST].wild);
        weft_list_init(&ni->pts[i].unexpected);
    }
    return true;
}

static void free_tables(struct weft_nic_ni *ni)
{
    weft_index_fini(&ni->entry_index);
    weft_index_fini(&ni->header_index);
    free(ni->pts);
    free(ni->own_map);
    free(ni->peer_ids);
    *ni = (struct weft_nic_ni){.nic = ni->nic, .number = ni->number};
}

int weft_nic_ni_open(struct weft_nic_ni *ni, unsigned options, const ptl_ni_limits_t *desired,
                     uint32_t incarnation)
{
    ni->limits = agree(desired);
    ni->handler_limits = handler_limits(ni->nic);
    ni->matching = options & PTL_NI_MATCHING;
    ni->logical = options & PTL_NI_LOGICAL;
    ni->rank = PTL_RANK_ANY;
    if (!init_tables(ni)) {
        free_tables(ni);
        return PTL_NO_SPACE;
    }
    /* Far from the generations that the last incarnation has reached by reuse. */
    init_pools(ni, incarnation * 61);
    ni->incarnation = incarnation;
    ni->open = true;
    return PTL_OK;
}

/* What objects hold besides their place in the pool. */
static void free_contents(struct weft_nic_ni *ni)
{
    for (uint32_t i = 0; i < ni->mds.made; i++) {
        struct weft_nic_md *md = (struct weft_nic_md *)weft_pool_at(&ni->mds, i);
        if (md->slot.next == 0)
            weft_nic_region_close(&md->region);
    }
    for (uint32_t i = 0; i < ni->entries.made; i++) {
        struct weft_nic_entry *entry = (struct weft_nic_entry *)weft_pool_at(&ni->entries, i);
        if (entry->slot.next != 0)
            continue;
        weft_nic_execution_close(entry);
        weft_nic_region_close(&entry->region);
    }
    for (uint32_t i = 0; i < ni->memories.made; i++) {
        struct weft_nic_memory *memory = (struct weft_nic_memory *)weft_pool_at(&ni->memories, i);
        if (memory->slot.next == 0)
            weft_nic_memory_close(ni, memory);
    }
    weft_nic_code_forget(ni);
    for (uint32_t i = 0; i < ni->eqs.made; i++) {
        struct weft_nic_eq *eq = (struct weft_nic_eq *)weft_pool_at(&ni->eqs, i);
        if (eq->slot.next == 0)
            free(eq->events);
    }
}

void weft_nic_ni_close(struct weft_nic_ni *ni)
{
    weft_nic_sched_forget(ni->nic, ni);
    weft_nic_tx_forget(ni->nic, ni);
    free_contents(ni);
    struct weft_pool *const pools[] = {&ni->mds,     &ni->entries,  &ni->eqs,     &ni->cts,
                                       &ni->headers, &ni->memories, &ni->triggers};
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
        weft_pool_fini(pools[i]);
    free_tables(ni);
}

/* ---- Ranks -------------------------------------------------------------------------------- */

static bool is_self(const struct weft_nic_ni *ni, ptl_size_t rank)
{
    struct weft_nic_address self = ni->nic->world->self;
    return ni->map[rank].phys.nid == self.nid && ni->map[rank].phys.pid == self.pid;
}

static ptl_rank_t own_rank(const struct weft_nic_ni *ni)
{
    for (ptl_size_t i = 0; i < ni->map_size; i++)
        if (is_self(ni, i))
            return (ptl_rank_t)i;
    return PTL_RANK_ANY;
}

/* Shared maps go from node to node: there it need not be looked for. */
static ptl_rank_t guessed_rank(const struct weft_nic_ni *ni)
{
    ptl_size_t guess = ni->nic->world->self.nid - ni->map[0].phys.nid;
    return guess < ni->map_size && is_self(ni, guess) ? (ptl_rank_t)guess : own_rank(ni);
}

static void take_map(struct weft_nic_ni *ni, const ptl_process_t *map, ptl_size_t size)
{
    free(ni->own_map);
    free(ni->peer_ids);
    ni->own_map = NULL;
    ni->peer_ids = NULL;
    ni->map = map;
    ni->map_size = size;
}

int weft_nic_ni_share_map(struct weft_nic_ni *ni, const ptl_process_t *map, ptl_size_t size)
{
    take_map(ni, map, size);
    ni->rank = guessed_rank(ni);
    return PTL_OK;
}

int weft_nic_ni_set_map(struct weft_nic_ni *ni, const ptl_process_t *map, ptl_size_t size)
{
    ptl_process_t *copy = malloc(size * sizeof *copy);
    uint32_t *ids = calloc(size, sizeof *ids);
    if (!copy || !ids) {
        free(copy);
        free(ids);
        return PTL_NO_SPACE;
    }
    memcpy(copy, map, size * sizeof *copy);
    take_map(ni, copy, size);
    ni->rank = own_rank(ni);
    ni->own_map = copy;
    ni->peer_ids = ids;
    return PTL_OK;
}
