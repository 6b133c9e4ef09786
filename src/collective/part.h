/* SPDX-License-Identifier: BSD-3-Clause */
/* What all generators say. The first error stays, and whatever is said afterwards is ignored. */
#ifndef WEFT_COLLECTIVE_PART_H
#define WEFT_COLLECTIVE_PART_H

#include <weft_collective.h>

/* One collective of one process, while it is added to a schedule. */
struct weft_collective_part {
    weft_schedule *schedule;
    uint32_t rank, size;
    uint16_t tag;
    int error;
    ptl_op_t operation; /* of reductions */
    ptl_datatype_t datatype;
};

/* No operation: nobody waits for it. */
#define WEFT_COLLECTIVE_NONE (-1)

struct weft_collective_part weft_collective_begin(weft_schedule *schedule, uint16_t tag);
struct weft_collective_part weft_collective_begin_reduction(weft_schedule *schedule,
                                                            ptl_op_t operation,
                                                            ptl_datatype_t datatype, size_t length,
                                                            uint16_t tag);

/* Operations that wait for one other, or for none. */
int weft_collective_send(struct weft_collective_part *part,
                         const struct weft_schedule_memory *from, uint32_t to, int after);
int weft_collective_receive(struct weft_collective_part *part,
                            const struct weft_schedule_memory *to, uint32_t from, int after);
int weft_collective_copy(struct weft_collective_part *part,
                         const struct weft_schedule_memory *from,
                         const struct weft_schedule_memory *to, int after);
int weft_collective_combine(struct weft_collective_part *part,
                            const struct weft_schedule_memory *from,
                            const struct weft_schedule_memory *to, int after);
int weft_collective_nop(struct weft_collective_part *part, int after);
void weft_collective_after(struct weft_collective_part *part, int later, int earlier);

struct weft_schedule_memory weft_collective_scratch(struct weft_collective_part *part,
                                                    size_t length);

/* A range of a range. */
static inline struct weft_schedule_memory
weft_collective_range(const struct weft_schedule_memory *memory, size_t offset, size_t length)
{
    struct weft_schedule_memory range = *memory;
    range.offset += offset;
    range.length = length;
    return range;
}

/* The rank that is `distance` away, which may be negative. */
static inline uint32_t weft_collective_at(const struct weft_collective_part *part,
                                          int64_t distance)
{
    int64_t size = part->size;
    return (uint32_t)(((part->rank + distance) % size + size) % size);
}

/* ---- The ways ----------------------------------------------------------------------------- */

void weft_collective_bcast_tree(struct weft_collective_part *part,
                                const struct weft_schedule_memory *memory, uint32_t root,
                                int after);
/* Returns what is complete when `to` is; WEFT_COLLECTIVE_NONE where it is not written. */
int weft_collective_reduce_tree(struct weft_collective_part *part,
                                const struct weft_schedule_memory *from,
                                const struct weft_schedule_memory *to, uint32_t root);
void weft_collective_bcast_stream(struct weft_collective_part *part,
                                  const struct weft_schedule_memory *memory, uint32_t root);
void weft_collective_bcast_chain(struct weft_collective_part *part,
                                 const struct weft_schedule_memory *memory, uint32_t root);
void weft_collective_reduce_chain(struct weft_collective_part *part,
                                  const struct weft_schedule_memory *from,
                                  const struct weft_schedule_memory *to, uint32_t root);

/* From all to all. */
typedef void weft_collective_exchange(struct weft_collective_part *part,
                                      const struct weft_schedule_memory *from,
                                      const struct weft_schedule_memory *to);

weft_collective_exchange weft_collective_allreduce_doubling, weft_collective_allreduce_ring,
    weft_collective_allgather_ring, weft_collective_allgather_bruck,
    weft_collective_alltoall_linear, weft_collective_alltoall_bruck;

#endif
