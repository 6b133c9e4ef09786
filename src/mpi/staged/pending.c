/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/staged/pending.h"

#include <stdlib.h>

#include "mpi/guard.h"
#include "mpi/staged/stage.h"

/* A program may make any number of calls before it synchronises. Beyond these, MPI gets them as
 * they are: copies of them all may need more memory than there is, and are searched one by one. */
#define MOST_BYTES ((size_t)64 << 20)
#define MOST_CALLS 1024u

struct weft_mpi_pending {
    struct weft_mpi_pending *next;
    unsigned long long number;
    MPI_Win win;
    int target;
    bool is_in;
    struct weft_mpi_cargo cargo;
};

static struct weft_mpi_pending *first;
static struct weft_mpi_pending **last = &first;
static atomic_uint calls;
static unsigned long long numbers; /* that have been given, from 1 on */
static size_t bytes;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool weft_mpi_pending_is_full(size_t more)
{
    weft_mpi_lock(&lock);
    bool is_too_much = calls >= MOST_CALLS || bytes + more > MOST_BYTES;
    weft_mpi_unlock(&lock);
    return is_too_much;
}

struct weft_mpi_pending *weft_mpi_pending_new(MPI_Win win, int target, bool is_in,
                                              const struct weft_mpi_cargo *cargo)
{
    struct weft_mpi_pending *pending = malloc(sizeof *pending);
    if (pending)
        *pending = (struct weft_mpi_pending){
            .win = win, .target = target, .is_in = is_in, .cargo = *cargo};
    return pending;
}

/* The lock is held. They stay in the order of the calls. */
static void append(struct weft_mpi_pending *pending)
{
    pending->next = NULL;
    pending->number = ++numbers;
    *last = pending;
    last = &pending->next;
    bytes += pending->cargo.data.bytes;
    weft_mpi_add(&calls, 1);
}

/* The lock is held. It is counted until its data are in their place. */
static void end_at(struct weft_mpi_pending **at)
{
    struct weft_mpi_pending *pending = *at;
    *at = pending->next;
    if (last == &pending->next)
        last = at;
    bytes -= pending->cargo.data.bytes;
    weft_mpi_stage_end(&pending->cargo, pending->is_in, MPI_SUCCESS);
    free(pending);
    weft_mpi_add(&calls, -1);
}

void weft_mpi_pending_keep(struct weft_mpi_pending *pending)
{
    weft_mpi_lock(&lock);
    append(pending);
    weft_mpi_unlock(&lock);
}

void weft_mpi_pending_drop(struct weft_mpi_pending *pending)
{
    weft_mpi_cargo_close(&pending->cargo);
    free(pending);
}

static bool is_of(const struct weft_mpi_pending *pending, MPI_Win win, int target)
{
    return pending->win == win && (target == WEFT_MPI_ALL_TARGETS || pending->target == target);
}

unsigned long long weft_mpi_pending_last(MPI_Win win, int target)
{
    unsigned long long number = 0;
    if (atomic_load_explicit(&calls, memory_order_acquire) == 0)
        return 0;
    weft_mpi_lock(&lock);
    for (const struct weft_mpi_pending *pending = first; pending; pending = pending->next)
        if (is_of(pending, win, target))
            number = pending->number;
    weft_mpi_unlock(&lock);
    return number;
}

/* Another thread may end the same calls at the same time, and relies on their data, too: so all is
 * done under the lock. */
void weft_mpi_pending_end(MPI_Win win, int target, unsigned long long number)
{
    if (number == 0)
        return;
    weft_mpi_lock(&lock);
    for (struct weft_mpi_pending **at = &first; *at && (*at)->number <= number;)
        if (is_of(*at, win, target))
            end_at(at);
        else
            at = &(*at)->next;
    weft_mpi_unlock(&lock);
}
