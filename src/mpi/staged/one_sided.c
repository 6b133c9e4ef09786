/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided communication. In windows of shared memory, what lies apart is copied to its place, or
 * from there (copy.h). In others, origins that lie apart are packed, and what a MPI_Get brings is
 * unpacked by the call that ends it; targets stay MPI's. So do windows and all synchronisation.
 */
#include "mpi/message/operation.h"
#include "mpi/record/absent.h"
#include "mpi/report/native.h"
#include "mpi/report/slice.h"
#include "mpi/staged/copy.h"
#include "mpi/staged/pending.h"
#include "mpi/staged/stage.h"

/* An origin as MPI is told: elements of one of its own types, as its target may be of a type of
 * which MPI computes sums, or bytes. */
struct origin {
    struct weft_mpi_cargo cargo;
    MPI_Datatype type;
    int64_t count;
};

/* What a call asks for, but for its origin. */
struct asked {
    int target;
    bool is_in, is_reduced, is_requested, is_target_apart;
};

/* ---- Choosing ------------------------------------------------------------------------------ */

/* What a call costs shows when the next synchronisation has ended. So all calls between two of
 * them go the same way, which the first one chooses. */
static atomic_bool is_chosen, is_packed;

/* MPICH 4.0.2 ends the request of an MPI_Rget, if a type of it lies apart, before the data have
 * come. */
#ifdef OPEN_MPI
enum { IS_RGET_RELIABLE = true };
#else
enum { IS_RGET_RELIABLE = false };
#endif

static bool choose(const struct weft_mpi_data *data, const struct asked *asked)
{
    const struct weft_mpi_pattern pattern = {.is_send = !asked->is_in,
                                             .is_blocking = !asked->is_requested};
    if (asked->is_requested)
        return (!asked->is_in || IS_RGET_RELIABLE) &&
               weft_mpi_data_is_staged(data, WEFT_MPI_ONE_SIDED, pattern);
    if (!atomic_exchange_explicit(&is_chosen, true, memory_order_relaxed))
        is_packed = weft_mpi_data_is_staged(data, WEFT_MPI_ONE_SIDED, pattern);
    return is_packed && !weft_mpi_pending_is_full(data->bytes);
}

/* Whether MPI gets it packed; then it is open. A target that lies apart is unpacked by MPI from
 * any origin, so to pack the origin first only adds a copy. */
static bool open_origin(const void *buffer, int64_t count, MPI_Datatype type,
                        const struct asked *asked, struct origin *origin)
{
    MPI_Count size = 1;
    if (asked->target == MPI_PROC_NULL || asked->is_target_apart ||
        weft_mpi_route_is_of_mpi(count, type) ||
        !weft_mpi_stage_open(buffer, count, type, asked->is_in, &origin->cargo))
        return false;
    const struct weft_mpi_data *data = &origin->cargo.data;
    MPI_Datatype basic = data->type->basic;
    if ((asked->is_reduced && basic == MPI_DATATYPE_NULL) || !choose(data, asked)) {
        weft_mpi_cargo_close(&origin->cargo);
        return false;
    }
    origin->type = basic == MPI_DATATYPE_NULL ? MPI_BYTE : basic;
    mpi.Type_size_x(origin->type, &size);
    origin->count = (int64_t)data->bytes / size;
    return asked->is_in ? weft_mpi_stage_make_room(&origin->cargo)
                        : weft_mpi_stage_load(&origin->cargo);
}

/* The same for a call without a request. NULL if MPI gets it as it is. */
static struct weft_mpi_pending *open_pending(const void *buffer, int64_t count, MPI_Datatype type,
                                             const struct asked *asked, MPI_Win win,
                                             struct origin *origin)
{
    if (!open_origin(buffer, count, type, asked, origin))
        return NULL;
    struct weft_mpi_pending *pending =
        weft_mpi_pending_new(win, asked->target, asked->is_in, &origin->cargo);
    if (!pending)
        weft_mpi_cargo_close(&origin->cargo);
    return pending;
}

static int keep(struct weft_mpi_pending *pending, int result)
{
    if (result == MPI_SUCCESS)
        weft_mpi_pending_keep(pending);
    else
        weft_mpi_pending_drop(pending);
    return result;
}

/* ---- Calls without a request --------------------------------------------------------------- */

#define BARE(...) __VA_ARGS__

