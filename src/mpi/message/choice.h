/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which way is faster for messages of a kind: MPI's own, or ours. That depends on the layout, the
 * size, the MPI, the machine and on what the program does meanwhile, so it is not computed but
 * tried: the first messages of a kind go both ways in turns, some of them each time, and what
 * counts is how long the program takes from one message of the kind to the next. That is what its
 * user waits for, whatever it overlaps with. Then the faster way stays, and is put to the test
 * again now and then.
 *
 * Sender and receiver decide alone, because every way of the one meets every way of the other. But
 * both count the messages of a stream, so that they try the same way at the same time.
 */
#ifndef WEFT_MPI_MESSAGE_CHOICE_H
#define WEFT_MPI_MESSAGE_CHOICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weft_mpi_way { WEFT_MPI_WAY_OURS, WEFT_MPI_WAY_NATIVE, WEFT_MPI_WAYS };

/* What the state of a kind is; see choice.c for its steps. */
struct weft_mpi_choice {
    atomic_uint left; /* messages until the next step */
    atomic_uint way;
    uint8_t step, turns, timed;  /* of the trial, and messages of the turn */
    uint64_t since;              /* nanoseconds, when the messages that are timed began */
    double least[WEFT_MPI_WAYS]; /* nanoseconds from message to message */
    unsigned trials;
};

/* What besides layout and size makes a kind. */
struct weft_mpi_pattern {
    bool is_send;
    bool is_near;     /* the other process is on this host */
    bool is_blocking; /* the call returns when it is over */
};

enum { WEFT_MPI_SIZE_CLASSES = 33, WEFT_MPI_PATTERNS = 16 };

/* Choices of all kinds with a normal form, made when they are needed. */
struct weft_mpi_choices {
    _Atomic(struct weft_mpi_choice *) of_size[WEFT_MPI_SIZE_CLASSES];
};

/* For the next message. `pieces` of memory and bytes are those of the whole. */
enum weft_mpi_way weft_mpi_choose(struct weft_mpi_choices *choices, size_t bytes, size_t pieces,
                                  struct weft_mpi_pattern pattern);

#endif
