/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Constants among the arguments that a type was made with. A type with one that we do not know is
 * MPI's alone.
 */
#include "mpi/layout/contents.h"

/* Behind the sizes of an array, which are elsewhere if they are large: kinds of distribution and
 * their arguments, processes, and the order. */
struct constants {
    int *kinds, *arguments, *order;
    size_t count; /* of kinds, and of arguments */
};

static struct constants find(const struct weft_mpi_contents *contents)
{
    struct constants found = {.order = contents->integer + contents->integers - 1};
    if (contents->combiner == MPI_COMBINER_DARRAY) {
        found.count = (size_t)contents->integer[2];
        found.kinds = found.order - 3 * found.count;
        found.arguments = found.order - 2 * found.count;
    }
    return found;
}

#ifdef WEFT_MPI_STANDARD_ABI

/* Open MPI 6.0.0rc2 tells them as they are in the ABI of its own. No number is in both. */
struct number {
    int own, standard;
};

static void restate_one(int *number, const struct number *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (*number == numbers[i].own) {
            *number = numbers[i].standard;
            return;
        }
}

static void restate(const struct constants *constants)
{
    static const struct number orders[] = {{0, MPI_ORDER_C}, {1, MPI_ORDER_FORTRAN}};
    static const struct number kinds[] = {
        {0, MPI_DISTRIBUTE_BLOCK}, {1, MPI_DISTRIBUTE_CYCLIC}, {2, MPI_DISTRIBUTE_NONE}};
    static const struct number arguments[] = {{-1, MPI_DISTRIBUTE_DFLT_DARG}};
    restate_one(constants->order, orders, sizeof orders / sizeof *orders);
    for (size_t i = 0; i < constants->count; i++) {
        restate_one(&constants->kinds[i], kinds, sizeof kinds / sizeof *kinds);
        restate_one(&constants->arguments[i], arguments, 1);
    }
}

#else

static void restate(const struct constants *constants)
{
    (void)constants;
}

#endif

static bool is_kind(int number)
{
    return number == MPI_DISTRIBUTE_BLOCK || number == MPI_DISTRIBUTE_CYCLIC ||
           number == MPI_DISTRIBUTE_NONE;
}

bool weft_mpi_contents_settle(struct weft_mpi_contents *contents)
{
    if (contents->combiner != MPI_COMBINER_SUBARRAY && contents->combiner != MPI_COMBINER_DARRAY)
        return true;
    struct constants constants = find(contents);
    if (weft_mpi_is_open_mpi)
        restate(&constants);
    bool is_known = *constants.order == MPI_ORDER_C || *constants.order == MPI_ORDER_FORTRAN;
    for (size_t i = 0; i < constants.count; i++)
        is_known = is_known && is_kind(constants.kinds[i]);
    return is_known;
}
