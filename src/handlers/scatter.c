/* SPDX-License-Identifier: BSD-3-Clause */
#include "handlers/scatter.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "handlers/scatter_image.h"
#include "handlers/scatter_segment.h"
#include "handlers/scatter_strategy.h"
#include "type/intern.h"
#include "type/kernel.h"
#include "type/type.h"
#include "type/walk.h"

struct weft_scatter {
    atomic_uint references;
    struct weft_form form; /* of all elements */
    struct weft_scatter_facts facts;
    struct weft_scatter_plan plan;
    struct weft_scatter_image *image; /* NULL: nothing to offload */
    uint64_t normal_form_bytes;       /* of the image; checkpoints follow */
    uint64_t first_short;
    ptl_payload_handler_t handler;
};

static const struct weft_scatter_strategy_kind *const kinds[WEFT_SCATTER_STRATEGIES] = {
    [WEFT_SCATTER_SEEK] = &weft_scatter_seek,
    [WEFT_SCATTER_SPECIALIZED] = &weft_scatter_specialized,
    [WEFT_SCATTER_HPU_LOCAL] = &weft_scatter_hpu_local,
    [WEFT_SCATTER_RO_CP] = &weft_scatter_ro_cp,
    [WEFT_SCATTER_RW_CP] = &weft_scatter_rw_cp};

/* ---- Names -------------------------------------------------------------------------------- */

const char *weft_scatter_strategy_name(enum weft_scatter_strategy strategy)
{
    return kinds[strategy] ? kinds[strategy]->name : "auto";
}

const char *weft_scatter_fallback_name(enum weft_scatter_fallback fallback)
{
    static const char *const names[] = {
#define NAME(name, text) [WEFT_SCATTER_FALLBACK_##name] = text,
        WEFT_SCATTER_FALLBACK_MAP(NAME)
#undef NAME
    };
    return names[fallback];
}

struct weft_scatter_nic weft_scatter_nic_of_paper(uint64_t packet)
{
    return (struct weft_scatter_nic){
        .hpus = 16,
        .packet = packet,
        .memory = (uint64_t)4 << 20,
        .packet_buffer = (uint64_t)512 << 10,
        .times = {.packet = (double)packet * 8 / 200, .init = 60, .setup = 120, .block = 25}};
}

/* ---- Choosing ----------------------------------------------------------------------------- */

enum weft_scatter_strategy weft_scatter_choose(const struct weft_node *node, const char **why)
{
    const char *reason = "takes any packet alone";
    if (weft_node_is_bytes(node))
        reason = "one block needs no handler";
    else if (weft_scatter_specialized.handler(node))
        reason = "is as fast as a handler of its shape";
    *why = reason;
    return WEFT_SCATTER_SEEK;
}

/* ---- Opening ------------------------------------------------------------------------------ */

/* What the NIC would need; the facts are filled in whether or not it has that. */
static int make_plan(struct weft_scatter *scatter, const struct weft_scatter_wish *wish)
{
    struct weft_scatter_facts *facts = &scatter->facts;
    struct weft_scatter_plan *plan = &scatter->plan;
    const struct weft_node *node = scatter->form.node;
    const struct weft_scatter_strategy_kind *kind = kinds[facts->strategy];
    scatter->handler = kind->handler(node);
    scatter->image = weft_scatter_image_plan(node, kind->wants_index);
    if (!scatter->image)
        return WEFT_ERR_MEMORY;
    scatter->normal_form_bytes = weft_scatter_image_bytes(scatter->image);
    facts->image_bytes = scatter->normal_form_bytes;
    facts->head_bytes = sizeof(struct weft_scatter_head);
    if (kind->plan)
        kind->plan(node, wish, facts, plan);
    facts->image_bytes += plan->checkpoints * plan->segment_bytes;
    facts->head_bytes += (uint64_t)plan->segments * plan->segment_bytes;
    return WEFT_OK;
}

