/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who does collectives of a kind, MPI or we, where a process cannot tell from its own arguments
 * what the others have. All processes of a communicator make its collectives in the same order, so
 * all count alike; at certain numbers of calls they ask each other, and in between all keep to
 * what was found. First whether anybody has data that lie apart. If so, all ways are tried in
 * turns, and the one stays that took all of them the least time together.
 */
#ifndef WEFT_MPI_COLLECTIVE_VERDICT_H
#define WEFT_MPI_COLLECTIVE_VERDICT_H

#include "mpi/state.h"

/* The ways of a call: that of MPI, one of ours, and another one where all processes have it. */
enum {
    WEFT_MPI_VERDICT_MPI,
    WEFT_MPI_VERDICT_OURS,
    WEFT_MPI_VERDICT_OTHER,
    WEFT_MPI_VERDICT_WAYS
};

enum { WEFT_MPI_VERDICT_TIMED = 4 }; /* calls of a turn */

struct weft_mpi_verdict {
    unsigned left;  /* calls until the next step */
    bool is_trial;  /* or it rests */
    bool is_wanted; /* by this process, since the last vote */
    bool is_asking; /* a vote waits for an occasion */
    bool has_other; /* way, as far as this process knows */
    uint8_t way, ways;
    uint8_t turn, timed;                   /* of the trial, and calls of the turn */
    unsigned votes, trials;                /* votes in vain, and trials, so far */
    uint32_t took[WEFT_MPI_VERDICT_TIMED]; /* nanoseconds, each of them */
    uint64_t least[WEFT_MPI_VERDICT_WAYS]; /* of each way */
    uint64_t since; /* the last call with a request began; 0: of no interest */
};

/* Before the first call. */
void weft_mpi_verdict_begin(struct weft_mpi_verdict *verdict);
/* The same, where all have said already what else is asked in a vote: the largest of what they are
 * told, and whether all have the other way. */
void weft_mpi_verdict_begin_asked(struct weft_mpi_verdict *verdict, int told, bool has_other);
/* The way that WEFT_WAY wants, which is not tried; WEFT_MPI_VERDICT_MPI if it wants none of ours.
 */
int weft_mpi_verdict_told(void);

/* Whether we do the next call, by `way`. All processes of the communicator ask for each call of
 * the kind, in their order, and wait for each other now and then. */
bool weft_mpi_verdict_is_ours(struct weft_mpi_verdict *verdict, MPI_Comm comm);
/* The same for a call that must not wait for others, of a kind that is always worth a trial. What
 * that has found is summed up on the next occasion; until then MPI does such calls. */
bool weft_mpi_verdict_is_ours_at_once(struct weft_mpi_verdict *verdict);
/* The same for a kind that is worth a trial only if somebody has data that lie apart: that, too,
 * is asked on an occasion, until which all stays as it is. */
bool weft_mpi_verdict_is_ours_once_asked(struct weft_mpi_verdict *verdict);
/* Whether it waits for an occasion, and that there is one: all processes of the communicator have
 * made the same calls before. */
bool weft_mpi_verdict_is_awaited(const struct weft_mpi_verdict *verdict);
void weft_mpi_verdict_settle(struct weft_mpi_verdict *verdict, MPI_Comm comm);
/* The same, where a trial is over, and the caller has the sums of what `least` is with each of
 * them. */
void weft_mpi_verdict_decide(struct weft_mpi_verdict *verdict,
                             const uint64_t all[WEFT_MPI_VERDICT_WAYS]);
/* When it begins, or 0 if that is of no interest, and that it has ended. There need not be a
 * verdict. */
uint64_t weft_mpi_verdict_clock(const struct weft_mpi_verdict *verdict);
void weft_mpi_verdict_note(struct weft_mpi_verdict *verdict, uint64_t since);

#endif
