/* SPDX-License-Identifier: BSD-3-Clause */
/* What a persistent request starts, if that is no single message. */
#ifndef WEFT_MPI_MESSAGE_PLAN_H
#define WEFT_MPI_MESSAGE_PLAN_H

#include "mpi/state.h"

struct weft_mpi_plan {
    /* Begins it once more; as MPI's calls return. */
    int (*start)(struct weft_mpi_plan *plan, MPI_Request *request);
    /* The program has freed its request; what was begun may still be under way. */
    void (*drop)(struct weft_mpi_plan *plan);
};

/* From now on to start the request, which MPI has made, is to start the plan. False without
 * memory: then the plan stays the caller's. */
bool weft_mpi_persistent_plan(MPI_Comm comm, struct weft_mpi_plan *plan, MPI_Request request);

#endif
