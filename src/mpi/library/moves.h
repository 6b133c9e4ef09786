/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters and arguments of calls that are one-sided, or of files; `number` is the type of their
 * counts. */
#ifndef WEFT_MPI_LIBRARY_MOVES_H
#define WEFT_MPI_LIBRARY_MOVES_H

#define WEFT_MPI_ORIGIN_PARAMETERS(buffer, number)                                                \
    buffer origin_addr, number origin_count, MPI_Datatype origin_type
#define WEFT_MPI_ORIGIN_ARGUMENTS origin_addr, origin_count, origin_type
#define WEFT_MPI_TARGET_PARAMETERS(number)                                                        \
    int target_rank, MPI_Aint target_disp, number target_count, MPI_Datatype target_type
#define WEFT_MPI_TARGET_ARGUMENTS target_rank, target_disp, target_count, target_type

/* Where in the file. */
#define WEFT_MPI_NEXT_PARAMETERS MPI_File fh
#define WEFT_MPI_NEXT_ARGUMENTS fh
#define WEFT_MPI_AT_PARAMETERS MPI_File fh, MPI_Offset offset
#define WEFT_MPI_AT_ARGUMENTS fh, offset

/* A call that waits, one that another call ends, and one that answers with a request. */
#define WEFT_MPI_WAITS_PARAMETERS , MPI_Status *status
#define WEFT_MPI_WAITS_ARGUMENTS , status
#define WEFT_MPI_BEGINS_PARAMETERS
#define WEFT_MPI_BEGINS_ARGUMENTS
#define WEFT_MPI_REQUESTS_PARAMETERS , MPI_Request *request
#define WEFT_MPI_REQUESTS_ARGUMENTS , request

#define WEFT_MPI_FILE_PARAMETERS(PLACE, buffer, number, END)                                      \
    WEFT_MPI_##PLACE##_PARAMETERS, buffer buf, number count,                                      \
        MPI_Datatype datatype WEFT_MPI_##END##_PARAMETERS

/* X(name of a call that reads, name of the one that writes, where, how it ends) */
#define WEFT_MPI_FILE_CALLS(X)                                                                    \
    X(File_read, File_write, NEXT, WAITS)                                                         \
    X(File_read_all, File_write_all, NEXT, WAITS)                                                 \
    X(File_read_shared, File_write_shared, NEXT, WAITS)                                           \
    X(File_read_ordered, File_write_ordered, NEXT, WAITS)                                         \
    X(File_read_at, File_write_at, AT, WAITS)                                                     \
    X(File_read_at_all, File_write_at_all, AT, WAITS)                                             \
    X(File_iread, File_iwrite, NEXT, REQUESTS)                                                    \
    X(File_iread_all, File_iwrite_all, NEXT, REQUESTS)                                            \
    X(File_iread_shared, File_iwrite_shared, NEXT, REQUESTS)                                      \
    X(File_iread_at, File_iwrite_at, AT, REQUESTS)                                                \
    X(File_iread_at_all, File_iwrite_at_all, AT, REQUESTS)

/* Those in two halves: X(that reads, that writes, where). Both have _begin and _end. */
#define WEFT_MPI_SPLIT_FILE_CALLS(X)                                                              \
    X(File_read_all, File_write_all, NEXT)                                                        \
    X(File_read_ordered, File_write_ordered, NEXT)                                                \
    X(File_read_at_all, File_write_at_all, AT)

#endif
