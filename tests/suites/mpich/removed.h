/* SPDX-License-Identifier: BSD-3-Clause */
/* The suite still uses calls that MPI has removed: Open MPI has them, but its header hides them
 * unless it is told that the program knows. */
#ifndef WEFT_TESTS_MPICH_SUITE_REMOVED_H
#define WEFT_TESTS_MPICH_SUITE_REMOVED_H

#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#define OMPI_REMOVED_USE_STATIC_ASSERT 0
#define __mpi_interface_removed__(old, new)

#endif
