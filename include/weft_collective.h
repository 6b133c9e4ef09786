/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective operations as parts of schedules (weft_schedule.h): each call adds what this process
 * has to do to a schedule that is being built. All processes of the engine add the same, in the
 * same order and with the same tag, and their schedules run on their NICs alone.
 *
 * Blocks are counted in bytes of packed streams, so every process may have its data in a layout of
 * its own. Reductions combine items of `datatype`, as PtlAtomic does; the operators are those that
 * do not care for order. What is read and what is written do not overlap, and belong to the
 * schedule from the time it is posted.
 *
 * Calls return WEFT_OK or a negative code of weft.h. After an error the schedule can only be
 * freed.
 */
#ifndef WEFT_COLLECTIVE_H
#define WEFT_COLLECTIVE_H

#include <weft_schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How it is done, the same in all processes. WEFT_ERR_ARGUMENT if a collective has no such way. */
enum weft_collective_way {
    WEFT_COLLECTIVE_AUTO,     /* what was the fastest, by length and processes; no stream */
    WEFT_COLLECTIVE_BINOMIAL, /* a tree whose messages halve the rest */
    WEFT_COLLECTIVE_DOUBLING, /* exchanges with partners at distances 1, 2, 4, ... */
    WEFT_COLLECTIVE_BRUCK,    /* the same for any number of processes, with blocks turned */
    WEFT_COLLECTIVE_RING,     /* blocks that go from neighbour to neighbour */
    WEFT_COLLECTIVE_PIPELINE, /* segments that go down a chain */
    WEFT_COLLECTIVE_LINEAR,   /* everybody with everybody, at once */
    WEFT_COLLECTIVE_STREAM,   /* packets that handlers pass on down a tree, when all have posted */
    WEFT_COLLECTIVE_WAYS
};

/* What is added afterwards runs as soon as any process has started, on the NICs of all that have
 * posted: they need not know. Only one of them has to call weft_schedule_start, and several may.
 * Returns the operation that is complete then, or a negative code. */
WEFT_API int weft_collective_solo(weft_schedule *schedule, uint16_t tag);

WEFT_API int weft_collective_barrier(weft_schedule *schedule, uint16_t tag);

/* BINOMIAL, PIPELINE, STREAM. The memory of the root is sent, that of the others is written. */
WEFT_API int weft_collective_bcast(weft_schedule *schedule, enum weft_collective_way way,
                                   const struct weft_schedule_memory *memory, uint32_t root,
                                   uint16_t tag);

/* BINOMIAL. The root has a block for each rank; the memory of others with many blocks, and that of
 * all others in gather, is not looked at. */
WEFT_API int weft_collective_scatter(weft_schedule *schedule,
                                     const struct weft_schedule_memory *from,
                                     const struct weft_schedule_memory *to, uint32_t root,
                                     uint16_t tag);
WEFT_API int weft_collective_gather(weft_schedule *schedule,
                                    const struct weft_schedule_memory *from,
                                    const struct weft_schedule_memory *to, uint32_t root,
                                    uint16_t tag);

/* BINOMIAL, PIPELINE. Only the root writes to `to`. */
WEFT_API int weft_collective_reduce(weft_schedule *schedule, enum weft_collective_way way,
                                    ptl_op_t operation, ptl_datatype_t datatype,
                                    const struct weft_schedule_memory *from,
                                    const struct weft_schedule_memory *to, uint32_t root,
                                    uint16_t tag);

/* RING, BRUCK. `to` has a block for each rank. */
WEFT_API int weft_collective_allgather(weft_schedule *schedule, enum weft_collective_way way,
                                       const struct weft_schedule_memory *from,
                                       const struct weft_schedule_memory *to, uint16_t tag);

/* DOUBLING, RING, BINOMIAL: to a root and back. */
WEFT_API int weft_collective_allreduce(weft_schedule *schedule, enum weft_collective_way way,
                                       ptl_op_t operation, ptl_datatype_t datatype,
                                       const struct weft_schedule_memory *from,
                                       const struct weft_schedule_memory *to, uint16_t tag);

/* RING. `from` has a block for each rank. */
WEFT_API int weft_collective_reduce_scatter(weft_schedule *schedule, ptl_op_t operation,
                                            ptl_datatype_t datatype,
                                            const struct weft_schedule_memory *from,
                                            const struct weft_schedule_memory *to, uint16_t tag);

/* As many messages as the number of processes has bits, also for blocks of different lengths, of
 * which `lengths` has one for each rank. `from` has them all, `to` that of this rank. */
WEFT_API int weft_collective_reduce_scatterv(weft_schedule *schedule, ptl_op_t operation,
                                             ptl_datatype_t datatype,
                                             const struct weft_schedule_memory *from,
                                             const size_t lengths[],
                                             const struct weft_schedule_memory *to, uint16_t tag);

/* DOUBLING. `to` of each has what is combined of all ranks up to it; in exscan, of those before
 * it: `to` of rank 0 is not looked at. */
WEFT_API int weft_collective_scan(weft_schedule *schedule, ptl_op_t operation,
                                  ptl_datatype_t datatype, const struct weft_schedule_memory *from,
                                  const struct weft_schedule_memory *to, uint16_t tag);
WEFT_API int weft_collective_exscan(weft_schedule *schedule, ptl_op_t operation,
                                    ptl_datatype_t datatype,
                                    const struct weft_schedule_memory *from,
                                    const struct weft_schedule_memory *to, uint16_t tag);

/* LINEAR, BRUCK. Both have a block for each rank. */
WEFT_API int weft_collective_alltoall(weft_schedule *schedule, enum weft_collective_way way,
                                      const struct weft_schedule_memory *from,
                                      const struct weft_schedule_memory *to, uint16_t tag);

/* To and from each rank memory of its own. */
WEFT_API int weft_collective_alltoallw(weft_schedule *schedule,
                                       const struct weft_schedule_memory from[],
                                       const struct weft_schedule_memory to[], uint16_t tag);

/* One message to each of these, and from each of those. A rank may be named several times. */
WEFT_API int weft_collective_neighbours(weft_schedule *schedule, size_t sends,
                                        const uint32_t destinations[],
                                        const struct weft_schedule_memory from[], size_t receives,
                                        const uint32_t sources[],
                                        const struct weft_schedule_memory to[], uint16_t tag);

#ifdef __cplusplus
}
#endif

#endif
