/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided calls on windows of shared memory, whose data are copied from the one layout into the
 * other in the call. MPI makes the same call of no elements first: so it judges window, rank,
 * displacement, types and epoch as ever, and answers with a request where there is one. MPI
 * libraries move the data of such a call at once, too, as soon as they have found that it may be
 * made; what we do behind it is what they would have done within it, and their synchronisation,
 * which orders their own stores, orders ours.
 */
#ifndef WEFT_MPI_STAGED_COPY_H
#define WEFT_MPI_STAGED_COPY_H

#include "mpi/message/route.h"
#include "mpi/staged/shared.h"

struct weft_mpi_copy {
    struct weft_mpi_data origin, target;
    bool is_in; /* to the origin */
};

enum weft_mpi_copying {
    WEFT_MPI_NOT_SHARED,    /* the window is of another kind, or all data lie together */
    WEFT_MPI_COPIED_BY_MPI, /* which is as fast, or must say what is wrong */
    WEFT_MPI_COPIED_BY_US,  /* then it is open, until it is ended */
};

/* What a call without its window asks for. */
struct weft_mpi_asked_copy {
    const void *origin_addr;
    int64_t origin_count;
    MPI_Datatype origin_type;
    int target_rank;
    MPI_Aint target_disp;
    int64_t target_count;
    MPI_Datatype target_type;
    bool is_in, is_requested;
};

/* Who copies in a program that has windows of shared memory. */
enum weft_mpi_copying weft_mpi_copy_choose(const struct weft_mpi_asked_copy *asked, MPI_Win win,
                                           struct weft_mpi_copy *copy);

static inline enum weft_mpi_copying weft_mpi_copy_open(const struct weft_mpi_asked_copy *asked,
                                                       MPI_Win win, struct weft_mpi_copy *copy)
{
    if (atomic_load_explicit(&weft_mpi_shared_windows, memory_order_relaxed) == 0 ||
        (weft_mpi_type_is_basic(asked->origin_type) && weft_mpi_type_is_basic(asked->target_type)))
        return WEFT_MPI_NOT_SHARED;
    return weft_mpi_copy_choose(asked, win, copy);
}

/* MPI has judged the call, with this result: copies if it is right. What the call returns. */
int weft_mpi_copy_end(struct weft_mpi_copy *copy, int result);

#endif
