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

/* Whether MPI sends it, as it did the last; then that is counted, and `sent` is what MPI is to
 * send: the same, or the bytes that it is. */
bool weft_mpi_habit_sends(const struct weft_mpi_args *args, bool is_blocking,
                          struct weft_mpi_args *sent);
/* Whether MPI receives it in place, as it did the last; then the cargo is open. */
bool weft_mpi_habit_receives(const struct weft_mpi_args *args, struct weft_mpi_cargo *cargo);

#endif
