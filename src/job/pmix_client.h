/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library of PMIx, found at run time so that ours runs without it. It counts its users: in an
 * MPI program that has initialised it, ours is one more.
 */
#ifndef WEFT_JOB_PMIX_CLIENT_H
#define WEFT_JOB_PMIX_CLIENT_H

#include <pmix.h>
#include <stdbool.h>
#include <stdint.h>

#define WEFT_JOB_PMIX_CALLS(X)                                                                    \
    X(PMIx_Init)                                                                                  \
    X(PMIx_Finalize)                                                                              \
    X(PMIx_Put)                                                                                   \
    X(PMIx_Commit)                                                                                \
    X(PMIx_Get)                                                                                   \
    X(PMIx_Get_nb)                                                                                \
    X(PMIx_Error_string)

struct weft_job_pmix_calls {
#define WEFT_JOB_PMIX_MEMBER(name) __typeof__(name) *name;
    WEFT_JOB_PMIX_CALLS(WEFT_JOB_PMIX_MEMBER)
#undef WEFT_JOB_PMIX_MEMBER
};

/* Filled in by weft_job_pmix_start. */
extern struct weft_job_pmix_calls weft_job_pmix;

/* Loads the library and calls PMIx_Init. False if that fails or takes too long, and the log says
 * why. */
bool weft_job_pmix_start(pmix_proc_t *self, uint64_t deadline);

/* Says to the log what failed; always false. */
bool weft_job_pmix_refuse(const char *what, const char *why);

/* True for PMIX_SUCCESS; otherwise the log says what failed. */
bool weft_job_pmix_is_fine(pmix_status_t status, const char *what);

#endif
