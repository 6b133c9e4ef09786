/* SPDX-License-Identifier: BSD-3-Clause */
/* The suite still uses calls that MPI has removed: Open MPI has them, but its header hides them
 * unless it is told that the program knows. The standard ABI has never had them. */
#ifndef WEFT_TESTS_MPICH_SUITE_REMOVED_H
#define WEFT_TESTS_MPICH_SUITE_REMOVED_H

#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#define OMPI_REMOVED_USE_STATIC_ASSERT 0
#define __mpi_interface_removed__(old, new)

#ifdef BY_STANDARD_ABI
#define MPI_Address MPI_Get_address
#define MPI_Type_hvector MPI_Type_create_hvector
#define MPI_Type_hindexed MPI_Type_create_hindexed
#define MPI_Type_struct MPI_Type_create_struct
#define MPI_Errhandler_create MPI_Comm_create_errhandler
#define MPI_Errhandler_get MPI_Comm_get_errhandler
#define MPI_Errhandler_set MPI_Comm_set_errhandler
#define MPI_Handler_function MPI_Comm_errhandler_function
#define MPI_Keyval_create MPI_Comm_create_keyval
#define MPI_Keyval_free MPI_Comm_free_keyval
#define MPI_Attr_put MPI_Comm_set_attr
#define MPI_Attr_get MPI_Comm_get_attr
#define MPI_Attr_delete MPI_Comm_delete_attr
#define MPI_Copy_function MPI_Comm_copy_attr_function
#define MPI_Delete_function MPI_Comm_delete_attr_function
#define MPI_NULL_COPY_FN MPI_COMM_NULL_COPY_FN
#define MPI_NULL_DELETE_FN MPI_COMM_NULL_DELETE_FN
#define MPI_DUP_FN MPI_COMM_DUP_FN
#endif

#endif
