/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/offload.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "offload/draft.h"
#include "offload/segment.h"
#include "offload/strategy.h"
#include "type/intern.h"
#include "type/pack.h"
#include "type/type.h"

struct weft_offload {
    atomic_uint references;
    struct weft_type_form form; /* of all elements */
    struct weft_offload_facts facts;
    struct weft_offload_stays stays;
    struct weft_offload_plan plan;
    struct weft_offload_draft *draft; /* of the image; NULL: nothing to offload */
    uint64_t first_short;
    ptl_payload_handler_t handler;
};

static const struct weft_offload_strategy_kind *const kinds[WEFT_OFFLOAD_STRATEGIES] = {
    [WEFT_OFFLOAD_SEEK] = &weft_offload_seek,
    [WEFT_OFFLOAD_SPECIALIZED] = &weft_offload_specialized,
    [WEFT_OFFLOAD_HPU_LOCAL] = &weft_offload_hpu_local,
    [WEFT_OFFLOAD_RO_CP] = &weft_offload_ro_cp,
    [WEFT_OFFLOAD_RW_CP] = &weft_offload_rw_cp};

/* ---- Names -------------------------------------------------------------------------------- */

const char *weft_offload_strategy_name(enum weft_offload_strategy strategy)
{
    if (strategy == WEFT_OFFLOAD_AUTO)
        return "auto";
    return (unsigned)strategy < WEFT_OFFLOAD_STRATEGIES ? kinds[strategy]->name : "unknown";
}

const char *weft_offload_fallback_text(enum weft_offload_fallback fallback)
{
    static const char *const texts[] = {
#define TEXT(name, text) [WEFT_OFFLOAD_FALLBACK_##name] = text,
        WEFT_OFFLOAD_FALLBACK_MAP(TEXT)
#undef TEXT
    };
    return (unsigned)fallback < WEFT_OFFLOAD_FALLBACKS ? texts[fallback] : "unknown";
}

struct weft_offload_nic weft_offload_nic_of_paper(uint64_t packet)
{
    return (struct weft_offload_nic){
        .hpus = 16,
        .packet = packet,
        .memory = (uint64_t)4 << 20,
        .packet_buffer = (uint64_t)512 << 10,
        .times = {.packet = (double)packet * 8 / 200, .init = 60, .setup = 120, .block = 25}};
}

/* ---- Choosing ----------------------------------------------------------------------------- */

enum weft_offload_strategy weft_offload_choose(const struct weft_type_node *node, const char **why)
{
    const char *reason = "takes any packet alone";
    if (weft_type_node_is_bytes(node))
        reason = "one block needs no handler";
    else if (weft_offload_specialized.choose(node).function)
        reason = "is as fast as a handler of its shape";
    *why = reason;
    return WEFT_OFFLOAD_SEEK;
}

/* ---- Opening ------------------------------------------------------------------------------ */

/* What the NIC would need; the facts are filled in whether or not it has that. */
static int make_plan(struct weft_offload *offload, const struct weft_offload_options *options)
{
    struct weft_offload_facts *facts = &offload->facts;
    struct weft_offload_plan *plan = &offload->plan;
    const struct weft_type_node *node = offload->form.node;
    const struct weft_offload_strategy_kind *kind = kinds[facts->strategy];
    struct weft_offload_handler handler = kind->choose ? kind->choose(node) : kind->handler;
    offload->handler = handler.function;
    facts->handler = handler.name;
    offload->draft = weft_offload_draft_make(node, kind->wants_index);
    if (!offload->draft)
        return WEFT_ERR_MEMORY;
    facts->image_bytes = weft_offload_draft_bytes(offload->draft);
    facts->head_bytes = sizeof(struct weft_offload_head);
    if (kind->plan)
        kind->plan(node, options, facts, plan);
    facts->image_bytes += plan->checkpoints * plan->segment_bytes;
    facts->head_bytes += (uint64_t)plan->segments * plan->segment_bytes;
    return WEFT_OK;
}

