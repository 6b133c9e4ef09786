/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The data of a collective as bytes that lie together, for MPI to spread or gather: we pack and
 * unpack. All processes of a communicator do a call so, or none: MPI libraries cut messages
 * between elements of a type, so all must have the same.
 */
#ifndef WEFT_MPI_COLLECTIVE_PACKED_H
#define WEFT_MPI_COLLECTIVE_PACKED_H

#include "mpi/collective/kinds.h"

/* A side of a call, and how MPI is told of it: as many bytes for each peer, or what the lists say.
 */
struct weft_mpi_packed {
    struct weft_mpi_side side;
    int peers; /* 0: MPI does not look at it */
    bool is_in;
    struct weft_mpi_type *type; /* while there is a buffer: the program may free its own */
    size_t size;                /* of an element, */
    ptrdiff_t extent;
    void *bytes;
    void *buffer; /* ours, where `bytes` is; NULL: they lie together where they are */
    int count;
    int *counts, *places;
};

struct weft_mpi_packed_call {
    struct weft_mpi_packed out, in;
    enum weft_mpi_family family;
    bool is_varied;
    int root, rank, size;
    MPI_Comm comm;
};

/* Finds out who this process is in a call of which the rest is known. */
void weft_mpi_packed_set_roles(struct weft_mpi_packed_call *call);
/* The side that says how long a message is that each process sends or receives. */
const struct weft_mpi_packed *weft_mpi_packed_measure(const struct weft_mpi_packed_call *call);
/* Its bytes, or WEFT_MPI_VARIED; 0 if all of it is too long, or MPI would refuse it. */
size_t weft_mpi_packed_bytes(const struct weft_mpi_packed_call *call);
/* Whether this process has data that lie apart. */
bool weft_mpi_packed_is_apart(const struct weft_mpi_packed_call *call);

/* MPI does a call that this process cannot do, and says what is wrong with it; messages of the
 * others are of bytes all the same, which MPI takes for those of any type. Only where MPI may cut
 * them, all know when they are too long. */
enum weft_mpi_readiness { WEFT_MPI_READY_BY_BYTES, WEFT_MPI_FOR_MPI, WEFT_MPI_WITHOUT_MEMORY };

/* Makes buffers; whatever comes of it, the call is to be closed. */
enum weft_mpi_readiness weft_mpi_packed_open(struct weft_mpi_packed_call *call);
void weft_mpi_packed_close(struct weft_mpi_packed_call *call);
/* Before MPI does it, and afterwards: classes of MPI's errors. */
int weft_mpi_packed_load(const struct weft_mpi_packed_call *call);
int weft_mpi_packed_unload(const struct weft_mpi_packed_call *call);

/* ---- Arguments ----------------------------------------------------------------------------- */

/* Of bytes, of a `call`. */
#define WEFT_MPI_OUT_ONE_BYTES call.out.bytes, call.out.count, MPI_BYTE
#define WEFT_MPI_OUT_MANY_BYTES call.out.bytes, call.out.counts, call.out.places, MPI_BYTE
#define WEFT_MPI_IN_ONE_BYTES call.in.bytes, call.in.count, MPI_BYTE
#define WEFT_MPI_IN_MANY_BYTES call.in.bytes, call.in.counts, call.in.places, MPI_BYTE

/* What is known of a call. */
#define WEFT_MPI_ROOTED_IS .root = root
#define WEFT_MPI_EQUAL_IS .root = MPI_PROC_NULL
#define WEFT_MPI_PACKED_SIDES(SIZE, OUT, IN, WHO, of_family, varies)                              \
    WEFT_MPI_##WHO##_IS, .family = (of_family), .is_varied = (varies),                            \
                         .out.side = WEFT_MPI_##OUT(SIZE), .in.side = WEFT_MPI_##IN(SIZE)

/* In a broadcast a process has one of both sides. */
#define WEFT_MPI_BROADCAST_PARAMETERS(number)                                                     \
    void *buffer, number count, MPI_Datatype datatype, int root, MPI_Comm comm
#define WEFT_MPI_BROADCAST_ARGUMENTS buffer, count, datatype, root, comm
#define WEFT_MPI_BROADCAST_BYTES                                                                  \
    weft_mpi_packed_measure(&call)->bytes, weft_mpi_packed_measure(&call)->count, MPI_BYTE, root, \
        comm
#define WEFT_MPI_BROADCAST_SIDE                                                                   \
    {                                                                                             \
        .buffer = buffer, .count = count, .type = datatype                                        \
    }
#define WEFT_MPI_BROADCAST_SIDES                                                                  \
    .root = root, .family = WEFT_MPI_BROADCAST, .out.side = WEFT_MPI_BROADCAST_SIDE,              \
    .in.side = WEFT_MPI_BROADCAST_SIDE

#endif
