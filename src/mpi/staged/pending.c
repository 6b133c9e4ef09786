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
    MPI_Win win;
    int target;
    bool is_in;
    struct weft_mpi_cargo cargo;
};

static struct weft_mpi_pending *first;
static struct weft_mpi_pending **last = &first;
static atomic_uint calls;
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
    *last = pending;
    last = &pending->next;
    bytes += pending->cargo.data.bytes;
    weft_mpi_add(&calls, 1);
}

static void unlink_at(struct weft_mpi_pending **at)
{
    struct weft_mpi_pending *pending = *at;
    *at = pending->next;
    if (last == &pending->next)
        last = at;
    bytes -= pending->cargo.data.bytes;
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

struct weft_mpi_pending *weft_mpi_pending_take(MPI_Win win, int target)
{
    struct weft_mpi_pending *taken = NULL, **end = &taken;
    if (atomic_load_explicit(&calls, memory_order_relaxed) == 0)
        return NULL;
    weft_mpi_lock(&lock);
    for (struct weft_mpi_pending **at = &first; *at;) {
        struct weft_mpi_pending *pending = *at;
        if (pending->win != win || (target != WEFT_MPI_ALL_TARGETS && pending->target != target)) {
            at = &pending->next;
            continue;
        }
        unlink_at(at);
        pending->next = NULL;
        *end = pending;
        end = &pending->next;
    }
    weft_mpi_unlock(&lock);
    return taken;
}

void weft_mpi_pending_end(struct weft_mpi_pending *taken, int result)
{
    while (taken) {
        struct weft_mpi_pending *pending = taken;
        taken = pending->next;
        if (result == MPI_SUCCESS) {
            weft_mpi_stage_end(&pending->cargo, pending->is_in, result);
            free(pending);
        } else {
            weft_mpi_pending_keep(pending);
        }
    }
}
