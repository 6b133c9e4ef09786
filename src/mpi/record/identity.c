/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/record/identity.h"

#include <stdlib.h>

#include "base/hash.h"
#include "mpi/record/log.h"
#include "mpi/start/attribute.h"
#include "mpi/start/ranks.h"

enum { OF_WORLD, UNKNOWN, FIRST };

static int last = FIRST;

/* ---- Life ---------------------------------------------------------------------------------- */

struct weft_mpi_identity *weft_mpi_identity_hold(struct weft_mpi_identity *identity)
{
    identity->users++;
    return identity;
}

void weft_mpi_identity_drop(struct weft_mpi_identity *identity)
{
    if (identity && --identity->users == 0)
        free(identity);
}

static void drop(void *value)
{
    weft_mpi_identity_drop(value);
}

static struct weft_mpi_attribute attribute = {MPI_KEYVAL_INVALID, drop};

/* `ranks` has room for all. */
static void translate(MPI_Group group, int size, int ranks[])
{
    MPI_Group all = MPI_GROUP_NULL;
    mpi.Comm_group(MPI_COMM_WORLD, &all);
    int *own = malloc(((size_t)size + 1) * sizeof *own);
    if (!own)
        weft_mpi_log_starve();
    for (int i = 0; i < size; i++) {
        ranks[i] = MPI_UNDEFINED;
        if (own)
            own[i] = i;
    }
    if (own)
        mpi.Group_translate_ranks(group, size, own, all, ranks);
    free(own);
    mpi.Group_free(&all);
}

static struct weft_mpi_identity *give(MPI_Comm comm, int number)
{
    int size = 0;
    MPI_Group peers = weft_mpi_peers(comm);
    mpi.Group_size(peers, &size);
    struct weft_mpi_identity *identity =
        malloc(sizeof *identity + (size_t)size * sizeof identity->in_job[0]);
    if (identity) {
        *identity = (struct weft_mpi_identity){.users = 1, .number = number, .size = size};
        translate(peers, size, identity->in_job);
    }
    mpi.Group_free(&peers);
    if (identity && mpi.Comm_set_attr(comm, attribute.key, identity) == MPI_SUCCESS)
        return identity;
    free(identity);
    weft_mpi_log_starve();
    return NULL;
}

/* One that came into being without our seeing it has the number of all such. */
struct weft_mpi_identity *weft_mpi_identity(MPI_Comm comm)
{
    struct weft_mpi_identity *identity = NULL;
    int is_there = 0;
    mpi.Comm_get_attr(comm, attribute.key, &identity, &is_there);
    return is_there ? identity : give(comm, UNKNOWN);
}

/* The calls that we have anyway find a least number, but no largest. */
void weft_mpi_identity_new(MPI_Comm comm)
{
    int is_inter = 0, own = -last, least = -last;
    if (comm == MPI_COMM_NULL)
        return;
    mpi.Comm_test_inter(comm, &is_inter);
    if (is_inter || !weft_mpi_is_within_job(comm))
        return;
    mpi.Allreduce(&own, &least, 1, MPI_INT, MPI_MIN, comm);
    last = -least + 1;
    give(comm, last);
}

void weft_mpi_identity_begin(void)
{
    weft_mpi_attribute_begin(&attribute, NULL);
    give(MPI_COMM_WORLD, OF_WORLD);
}

void weft_mpi_identity_end(void)
{
    weft_mpi_attribute_end(&attribute);
}

/* ---- Ranks and tags ------------------------------------------------------------------------ */

int weft_mpi_identity_peer(const struct weft_mpi_identity *identity, int rank)
{
    if (rank < 0 || rank >= identity->size || identity->in_job[rank] == MPI_UNDEFINED)
        return -1;
    return identity->in_job[rank];
}

/* Above all tags of programs. */
static uint32_t mix(int number, bool is_collective, uint32_t tag)
{
    const uint32_t upper = UINT32_C(1) << 31;
    uint64_t hash = weft_hash_mix(0, (uint64_t)number * 2 + is_collective);
    hash = weft_hash_mix(weft_hash_mix(hash, tag), 0) >> 32;
    return upper | (uint32_t)(hash % (upper - 1));
}

uint32_t weft_mpi_identity_tag(const struct weft_mpi_identity *identity, int tag)
{
    return identity->number == OF_WORLD ? (uint32_t)tag
                                        : mix(identity->number, false, (uint32_t)tag);
}

uint32_t weft_mpi_identity_collective_tag(struct weft_mpi_identity *identity)
{
    return mix(identity->number, true, identity->collectives++);
}
