/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives with a request as schedules (weft_collective.h), which the NICs of all processes run
 * while the program computes. Nobody is between the program and MPI unless every process has
 * threads that run its NIC (WEFT_HPUS).
 *
 *   nonblocking.c   the calls, and whether their arguments allow it
 *   offload.c       who does it, MPI or we
 *   schedule.c      one call, as a schedule
 */
#ifndef WEFT_MPI_COLLECTIVE_OFFLOAD_H
#define WEFT_MPI_COLLECTIVE_OFFLOAD_H

#include <portals4.h>

#include "mpi/state.h"

enum weft_mpi_collective {
    WEFT_MPI_IBARRIER,
    WEFT_MPI_IBCAST,
    WEFT_MPI_IALLTOALL,
    WEFT_MPI_IREDUCE,
    WEFT_MPI_IALLREDUCE,
    WEFT_MPI_ISCAN,
    WEFT_MPI_IEXSCAN,
    WEFT_MPI_IREDUCE_SCATTER_BLOCK,
    WEFT_MPI_IREDUCE_SCATTER,
    WEFT_MPI_OFFLOADS
};

/* What a call names by buffer, count and datatype. */
struct weft_mpi_named {
    const void *buffer;
    MPI_Count count; /* for each peer, in an exchange */
    MPI_Datatype type;
};

/* A call. What is the same for all processes: the collective, the bytes, the root, the operator
 * and the parts. */
struct weft_mpi_offload {
    enum weft_mpi_collective collective;
    MPI_Comm comm;
    size_t bytes; /* of all that a process sends or receives */
    int root;
    ptl_op_t operation;
    ptl_datatype_t datatype;
    bool is_in_place;              /* a reduction: `out` lies where the result is to be */
    struct weft_mpi_side parts;    /* of the result, for each rank: how many items */
    struct weft_mpi_named out, in; /* a broadcast has one, `in` */
};

/* ---- schedule.c ---------------------------------------------------------------------------- */

/* Both are collective. False if this process, or some other, cannot; then nothing is left open. */
bool weft_mpi_schedule_open(void);
void weft_mpi_schedule_close(void);

/* Begins it, by schedules of this number, which no other call that is under way may have;
 * `is_under_way` is set until it has ended. As MPI's calls return. */
int weft_mpi_schedule_begin(const struct weft_mpi_offload *offload, uint16_t number,
                            bool *is_under_way, MPI_Request *request);

/* How many have been begun. */
unsigned long long weft_mpi_schedule_count(void);

/* ---- offload.c ----------------------------------------------------------------------------- */

/* When there is a net, and before it goes. Collective. */
void weft_mpi_offload_begin(void);
void weft_mpi_offload_end(void);

/* False if MPI is to do it. Whatever this looks at is the same for all processes. */
bool weft_mpi_offload_give_away(const struct weft_mpi_offload *offload, MPI_Request *request,
                                int *result);

/* A collective of the program's that waits for all others. */
void weft_mpi_offload_settle(MPI_Comm comm);

/* ---- nonblocking.c ------------------------------------------------------------------------- */

/* From now on the calls go through give_away. */
void weft_mpi_offload_step_in(void);

#endif
