/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The strategies that carry an iterator ([DiG19], section 3.2.4). None needs a lock, because no
 * two handlers work on the same segment: hpu-local has one for each virtual HPU, ro-cp makes a
 * copy for each packet, and rw-cp has one for each sequence of packets, which is a virtual HPU.
 *
 * The NIC deals packets out to virtual HPUs by their place in the message. Should one meet another
 * virtual HPU, or come late, that only costs a longer way: segments belong to the virtual HPU,
 * master checkpoints are found by the offset of the packet.
 */
#include "offload/segment.h"
#include "offload/strategy.h"
#include "offload/write.h"

static struct weft_offload_segment *own_segment(struct weft_offload_head *head)
{
    unsigned vhpu = PtlHandlerMyVHPU();
    if (vhpu >= head->segment_count)
        return NULL;
    return (struct weft_offload_segment *)((unsigned char *)(head + 1) +
                                           (uint64_t)vhpu * head->segment_bytes);
}

static const struct weft_offload_segment *master_of(const struct weft_offload_head *head,
                                                    uint64_t offset)
{
    uint64_t i = weft_divisor_divide(offset + head->first_short, head->by_interval);
    return (const struct weft_offload_segment *)(uintptr_t)(head->checkpoints +
                                                            i * head->segment_bytes);
}

/* From where the segment is, which is not behind the packet. */
static ptl_handler_result_t write_packet(struct weft_offload_segment *segment,
                                         const struct weft_offload_head *head,
                                         const ptl_payload_t *payload)
{
    const struct weft_type_node *root = weft_offload_root(head);
    if (segment->position < payload->offset)
        weft_offload_segment_pass(segment, root, payload->offset - segment->position);
    weft_offload_segment_write(segment, root, head->mem, payload->base, payload->length);
    return PTL_HANDLER_SUCCESS;
}

static bool has_begun(const struct weft_offload_segment *segment)
{
    return segment->depth > 0;
}

/* Behind the packet there is no way but from the beginning; which is counted, for all HPUs. */
static bool comes_late(struct weft_offload_head *head, const struct weft_offload_segment *segment,
                       const ptl_payload_t *payload)
{
    if (segment->position <= payload->offset)
        return false;
    __atomic_fetch_add(&head->late, 1, __ATOMIC_RELAXED);
    return true;
}

/* ---- hpu-local ---------------------------------------------------------------------------- */

static ptl_handler_result_t on_payload_local(const ptl_payload_t *payload, void *state)
{
    struct weft_offload_head *head = state;
    struct weft_offload_segment *segment = own_segment(head);
    if (!segment || !weft_offload_packet_fits(head, payload))
        return PTL_HANDLER_SEGV;
    bool is_late = comes_late(head, segment, payload);
    if (is_late || !has_begun(segment))
        weft_offload_segment_reset(segment, weft_offload_root(head));
    return write_packet(segment, head, payload);
}

static void plan_local(const struct weft_type_node *node,
                       const struct weft_offload_options *options,
                       struct weft_offload_facts *facts, struct weft_offload_plan *plan)
{
    plan->segment_bytes = weft_offload_segment_bytes(node);
    plan->segments = facts->vhpus = options->nic.hpus;
    facts->delta_p = 1;
}

const struct weft_offload_strategy_kind weft_offload_hpu_local = {
    .name = "hpu-local", .handler = on_payload_local, .plan = plan_local};

/* ---- Checkpoints -------------------------------------------------------------------------- */

/* `copies`: how often a checkpoint is in the memory of the NIC. */
static void plan_checkpoints(const struct weft_type_node *node,
                             const struct weft_offload_options *options,
                             struct weft_offload_facts *facts, struct weft_offload_plan *plan,
                             unsigned copies)
{
    const struct weft_offload_nic *nic = &options->nic;
    double epsilon = options->attributes.epsilon;
    uint64_t taken = facts->image_bytes + facts->head_bytes;
    plan->segment_bytes = weft_offload_segment_bytes(node);
    facts->interval = weft_offload_interval(
        &(struct weft_offload_load){.message = node->size + weft_offload_first_short(nic),
                                    .packet = nic->packet,
                                    .pieces = node->pieces,
                                    .hpus = nic->hpus,
                                    .checkpoint = (uint64_t)copies * plan->segment_bytes,
                                    .memory = nic->memory > taken ? nic->memory - taken : 0,
                                    .packet_buffer = nic->packet_buffer,
                                    .epsilon = epsilon > 0 ? epsilon : WEFT_OFFLOAD_EPSILON,
                                    .times = nic->times});
    plan->interval = facts->interval.bytes;
    plan->checkpoints = facts->interval.checkpoints;
}

/* ---- ro-cp -------------------------------------------------------------------------------- */

static ptl_handler_result_t on_payload_read_only(const ptl_payload_t *payload, void *state)
{
    const struct weft_offload_head *head = state;
    _Alignas(struct weft_offload_segment) unsigned char copy[WEFT_OFFLOAD_SEGMENT_LARGEST];
    if (!weft_offload_packet_fits(head, payload))
        return PTL_HANDLER_SEGV;
    memcpy(copy, master_of(head, payload->offset), head->segment_bytes);
    return write_packet((struct weft_offload_segment *)copy, head, payload);
}

static void plan_read_only(const struct weft_type_node *node,
                           const struct weft_offload_options *options,
                           struct weft_offload_facts *facts, struct weft_offload_plan *plan)
{
    plan_checkpoints(node, options, facts, plan, 1);
}

const struct weft_offload_strategy_kind weft_offload_ro_cp = {
    .name = "ro-cp", .handler = on_payload_read_only, .plan = plan_read_only};

/* ---- rw-cp -------------------------------------------------------------------------------- */

static ptl_handler_result_t on_payload_owned(const ptl_payload_t *payload, void *state)
{
    struct weft_offload_head *head = state;
    struct weft_offload_segment *segment = own_segment(head);
    if (!segment || !weft_offload_packet_fits(head, payload))
        return PTL_HANDLER_SEGV;
    if (segment->position != payload->offset || !has_begun(segment)) {
        const struct weft_offload_segment *master = master_of(head, payload->offset);
        bool is_late = comes_late(head, segment, payload);
        if (is_late || !has_begun(segment) || segment->position < master->position)
            memcpy(segment, master, head->segment_bytes);
    }
    return write_packet(segment, head, payload);
}

static void plan_owned(const struct weft_type_node *node,
                       const struct weft_offload_options *options,
                       struct weft_offload_facts *facts, struct weft_offload_plan *plan)
{
    plan_checkpoints(node, options, facts, plan, 2);
    plan->segments = (uint32_t)plan->checkpoints;
    facts->vhpus = (unsigned)plan->checkpoints;
    facts->delta_p = (unsigned)facts->interval.packets;
}

const struct weft_offload_strategy_kind weft_offload_rw_cp = {
    .name = "rw-cp", .handler = on_payload_owned, .plan = plan_owned};
