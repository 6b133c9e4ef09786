/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives as messages, by well-known algorithms. Which ones a library takes depends on much
 * that a record does not know; these have the least number of rounds, or move the least data.
 */
#ifndef WEFT_MPI_RECORD_CIRCLE_H
#define WEFT_MPI_RECORD_CIRCLE_H

#include "mpi/library/side.h"
#include "mpi/record/identity.h"
#include "mpi/record/log.h"

struct weft_mpi_circle {
    struct weft_mpi_identity *identity;
    struct weft_mpi_front *front; /* where the collective is */
    int rank, size;
    uint32_t tag, note;
};

/* Dissemination. */
void weft_mpi_circle_barrier(const struct weft_mpi_circle *circle);
/* Binomial trees. */
void weft_mpi_circle_broadcast(const struct weft_mpi_circle *circle, int root, uint64_t bytes);
void weft_mpi_circle_reduce(const struct weft_mpi_circle *circle, int root, uint64_t bytes);
/* Recursive doubling; of much data, a ring. */
void weft_mpi_circle_reduce_all(const struct weft_mpi_circle *circle, uint64_t bytes);
/* Doubling: from those below to those above. */
void weft_mpi_circle_scan(const struct weft_mpi_circle *circle, uint64_t bytes);
/* Everybody's part to its owner, in as many rounds; `parts` has one for each. */
void weft_mpi_circle_reduce_parts(const struct weft_mpi_circle *circle,
                                  const struct weft_mpi_side *parts);
/* The root to and from all, one after the other. */
void weft_mpi_circle_gather(const struct weft_mpi_circle *circle, const struct weft_mpi_side *out,
                            const struct weft_mpi_side *in, int root);
void weft_mpi_circle_scatter(const struct weft_mpi_circle *circle, const struct weft_mpi_side *out,
                             const struct weft_mpi_side *in, int root);
/* A ring. */
void weft_mpi_circle_gather_all(const struct weft_mpi_circle *circle,
                                const struct weft_mpi_side *out, const struct weft_mpi_side *in);
/* All at once. */
void weft_mpi_circle_exchange_all(const struct weft_mpi_circle *circle,
                                  const struct weft_mpi_side *out, const struct weft_mpi_side *in);

#endif
