/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The preload library: an MPI program's messages of non-contiguous data go through Weft, all
 * others straight to the MPI library. docs/mpi.md tells the protocol. The files, in the order to
 * read them:
 *
 *   calls.c        what the names that we export stood for
 *   caller.c       whose calls count
 *   init.c, job.c  MPI_Init and MPI_Finalize; how the processes find each other
 *   type.c, contents.c   MPI's datatypes as ours
 *   route.c        which way a message goes
 *   send.c, receive.c    one message
 *   operation.c    what is under way, by the request that the program holds
 *   complete.c     Wait and Test and their relatives
 *   combined.c, persistent.c, probe.c, pack.c   the other families of calls
 *   peer.c         ranks of communicators as ranks of the job
 *   buffer.c       memory for packed messages
 *   thread.c       serves others while the program computes
 *   counter.c      what went which way, and why
 *   report.c, measure.c   says so at the end
 */
#ifndef WEFT_MPI_STATE_H
#define WEFT_MPI_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <weft_net.h>

#include "mpi/calls.h"

struct weft_mpi_state {
    bool is_on;               /* between MPI_Init and MPI_Finalize */
    bool is_joint;            /* all processes of the job take part, with the same version */
    MPI_Comm comm;            /* ours: all processes of the job */
    weft_net *net;            /* NULL: no tickets */
    bool is_threaded;         /* threads of the program may call at the same time */
    int rank, size;           /* in the job */
    size_t least_pulled;      /* longer messages of non-contiguous data go by ticket */
    unsigned char secret[16]; /* tickets begin with it */
    pthread_mutex_t lock;     /* of the operations, see operation.h */
};

extern struct weft_mpi_state weft_mpi;

/* Called from within the MPI library, for its own ends. */
bool weft_mpi_is_library(const void *caller);
/* After the library has loaded its components. */
void weft_mpi_learn_library(void);

/* True if the call is to be looked at: a program's, while we are on. */
#define WEFT_MPI_IS_OURS (weft_mpi.is_on && !weft_mpi_is_library(__builtin_return_address(0)))

/* job.c: false if this process has no net. Collective. */
bool weft_mpi_join(void);
/* Whether a process of the job is on this host, when there is a net. */
bool weft_mpi_is_near(int rank);
void weft_mpi_leave(void);

/* thread.c */
void weft_mpi_thread_stop(void);
/* So many more, or fewer, transfers are under way. */
void weft_mpi_thread_count(int change);
/* The program goes on without waiting for them. */
void weft_mpi_thread_wake(void);
/* Between these the caller looks to all that is under way, again and again. */
void weft_mpi_thread_enter(void);
void weft_mpi_thread_look(void);
void weft_mpi_thread_leave(void);

#endif
