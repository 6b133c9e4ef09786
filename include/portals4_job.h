/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Beside Portals: what a program needs to know of the job that its launcher has started. It works
 * with mpirun of Open MPI and of MPICH, with srun, and with processes started by hand.
 */
#ifndef PORTALS4_JOB_H
#define PORTALS4_JOB_H

#include <portals4.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tells a logical interface the addresses of all ranks of the job, as PtlSetMap does, and the
 * caller which rank it is. A process without a launcher is rank 0 of 1. Either pointer may be
 * NULL. Described by weft_job_init(3). */
PTL_API int weft_job_init(ptl_handle_ni_t ni_handle, ptl_rank_t *rank, ptl_size_t *size);

#ifdef __cplusplus
}
#endif

#endif
