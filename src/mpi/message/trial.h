/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the fastest way of one kind of messages is found: by going all ways in turns, looking at the
 * clock, and doing so again now and then. Callers count the messages in `left`, and come for the
 * next step when none is left; one at a time.
 */
#ifndef WEFT_MPI_MESSAGE_TRIAL_H
#define WEFT_MPI_MESSAGE_TRIAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weft_mpi_way {
    WEFT_MPI_WAY_PULLED,
    WEFT_MPI_WAY_PACKED,
    WEFT_MPI_WAY_NATIVE,
    WEFT_MPI_WAY_TOGETHER, /* only if all processes have shared heaps */
    WEFT_MPI_WAYS
};

/* How many of them there are in this job. */
unsigned weft_mpi_ways(void);

enum { WEFT_MPI_MOST_TIMED = 5 };

/* The state of a kind: the way that its messages go now, and the trial that finds it. */
struct weft_mpi_choice {
    atomic_uint left; /* messages until the next step */
    atomic_uint way;
    atomic_bool is_settled; /* MPI's own way was found the fastest or is not yet to be left */
    bool is_short, is_long;
    bool is_near;        /* between processes of one host */
    bool is_local;       /* a call that is no message: there are MPI's way and ours */
    bool is_too_short;   /* the same of messages that never go by ticket */
    bool is_batched;     /* messages with requests, of which several may be waited for at once */
    bool may_be_packed;  /* one of the ways that are tried */
    uint8_t chosen;      /* by the last trial */
    uint8_t step, turns; /* of the trial */
    uint8_t timed;       /* messages of this turn */
    unsigned rest;       /* messages until the next trial, if that is not to change; else 0 */
    unsigned waits;      /* of the program, when the last message of the trial began */
    unsigned batch;      /* messages since then */
    unsigned in_batches; /* those of this turn that were timed */
    uint64_t since;      /* nanoseconds, when the last timed one began */
    uint32_t took[WEFT_MPI_MOST_TIMED]; /* nanoseconds, each of them */
    double least[WEFT_MPI_WAYS];        /* nanoseconds from message to message */
    double confirmed[2];                /* the same afterwards: as chosen, and MPI's way */
    unsigned trials;
    atomic_bool has_tickets; /* some have come since the last trial began */
    atomic_uint misses;      /* messages since then that should have come by ticket, in a row */
};

/* Before the first message, when all that the caller knows of the kind is set. */
void weft_mpi_trial_prepare(struct weft_mpi_choice *choice, size_t bytes, size_t pieces);
/* The program has waited so often (under_way.h). */
void weft_mpi_trial_step(struct weft_mpi_choice *choice, unsigned waits);

/* Whether none is under way. */
bool weft_mpi_trial_is_over(const struct weft_mpi_choice *choice);
/* No tickets come any more, although they are the fastest way: the kind is MPI's until the next
 * trial, unless its sender may be packing, which is then tried against MPI's own way. */
void weft_mpi_trial_without_tickets(struct weft_mpi_choice *choice);

#endif
