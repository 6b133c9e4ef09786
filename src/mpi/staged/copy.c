/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/staged/copy.h"

#include <stdatomic.h>

#include "mpi/message/cargo.h"

/* ---- Where the data lie -------------------------------------------------------------------- */

/* All bytes of some data, and what lies between them. */
struct span {
    int64_t low, high; /* from the buffer */
};

static bool find_span(const struct weft_mpi_data *data, struct span *span)
{
    struct weft_type_info info;
    int64_t last;
    if (weft_type_query(data->type->type, &info, sizeof info) != WEFT_OK ||
        __builtin_mul_overflow((int64_t)data->count - 1, info.extent, &last))
        return false;
    return !__builtin_add_overflow(info.true_lb, last < 0 ? last : 0, &span->low) &&
           !__builtin_add_overflow(info.true_lb + (int64_t)info.true_extent, last > 0 ? last : 0,
                                   &span->high);
}

/* Where the target's memory begins; NULL if it does not lie in its part of the window alone. */
static char *find_target(const struct weft_mpi_part *part, MPI_Aint displacement)
{
    int64_t offset;
    if (!part->base || displacement < 0 ||
        __builtin_mul_overflow((int64_t)displacement, part->unit, &offset) ||
        offset > (int64_t)part->size)
        return NULL;
    return part->base + offset;
}

static bool is_within(const struct weft_mpi_part *part, const char *target,
                      const struct span *span)
{
    int64_t before = target - part->base, behind = (int64_t)part->size - before;
    return span->low >= -before && span->high <= behind;
}

/* What a call may do to its own origin depends on the order of its copies. */
static bool is_apart(const struct weft_mpi_copy *copy, const struct span *origin,
                     const struct span *target)
{
    intptr_t here = (intptr_t)copy->origin.buffer, there = (intptr_t)copy->target.buffer;
    return here + origin->high <= there + target->low ||
           there + target->high <= here + origin->low;
}

/* ---- Whether it may be copied -------------------------------------------------------------- */

static bool open_data(const void *buffer, int64_t count, MPI_Datatype type, bool is_written,
                      struct weft_mpi_data *data)
{
    if (!buffer || count <= 0 || weft_mpi_data_open(buffer, count, type, data) != WEFT_MPI_FOUND)
        return false;
    if (!weft_mpi_type_is_known(data->type))
        weft_mpi_count_reason(data->type->is_new ? WEFT_MPI_NEW_TYPE : WEFT_MPI_UNKNOWN_TYPE);
    else if (data->is_device)
        weft_mpi_count_reason(WEFT_MPI_OF_DEVICE);
    else if (is_written && !data->type->is_receivable)
        weft_mpi_count_reason(WEFT_MPI_OVERLAPPING);
    else if (data->bytes > 0)
        return true;
    weft_mpi_data_close(data);
    return false;
}

static bool open_both(const struct weft_mpi_asked_copy *asked, char *target,
                      struct weft_mpi_copy *copy)
{
    copy->is_in = asked->is_in;
    if (!open_data(asked->origin_addr, asked->origin_count, asked->origin_type, asked->is_in,
                   &copy->origin))
        return false;
    if (open_data(target, asked->target_count, asked->target_type, !asked->is_in, &copy->target))
        return true;
    weft_mpi_data_close(&copy->origin);
    return false;
}

static void close_both(struct weft_mpi_copy *copy)
{
    weft_mpi_data_close(&copy->origin);
    weft_mpi_data_close(&copy->target);
}

static bool is_safe(const struct weft_mpi_copy *copy, const struct weft_mpi_part *part)
{
    struct span origin, target;
    return copy->origin.bytes == copy->target.bytes && find_span(&copy->origin, &origin) &&
           find_span(&copy->target, &target) && is_within(part, copy->target.buffer, &target) &&
           is_apart(copy, &origin, &target);
}

/* ---- Who does it --------------------------------------------------------------------------- */

static bool is_one_piece(const struct weft_mpi_data *data)
{
    return weft_mpi_type_is_one_piece(data->type, (int64_t)data->count);
}

/* What a copy counts for: the origin, or, if that lies together, the target. */
static const struct weft_mpi_data *counted(const struct weft_mpi_copy *copy)
{
    return is_one_piece(&copy->origin) ? &copy->target : &copy->origin;
}

/* MPI copies in the call, too, so each is tried by itself, from one to the next. */
static bool is_best(const struct weft_mpi_copy *copy, bool is_requested)
{
    const struct weft_mpi_pattern pattern = {.is_send = !copy->is_in,
                                             .is_blocking = !is_requested};
    enum weft_mpi_staged kind = is_one_piece(&copy->origin)   ? WEFT_MPI_COPY_OF_TARGET
                                : is_one_piece(&copy->target) ? WEFT_MPI_COPY_OF_ORIGIN
                                                              : WEFT_MPI_COPY_OF_BOTH;
    return !(is_one_piece(&copy->origin) && is_one_piece(&copy->target)) &&
           weft_mpi_data_is_staged(counted(copy), kind, pattern);
}

enum weft_mpi_copying weft_mpi_copy_choose(const struct weft_mpi_asked_copy *asked, MPI_Win win,
                                           struct weft_mpi_copy *copy)
{
    struct weft_mpi_part part;
    if (!weft_mpi_shared_find(win, asked->target_rank, &part))
        return WEFT_MPI_NOT_SHARED;
    char *target = find_target(&part, asked->target_disp);
    if (!target || !open_both(asked, target, copy))
        return WEFT_MPI_COPIED_BY_MPI;
    if (is_safe(copy, &part) && is_best(copy, asked->is_requested))
        return WEFT_MPI_COPIED_BY_US;
    close_both(copy);
    return WEFT_MPI_COPIED_BY_MPI;
}

/* ---- Copying ------------------------------------------------------------------------------- */

static int move(const struct weft_mpi_copy *copy)
{
    const struct weft_mpi_data *from = copy->is_in ? &copy->target : &copy->origin;
    const struct weft_mpi_data *to = copy->is_in ? &copy->origin : &copy->target;
    struct weft_mpi_form *form = counted(copy)->type->form;
    uint64_t since = weft_mpi_clock();
    /* What synchronises is a call of MPI, which orders MPI's copies and so ours. */
    atomic_thread_fence(memory_order_acquire);
    int result = weft_copy(to->type->type, to->count, to->buffer, from->type->type, from->count,
                           from->buffer, 0, to->bytes);
    atomic_thread_fence(memory_order_release);
    if (form)
        weft_mpi_count_time(&form->scatter, since);
    if (copy->is_in)
        weft_mpi_count_received(form, WEFT_MPI_COPIED, to->bytes);
    else
        weft_mpi_count_sent(form, WEFT_MPI_COPIED, to->bytes);
    return weft_mpi_class_of(result);
}

int weft_mpi_copy_end(struct weft_mpi_copy *copy, int result)
{
    if (result == MPI_SUCCESS)
        result = move(copy);
    close_both(copy);
    return result;
}
