/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The preload library: an MPI program's messages of non-contiguous data go through Weft, all
 * others straight to the MPI library. docs/mpi.md tells the protocol. The files, in the order to
 * read them:
 *
 *   abi/        the standard ABI of MPI, in place of the header of an MPI library
 *   library/    what the MPI library is
 *     calls.c        what the names that we export stood for
 *     caller.c       whose calls count
 *     symbol.c       calls that are asked for by name
 *     strange.c      calls that we do not know
 *     stream.c       communicators by which no tickets go
 *     device.c       memory that only MPI may touch
 *     tables.c       what loaded objects say of themselves
 *   start/
 *     init.c         MPI_Init and MPI_Finalize
 *     roll.c, job.c  who takes part; how the processes find each other
 *     attribute.c    what is kept with communicators
 *     ranks.c        ranks of communicators as ranks of the job
 *   layout/
 *     type.c, contents.c, constant.c   MPI's datatypes as ours
 *     pack.c         MPI_Pack and MPI_Unpack
 *     buffer.c, bytes.c    memory for packed messages, and any number of bytes for MPI
 *   message/
 *     ticket.c       what travels in place of a message, and where it may arrive
 *     route.c        which way a message goes
 *     send.c, receive.c, cargo.c   one message
 *     operation.c    what is under way, by the request that the program holds
 *     complete.c     Wait and Test and their relatives
 *     combined.c, persistent.c, probe.c   the other families of calls
 *   collective/
 *     shadow.c, occasion.c   a communicator of ours beside one of the program's
 *     exchange.c     messages with several peers
 *     all.c, around.c   MPI_Alltoallw and MPI_Neighbor_alltoallw, and those with a request
 *     verdict.c, kinds.c     who does collectives in which processes share one datatype
 *     uniform.c      MPI_Alltoall, MPI_Alltoallv and those of neighbours
 *     persistent.c   exchanges that are made once and started often
 *     gather.c       MPI_Bcast, and those that gather and scatter; gather_init.c the persistent
 *                    ones, packed.c what both have of bytes
 *     nonblocking.c, offload.c, schedule.c   those with a request, by schedules on the NICs
 *   staged/    calls that are no messages, whose data MPI gets packed, or we copy
 *     stage.c        data as bytes, until a call or its request has ended
 *     file.c, split.c   files
 *     one_sided.c, pending.c   MPI_Put and its relatives, until a synchronisation
 *     shared.c, copy.c   windows of shared memory, and those calls on them
 *   thread.c       serves others while the program computes
 *   record/    what the program does, for simulators; record.h says what to read in which order
 *   report/
 *     counter.c      how many messages went which way, and why
 *     native.c       what other calls of MPI moved
 *     notation.c, measure.c   what is said of a type
 *     slice.c        calls on the timeline
 *     report.c, table.c, json.c   say so at the end
 */
#ifndef WEFT_MPI_STATE_H
#define WEFT_MPI_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <weft_net.h>

#include "mpi/library/calls.h"

struct weft_mpi_state {
    bool is_on;               /* between MPI_Init and MPI_Finalize */
    bool is_joint;            /* all processes of the job take part, with the same version */
    MPI_Comm comm;            /* ours: all processes of the job, if they are joint */
    MPI_Comm self;            /* ours: this process */
    weft_net *net;            /* NULL: no tickets */
    bool has_heaps;           /* all processes of the job have shared heaps */
    bool is_on_one_host;      /* the whole job is, and there is a net */
    bool is_threaded;         /* threads of the program may call at the same time */
    int rank, size;           /* in the job */
    size_t least_piece;       /* contiguous data that may be copied together; 0: none may */
    size_t least_pulled;      /* longer messages of non-contiguous data go by ticket */
    size_t ticket_size;       /* of a ticket as it is sent, see ticket.h */
    unsigned char secret[16]; /* tickets begin with it */
    pthread_mutex_t lock;     /* of the operations, see operation.h */
};

extern struct weft_mpi_state weft_mpi;

/* Called from within the MPI library, for its own ends. */
bool weft_mpi_is_library(const void *caller);
/* Whether the object with this path is a component of Open MPI. */
bool weft_mpi_is_component(const char *path);
/* Before that: finds out what belongs to the library. False without memory. */
bool weft_mpi_learn_library(void);
/* How many objects have ever been loaded into this process. */
unsigned long long weft_mpi_loads(void);

/* True if the call is to be looked at: a program's, while we are on. */
#define WEFT_MPI_IS_OURS (weft_mpi.is_on && !weft_mpi_is_library(__builtin_return_address(0)))

/* A part of a call that is not inlined, so that what goes past it saves no registers. Only the
 * call itself knows who has called. */
#define WEFT_MPI_APART static __attribute__((noinline))

/* init.c: a communicator that errors return from. Only the processes of the group make it. */
MPI_Comm weft_mpi_own_comm(MPI_Comm parent, MPI_Group group);

/* roll.c: before and after MPI is initialised. Whether all processes of the job are able to take
 * part, with the same version; then they also have the same idea of what is long. */
void weft_mpi_announce(void);
bool weft_mpi_call_roll(bool is_able);

/* strange.c: whether the library has a call to receive by that we do not know; the log names it.
 */
bool weft_mpi_has_strange_call(void);

/* job.c: false if this process has no net; then none has. Collective. */
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