static enum weft_scatter_fallback find_obstacle(const struct weft_scatter *scatter,
                                                const struct weft_scatter_wish *wish)
{
    if (wish->attributes.stays_on_host)
        return WEFT_SCATTER_FALLBACK_NOT_WANTED;
    if (!scatter->handler)
        return WEFT_SCATTER_FALLBACK_NOT_SPECIALIZED;
    if (scatter->facts.image_bytes + scatter->facts.head_bytes > wish->nic.memory)
        return WEFT_SCATTER_FALLBACK_TOO_LARGE;
    return WEFT_SCATTER_FALLBACK_NONE;
}

static int fill(struct weft_scatter *scatter, const struct weft_scatter_wish *wish)
{
    const weft_type *type = wish->type;
    if (wish->count == 0 || type->size == 0)
        return WEFT_OK;
    int rc = weft_form_loop(wish->count, weft_type_step(type), type->form, &scatter->form);
    if (rc)
        return rc;
    const struct weft_node *node = scatter->form.node;
    struct weft_scatter_facts *facts = &scatter->facts;
    facts->size = node->size;
    facts->at = scatter->form.at;
    facts->low = facts->at + node->low;
    facts->high = facts->at + node->high;
    facts->is_contiguous = weft_node_is_bytes(node);
    if (facts->strategy == WEFT_SCATTER_AUTO)
        facts->strategy = weft_scatter_choose(node, &facts->why);
    scatter->first_short = weft_scatter_first_short(&wish->nic);
    rc = make_plan(scatter, wish);
    facts->obstacle = find_obstacle(scatter, wish);
    return rc;
}

int weft_scatter_open(const struct weft_scatter_wish *wish, struct weft_scatter **out)
{
    if (!wish->type || wish->nic.packet == 0 || wish->nic.hpus == 0 ||
        wish->nic.first_packet > wish->nic.packet)
        return WEFT_ERR_ARGUMENT;
    if (!weft_type_is_committed(wish->type))
        return WEFT_ERR_NOT_COMMITTED;
    struct weft_scatter *scatter = calloc(1, sizeof *scatter);
    if (!scatter)
        return WEFT_ERR_MEMORY;
    scatter->references = 1;
    scatter->facts.strategy = wish->strategy;
    scatter->facts.priority = wish->attributes.priority;
    int rc = fill(scatter, wish);
    if (rc)
        weft_scatter_close(scatter);
    else
        *out = scatter;
    return rc;
}

struct weft_scatter *weft_scatter_retain(const struct weft_scatter *scatter)
{
    struct weft_scatter *counted = (struct weft_scatter *)scatter;
    atomic_fetch_add(&counted->references, 1);
    return counted;
}

void weft_scatter_close(struct weft_scatter *scatter)
{
    if (!scatter || atomic_fetch_sub(&scatter->references, 1) > 1)
        return;
    weft_scatter_image_free(scatter->image);
    weft_node_release(scatter->form.node);
    free(scatter);
}

const struct weft_scatter_facts *weft_scatter_facts(const struct weft_scatter *scatter)
{
    return &scatter->facts;
}

void weft_scatter_unpack(const struct weft_scatter *scatter, void *base, const void *packed,
                         uint64_t length)
{
    struct weft_mover mover = {weft_kernels(WEFT_SCATTER)->mover, (char *)packed};
    if (length)
        weft_walk(scatter->form.node, weft_address_add((weft_address)base, scatter->form.at), 0,
                  length, &mover.sink);
}

/* ---- Sharing ------------------------------------------------------------------------------ */

/* Equal nodes are one node, and all else of an image follows from these. */
bool weft_scatter_is_same(const struct weft_scatter *a, const struct weft_scatter *b)
{
    return a->form.node == b->form.node && a->facts.strategy == b->facts.strategy &&
           a->plan.interval == b->plan.interval && a->first_short == b->first_short;
}

