/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/message/habit.h"

#include <limits.h>

#include "mpi/guard.h"
#include "mpi/library/device.h"

/* What was found out of a call; its type lives as long as none was freed since. */
struct habit {
    MPI_Datatype handle;
    MPI_Comm comm;
    int64_t count;
    int peer;
    unsigned generation; /* of types */
    struct weft_mpi_pattern pattern;
    struct weft_mpi_type *type;      /* NULL: nothing is known here */
    struct weft_mpi_choice *choices; /* NULL: there is no choice */
    bool is_piece;
    size_t bytes;
};

/* As many as the faces of a cube, each sent and received. */
enum { HABITS = 16 };
static _Thread_local struct habit habits[HABITS];

/* Handles are pointers or small numbers. */
static struct habit *place_of(MPI_Datatype handle, int peer, bool is_send)
{
    uintptr_t number = (uintptr_t)handle;
    return &habits[((number ^ number >> 6) * 2 + (unsigned)peer * 4 + is_send) % HABITS];
}

static struct habit *find(const struct weft_mpi_args *args, bool is_send, bool is_blocking)
{
    struct habit *habit = place_of(args->type, args->peer, is_send);
    bool is_it = habit->type && habit->handle == args->type && habit->peer == args->peer &&
                 habit->count == args->count && habit->comm == args->comm &&
                 !(args->is_judged && habit->choices) && habit->pattern.is_send == is_send &&
                 habit->pattern.is_blocking == is_blocking &&
                 habit->generation == weft_mpi_type_generation();
    return is_it ? habit : NULL;
}

static void learn(const struct weft_mpi_data *data, int peer, MPI_Comm comm,
                  struct weft_mpi_pattern pattern, struct weft_mpi_choice *choices, bool is_piece)
{
    struct weft_mpi_type *type = data->type;
    bool is_seen =
        weft_mpi.net && data->bytes >= weft_mpi.ticket_size && (is_piece || type->holds_ticket);
    if (data->is_device || (!pattern.is_send && !is_seen))
        return;
    *place_of(type->handle, peer, pattern.is_send) = (struct habit){
        .handle = type->handle,
        .comm = comm,
        .count = (int64_t)data->count,
        .peer = peer,
        .generation = weft_mpi_type_generation(),
        .pattern = pattern,
        .type = type,
        .choices = choices,
        .is_piece = is_piece,
        .bytes = data->bytes,
    };
}

void weft_mpi_habit_learn(const struct weft_mpi_data *data, int peer, MPI_Comm comm,
                          struct weft_mpi_pattern pattern)
{
    struct weft_mpi_form *form = data->type->form;
    struct weft_mpi_choice *choices =
        weft_mpi_choices_of(&form->choices, data->bytes, form->pieces * data->count);
    if (choices)
        learn(data, peer, comm, pattern, choices, false);
}

void weft_mpi_habit_learn_forced(const struct weft_mpi_data *data, int peer, MPI_Comm comm,
                                 bool is_send, bool is_blocking)
{
    const struct weft_mpi_pattern pattern = {.is_send = is_send, .is_blocking = is_blocking};
    learn(data, peer, comm, pattern, NULL, false);
}

/* Data of a basic type have another count each time in many programs, and would leave no place for
 * others. */
void weft_mpi_habit_learn_piece(const struct weft_mpi_data *data, int peer, MPI_Comm comm,
                                bool is_send, bool is_blocking)
{
    const struct weft_mpi_pattern pattern = {.is_send = is_send, .is_blocking = is_blocking};
    bool may_be_shared = is_send && weft_mpi.least_piece;
    if (!may_be_shared && data->bytes <= INT_MAX && !weft_mpi_type_is_basic(data->type->handle))
        learn(data, peer, comm, pattern, NULL, true);
}

static bool stays(const struct habit *habit)
{
    return !habit->choices || weft_mpi_choice_stays_native(habit->choices, habit->pattern);
}

static char *place_in(const struct weft_mpi_args *args, const struct habit *habit)
{
    return (char *)args->buffer + habit->type->first;
}

bool weft_mpi_habit_sends(const struct weft_mpi_args *args, bool is_blocking,
                          struct weft_mpi_args *sent)
{
    const struct habit *habit = find(args, true, is_blocking);
    if (!habit || !stays(habit))
        return false;
    *sent = *args;
    if (habit->is_piece) {
        *sent = weft_mpi_args_of_bytes(args, place_in(args, habit), habit->bytes);
        return true;
    }
    weft_mpi_count_sent(habit->type->form, WEFT_MPI_NATIVELY, habit->bytes);
    return true;
}

bool weft_mpi_habit_receives(const struct weft_mpi_args *args, struct weft_mpi_cargo *cargo)
{
    const struct habit *habit = find(args, false, args->is_blocking);
    if (!habit || weft_mpi_is_device(place_in(args, habit)) || !stays(habit))
        return false;
    if (habit->is_piece) {
        cargo->data = (struct weft_mpi_data){
            .buffer = place_in(args, habit), .count = (size_t)args->count, .bytes = habit->bytes};
        return true;
    }
    weft_mpi_add(&habit->type->users, 1);
    cargo->data = (struct weft_mpi_data){.buffer = args->buffer,
                                         .count = (size_t)args->count,
                                         .bytes = habit->bytes,
                                         .type = habit->type};
    return true;
}
