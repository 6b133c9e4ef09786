/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/collective/lasting.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/layout/type.h"

/* A list of the program's is replaced by a copy; false without memory. */
static bool copy(const void **list, size_t size)
{
    void *own = *list ? malloc(size + 1) : NULL;
    if (own)
        memcpy(own, *list, size);
    bool is_copied = own || !*list;
    *list = own;
    return is_copied;
}

/* Where nothing goes there need not be a type. */
static bool copy_type(MPI_Datatype *type)
{
    if (*type == MPI_DATATYPE_NULL || weft_mpi_type_is_basic(*type))
        return true;
    if (weft_mpi_type_copy(*type, type))
        return true;
    *type = MPI_DATATYPE_NULL;
    return false;
}

static void free_type(MPI_Datatype *type)
{
    if (*type != MPI_DATATYPE_NULL && !weft_mpi_type_is_basic(*type))
        MPI_Type_free(type);
}

static bool copy_types(struct weft_mpi_side *side, int peers)
{
    bool is_copied = copy((const void **)&side->types, (size_t)peers * sizeof *side->types);
    for (int i = 0; side->types && i < peers; i++)
        is_copied &= copy_type((MPI_Datatype *)&side->types[i]);
    return is_copied && (side->is_typed || copy_type(&side->type));
}

/* Goes on after a failure, so that all can be freed. */
bool weft_mpi_side_copy(struct weft_mpi_side *side, int peers)
{
    size_t size = (size_t)peers;
    bool is_copied = copy((const void **)&side->counts, size * sizeof *side->counts);
    is_copied &= copy((const void **)&side->large_counts, size * sizeof *side->large_counts);
    is_copied &= copy((const void **)&side->places, size * sizeof *side->places);
    is_copied &= copy((const void **)&side->far, size * sizeof *side->far);
    return copy_types(side, peers) && is_copied;
}

void weft_mpi_side_free(struct weft_mpi_side *side, int peers)
{
    for (int i = 0; side->types && i < peers; i++)
        free_type((MPI_Datatype *)&side->types[i]);
    if (!side->is_typed)
        free_type(&side->type);
    free((void *)side->counts);
    free((void *)side->large_counts);
    free((void *)side->places);
    free((void *)side->far);
    free((void *)side->types);
}
