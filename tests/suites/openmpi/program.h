/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programs of this folder share: the world, checks, and data whose every byte is known.
 * A program prints "ok" from rank 0 if no process found a fault. */
#ifndef TESTS_OPENMPI_PROGRAM_H
#define TESTS_OPENMPI_PROGRAM_H

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, faults;
static MPI_Comm report; /* so that no receive from anybody takes a report */

#define check(condition)                                                                          \
    do {                                                                                          \
        if (!(condition) && faults++ < 5)                                                         \
            fprintf(stderr, "rank %d: %s:%d: %s\n", rank, __FILE__, __LINE__, #condition);        \
    } while (0)

static inline unsigned char byte_of(unsigned seed, size_t i)
{
    return (unsigned char)(seed * 31 + i * 7 + (i >> 8) * 13 + (i >> 16));
}

static inline void fill(void *buffer, size_t length, unsigned seed)
{
    for (size_t i = 0; i < length; i++)
        ((unsigned char *)buffer)[i] = byte_of(seed, i);
}

static inline int is_filled(const void *buffer, size_t length, unsigned seed)
{
    for (size_t i = 0; i < length; i++)
        if (((const unsigned char *)buffer)[i] != byte_of(seed, i))
            return 0;
    return 1;
}

static inline void start(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &report);
}

/* The sum is sent by hand: a collective may be what is under test. */
static inline int finish(void)
{
    int all = faults;
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            int other;
            MPI_Recv(&other, 1, MPI_INT, i, 0, report, MPI_STATUS_IGNORE);
            all += other;
        }
        printf(all ? "%d faults\n" : "ok\n", all);
    } else {
        MPI_Send(&all, 1, MPI_INT, 0, 0, report);
    }
    MPI_Comm_free(&report);
    MPI_Finalize();
    return faults != 0;
}

#endif
