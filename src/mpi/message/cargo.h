/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a message carries: memory of the program, and the buffer of ours between it and MPI, if
 * there is one. And where a receive lets its message arrive, so that a ticket is seen:
 *
 *   unseen     MPI alone deals with it, because there is no room for a ticket, or there are none
 *   in place   MPI receives as the program has said, and what has come is looked at there: bytes
 *              that lie together, or if MPI is as fast as we are, or if there is no memory for a
 *              buffer. Any type that we know can be entered at its first byte.
 *   staged     bytes come into a buffer and are moved from there, by us or, if only MPI knows the
 *              type, by MPI; also what a ticket stands for
 */
#ifndef WEFT_MPI_MESSAGE_CARGO_H
#define WEFT_MPI_MESSAGE_CARGO_H

#include <limits.h>

#include "mpi/layout/bytes.h"
#include "mpi/library/device.h"
#include "mpi/message/persistent.h"
#include "mpi/message/route.h"
#include "mpi/message/ticket.h"

/* The same message, but of these bytes. */
static inline struct weft_mpi_args weft_mpi_args_of_bytes(const struct weft_mpi_args *args,
                                                          void *bytes, size_t size)
{
    struct weft_mpi_args other = *args;
    other.buffer = bytes;
    other.count = (int64_t)size;
    other.type = MPI_BYTE;
    other.is_made = false;
    return other;
}

/* Makes a call of MPI with these arguments, and with what else it takes, a comma before each. */
#define WEFT_MPI_BY_ARGS(args, name, ...)                                                         \
    ((args)->count <= INT_MAX                                                                     \
         ? mpi.name((args)->buffer, (int)(args)->count, (args)->type, (args)->peer, (args)->tag,  \
                    (args)->comm __VA_ARGS__)                                                     \
         : mpi.name##_c((args)->buffer, (args)->count, (args)->type, (args)->peer, (args)->tag,   \
                        (args)->comm __VA_ARGS__))

/* Begins to receive. */
static inline int weft_mpi_begin_by_args(const struct weft_mpi_args *args, MPI_Request *request)
{
    return args->is_made ? weft_mpi_persistent_start(request)
                         : WEFT_MPI_BY_ARGS(args, Irecv, , request);
}

struct weft_mpi_cargo {
    struct weft_mpi_data data;
    struct weft_mpi_type *measure;   /* held, of one element that MPI has as bytes; else NULL */
    void *buffer;                    /* NULL: in place */
    size_t room;                     /* of the buffer */
    struct weft_mpi_bytes bytes;     /* that as arguments of MPI */
    struct weft_mpi_choice *awaited; /* by ticket, for a reason; NULL: nobody wants to know */
    bool is_indirect;                /* what a ticket stands for goes through the buffer, too */
};

enum weft_mpi_arrival {
    WEFT_MPI_UNSEEN,
    WEFT_MPI_SEEN,    /* in place, or staged; must be closed */
    WEFT_MPI_NOWHERE, /* there is no memory: the receive must fail */
};

static inline bool weft_mpi_has_room_for_ticket(size_t bytes)
{
    return weft_mpi.net && bytes >= weft_mpi.ticket_size;
}

/* The type of MPI's own without gaps that a thread has received last: most messages are of such,
 * and there is nothing to look up of them. */
extern _Thread_local struct weft_mpi_dense {
    MPI_Datatype handle;
    size_t size; /* 0: there is none */
} weft_mpi_dense;

/* The quick look before: whether it is of that type, to come in place, and a ticket may come. Of
 * an empty cargo it sets the data alone, which need not be closed. Some elements are asked for. */
static inline bool weft_mpi_cargo_open_dense(const struct weft_mpi_args *args,
                                             struct weft_mpi_cargo *cargo)
{
    size_t count = (size_t)args->count, bytes;
    if (!weft_mpi_dense.size || weft_mpi_dense.handle != args->type ||
        weft_mpi_is_device(args->buffer) ||
        __builtin_mul_overflow(count, weft_mpi_dense.size, &bytes) ||
        !weft_mpi_has_room_for_ticket(bytes))
        return false;
    cargo->data = (struct weft_mpi_data){.buffer = args->buffer, .count = count, .bytes = bytes};
    return true;
}

enum weft_mpi_arrival weft_mpi_cargo_open(const struct weft_mpi_args *args,
                                          struct weft_mpi_cargo *cargo);
void weft_mpi_cargo_close(struct weft_mpi_cargo *cargo);
/* The same receive, but to where the cargo wants its bytes to come. */
struct weft_mpi_args weft_mpi_cargo_args(const struct weft_mpi_args *args,
                                         const struct weft_mpi_cargo *cargo);

/* Whether one element that came as bytes may have ended within a basic one. */
static inline bool weft_mpi_cargo_may_be_cut(const struct weft_mpi_cargo *cargo,
                                             const MPI_Status *status)
{
    return cargo->measure && weft_mpi_bytes_of(status) != cargo->data.bytes;
}

/* Whether what has come is a ticket, which is then taken off its place. */
bool weft_mpi_cargo_ticket(const struct weft_mpi_cargo *cargo, const MPI_Status *status,
                           struct weft_mpi_ticket *ticket);
/* What has come is no ticket: puts it where it belongs. A class of MPI's errors. */
int weft_mpi_cargo_settle(const struct weft_mpi_cargo *cargo, const MPI_Status *status);

/* Begins to take what a ticket stands for; a class of MPI's errors, or that too much is under way:
 * then move on all else first. */
enum { WEFT_MPI_TRY_AGAIN = -1 };
int weft_mpi_cargo_take(struct weft_mpi_cargo *cargo, const struct weft_mpi_ticket *ticket,
                        weft_request **transfer);
/* It has been taken, which ended with that class. */
int weft_mpi_cargo_taken(const struct weft_mpi_cargo *cargo, const struct weft_mpi_ticket *ticket,
                         int class, uint64_t since);
/* How many of its bytes there is room for. */
size_t weft_mpi_cargo_bytes(const struct weft_mpi_cargo *cargo,
                            const struct weft_mpi_ticket *ticket);

/* A class of MPI's errors for one of Weft's. */
int weft_mpi_class_of(int error);

#endif
