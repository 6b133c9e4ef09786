/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/message/habit.h"

#include <limits.h>

#include "mpi/guard.h"
#include "mpi/layout/recipe.h"
#include "mpi/library/device.h"
#include "mpi/start/ranks.h"

_Thread_local struct weft_mpi_habit weft_mpi_habits[WEFT_MPI_HABITS];

static void learn(const struct weft_mpi_data *data, int peer, MPI_Comm comm,
                  struct weft_mpi_pattern pattern, struct weft_mpi_choice *choices, bool is_piece)
{
    struct weft_mpi_type *type = data->type;
    bool has_room = weft_mpi_has_room_for_ticket(data->bytes);
    bool is_seen = weft_mpi.net && has_room && (is_piece || type->holds_ticket);
    bool is_unseen = !pattern.is_send && !has_room && !weft_mpi.is_threaded;
    if (data->is_device || !(pattern.is_send || is_seen || is_unseen) ||
        (choices && weft_mpi.is_threaded))
        return;
    *weft_mpi_habit_at(type->handle, peer, pattern.is_send) = (struct weft_mpi_habit){
        .handle = type->handle,
        .comm = comm,
        .count = (int64_t)data->count,
        .peer = peer,
        .generation = weft_mpi_type_generation(),
        .is_send = pattern.is_send,
        .is_blocking = pattern.is_blocking,
        .type = type,
        .choice = choices ? weft_mpi_choice_of_call(choices, pattern) : NULL,
        .is_piece = is_piece,
        .is_unseen = is_unseen,
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

/* Who has judged a message does not want to hear of what was chosen. */
static struct weft_mpi_habit *find(const struct weft_mpi_args *args, bool is_send,
                                   bool is_blocking)
{
    struct weft_mpi_habit *habit =
        weft_mpi_habit_find(args->type, args->count, args->peer, args->comm, is_send, is_blocking);
    return habit && args->is_judged && habit->choice ? NULL : habit;
}

static char *place_in(const struct weft_mpi_args *args, const struct weft_mpi_habit *habit)
{
    return (char *)args->buffer + habit->type->first;
}

bool weft_mpi_habit_sends(const struct weft_mpi_args *args, bool is_blocking,
                          struct weft_mpi_args *sent)
{
    const struct weft_mpi_habit *habit = find(args, true, is_blocking);
    if (!habit || !weft_mpi_habit_stays(habit))
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
    const struct weft_mpi_habit *habit = find(args, false, args->is_blocking);
    if (!habit || habit->is_unseen || weft_mpi_is_device(place_in(args, habit)) ||
        !weft_mpi_habit_stays(habit))
        return false;
    if (habit->is_piece) {
        if (weft_mpi_type_is_measured(habit->type))
            cargo->measure = weft_mpi_type_hold(habit->type);
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

/* ---- Types that are made for one message --------------------------------------------------- */

static bool sees_ticket(const struct weft_mpi_type *type)
{
    return type->size >= weft_mpi.ticket_size && type->is_receivable && type->holds_ticket;
}

/* The type that it is like, if the message stays MPI's; else NULL, and nothing has happened.
 * Threads would have to keep that type from being forgotten. */
static struct weft_mpi_type *alike(const struct weft_mpi_args *args, bool is_send,
                                   bool is_blocking)
{
    if (args->count != 1 || args->is_judged || !weft_mpi.net || weft_mpi.is_threaded ||
        weft_mpi_is_device(args->buffer) || !weft_mpi_route_is_free())
        return NULL;
    struct weft_mpi_type *type = weft_mpi_recipe_find_alike(args->type);
    if (!type || !type->form || type->is_block || !(is_send || sees_ticket(type)))
        return NULL;
    const struct weft_mpi_pattern pattern = {
        is_send, weft_mpi_is_rank_near(args->comm, args->peer), is_blocking};
    struct weft_mpi_choice *all =
        weft_mpi_choices_of(&type->form->choices, type->size, type->form->pieces);
    bool stays =
        all && weft_mpi_choice_stays_native(weft_mpi_choice_of_call(all, pattern), is_send);
    return stays ? type : NULL;
}

/* Of a synchronous one it is the size that counts. */
bool weft_mpi_habit_sends_alike(const struct weft_mpi_args *args, bool is_blocking)
{
    if (args->mode == WEFT_MPI_SYNCHRONOUS || args->peer == MPI_PROC_NULL)
        return false;
    const struct weft_mpi_type *type = alike(args, true, is_blocking);
    if (type)
        weft_mpi_count_sent(type->form, WEFT_MPI_NATIVELY, type->size);
    return type;
}

bool weft_mpi_habit_receives_alike(const struct weft_mpi_args *args, struct weft_mpi_cargo *cargo)
{
    struct weft_mpi_type *type = alike(args, false, args->is_blocking);
    if (!type)
        return false;
    weft_mpi_add(&type->users, 1);
    cargo->data = (struct weft_mpi_data){
        .buffer = args->buffer, .count = 1, .bytes = type->size, .type = type};
    return true;
}