/* What copy.h is asked; and how MPI judges the call. Sums are MPI's. */
#define ASKED_COPY(is_in, is_requested)                                                           \
    {                                                                                             \
        WEFT_MPI_ORIGIN_ARGUMENTS, WEFT_MPI_TARGET_ARGUMENTS, is_in, is_requested                 \
    }
#define WHO_COPIES(is_reduced, is_in, is_requested)                                               \
    is_reduced                                                                                    \
        ? WEFT_MPI_NOT_SHARED                                                                     \
        : weft_mpi_copy_open(&(const struct weft_mpi_asked_copy)ASKED_COPY(is_in, is_requested),  \
                             win, &copy)
#define OF_NOTHING origin_addr, 0, origin_type, target_rank, target_disp, 0, target_type

#define JUDGE_AND_COPY(name, ...)                                                                 \
    {                                                                                             \
        weft_mpi_absent_pass("MPI_" #name);                                                       \
        uint64_t since = weft_mpi_slice_begin();                                                  \
        int result = weft_mpi_copy_end(&copy, mpi.name(OF_NOTHING, __VA_ARGS__));                 \
        weft_mpi_slice_end(WEFT_MPI_SLICE_##name, since);                                         \
        return result;                                                                            \
    }

/* `more` and `more_arguments` are what stands between the target and the window. */
#define DEFINE(name, number, native, memory, more, more_arguments, is_in, is_reduced)             \
    int MPI_##name(WEFT_MPI_ORIGIN_PARAMETERS(memory, number),                                    \
                   WEFT_MPI_TARGET_PARAMETERS(number), BARE more MPI_Win win)                     \
    {                                                                                             \
        const struct asked asked = {target_rank, is_in, is_reduced, false,                        \
                                    !weft_mpi_type_is_basic(target_type)};                        \
        struct origin origin;                                                                     \
        if (!WEFT_MPI_IS_OURS)                                                                    \
            return mpi.name(WEFT_MPI_ORIGIN_ARGUMENTS, WEFT_MPI_TARGET_ARGUMENTS,                 \
                            BARE more_arguments win);                                             \
        struct weft_mpi_copy copy;                                                                \
        enum weft_mpi_copying copying = WHO_COPIES(is_reduced, is_in, false);                     \
        if (copying == WEFT_MPI_COPIED_BY_US)                                                     \
            JUDGE_AND_COPY(name, BARE more_arguments win)                                         \
        struct weft_mpi_pending *pending =                                                        \
            copying == WEFT_MPI_NOT_SHARED                                                        \
                ? open_pending(WEFT_MPI_ORIGIN_ARGUMENTS, &asked, win, &origin)                   \
                : NULL;                                                                           \
        if (!pending)                                                                             \
            return native(WEFT_MPI_ORIGIN_ARGUMENTS, WEFT_MPI_TARGET_ARGUMENTS,                   \
                          BARE more_arguments win);                                               \
        weft_mpi_absent_pass("MPI_" #name);                                                       \
        uint64_t since = weft_mpi_slice_begin();                                                  \
        int result = mpi.name(origin.cargo.buffer, (number)origin.count, origin.type,             \
                              WEFT_MPI_TARGET_ARGUMENTS, BARE more_arguments win);                \
        weft_mpi_slice_end(WEFT_MPI_SLICE_##name, since);                                         \
        return keep(pending, result);                                                             \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name);

/* ---- Calls with a request ------------------------------------------------------------------ */

/* Some have been begun that bring data, which are there also after a synchronisation. */
static atomic_bool has_fills;

#define DEFINE_REQUESTING(name, number, native, memory, more, more_arguments, is_in, is_reduced)  \
    int MPI_##name(WEFT_MPI_ORIGIN_PARAMETERS(memory, number),                                    \
                   WEFT_MPI_TARGET_PARAMETERS(number), BARE more MPI_Win win,                     \
                   MPI_Request *request)                                                          \
    {                                                                                             \
        const struct asked asked = {target_rank, is_in, is_reduced, true,                         \
                                    !weft_mpi_type_is_basic(target_type)};                        \
        struct origin origin;                                                                     \
        if (!WEFT_MPI_IS_OURS)                                                                    \
            return mpi.name(WEFT_MPI_ORIGIN_ARGUMENTS, WEFT_MPI_TARGET_ARGUMENTS,                 \
                            BARE more_arguments win, request);                                    \
        struct weft_mpi_copy copy;                                                                \
        enum weft_mpi_copying copying = WHO_COPIES(is_reduced, is_in, true);                      \
        if (copying == WEFT_MPI_COPIED_BY_US)                                                     \
            JUDGE_AND_COPY(name, BARE more_arguments win, request)                                \
        if (copying == WEFT_MPI_COPIED_BY_MPI ||                                                  \
            !open_origin(WEFT_MPI_ORIGIN_ARGUMENTS, &asked, &origin))                             \
            return native(WEFT_MPI_ORIGIN_ARGUMENTS, WEFT_MPI_TARGET_ARGUMENTS,                   \
                          BARE more_arguments win, request);                                      \
        weft_mpi_absent_pass("MPI_" #name);                                                       \
        uint64_t since = weft_mpi_slice_begin();                                                  \
        int result = mpi.name(origin.cargo.buffer, (number)origin.count, origin.type,             \
                              WEFT_MPI_TARGET_ARGUMENTS, BARE more_arguments win, request);       \
        if (is_in)                                                                                \
            has_fills = true;                                                                     \
        result = weft_mpi_stage_follow(&origin.cargo, is_in, result, request);                    \
        weft_mpi_slice_end(WEFT_MPI_SLICE_##name, since);                                         \
        return result;                                                                            \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name);

#define DEFINE_ALL(define, name, ...)                                                             \
    define(name, int, weft_mpi_native_##name, __VA_ARGS__)                                        \
        define(name##_c, MPI_Count, mpi.name##_c, __VA_ARGS__)

DEFINE_ALL(DEFINE, Put, const void *, (), (), false, false)
DEFINE_ALL(DEFINE, Get, void *, (), (), true, false)
DEFINE_ALL(DEFINE, Accumulate, const void *, (MPI_Op op, ), (op, ), false, true)
DEFINE_ALL(DEFINE_REQUESTING, Rput, const void *, (), (), false, false)
DEFINE_ALL(DEFINE_REQUESTING, Rget, void *, (), (), true, false)
DEFINE_ALL(DEFINE_REQUESTING, Raccumulate, const void *, (MPI_Op op, ), (op, ), false, true)

/* ---- Synchronisation ----------------------------------------------------------------------- */

static void synchronise(MPI_Win win, int target, unsigned long long last, int result)
{
    if (result == MPI_SUCCESS)
        weft_mpi_pending_end(win, target, last);
    if (has_fills && weft_mpi_operation_is_begun())
        weft_mpi_settle();
    if (is_chosen)
        is_chosen = false;
}

/* What it is that MPI will free. */
static MPI_Win about_to_go(const MPI_Win *win)
{
    if (!win)
        return (MPI_Win)0;
    weft_mpi_shared_forget(*win);
    return *win;
}

/* If calls of ours are to be ended, it is by `surely`. */
#define DEFINE_END(name, surely, parameters, arguments, window, target)                           \
    int MPI_Win_##name parameters                                                                 \
    {                                                                                             \
        MPI_Win ended = window;                                                                   \
        unsigned long long last = weft_mpi_pending_last(ended, target);                           \
        int result = last ? mpi.Win_##surely arguments : mpi.Win_##name arguments;                \
        synchronise(ended, target, last, result);                                                 \
        return result;                                                                            \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(Win_##name)

#define ALL WEFT_MPI_ALL_TARGETS
DEFINE_END(fence, fence, (int assert, MPI_Win win), (assert, win), win, ALL);
DEFINE_END(complete, complete, (MPI_Win win), (win), win, ALL);
DEFINE_END(unlock, unlock, (int rank, MPI_Win win), (rank, win), win, rank);
DEFINE_END(unlock_all, unlock_all, (MPI_Win win), (win), win, ALL);
DEFINE_END(flush, flush, (int rank, MPI_Win win), (rank, win), win, rank);
DEFINE_END(flush_all, flush_all, (MPI_Win win), (win), win, ALL);
/* MPICH 4.0.2 does not wait here for an MPI_Get of data that lie together, as ours do. */
DEFINE_END(flush_local, flush, (int rank, MPI_Win win), (rank, win), win, rank);
DEFINE_END(flush_local_all, flush_all, (MPI_Win win), (win), win, ALL);
DEFINE_END(free, free, (MPI_Win * win), (win), about_to_go(win), ALL);