static enum weft_offload_fallback find_obstacle(const struct weft_offload *offload,
                                                const struct weft_offload_options *options)
{
    if (options->attributes.stays_on_host)
        return WEFT_OFFLOAD_FALLBACK_NOT_WANTED;
    if (!offload->handler)
        return WEFT_OFFLOAD_FALLBACK_NOT_SPECIALIZED;
    if (offload->facts.image_bytes > WEFT_OFFLOAD_IMAGE_LARGEST ||
        offload->facts.image_bytes + offload->facts.head_bytes > options->nic.memory)
        return WEFT_OFFLOAD_FALLBACK_TOO_LARGE;
    return WEFT_OFFLOAD_FALLBACK_NONE;
}

static int fill(struct weft_offload *offload, const struct weft_offload_options *options)
{
    const weft_type *type = options->type;
    if (options->count == 0 || type->size == 0)
        return WEFT_OK;
    int rc = weft_type_form_loop(options->count, weft_type_step(type), type->form, &offload->form);
    if (rc)
        return rc;
    const struct weft_type_node *node = offload->form.node;
    struct weft_offload_facts *facts = &offload->facts;
    facts->size = node->size;
    facts->at = offload->form.at;
    facts->low = facts->at + node->low;
    facts->high = facts->at + node->high;
    facts->is_contiguous = weft_type_node_is_bytes(node);
    if (facts->strategy == WEFT_OFFLOAD_AUTO)
        facts->strategy = weft_offload_choose(node, &facts->why);
    offload->first_short = weft_offload_first_short(&options->nic);
    rc = make_plan(offload, options);
    facts->obstacle = find_obstacle(offload, options);
    return rc;
}

static bool are_valid(const struct weft_offload_attributes *attributes)
{
    return (unsigned)attributes->strategy < WEFT_OFFLOAD_STRATEGIES &&
           isfinite(attributes->epsilon) && attributes->epsilon >= 0;
}

int weft_offload_prepare(const struct weft_offload_options *options, struct weft_offload **out)
{
    if (!options->type || options->nic.packet == 0 || options->nic.hpus == 0 ||
        options->nic.first_packet > options->nic.packet || !are_valid(&options->attributes))
        return WEFT_ERR_ARGUMENT;
    if (!weft_type_is_committed(options->type))
        return WEFT_ERR_NOT_COMMITTED;
    struct weft_offload *offload = calloc(1, sizeof *offload);
    if (!offload)
        return WEFT_ERR_MEMORY;
    offload->references = 1;
    offload->facts.strategy = options->attributes.strategy;
    offload->facts.priority = options->attributes.priority;
    int rc = fill(offload, options);
    if (rc)
        weft_offload_close(offload);
    else
        *out = offload;
    return rc;
}

struct weft_offload *weft_offload_retain(const struct weft_offload *offload)
{
    struct weft_offload *counted = (struct weft_offload *)offload;
    atomic_fetch_add(&counted->references, 1);
    return counted;
}

void weft_offload_close(struct weft_offload *offload)
{
    if (!offload || atomic_fetch_sub(&offload->references, 1) > 1)
        return;
    weft_offload_draft_free(offload->draft);
    weft_type_node_release(offload->form.node);
    free(offload);
}

const struct weft_offload_facts *weft_offload_facts(const struct weft_offload *offload)
{
    return &offload->facts;
}

struct weft_offload_stays *weft_offload_stays(const struct weft_offload *offload)
{
    return &((struct weft_offload *)offload)->stays;
}

void weft_offload_unpack(const struct weft_offload *offload, void *base, const void *packed,
                         uint64_t length)
{
    if (length)
        weft_type_scatter(offload->form.node,
                          weft_type_address_add((weft_type_address)base, offload->form.at), 0,
                          packed, length);
}

/* ---- Sharing ------------------------------------------------------------------------------ */

