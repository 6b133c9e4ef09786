/* SPDX-License-Identifier: BSD-3-Clause */
/* The constructors of MPI, as layouts.h wants them. MPI ends the program if one fails. */
#include <mpi.h>
#include <stdlib.h>

#include "bench/layouts/families.h"

static MPI_Datatype type_of(made_type made)
{
    return (MPI_Datatype)made;
}

static made_type make_basic(enum element element)
{
    const MPI_Datatype types[ELEMENT_COUNT] = {
        [ELEMENT_FLOAT] = MPI_FLOAT,
        [ELEMENT_DOUBLE] = MPI_DOUBLE,
        [ELEMENT_DOUBLE_COMPLEX] = MPI_C_DOUBLE_COMPLEX,
    };
    return (made_type)types[element];
}

static void release(made_type made)
{
    MPI_Datatype type = type_of(made);
    if (type != MPI_FLOAT && type != MPI_DOUBLE && type != MPI_C_DOUBLE_COMPLEX)
        MPI_Type_free(&type);
}

static made_type finish_from(MPI_Datatype type, made_type old)
{
    release(old);
    return (made_type)type;
}

static made_type make_contiguous(size_t count, made_type old)
{
    MPI_Datatype type;
    MPI_Type_contiguous((int)count, type_of(old), &type);
    return finish_from(type, old);
}

static made_type make_vector(size_t count, size_t blocklength, size_t stride, made_type old)
{
    MPI_Datatype type;
    MPI_Type_vector((int)count, (int)blocklength, (int)stride, type_of(old), &type);
    return finish_from(type, old);
}

static made_type make_hvector(size_t count, size_t blocklength, size_t stride, made_type old)
{
    MPI_Datatype type;
    MPI_Type_create_hvector((int)count, (int)blocklength, (MPI_Aint)stride, type_of(old), &type);
    return finish_from(type, old);
}

static made_type make_indexed_block(size_t count, size_t blocklength, const int32_t index[],
                                    made_type old)
{
    MPI_Datatype type;
    MPI_Type_create_indexed_block((int)count, (int)blocklength, index, type_of(old), &type);
    return finish_from(type, old);
}

static made_type make_indexed(size_t count, const size_t blocklengths[],
                              const ptrdiff_t displacements[], made_type old)
{
    int *lengths = bench_allocate(count * sizeof(*lengths));
    int *first = bench_allocate(count * sizeof(*first));
    for (size_t i = 0; i < count; i++) {
        lengths[i] = (int)blocklengths[i];
        first[i] = (int)displacements[i];
    }
    MPI_Datatype type;
    MPI_Type_indexed((int)count, lengths, first, type_of(old), &type);
    free(lengths);
    free(first);
    return finish_from(type, old);
}

static made_type make_structure(size_t count, const ptrdiff_t displacements[],
                                const made_type types[])
{
    int blocklengths[LAYOUT_MAX_PARTS] = {0};
    MPI_Aint at[LAYOUT_MAX_PARTS] = {0};
    MPI_Datatype members[LAYOUT_MAX_PARTS] = {MPI_DATATYPE_NULL}, type;
    for (size_t i = 0; i < count; i++) {
        blocklengths[i] = 1;
        at[i] = displacements[i];
        members[i] = type_of(types[i]);
    }
    MPI_Type_create_struct((int)count, blocklengths, at, members, &type);
    for (size_t i = 0; i < count; i++)
        release(types[i]);
    return (made_type)type;
}

static void to_ints(size_t count, const size_t from[], int to[])
{
    for (size_t i = 0; i < count; i++)
        to[i] = (int)from[i];
}

static made_type make_subarray(size_t ndims, const size_t sizes[], const size_t subsizes[],
                               const size_t starts[], made_type old)
{
    enum { MAX_DIMENSIONS = 4 };
    int whole[MAX_DIMENSIONS], part[MAX_DIMENSIONS], first[MAX_DIMENSIONS];
    to_ints(ndims, sizes, whole);
    to_ints(ndims, subsizes, part);
    to_ints(ndims, starts, first);
    MPI_Datatype type;
    MPI_Type_create_subarray((int)ndims, whole, part, first, MPI_ORDER_C, type_of(old), &type);
    return finish_from(type, old);
}

static made_type make_resized(made_type old, size_t extent)
{
    MPI_Datatype type;
    MPI_Type_create_resized(type_of(old), 0, (MPI_Aint)extent, &type);
    return finish_from(type, old);
}

static void commit(made_type made)
{
    MPI_Datatype type = type_of(made);
    MPI_Type_commit(&type);
}

const struct maker maker_mpi = MAKER_OF_THIS_FILE;
