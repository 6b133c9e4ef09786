/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/start/attribute.h"

/* MPI's own function for this is an object of the library, which the linker must not look for. */
static int copy_nothing(MPI_Comm comm, int key, void *extra, void *from, void *to, int *flag)
{
    (void)comm;
    (void)key;
    (void)extra;
    (void)from;
    (void)to;
    *flag = 0;
    return MPI_SUCCESS;
}

static int drop(MPI_Comm comm, int key, void *value, void *extra)
{
    const struct weft_mpi_attribute *attribute = extra;
    (void)comm;
    (void)key;
    attribute->drop(value);
    return MPI_SUCCESS;
}

void weft_mpi_attribute_begin(struct weft_mpi_attribute *attribute,
                              MPI_Comm_copy_attr_function *copy)
{
    mpi.Comm_create_keyval(copy ? copy : copy_nothing, drop, &attribute->key, attribute);
}

void weft_mpi_attribute_end(struct weft_mpi_attribute *attribute)
{
    mpi.Comm_free_keyval(&attribute->key);
}
