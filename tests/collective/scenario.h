/* SPDX-License-Identifier: BSD-3-Clause */
/* One collective on some number of processes, and what each must have afterwards. */
#ifndef WEFT_TESTS_COLLECTIVE_SCENARIO_H
#define WEFT_TESTS_COLLECTIVE_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft_collective.h>

/* X(name, collective, way) */
#define SCENARIO_MAP(X)                                                                           \
    X("barrier", BARRIER, AUTO)                                                                   \
    X("bcast, binomial", BCAST, BINOMIAL)                                                         \
    X("bcast, pipelined", BCAST, PIPELINE)                                                        \
    X("bcast, streamed", BCAST, STREAM)                                                           \
    X("bcast", BCAST, AUTO)                                                                       \
    X("scatter", SCATTER, BINOMIAL)                                                               \
    X("gather", GATHER, BINOMIAL)                                                                 \
    X("reduce, binomial", REDUCE, BINOMIAL)                                                       \
    X("reduce, pipelined", REDUCE, PIPELINE)                                                      \
    X("reduce", REDUCE, AUTO)                                                                     \
    X("allgather, ring", ALLGATHER, RING)                                                         \
    X("allgather, Bruck", ALLGATHER, BRUCK)                                                       \
    X("allgather", ALLGATHER, AUTO)                                                               \
    X("allreduce, doubling", ALLREDUCE, DOUBLING)                                                 \
    X("allreduce, ring", ALLREDUCE, RING)                                                         \
    X("allreduce, binomial", ALLREDUCE, BINOMIAL)                                                 \
    X("allreduce", ALLREDUCE, AUTO)                                                               \
    X("reduce_scatter", REDUCE_SCATTER, RING)                                                     \
    X("reduce_scatterv", REDUCE_SCATTERV, DOUBLING)                                               \
    X("scan", SCAN, DOUBLING)                                                                     \
    X("exscan", EXSCAN, DOUBLING)                                                                 \
    X("alltoall, linear", ALLTOALL, LINEAR)                                                       \
    X("alltoall, Bruck", ALLTOALL, BRUCK)                                                         \
    X("alltoall", ALLTOALL, AUTO)                                                                 \
    X("alltoallw", ALLTOALLW, LINEAR)                                                             \
    X("neighbours", NEIGHBOURS, LINEAR)

enum scenario_collective {
    SCENARIO_BARRIER,
    SCENARIO_BCAST,
    SCENARIO_SCATTER,
    SCENARIO_GATHER,
    SCENARIO_REDUCE,
    SCENARIO_ALLGATHER,
    SCENARIO_ALLREDUCE,
    SCENARIO_REDUCE_SCATTER,
    SCENARIO_REDUCE_SCATTERV,
    SCENARIO_SCAN,
    SCENARIO_EXSCAN,
    SCENARIO_ALLTOALL,
    SCENARIO_ALLTOALLW,
    SCENARIO_NEIGHBOURS
};

struct scenario_kind {
    const char *name;
    enum scenario_collective collective;
    enum weft_collective_way way;
};

extern const struct scenario_kind scenario_kinds[];
extern const unsigned scenario_count;

struct scenario {
    const struct scenario_kind *kind;
    uint32_t size; /* processes */
    uint32_t root;
    size_t items; /* of a block, of 8 bytes each */
    uint64_t seed;
    ptl_op_t operation;
    ptl_datatype_t datatype; /* PTL_UINT64_T or PTL_DOUBLE */
};

/* The items that a rank gives to the collective, and that it must get: how many of each there are,
 * and which. Items that it neither gives nor gets are not asked for. */
size_t scenario_given(const struct scenario *scenario, uint32_t rank);
size_t scenario_gotten(const struct scenario *scenario, uint32_t rank);
uint64_t scenario_give(const struct scenario *scenario, uint32_t rank, size_t i);
uint64_t scenario_get(const struct scenario *scenario, uint32_t rank, size_t i);

/* Adds what the rank does. */
int scenario_build(const struct scenario *scenario, weft_schedule *schedule,
                   const struct weft_schedule_memory *from, const struct weft_schedule_memory *to);

#endif
