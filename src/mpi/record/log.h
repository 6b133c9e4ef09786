/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What this process does, as steps that wait for others: the graph of one rank in the GOAL
 * language. A front is where something is that goes on: what comes next waits for all of it.
 */
#ifndef WEFT_MPI_RECORD_LOG_H
#define WEFT_MPI_RECORD_LOG_H

#include "mpi/state.h"

enum weft_mpi_step_kind { WEFT_MPI_STEP_COMPUTE, WEFT_MPI_STEP_SEND, WEFT_MPI_STEP_RECEIVE };

#define WEFT_MPI_STEP_ANY UINT32_MAX  /* a source or a tag that is not known */
#define WEFT_MPI_STEP_NONE UINT32_MAX /* no step: nothing waits for it */

struct weft_mpi_step {
    uint64_t size; /* bytes, or nanoseconds of a computation */
    uint32_t peer; /* in the job */
    uint32_t tag;
    uint32_t needs; /* where the list of what it waits for begins */
    uint32_t note;  /* see note.h */
    enum weft_mpi_step_kind kind;
};

#define WEFT_MPI_NEED_BEGUN (UINT32_C(1) << 31) /* it is enough that the other has begun */

struct weft_mpi_front {
    uint32_t *needs;
    size_t count, room;
};

/* Where the program is. */
extern struct weft_mpi_front weft_mpi_program;

/* ---- Steps --------------------------------------------------------------------------------- */

/* The next one, which waits for a front; NONE if there is no memory, and nothing comes after. */
uint32_t weft_mpi_log_add(const struct weft_mpi_front *after, const struct weft_mpi_step *step);

/* NULL of NONE. It may be completed later, until another is added. */
struct weft_mpi_step *weft_mpi_log_step(uint32_t step);
uint32_t weft_mpi_log_count(void);
/* What a step waits for. */
const uint32_t *weft_mpi_log_needs(uint32_t step, uint32_t *count);
/* There was no memory: something is missing, and the rest does not matter. */
void weft_mpi_log_starve(void);
bool weft_mpi_log_is_starved(void);

/* ---- Fronts -------------------------------------------------------------------------------- */

/* From now on only a step, or only its beginning, is waited for; or that step, too. */
void weft_mpi_front_set(struct weft_mpi_front *front, uint32_t step);
void weft_mpi_front_set_begun(struct weft_mpi_front *front, uint32_t step);
void weft_mpi_front_add(struct weft_mpi_front *front, uint32_t step);
void weft_mpi_front_fini(struct weft_mpi_front *front);

/* ---- Time ---------------------------------------------------------------------------------- */

/* Whether to count only the time in which the thread has a processor. */
void weft_mpi_log_choose_clock(bool is_of_processor);
void weft_mpi_log_begin(void);
void weft_mpi_log_end(void);
/* The program calls MPI, and goes on: it computes meanwhile. */
void weft_mpi_log_enter(void);
void weft_mpi_log_leave(void);
/* What it has computed since the last step becomes one. */
void weft_mpi_log_compute(void);
/* Nanoseconds from the beginning to the end, by the clock on the wall. */
uint64_t weft_mpi_log_duration(void);

#endif
