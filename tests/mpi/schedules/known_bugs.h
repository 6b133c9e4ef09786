/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the MPI libraries get wrong by themselves and the schedules avoid, unless `--bugs 1` says
 * that they shall not.
 */
#ifndef WEFT_TESTS_MPI_RUN_KNOWN_BUGS_H
#define WEFT_TESTS_MPI_RUN_KNOWN_BUGS_H

#include <mpi.h>
#include <stdint.h>

#if defined BY_STANDARD_ABI

/* A program of any library avoids what one of them gets wrong; below is what that is. */
#define BUG_MIXED_UNIT_BYTES 4000
#define BUG_NULL_IRECV 1
#define BUG_FREED_SELF 1
#define BUG_BSEND_SLACK 16
#define BUG_CANCELLED_BSEND_INIT 1
#define BUG_SELF_TRUNCATES 1
#define BUG_TRUNCATED_BYTES 3000
#define BUG_ISENDRECV 1
#define BUG_TRUNCATED_ISENDRECV 1
#define BUG_TRUNCATED_PERSISTENT 1
#define BUG_TRUNCATED_TOGETHER 1
#define BUG_TRUNCATED_WAITALL 1
#define BUG_PRECISION_OF_THREADS 1
#define BUG_WINDOW_OF_SOME 1
#define BUG_PAIRS_OF_FILES 1
#define BUG_SUMS 1

/* By the standard ABI, MPICH 5.0.2 returns MPI_SUCCESS where it has told an error to a handler of
 * the program. */
#define BUG_TOLD_TO_HANDLER 1

/* Open MPI 6.0.0rc2 takes minutes for a message of a process to itself if there is room for 4 GiB
 * of a type that is not contiguous. */
#define BUG_ROOM_BYTES ((size_t)16 << 20)

#else

#define BUG_TOLD_TO_HANDLER 0
#define BUG_ROOM_BYTES SIZE_MAX

#if defined OPEN_MPI

#define BUG_MIXED_UNIT_BYTES SIZE_MAX
#define BUG_NULL_IRECV 0
#define BUG_FREED_SELF 0
#define BUG_BSEND_SLACK 0
#define BUG_CANCELLED_BSEND_INIT 0

/* Open MPI 4.1.4 cuts a short message to the process itself without an error. */
#define BUG_SELF_TRUNCATES 1

/* Open MPI 4.1.4 writes beyond a receive buffer that is too short for a longer message, if it
 * reads the sender's memory at once. */
#define BUG_TRUNCATED_BYTES 3000

#define BUG_ISENDRECV 0

/* Open MPI 5.0.7 overwrites the error of MPI_Isendrecv, whose receive was too short, by that of a
 * function of its own. */
#define BUG_TRUNCATED_ISENDRECV 1

/* Open MPI 4.1.4 frees a persistent receive that was too short. */
#define BUG_TRUNCATED_PERSISTENT 1

/* Open MPI 4.1.4 looks for errors in all requests that are completed together with a receive that
 * is too short, frees those that have one, and reads it from memory that it has not yet written
 * where a request is pending: such a request is never complete. */
#define BUG_TRUNCATED_TOGETHER 1

/* Open MPI 4.1.4 now and then never returns from MPI_Waitall of a receive that is too short. */
#define BUG_TRUNCATED_WAITALL 1

#define BUG_PRECISION_OF_THREADS 0

/* Open MPI 4.1.4 makes no window of one process, and for the windows that two groups of processes
 * make at the same time files of the same name. */
#define BUG_WINDOW_OF_SOME 1

#define BUG_PAIRS_OF_FILES 0

/* Open MPI 4.1.4 now and then never ends the epoch of an MPI_Accumulate of a type that is not
 * contiguous. */
#define BUG_SUMS 1

#else

/* MPICH 4.0.2 over UCX ends the receive of a longer message with MPI_ERR_TRUNCATE if the
 * receiver's type mixes basic types and the sender is contiguous or buffered: UCX cuts the message
 * inside an element, which the unpacking of a fragment cannot do. */
#define BUG_MIXED_UNIT_BYTES 4000

/* MPICH 4.0.2 gives MPI_Irecv from MPI_PROC_NULL the status of a message from 0 with tag 0. */
#define BUG_NULL_IRECV 1

/* MPICH 4.0.2 loses a message in a communicator of one process if the request of its send is freed
 * before it is received: the request is the queue's entry and has only one reference. */
#define BUG_FREED_SELF 1

/* MPICH 4.0.2 aligns the messages in the attached buffer, which MPI_BSEND_OVERHEAD leaves out. */
#define BUG_BSEND_SLACK 16

/* MPICH 4.0.2 ends a longer persistent buffered send that was given to MPI_Cancel, but not
 * cancelled, only when it is received. */
#define BUG_CANCELLED_BSEND_INIT 1

/* MPICH 4.0.2 ends MPI_Isendrecv and MPI_Isendrecv_replace without a status, without an error if
 * the receive was too short, and with one reference less to the types; the second dies of
 * MPI_BOTTOM. */
#define BUG_ISENDRECV 1
#define BUG_TRUNCATED_ISENDRECV 1

#define BUG_SELF_TRUNCATES 0
#define BUG_TRUNCATED_BYTES SIZE_MAX

/* MPICH 4.2.1 forgets the error of a persistent receive that was too short if several requests are
 * completed in one call: it looks for it in the request and not in what the request has started.
 */
#define BUG_TRUNCATED_PERSISTENT (MPICH_NUMVERSION >= 40200000)

#define BUG_TRUNCATED_TOGETHER 0
#define BUG_TRUNCATED_WAITALL 0

/* MPICH 4.2.1 makes a type of some precision when it is first asked for, and lets another thread
 * have it before it is made. */
#define BUG_PRECISION_OF_THREADS 1

#define BUG_WINDOW_OF_SOME 0

/* MPICH 4.0.2 takes the gap in MPI_DOUBLE_INT and its kin for data when it reads or writes files.
 */
#define BUG_PAIRS_OF_FILES 1

#define BUG_SUMS 0

#endif
#endif

#endif