/* Equal nodes are one node, and all else of an image follows from these. */
bool weft_offload_is_same(const struct weft_offload *a, const struct weft_offload *b)
{
    return a->form.node == b->form.node && a->facts.strategy == b->facts.strategy &&
           a->plan.interval == b->plan.interval && a->first_short == b->first_short;
}

uint64_t weft_offload_hash(const struct weft_offload *offload)
{
    uint64_t hash = offload->form.node ? offload->form.node->hash : 0;
    hash = weft_hash_mix(hash, (uint64_t)offload->facts.strategy);
    return weft_hash_mix(hash, offload->plan.interval);
}

/* ---- In the memory of the NIC ------------------------------------------------------------- */

static void write_checkpoints(const struct weft_offload *offload, struct weft_offload_image *image)
{
    const struct weft_offload_plan *plan = &offload->plan;
    const struct weft_type_node *root = weft_offload_image_at(image, image->root);
    unsigned char *next = (unsigned char *)image + image->bytes;
    _Alignas(struct weft_offload_segment) unsigned char memory[WEFT_OFFLOAD_SEGMENT_LARGEST] = {0};
    struct weft_offload_segment *segment = (struct weft_offload_segment *)memory;
    weft_offload_segment_reset(segment, root);
    image->checkpoints = image->bytes;
    image->checkpoint_bytes = plan->segment_bytes;
    image->bytes = (uint32_t)offload->facts.image_bytes;
    for (uint64_t i = 0; i < plan->checkpoints; i++) {
        uint64_t position = i ? i * plan->interval - offload->first_short : 0;
        weft_offload_segment_pass(segment, root, position - segment->position);
        memcpy(next, segment, plan->segment_bytes);
        next += plan->segment_bytes;
    }
}

void weft_offload_write_image(const struct weft_offload *offload, void *image)
{
    weft_offload_draft_write(offload->draft, image);
    if (offload->plan.checkpoints)
        write_checkpoints(offload, image);
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

static bool lies_within(const struct weft_offload_facts *facts, const void *base,
                        const void *start, uint64_t length)
{
    uint64_t span = (uint64_t)(facts->high - facts->low);
    uintptr_t low = (uintptr_t)base + (uintptr_t)facts->low;
    uintptr_t before = low - (uintptr_t)start;
    return low >= (uintptr_t)start && before <= length && span <= length - before;
}

bool weft_offload_bind(const struct weft_offload *offload, const void *memory, void *base,
                       const void *start, uint64_t length, struct weft_offload_head *state,
                       ptl_handlers_t *handlers)
{
    const struct weft_offload_image *image = memory;
    const struct weft_offload_facts *facts = &offload->facts;
    const struct weft_offload_plan *plan = &offload->plan;
    if (facts->obstacle != WEFT_OFFLOAD_FALLBACK_NONE || !offload->handler ||
        !lies_within(facts, base, start, length))
        return false;
    *state = (struct weft_offload_head){
        .mem = (uintptr_t)base + (uintptr_t)facts->at,
        .size = facts->size,
        .root = (uintptr_t)weft_offload_image_at(image, image->root),
        .checkpoints = (uintptr_t)weft_offload_image_at(image, image->checkpoints),
        .by_interval = weft_divisor(plan->interval ? plan->interval : 1),
        .segment_bytes = plan->segment_bytes,
        .segment_count = plan->segments,
        .first_short = (uint32_t)offload->first_short};
    *handlers = (ptl_handlers_t){.payload_handler = offload->handler,
                                 .completion_handler = on_completion,
                                 .hpu_memory = PTL_HPU_NONE,
                                 .hpu_initial_state = state,
                                 .hpu_initial_state_length = sizeof *state,
                                 .policy = facts->vhpus ? PTL_SCHED_BLOCKED_RR : PTL_SCHED_DEFAULT,
                                 .delta_p = facts->delta_p,
                                 .vhpus = facts->vhpus};
    return true;
}
