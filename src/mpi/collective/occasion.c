/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/collective/occasion.h"

#include "mpi/collective/kinds.h"
#include "mpi/collective/offload.h"
#include "mpi/collective/shadow.h"

#ifdef WEFT_MPI_JUMP

#define BARE(...) __VA_ARGS__

/* What others do with a call of the library itself depends on who calls, so that goes past them.
 */
#define DEFINE(name, parameters, arguments)                                                       \
    static __typeof__(PMPI_##name) *next_##name;                                                  \
    static int settling_##name(BARE parameters)                                                   \
    {                                                                                             \
        if (!WEFT_MPI_IS_OURS)                                                                    \
            return mpi.name(BARE arguments);                                                      \
        weft_mpi_shadow_settle(comm);                                                             \
        weft_mpi_kinds_settle(comm);                                                              \
        weft_mpi_offload_settle(comm);                                                            \
        return next_##name(BARE arguments);                                                       \
    }

/* Another thread may come by while we step in. */
#define STEP_IN(name)                                                                             \
    next_##name = mpi.name;                                                                       \
    next_##name = (__typeof__(next_##name))weft_mpi_step_between(                                 \
        "PMPI_" #name, (weft_mpi_function *)settling_##name);

#define REDUCE_ARGUMENTS sendbuf, recvbuf, count, datatype, op
#define REDUCE_PARAMETERS(number)                                                                 \
    const void *sendbuf, void *recvbuf, number count, MPI_Datatype datatype, MPI_Op op

#define DEFINE_BCAST(name, number)                                                                \
    DEFINE(name, (void *buffer, number count, MPI_Datatype datatype, int root, MPI_Comm comm),    \
           (buffer, count, datatype, root, comm))
#define DEFINE_ALLREDUCE(name, number)                                                            \
    DEFINE(name, (REDUCE_PARAMETERS(number), MPI_Comm comm), (REDUCE_ARGUMENTS, comm))
#define DEFINE_REDUCE(name, number)                                                               \
    DEFINE(name, (REDUCE_PARAMETERS(number), int root, MPI_Comm comm),                            \
           (REDUCE_ARGUMENTS, root, comm))

DEFINE(Barrier, (MPI_Comm comm), (comm))
DEFINE_BCAST(Bcast, int)
DEFINE_BCAST(Bcast_c, MPI_Count)
DEFINE_ALLREDUCE(Allreduce, int)
DEFINE_ALLREDUCE(Allreduce_c, MPI_Count)
DEFINE_REDUCE(Reduce, int)
DEFINE_REDUCE(Reduce_c, MPI_Count)

static void step_in(void)
{
    STEP_IN(Barrier)
    STEP_IN(Bcast)
    STEP_IN(Bcast_c)
    STEP_IN(Allreduce)
    STEP_IN(Allreduce_c)
    STEP_IN(Reduce)
    STEP_IN(Reduce_c)
}

/* Nobody goes on before it is done: the next collective of this process is an occasion to all
 * others, whichever thread was the first. */
void weft_mpi_occasion_await(void)
{
    static pthread_once_t has_stepped_in = PTHREAD_ONCE_INIT;
    pthread_once(&has_stepped_in, step_in);
}

#else

void weft_mpi_occasion_await(void)
{
}

#endif
