/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which way is the fastest for messages of a kind: MPI's own or ours, which is to pack what is too
 * short for a ticket, and to have all else pulled or, where there are shared heaps, copied
 * together or, between hosts, packed as well. That depends on the layout, the size, the MPI, the
 * machine and on what the program does meanwhile, so it is not computed but tried: after the first
 * few, which are MPI's, messages of a kind go all these ways in turns, some of them each time, and
 * what counts is how long the program takes from one message of the kind to the next. That is what
 * its user waits for, whatever it overlaps with. Then the fastest way stays, and is put to the
 * test again now and then.
 *
 * Sender and receiver decide alone, because every way of the one meets every way of the other; to
 * a receiver, all but MPI's own are one. But both count the messages of a stream, so that they try
 * the same way at the same time. And as ways that are equally fast are a toss-up, a receiver that
 * waits in vain for tickets does as its sender: to receive into a buffer what MPI would have put
 * in its place costs a copy. To pack for a receiver that unpacks as MPI does can take longer than
 * either way, and nobody sees it but by the clock: so what was chosen is tried against MPI's own
 * way twice more, and left if that is faster.
 */
#ifndef WEFT_MPI_MESSAGE_CHOICE_H
#define WEFT_MPI_MESSAGE_CHOICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "mpi/message/trial.h"

/* What besides layout and size makes a kind. */
struct weft_mpi_pattern {
    bool is_send;
    bool is_near;     /* the other process is on this host */
    bool is_blocking; /* the call returns when it is over */
};

enum {
    WEFT_MPI_SIZE_CLASSES = 33,
    WEFT_MPI_SIZES = WEFT_MPI_SIZE_CLASSES + 2, /* two more borders, see slot_of */
    WEFT_MPI_PATTERNS = 16
};

/* Choices of all kinds with a normal form, made when they are needed. */
struct weft_mpi_choices {
    bool is_local; /* no messages: calls that have one way besides MPI's */
    _Atomic(struct weft_mpi_choice *) of_size[WEFT_MPI_SIZES];
};

/* Those for messages of a size, one for each pattern; NULL without memory. */
struct weft_mpi_choice *weft_mpi_choices_of(struct weft_mpi_choices *choices, size_t bytes,
                                            size_t pieces);

/* For the next message. `pieces` of memory and bytes are those of the whole. If it should come by
 * ticket, `awaited` is whom to tell if it has; else, or if all is NULL, nobody. */
enum weft_mpi_way weft_mpi_choose(struct weft_mpi_choices *choices, size_t bytes, size_t pieces,
                                  struct weft_mpi_pattern pattern,
                                  struct weft_mpi_choice **awaited);
/* The same for a call that is no message: whether it goes our one way, which is to pack or, in
 * shared memory, to copy. */
bool weft_mpi_choose_ours(struct weft_mpi_choices *choices, size_t bytes, size_t pieces,
                          struct weft_mpi_pattern pattern);
void weft_mpi_choice_came(struct weft_mpi_choice *awaited, bool by_ticket);

/* What a thread has sent and received. */
extern _Thread_local struct weft_mpi_traffic {
    unsigned messages, last[2]; /* received, sent */
} weft_mpi_traffic;

/* So many messages back there was one in the other direction: then it is an exchange. */
enum { WEFT_MPI_RECENT = 8 };

static inline bool weft_mpi_traffic_is_exchange(bool is_send)
{
    unsigned last = weft_mpi_traffic.last[!is_send];
    return last && weft_mpi_traffic.messages + 1 - last <= WEFT_MPI_RECENT;
}

static inline void weft_mpi_traffic_note(bool is_send)
{
    weft_mpi_traffic.last[is_send] = ++weft_mpi_traffic.messages;
}

/* Of the choices of a size those of a call; the second is so much further, for exchanges. */
enum { WEFT_MPI_EXCHANGE = 8 };
struct weft_mpi_choice *weft_mpi_choice_of_call(struct weft_mpi_choice *all,
                                                struct weft_mpi_pattern pattern);

/* Whether the next message is MPI's, of those of its call, and nothing is to be tried: then it is
 * chosen. Only where threads do not call at the same time. */
static inline bool weft_mpi_choice_stays_native(struct weft_mpi_choice *of_call, bool is_send)
{
    struct weft_mpi_choice *choice =
        of_call + (weft_mpi_traffic_is_exchange(is_send) ? WEFT_MPI_EXCHANGE : 0);
    unsigned left = atomic_load_explicit(&choice->left, memory_order_relaxed);
    if (left <= 1 || !atomic_load_explicit(&choice->is_settled, memory_order_relaxed))
        return false;
    weft_mpi_traffic_note(is_send);
    atomic_store_explicit(&choice->left, left - 1, memory_order_relaxed);
    return true;
}

/* Of those that were sent the kind that was tried most often; NULL if none was. */
const struct weft_mpi_choice *weft_mpi_choice_most_tried(struct weft_mpi_choices *choices);

#endif
