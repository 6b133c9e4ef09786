/* SPDX-License-Identifier: BSD-3-Clause */
/* What MPI says of a communicator's ranks is kept with the communicator, as an attribute. */
#include "mpi/start/ranks.h"

#include <stdlib.h>

#include "mpi/guard.h"
#include "mpi/start/attribute.h"

static struct weft_mpi_attribute attribute = {MPI_KEYVAL_INVALID, free};

/* For each rank what was found out; all in one piece, so that freeing is simple. */
struct ranks {
    int count;
    int in_job[]; /* UNKNOWN until asked */
};

enum { UNKNOWN = -2 };

static struct ranks *new_ranks(int count)
{
    struct ranks *ranks = malloc(sizeof *ranks + (size_t)count * sizeof ranks->in_job[0]);
    if (!ranks)
        return NULL;
    ranks->count = count;
    for (int i = 0; i < count; i++)
        ranks->in_job[i] = UNKNOWN;
    return ranks;
}

/* Of a communicator that is closed to tickets, a copy is, too; of others nothing is known. */
static int copy_closed(MPI_Comm comm, int key, void *extra, void *from, void *to, int *flag)
{
    (void)comm;
    (void)key;
    (void)extra;
    *flag = ((struct ranks *)from)->count == 0;
    if (!*flag)
        return MPI_SUCCESS;
    *(struct ranks **)to = new_ranks(0);
    return *(struct ranks **)to ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

void weft_mpi_peer_begin(void)
{
    weft_mpi_attribute_begin(&attribute, copy_closed);
}

void weft_mpi_peer_end(void)
{
    weft_mpi_attribute_end(&attribute);
}

MPI_Group weft_mpi_peers(MPI_Comm comm)
{
    MPI_Group group = MPI_GROUP_NULL;
    int is_inter = 0;
    mpi.Comm_test_inter(comm, &is_inter);
    if (is_inter)
        mpi.Comm_remote_group(comm, &group);
    else
        mpi.Comm_group(comm, &group);
    return group;
}

static struct ranks *ranks_of(MPI_Comm comm)
{
    struct ranks *ranks;
    int is_there = 0;
    mpi.Comm_get_attr(comm, attribute.key, &ranks, &is_there);
    if (is_there)
        return ranks;
    int count = 0;
    MPI_Group group = weft_mpi_peers(comm);
    mpi.Group_size(group, &count);
    mpi.Group_free(&group);
    ranks = new_ranks(count);
    if (!ranks)
        return NULL;
    if (mpi.Comm_set_attr(comm, attribute.key, ranks) == MPI_SUCCESS)
        return ranks;
    free(ranks);
    return NULL;
}

static int translate(MPI_Comm comm, int rank)
{
    int in_job = MPI_UNDEFINED;
    MPI_Group group = weft_mpi_peers(comm), all = MPI_GROUP_NULL;
    mpi.Comm_group(MPI_COMM_WORLD, &all);
    mpi.Group_translate_ranks(group, 1, &rank, all, &in_job);
    mpi.Group_free(&group);
    mpi.Group_free(&all);
    return in_job == MPI_UNDEFINED ? -1 : in_job;
}

/* Two threads may make the attribute at once: the lock of the state keeps them apart. */
int weft_mpi_peer(MPI_Comm comm, int rank)
{
    if (comm == MPI_COMM_WORLD)
        return rank >= 0 && rank < weft_mpi.size ? rank : -1;
    weft_mpi_lock(&weft_mpi.lock);
    struct ranks *ranks = comm == MPI_COMM_NULL ? NULL : ranks_of(comm);
    int in_job = -1;
    if (ranks && rank >= 0 && rank < ranks->count) {
        if (ranks->in_job[rank] == UNKNOWN)
            ranks->in_job[rank] = translate(comm, rank);
        in_job = ranks->in_job[rank];
    }
    weft_mpi_unlock(&weft_mpi.lock);
    return in_job;
}

bool weft_mpi_peer_close(MPI_Comm comm)
{
    struct ranks *nobody = new_ranks(0);
    if (nobody && mpi.Comm_set_attr(comm, attribute.key, nobody) == MPI_SUCCESS)
        return true;
    free(nobody);
    return false;
}

bool weft_mpi_is_within_job(MPI_Comm comm)
{
    MPI_Group members = MPI_GROUP_NULL, all = MPI_GROUP_NULL, both = MPI_GROUP_NULL;
    int size = 0, common = -1;
    mpi.Comm_group(comm, &members);
    mpi.Comm_group(MPI_COMM_WORLD, &all);
    mpi.Group_intersection(members, all, &both);
    mpi.Group_size(members, &size);
    mpi.Group_size(both, &common);
    mpi.Group_free(&both);
    mpi.Group_free(&all);
    mpi.Group_free(&members);
    return size == common;
}

/* From anywhere is from near if nobody is far: so its messages are of the kind that they are of to
 * their sender. */
bool weft_mpi_is_rank_near(MPI_Comm comm, int rank)
{
    if (rank == MPI_ANY_SOURCE)
        return weft_mpi.is_on_one_host;
    int in_job = weft_mpi.net && rank >= 0 ? weft_mpi_peer(comm, rank) : -1;
    return in_job >= 0 && weft_mpi_is_near(in_job);
}

bool weft_mpi_is_on_one_host(MPI_Comm comm)
{
    int size = 0, near = 0;
    mpi.Comm_size(comm, &size);
    while (near < size && weft_mpi_is_rank_near(comm, near))
        near++;
    return near == size;
}
