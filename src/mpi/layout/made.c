/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls by which a program makes simple types. MPI makes them; all that is done here is to
 * note how, for what is used next and freed soon (recipe.h).
 */
#include "mpi/layout/recipe.h"

static void note(int result, const MPI_Datatype *made, struct weft_mpi_recipe recipe)
{
    if (result != MPI_SUCCESS || !weft_mpi_type_is_basic(recipe.of))
        return;
    weft_mpi_type_lock();
    weft_mpi_recipe_note(*made, &recipe);
    weft_mpi_type_unlock();
}

static void note_commit(int result, const MPI_Datatype *type)
{
    if (result != MPI_SUCCESS)
        return;
    weft_mpi_type_lock();
    weft_mpi_recipe_note_commit(*type);
    weft_mpi_type_unlock();
}

int MPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    int result = mpi.Type_contiguous(count, oldtype, newtype);
    if (WEFT_MPI_IS_OURS)
        note(result, newtype, (struct weft_mpi_recipe){MPI_COMBINER_CONTIGUOUS, oldtype, {count}});
    return result;
}
WEFT_MPI_ALSO_PMPI(Type_contiguous);

/* The stride is in elements, or in bytes. */
#define DEFINE_VECTOR(name, number, made_by)                                                      \
    int MPI_##name(int count, int blocklength, number stride, MPI_Datatype oldtype,               \
                   MPI_Datatype *newtype)                                                         \
    {                                                                                             \
        int result = mpi.name(count, blocklength, stride, oldtype, newtype);                      \
        if (WEFT_MPI_IS_OURS)                                                                     \
            note(result, newtype,                                                                 \
                 (struct weft_mpi_recipe){made_by, oldtype, {count, blocklength, stride}});       \
        return result;                                                                            \
    }                                                                                             \
    WEFT_MPI_ALSO_PMPI(name)

DEFINE_VECTOR(Type_vector, int, MPI_COMBINER_VECTOR);
DEFINE_VECTOR(Type_create_hvector, MPI_Aint, MPI_COMBINER_HVECTOR);

int MPI_Type_commit(MPI_Datatype *datatype)
{
    int result = mpi.Type_commit(datatype);
    if (WEFT_MPI_IS_OURS)
        note_commit(result, datatype);
    return result;
}
WEFT_MPI_ALSO_PMPI(Type_commit);
