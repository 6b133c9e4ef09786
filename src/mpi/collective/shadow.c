/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/collective/shadow.h"

#include <stdlib.h>

#include "mpi/collective/around.h"
#include "mpi/collective/exchange.h"
#include "mpi/collective/occasion.h"
#include "mpi/guard.h"
#include "mpi/message/route.h"
#include "mpi/start/attribute.h"
#include "mpi/start/ranks.h"

/* Communicators are few: MPICH has 2,048 of them. */
enum { MOST = 64 };

/* What is kept with a communicator of the program's; nothing at first. */
struct weft_mpi_shadow {
    MPI_Comm comm; /* MPI_COMM_NULL: all have voted, and MPI does its collectives */
    bool is_simple;
    int tags;         /* that persistent exchanges have been given, */
    atomic_uint uses; /* and how many of these there are */
};

/* These need no memory. There has been no vote, but a call that could not wait for it wants one;
 * and there has been one, to which this process said no. */
static struct weft_mpi_shadow wanted, refused;

static atomic_uint shadows;

/* All processes free their communicator together, and so the shadow, unless persistent exchanges
 * outlive it, which may end at any time. When MPI is about to go, it takes along what is left. */
static void drop_shadow(void *value)
{
    struct weft_mpi_shadow *shadow = value;
    if (shadow == &wanted || shadow == &refused || atomic_load(&shadow->uses) > 0)
        return;
    if (shadow->comm != MPI_COMM_NULL && weft_mpi.is_on)
        mpi.Comm_free(&shadow->comm);
    weft_mpi_add(&shadows, -1);
    free(shadow);
}

/* What a copy of a communicator sends is no business of this one's shadow. */
static struct weft_mpi_attribute attribute = {MPI_KEYVAL_INVALID, drop_shadow};

void weft_mpi_shadow_begin(void)
{
    wanted.comm = refused.comm = MPI_COMM_NULL;
    weft_mpi_attribute_begin(&attribute, NULL);
}

void weft_mpi_shadow_end(void)
{
    weft_mpi_attribute_end(&attribute);
}

/* NULL if there is nothing. Two threads never ask for the same communicator: its collectives come
 * one after another. */
static struct weft_mpi_shadow *find(MPI_Comm comm)
{
    struct weft_mpi_shadow *shadow = NULL;
    int is_there = 0;
    mpi.Comm_get_attr(comm, attribute.key, &shadow, &is_there);
    return is_there ? shadow : NULL;
}

/* ---- The vote ------------------------------------------------------------------------------ */

static bool is_willing(void)
{
    return atomic_load(&shadows) < MOST && !weft_mpi_route_is_forced_to_mpi();
}

/* What to remember the verdict by; `refused` if there is nothing, or this process is against it.
 */
static struct weft_mpi_shadow *prepare(MPI_Comm comm)
{
    struct weft_mpi_shadow *shadow = is_willing() ? malloc(sizeof *shadow) : NULL;
    if (shadow) {
        *shadow = (struct weft_mpi_shadow){.comm = MPI_COMM_NULL};
        weft_mpi_add(&shadows, 1);
        if (mpi.Comm_set_attr(comm, attribute.key, shadow) == MPI_SUCCESS)
            return shadow;
        drop_shadow(shadow);
    }
    mpi.Comm_set_attr(comm, attribute.key, &refused);
    return &refused;
}

static void make(struct weft_mpi_shadow *shadow, MPI_Comm comm)
{
    MPI_Group members = MPI_GROUP_NULL;
    mpi.Comm_group(comm, &members);
    if (mpi.Comm_create(comm, members, &shadow->comm) == MPI_SUCCESS)
        mpi.Comm_set_errhandler(shadow->comm, MPI_ERRORS_RETURN);
    else
        shadow->comm = MPI_COMM_NULL;
    mpi.Group_free(&members);
}

/* What one process alone may lack is asked for before the vote, so that afterwards all go the same
 * way. */
static MPI_Comm settle(MPI_Comm comm)
{
    struct weft_mpi_shadow *shadow = prepare(comm);
    enum { WILLING, SIMPLE, QUESTIONS };
    int own[] = {shadow != &refused, weft_mpi_around_is_simple(comm)}, all[QUESTIONS] = {0};
    if (weft_mpi_is_within_job(comm))
        mpi.Allreduce(own, all, QUESTIONS, MPI_INT, MPI_MIN, comm);
    if (all[WILLING]) {
        shadow->is_simple = all[SIMPLE];
        make(shadow, comm);
    }
    return shadow->comm;
}

/* ---- Asking for it ------------------------------------------------------------------------- */

bool weft_mpi_shadow_is_possible(MPI_Comm comm)
{
    int is_inter = 0;
    if (!weft_mpi.is_joint || comm == MPI_COMM_NULL)
        return false;
    mpi.Comm_test_inter(comm, &is_inter);
    return !is_inter;
}

MPI_Comm weft_mpi_shadow(MPI_Comm comm)
{
    if (!weft_mpi_shadow_is_possible(comm))
        return MPI_COMM_NULL;
    struct weft_mpi_shadow *shadow = find(comm);
    return shadow && shadow != &wanted ? shadow->comm : settle(comm);
}

MPI_Comm weft_mpi_shadow_at_once(MPI_Comm comm)
{
    if (!weft_mpi_shadow_is_possible(comm))
        return MPI_COMM_NULL;
    struct weft_mpi_shadow *shadow = find(comm);
    if (shadow)
        return shadow->comm;
    mpi.Comm_set_attr(comm, attribute.key, &wanted);
    weft_mpi_occasion_await();
    return MPI_COMM_NULL;
}

bool weft_mpi_shadow_is_simple(MPI_Comm comm)
{
    const struct weft_mpi_shadow *shadow = find(comm);
    return shadow && shadow->is_simple;
}

/* A tag may be as large as this in every MPI library. */
enum { LARGEST_TAG = 32767 };

struct weft_mpi_shadow *weft_mpi_shadow_keep(MPI_Comm comm, int *tag)
{
    struct weft_mpi_shadow *shadow = find(comm);
    if (shadow->tags == LARGEST_TAG - WEFT_MPI_EXCHANGE_TAG)
        return NULL;
    *tag = WEFT_MPI_EXCHANGE_TAG + ++shadow->tags;
    weft_mpi_add(&shadow->uses, 1);
    return shadow;
}

void weft_mpi_shadow_let_go(struct weft_mpi_shadow *shadow)
{
    weft_mpi_add(&shadow->uses, -1);
}

void weft_mpi_shadow_settle(MPI_Comm comm)
{
    if (weft_mpi_shadow_is_possible(comm) && find(comm) == &wanted)
        settle(comm);
}