uint64_t weft_scatter_hash(const struct weft_scatter *scatter)
{
    uint64_t hash = scatter->form.node ? scatter->form.node->hash : 0;
    hash = weft_hash_mix(hash, (uint64_t)scatter->facts.strategy);
    return weft_hash_mix(hash, scatter->plan.interval);
}

/* ---- In the memory of the NIC ------------------------------------------------------------- */

static void write_checkpoints(const struct weft_scatter *scatter, const struct weft_node *root,
                              unsigned char *next)
{
    const struct weft_scatter_plan *plan = &scatter->plan;
    _Alignas(struct weft_segment) unsigned char memory[WEFT_SEGMENT_LARGEST];
    struct weft_segment *segment = (struct weft_segment *)memory;
    weft_segment_reset(segment, root);
    for (uint64_t i = 0; i < plan->checkpoints; i++) {
        uint64_t position = i ? i * plan->interval - scatter->first_short : 0;
        weft_segment_pass(segment, position - segment->position);
        memcpy(next, segment, plan->segment_bytes);
        next += plan->segment_bytes;
    }
}

void weft_scatter_write_image(const struct weft_scatter *scatter, void *image)
{
    weft_scatter_image_write(scatter->image, image);
    if (scatter->plan.checkpoints)
        write_checkpoints(scatter, image, (unsigned char *)image + scatter->normal_form_bytes);
}

/* All data is in place when the completion handler runs; the transfer of nothing tells the host.
 */
static ptl_handler_result_t on_completion(ptl_size_t dropped_bytes, int flow_control_triggered,
                                          void *state)
{
    ptl_dma_t handle;
    (void)dropped_bytes;
    (void)flow_control_triggered;
    (void)state;
    int result = PtlHandlerDMAToHostNB(NULL, 0, 0, PTL_ME_HOST_MEM, &handle);
    return result == PTL_OK ? PTL_HANDLER_SUCCESS : PTL_HANDLER_FAIL;
}

static bool lies_within(const struct weft_scatter_facts *facts, const void *base,
                        const void *start, uint64_t length)
{
    uint64_t span = (uint64_t)(facts->high - facts->low);
    uintptr_t low = (uintptr_t)base + (uintptr_t)facts->low;
    uintptr_t before = low - (uintptr_t)start;
    return low >= (uintptr_t)start && before <= length && span <= length - before;
}

bool weft_scatter_bind(const struct weft_scatter *scatter, const void *image, void *base,
                       const void *start, uint64_t length, struct weft_scatter_head *state,
                       ptl_handlers_t *handlers)
{
    const struct weft_scatter_facts *facts = &scatter->facts;
    const struct weft_scatter_plan *plan = &scatter->plan;
    if (facts->obstacle != WEFT_SCATTER_FALLBACK_NONE || !scatter->handler ||
        !lies_within(facts, base, start, length))
        return false;
    *state = (struct weft_scatter_head){
        .mem = (uintptr_t)base + (uintptr_t)facts->at,
        .size = facts->size,
        .root = image,
        .checkpoints = (const unsigned char *)image + scatter->normal_form_bytes,
        .by_interval = weft_divisor(plan->interval ? plan->interval : 1),
        .segment_bytes = plan->segment_bytes,
        .segment_count = plan->segments,
        .first_short = (uint32_t)scatter->first_short};
    *handlers = (ptl_handlers_t){.payload_handler = scatter->handler,
                                 .completion_handler = on_completion,
                                 .hpu_memory = PTL_HPU_NONE,
                                 .hpu_initial_state = state,
                                 .hpu_initial_state_length = sizeof *state,
                                 .policy = facts->vhpus ? PTL_SCHED_BLOCKED_RR : PTL_SCHED_DEFAULT,
                                 .delta_p = facts->delta_p,
                                 .vhpus = facts->vhpus};
    return true;
}
