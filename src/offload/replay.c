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
#include "offload/replay.h"

#include "offload/segment.h"
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
    weft_device_count(&head->late);
    return true;
}

/* ---- hpu-local ---------------------------------------------------------------------------- */

ptl_handler_result_t weft_offload_replay_local(const ptl_payload_t *payload, void *state)
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

/* ---- ro-cp -------------------------------------------------------------------------------- */

ptl_handler_result_t weft_offload_replay_read_only(const ptl_payload_t *payload, void *state)
{
    const struct weft_offload_head *head = state;
    _Alignas(struct weft_offload_segment) unsigned char copy[WEFT_OFFLOAD_SEGMENT_LARGEST];
    if (!weft_offload_packet_fits(head, payload))
        return PTL_HANDLER_SEGV;
    memcpy(copy, master_of(head, payload->offset), head->segment_bytes);
    return write_packet((struct weft_offload_segment *)copy, head, payload);
}

/* ---- rw-cp -------------------------------------------------------------------------------- */

ptl_handler_result_t weft_offload_replay_owned(const ptl_payload_t *payload, void *state)
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
