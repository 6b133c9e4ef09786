/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/collective/occasion.h"

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
        weft_mpi_offload_settle(comm);                                                            \
        return next_##name(BARE arguments);                                                       \
    }

/* Another thread may come by while we step in. */
#define STEP_IN(name)                                                                             \
    next_##name = mpi.name;                                                                       \
    next_##name = (__typeof__(next_##name))weft_mpi_step_between(                                 \
        "PMPI_" #name, (weft_mpi_function *)settling_##name);

#define REDUCE_PARAMETERS                                                                         \
    const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op
#define REDUCE_ARGUMENTS sendbuf, recvbuf, count, datatype, op

DEFINE(Barrier, (MPI_Comm comm), (comm))
DEFINE(Bcast, (void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm),
       (buffer, count, datatype, root, comm))
DEFINE(Allreduce, (REDUCE_PARAMETERS, MPI_Comm comm), (REDUCE_ARGUMENTS, comm))
DEFINE(Reduce, (REDUCE_PARAMETERS, int root, MPI_Comm comm), (REDUCE_ARGUMENTS, root, comm))

static void step_in(void)
{
    STEP_IN(Barrier)
    STEP_IN(Bcast)
    STEP_IN(Allreduce)
    STEP_IN(Reduce)
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
