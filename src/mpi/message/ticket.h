/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What travels in place of a message, with its communicator, destination and tag.
 *
 * A ticket can only arrive where somebody looks for it, because of its size. It is sent with
 * `ticket_size` bytes, and only for messages that are longer than `least_pulled`, which is no less
 * than that, or for synchronous ones that are just as long. All processes have the same two
 * numbers. So of the receives of a program
 *
 *   - one with room for less than a ticket is MPI's alone: MPI finds that the ticket does not fit,
 *     as it would find of the message;
 *   - every other is looked at when something has come, or fails: there is no third way
 *     (route.h, receive.c).
 *
 * Receives of the MPI library itself are on communicators that the program cannot name. What else
 * could receive is a call that we do not know: a process whose library has one says so at the
 * start, and no process is sent tickets.
 */
#ifndef WEFT_MPI_MESSAGE_TICKET_H
#define WEFT_MPI_MESSAGE_TICKET_H

#include "mpi/state.h"

struct weft_mpi_ticket {
    unsigned char secret[16];
    uint64_t number; /* of the offer */
    uint64_t bytes;
    uint32_t sender;        /* rank in the job */
    uint8_t is_synchronous; /* not 0: the sender waits until somebody wants it; no bool, for a peer
                               may write any byte */
    unsigned char reserved[27];
};

/* What is sent is filled up with zeros to `ticket_size`: the more receives are too short for it,
 * the fewer need a look. It must stay among the messages that MPI sends at once, in one piece, and
 * elements of any size that MPI has must fill it. What a program sends with just as many bytes
 * takes longer, so it is no size that programs are fond of: 76 doubles. */
enum { WEFT_MPI_TICKET_ROOM = 19 * 32 };

/* A ticket as it is sent. */
union weft_mpi_envelope {
    struct weft_mpi_ticket ticket;
    unsigned char bytes[WEFT_MPI_TICKET_ROOM];
};

/* What this process would have as `least_pulled`. */
unsigned long long weft_mpi_least_ticket(void);
/* What all have. */
void weft_mpi_set_ticket(size_t least_pulled);

/* As MPI_Get_elements of bytes, but it is asked for every short message. The standard ABI leaves
 * to each library where in a status that is. */
static inline size_t weft_mpi_bytes_of(const MPI_Status *status)
{
#if defined WEFT_MPI_STANDARD_ABI
    MPI_Count bytes = 0;
    mpi.Get_elements_x(status, MPI_BYTE, &bytes);
    return (size_t)bytes;
#elif defined OPEN_MPI
    return status->_ucount;
#else
    return (size_t)((unsigned)status->count_hi_and_cancelled >> 1) << 32 |
           (unsigned)status->count_lo;
#endif
}

/* Whether what has come may be one, by its size alone. */
static inline bool weft_mpi_may_be_ticket(const MPI_Status *status)
{
    return weft_mpi.net && weft_mpi_bytes_of(status) == weft_mpi.ticket_size;
}

/* Whether it is one; `bytes` are those that have come. */
bool weft_mpi_is_ticket(const MPI_Status *status, const void *bytes);

#endif
