/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An exchange of a process with several peers as a message each way for each of them. Each goes
 * the way that is best for its own type and size, unless the whole exchange was found to be best
 * by ticket.
 */
#ifndef WEFT_MPI_COLLECTIVE_EXCHANGE_H
#define WEFT_MPI_COLLECTIVE_EXCHANGE_H

#include "mpi/library/side.h"
#include "mpi/state.h"

/* A message of each side: the peer and its index in the call's arguments, or none. */
enum { WEFT_MPI_NO_MESSAGE = -1 };
struct weft_mpi_exchange_step {
    int to, out, from, in;
};

/* Neighbours in a grid or a graph, in the order of the call's arguments. */
enum { WEFT_MPI_MOST_NEIGHBOURS = 64 };
struct weft_mpi_surroundings {
    int sources[WEFT_MPI_MOST_NEIGHBOURS], targets[WEFT_MPI_MOST_NEIGHBOURS];
};

struct weft_mpi_exchange {
    struct weft_mpi_side out, in;
    MPI_Comm program; /* the communicator of the call, whose error handler hears of errors */
    MPI_Comm comm;    /* that by which the messages go, */
    int tag;          /* and with which tag */
    struct weft_mpi_exchange_step (*step)(const struct weft_mpi_exchange *exchange, int number);
    int rank, size;
    bool is_judged;       /* as messages by ticket, beside other ways of the whole */
    int root;             /* of those that have one */
    int targets, sources; /* how many peers each side names */
    struct weft_mpi_surroundings around;
};

/* Who exchanges with whom. At first only both sides and the program's communicator are known. */
struct weft_mpi_partners {
    /* How many peers each side names. False if MPI is to do it, as far as this process knows. */
    bool (*look)(struct weft_mpi_exchange *exchange);
    /* Finds out all the rest, which may be collective. False if MPI is to do it. */
    bool (*prepare)(struct weft_mpi_exchange *exchange, bool may_wait);
    /* Ended, or, with a request, begun. As MPI's calls return. */
    int (*run)(const struct weft_mpi_exchange *exchange, MPI_Request *request);
};
extern const struct weft_mpi_partners weft_mpi_all, weft_mpi_around;

/* Prepares and runs it. False if MPI is to do it. */
bool weft_mpi_exchange(struct weft_mpi_exchange *exchange,
                       const struct weft_mpi_partners *partners, MPI_Request *request,
                       int *result);

/* Tags of exchanges: one for all that are made in the order of their calls, others for persistent
 * ones, each of which has its own. */
enum { WEFT_MPI_EXCHANGE_TAG = 0x57 };

/* Without a request, so many steps are begun before any is waited for. */
enum { WEFT_MPI_EXCHANGE_BATCH = 16 };

/* Arguments that MPI refuses it is to refuse itself. */
bool weft_mpi_exchange_is_valid(const struct weft_mpi_side *side, int peers);
bool weft_mpi_exchange_are_valid(const struct weft_mpi_exchange *exchange);

/* All with all: in each step every process sends one message and receives one. */
struct weft_mpi_exchange_step
weft_mpi_exchange_step_around(const struct weft_mpi_exchange *exchange, int number);

/* What this process sends to itself, by the index of both. As MPI's calls return. */
int weft_mpi_exchange_own(const struct weft_mpi_exchange *exchange, int index);

/* All steps from the first to before the end: ended, or, with a request, begun. As MPI's calls
 * return. Both ends of each pair of processes take their steps in the same order. */
int weft_mpi_exchange_run(const struct weft_mpi_exchange *exchange, int first, int end,
                          MPI_Request *request);

#endif
