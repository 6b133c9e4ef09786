/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/collective/shadow.h"

#include <stdlib.h>

#include "mpi/guard.h"
#include "mpi/message/route.h"
#include "mpi/start/attribute.h"
#include "mpi/start/ranks.h"

/* Communicators are few: MPICH has 2,048 of them. */
enum { MOST = 64 };

struct shadow {
    bool is_settled; /* all have voted */
    MPI_Comm comm;
};

static atomic_uint shadows;

/* All processes free their communicator together, and so the shadow. When MPI is about to go, it
 * takes along what is left. */
static void drop_shadow(void *value)
{
    struct shadow *shadow = value;
    if (shadow->comm != MPI_COMM_NULL && weft_mpi.is_on)
        mpi.Comm_free(&shadow->comm);
    weft_mpi_add(&shadows, -1);
    free(shadow);
}

/* What a copy of a communicator sends is no business of this one's shadow. */
static struct weft_mpi_attribute attribute = {MPI_KEYVAL_INVALID, drop_shadow};

void weft_mpi_shadow_begin(void)
{
    weft_mpi_attribute_begin(&attribute, NULL);
}

void weft_mpi_shadow_end(void)
{
    weft_mpi_attribute_end(&attribute);
}

/* NULL without memory. Two threads never ask for the same communicator: its collectives come one
 * after another. */
static struct shadow *find_or_add(MPI_Comm comm)
{
    struct shadow *shadow = NULL;
    int is_there = 0;
    mpi.Comm_get_attr(comm, attribute.key, &shadow, &is_there);
    if (is_there)
        return shadow;
    shadow = malloc(sizeof *shadow);
    if (!shadow)
        return NULL;
    *shadow = (struct shadow){.comm = MPI_COMM_NULL};
    if (mpi.Comm_set_attr(comm, attribute.key, shadow) == MPI_SUCCESS) {
        weft_mpi_add(&shadows, 1);
        return shadow;
    }
    free(shadow);
    return NULL;
}

static bool is_willing(const struct shadow *shadow)
{
    return shadow && atomic_load(&shadows) <= MOST && !weft_mpi_route_is_forced_to_mpi();
}

static void make(struct shadow *shadow, MPI_Comm comm)
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
static MPI_Comm settle(struct shadow *shadow, MPI_Comm comm)
{
    int vote = is_willing(shadow), verdict = 0;
    if (weft_mpi_is_within_job(comm))
        mpi.Allreduce(&vote, &verdict, 1, MPI_INT, MPI_MIN, comm);
    if (verdict)
        make(shadow, comm);
    if (!shadow)
        return MPI_COMM_NULL;
    shadow->is_settled = true;
    return shadow->comm;
}

MPI_Comm weft_mpi_shadow(MPI_Comm comm)
{
    int is_inter = 0;
    if (!weft_mpi.is_joint || comm == MPI_COMM_NULL)
        return MPI_COMM_NULL;
    mpi.Comm_test_inter(comm, &is_inter);
    if (is_inter)
        return MPI_COMM_NULL;
    struct shadow *shadow = find_or_add(comm);
    if (shadow && shadow->is_settled)
        return shadow->comm;
    return settle(shadow, comm);
}
