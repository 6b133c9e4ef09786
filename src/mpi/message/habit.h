/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs make the same calls again and again. Once it is settled that MPI does what a call asks
 * for, the next one with the same arguments need not find that out again: of messages that take
 * two microseconds, that would be a tenth.
 */
#ifndef WEFT_MPI_MESSAGE_HABIT_H
#define WEFT_MPI_MESSAGE_HABIT_H

#include "mpi/message/cargo.h"

/* MPI does these data with this peer: as long as it is chosen, or whatever comes. */
void weft_mpi_habit_learn(const struct weft_mpi_data *data, int peer, MPI_Comm comm,
                          struct weft_mpi_pattern pattern);
void weft_mpi_habit_learn_forced(const struct weft_mpi_data *data, int peer, MPI_Comm comm,
                                 bool is_send, bool is_blocking);

/* Data in one piece, of a type of the program's, are bytes to MPI, whatever comes. */
void weft_mpi_habit_learn_piece(const struct weft_mpi_data *data, int peer, MPI_Comm comm,
                                bool is_send, bool is_blocking);

/* What was found out of a call; its type lives as long as none was freed since. */
struct weft_mpi_habit {
    MPI_Datatype handle;
    MPI_Comm comm;
    int64_t count;
    int peer;
    unsigned generation; /* of types */
    bool is_send, is_blocking;
    bool is_piece;
    bool is_unseen;                 /* a receive that has no room for a ticket */
    struct weft_mpi_type *type;     /* NULL: nothing is known here */
    struct weft_mpi_choice *choice; /* of the call; NULL: there is none */
    size_t bytes;
};

/* As many as the faces of a cube, each sent and received. */
enum { WEFT_MPI_HABITS = 16 };
extern _Thread_local struct weft_mpi_habit weft_mpi_habits[WEFT_MPI_HABITS];

/* Where one would be. Handles are pointers or small numbers. */
static inline struct weft_mpi_habit *weft_mpi_habit_at(MPI_Datatype handle, int peer, bool is_send)
{
    uintptr_t number = (uintptr_t)handle;
    return &weft_mpi_habits[((number ^ number >> 6) * 2 + (unsigned)peer * 4 + is_send) %
                            WEFT_MPI_HABITS];
}

static inline struct weft_mpi_habit *weft_mpi_habit_find(MPI_Datatype handle, int64_t count,
                                                         int peer, MPI_Comm comm, bool is_send,
                                                         bool is_blocking)
{
    struct weft_mpi_habit *habit = weft_mpi_habit_at(handle, peer, is_send);
    bool is_it = habit->type && habit->handle == handle && habit->peer == peer &&
                 habit->count == count && habit->comm == comm && habit->is_send == is_send &&
                 habit->is_blocking == is_blocking &&
                 habit->generation == weft_mpi_type_generation();
    return is_it ? habit : NULL;
}

static inline bool weft_mpi_habit_stays(const struct weft_mpi_habit *habit)
{
    return !habit->choice || weft_mpi_choice_stays_native(habit->choice, habit->is_send);
}

/* Whether MPI sends it as it is, as it did the last; then that is counted. */
static inline bool weft_mpi_habit_is_native(MPI_Datatype type, int64_t count, int peer,
                                            MPI_Comm comm, bool is_blocking)
{
    const struct weft_mpi_habit *habit =
        weft_mpi_habit_find(type, count, peer, comm, true, is_blocking);
    if (!habit || habit->is_piece || !weft_mpi_habit_stays(habit))
        return false;
    weft_mpi_count_sent(habit->type->form, WEFT_MPI_NATIVELY, habit->bytes);
    return true;
}

/* Whether MPI receives it, and nobody need look at what has come. */
static inline bool weft_mpi_habit_is_unseen(MPI_Datatype type, int64_t count, int peer,
                                            MPI_Comm comm, bool is_blocking)
{
    const struct weft_mpi_habit *habit =
        weft_mpi_habit_find(type, count, peer, comm, false, is_blocking);
    return habit && habit->is_unseen && weft_mpi_habit_stays(habit);
}

/* The same, but `sent` is what MPI is to send: the same, or the bytes that it is. */
bool weft_mpi_habit_sends(const struct weft_mpi_args *args, bool is_blocking,
                          struct weft_mpi_args *sent);
/* Whether MPI receives it in place, as it did the last; then the cargo is open. */
bool weft_mpi_habit_receives(const struct weft_mpi_args *args, struct weft_mpi_cargo *cargo);

/* The same of one element of a type that was just made, as it was of one that was made alike:
 * nothing has to be found out of a type that is freed after one message. Sends are counted. */
bool weft_mpi_habit_sends_alike(const struct weft_mpi_args *args, bool is_blocking);
bool weft_mpi_habit_receives_alike(const struct weft_mpi_args *args, struct weft_mpi_cargo *cargo);

#endif
