/* SPDX-License-Identifier: BSD-3-Clause */
/* What the strategies that carry an iterator (replay.h) need in the memory of the NIC. */
#include "offload/replay.h"
#include "offload/segment.h"
#include "offload/strategy.h"

/* ---- hpu-local ---------------------------------------------------------------------------- */

static void plan_local(const struct weft_type_node *node,
                       const struct weft_offload_options *options,
                       struct weft_offload_facts *facts, struct weft_offload_plan *plan)
{
    plan->segment_bytes = weft_offload_segment_bytes(node);
    plan->segments = facts->vhpus = options->nic.hpus;
    facts->delta_p = 1;
}

const struct weft_offload_strategy_kind weft_offload_hpu_local = {
    .name = "hpu-local",
    .handler = WEFT_OFFLOAD_HANDLER(weft_offload_replay_local),
    .plan = plan_local};

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

static void plan_read_only(const struct weft_type_node *node,
                           const struct weft_offload_options *options,
                           struct weft_offload_facts *facts, struct weft_offload_plan *plan)
{
    plan_checkpoints(node, options, facts, plan, 1);
}

const struct weft_offload_strategy_kind weft_offload_ro_cp = {
    .name = "ro-cp",
    .handler = WEFT_OFFLOAD_HANDLER(weft_offload_replay_read_only),
    .plan = plan_read_only};

/* ---- rw-cp -------------------------------------------------------------------------------- */

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
    .name = "rw-cp",
    .handler = WEFT_OFFLOAD_HANDLER(weft_offload_replay_owned),
    .plan = plan_owned};
