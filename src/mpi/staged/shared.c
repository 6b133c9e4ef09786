/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/staged/shared.h"

#include <stdlib.h>

#include "base/hash.h"
#include "mpi/guard.h"
#include "mpi/start/ranks.h"

struct window {
    struct window *next; /* in its bucket */
    MPI_Win win;
    int size;
    struct weft_mpi_part parts[];
};

enum { BUCKETS = 64 };

static struct window *buckets[BUCKETS];
atomic_uint weft_mpi_shared_windows;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The lock is held. */
static struct window **place_of(MPI_Win win)
{
    struct window **at = &buckets[weft_hash_mix((uintptr_t)win, 0) % BUCKETS];
    while (*at && (*at)->win != win)
        at = &(*at)->next;
    return at;
}

bool weft_mpi_shared_find(MPI_Win win, int rank, struct weft_mpi_part *part)
{
    weft_mpi_lock(&lock);
    const struct window *window = *place_of(win);
    *part = window && rank >= 0 && rank < window->size ? window->parts[rank]
                                                       : (struct weft_mpi_part){0};
    weft_mpi_unlock(&lock);
    return window != NULL;
}

void weft_mpi_shared_forget(MPI_Win win)
{
    if (atomic_load_explicit(&weft_mpi_shared_windows, memory_order_relaxed) == 0)
        return;
    weft_mpi_lock(&lock);
    struct window **at = place_of(win), *window = *at;
    if (window)
        *at = window->next;
    weft_mpi_unlock(&lock);
    if (window)
        weft_mpi_add(&weft_mpi_shared_windows, -1);
    free(window);
}

/* ---- Making one ---------------------------------------------------------------------------- */

/* NULL without memory. */
static struct window *new_window(MPI_Win win, MPI_Comm comm)
{
    int size = 0;
    mpi.Comm_size(comm, &size);
    struct window *window = calloc(1, sizeof *window + (size_t)size * sizeof *window->parts);
    if (window) {
        window->win = win;
        window->size = size;
    }
    return window;
}

/* Of ranks elsewhere MPICH before 4.2 answers with this process's own part, or with what lies
 * behind its table. */
static bool may_be_asked(MPI_Comm comm)
{
    int size = 0;
    mpi.Comm_size(comm, &size);
    return size == 1 || weft_mpi_is_on_one_host(comm);
}

/* And if it was told that no two processes share memory, though they do. */
static bool is_told_apart(const struct window *window, MPI_Comm comm)
{
    int own = 0;
    mpi.Comm_rank(comm, &own);
    for (int rank = 0; rank < window->size; rank++)
        if (rank != own && window->parts[own].size && window->parts[rank].size &&
            window->parts[rank].base == window->parts[own].base)
            return false;
    return true;
}

static void keep(struct window *window)
{
    weft_mpi_lock(&lock);
    struct window **at = place_of(window->win);
    window->next = *at;
    *at = window;
    weft_mpi_unlock(&lock);
    weft_mpi_add(&weft_mpi_shared_windows, 1);
}

/* A part of which MPI does not tell stays empty, and is MPI's. The two sizes of calls are two
 * sizes of units. */
#define DEFINE_ALLOCATE(name, number, query)                                                      \
    static void note_##name(MPI_Win win, MPI_Comm comm)                                           \
    {                                                                                             \
        struct window *window = new_window(win, comm);                                            \
        for (int rank = 0; window && rank < window->size; rank++) {                               \
            MPI_Aint size = 0;                                                                    \
            number unit = 0;                                                                      \
            void *base = NULL;                                                                    \
            if (mpi.query(win, rank, &size, &unit, &base) == MPI_SUCCESS)                         \
                window->parts[rank] = (struct weft_mpi_part){base, (size_t)size, unit};           \
        }                                                                                         \
        if (window && is_told_apart(window, comm))                                                \
            keep(window);                                                                         \
        else                                                                                      \
            free(window);                                                                         \
    }                                                                                             \
    int MPI_##name(MPI_Aint size, number disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,  \
                   MPI_Win *win)                                                                  \
    {                                                                                             \
        int result = mpi.name(size, disp_unit, info, comm, baseptr, win);                         \
        if (result == MPI_SUCCESS && WEFT_MPI_IS_OURS && may_be_asked(comm))                      \
            note_##name(*win, comm);                                                              \
        return result;                                                                            \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

DEFINE_ALLOCATE(Win_allocate_shared, int, Win_shared_query);
DEFINE_ALLOCATE(Win_allocate_shared_c, MPI_Aint, Win_shared_query_c);
