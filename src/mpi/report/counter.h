/* SPDX-License-Identifier: BSD-3-Clause */
/* What went which way, and why: counted in every process, added up by report.c. */
#ifndef WEFT_MPI_REPORT_COUNTER_H
#define WEFT_MPI_REPORT_COUNTER_H

#include <stdatomic.h>
#include <weft.h>

#include "mpi/guard.h"
#include "mpi/message/choice.h"

/* X(name, what the report calls it) */
#define WEFT_MPI_LEVEL_MAP(X)                                                                     \
    X(LOCAL, "l0")        /* MPI_Pack and MPI_Unpack */                                           \
    X(PACKED, "l1")       /* packed into a buffer of ours, moved by MPI */                        \
    X(PULLED, "l2")       /* ticket by MPI, data by Weft */                                       \
    X(COPIED, "copied")   /* one-sided, into shared memory or out of it */                        \
    X(NATIVELY, "chosen") /* by MPI, which is as fast, or untried */                              \
    X(BY_MPI, "native")   /* collective, one-sided or of files: by MPI alone, see native.c */

/* Why a message of non-contiguous data took a lower way than it could have. */
#define WEFT_MPI_REASON_MAP(X)                                                                    \
    X(UNKNOWN_TYPE, "type that only MPI knows")                                                   \
    X(NEW_TYPE, "new type")                                                                       \
    X(OVERLAPPING, "type with overlapping bytes")                                                 \
    X(OF_DEVICE, "memory of a device")                                                            \
    X(TOO_LONG, "message of 2 GiB or more")                                                       \
    X(NOT_JOINT, "not all processes run under the same Weft")                                     \
    X(NO_NET, "no connection between all processes")                                              \
    X(STRANGER, "receiver is not of this job")                                                    \
    X(SELF, "message to itself")                                                                  \
    X(BUFFERED_SEND, "buffered send")                                                             \
    X(BUSY, "too many transfers under way")                                                       \
    X(AHEAD, "too far ahead of the receivers: more would have to be kept in memory")              \
    X(NO_MEMORY, "no memory")

enum weft_mpi_level {
#define WEFT_MPI_ENUM(name, text) WEFT_MPI_##name,
    WEFT_MPI_LEVEL_MAP(WEFT_MPI_ENUM) WEFT_MPI_LEVELS
};

enum weft_mpi_reason {
    WEFT_MPI_REASON_MAP(WEFT_MPI_ENUM) WEFT_MPI_REASONS
#undef WEFT_MPI_ENUM
};

/* Calls that are no messages, and hand their data to MPI packed if that is faster (staged/); or
 * copy them, of which the layout is that of the origin, the target, or, with another, both. */
enum weft_mpi_staged {
    WEFT_MPI_ONE_SIDED,
    WEFT_MPI_OF_FILE,
    WEFT_MPI_COPY_OF_ORIGIN,
    WEFT_MPI_COPY_OF_TARGET,
    WEFT_MPI_COPY_OF_BOTH,
    WEFT_MPI_STAGED
};

/* One for each normal form; they stay until the end. */
struct weft_mpi_form {
    struct weft_mpi_form *next, *next_in_bucket;
    weft_type *type;
    char *notation;      /* as the program made it when it was first seen; NULL without a report */
    size_t size, pieces; /* of one element */
    struct weft_mpi_count {
        atomic_ullong messages, bytes;
    } sent[WEFT_MPI_LEVELS], received[WEFT_MPI_LEVELS];
    atomic_ullong gather, scatter, wait; /* nanoseconds */
    struct weft_mpi_choices choices, staged[WEFT_MPI_STAGED];
    double native_pace, own_pace; /* of packing and unpacking, nanoseconds for a byte; measure.c */
};

/* NULL without memory, which the others accept. */
struct weft_mpi_form *weft_mpi_form_of(const weft_type *type);
/* The youngest; its `next` are the others. */
struct weft_mpi_form *weft_mpi_forms(void);
/* Learns what the report says of it from a type of that form. */
void weft_mpi_form_meet(struct weft_mpi_form *form, MPI_Datatype handle);
/* measure.c: how fast MPI packs such a type, and how fast we do. */
void weft_mpi_measure(struct weft_mpi_form *form, MPI_Datatype handle);

static inline void weft_mpi_count(struct weft_mpi_count *counts, size_t bytes)
{
    weft_mpi_add_long(&counts->messages, 1);
    weft_mpi_add_long(&counts->bytes, bytes);
}

static inline void weft_mpi_count_sent(struct weft_mpi_form *form, enum weft_mpi_level level,
                                       size_t bytes)
{
    if (form)
        weft_mpi_count(&form->sent[level], bytes);
}

static inline void weft_mpi_count_received(struct weft_mpi_form *form, enum weft_mpi_level level,
                                           size_t bytes)
{
    if (form)
        weft_mpi_count(&form->received[level], bytes);
}

void weft_mpi_count_reason(enum weft_mpi_reason reason);
unsigned long long weft_mpi_reason_count(enum weft_mpi_reason reason);

/* Nanoseconds, or 0 if nobody asked for a report. */
uint64_t weft_mpi_clock(void);
/* The thread that serves others counts, too. */
static inline void weft_mpi_count_time(atomic_ullong *time, uint64_t since)
{
    if (since)
        atomic_fetch_add_explicit(time, weft_mpi_clock() - since, memory_order_relaxed);
}

/* report.c: before anything is to be counted, and at the end; the latter is collective, and writes
 * what was asked for. */
void weft_mpi_report_begin(void);
void weft_mpi_report(void);
bool weft_mpi_report_is_wanted(void);

#endif
